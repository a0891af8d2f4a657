# SPDX-License-Identifier: Apache-2.0
"""watch_http.py PORT FILE: runs in a guest. Asks packetwarp over and over by HTTP why it is not ready and which ports are up, and
appends a line of JSON to the file whenever that has changed. Imports little, and speaks HTTP itself: http.client and the modules
that it loads take a guest without KVM some seconds of its CPU, and each of its requests 30 ms."""
from __future__ import annotations

import contextlib
import json
import re
import socket
import sys
import time

ASK_EVERY = 0.25
PORT_UP = re.compile(rb'^packetwarp_port_up\{[^}]*port="(\d+)[^}]*} (\d+)', re.MULTILINE)


def ask(port: int, path: str) -> tuple[int, bytes]:
    """The status and the body."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(f"GET {path} HTTP/1.0\r\n\r\n".encode())
        answer = b"".join(iter(lambda: connection.recv(1 << 16), b""))
    head, _, body = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]), body


def look(port: int) -> dict[str, object]:
    status, readiness = ask(port, "/readyz")
    up = {number.decode(): int(is_up) for number, is_up in PORT_UP.findall(ask(port, "/metrics")[1])}
    return {"status": status, "why": json.loads(readiness)["why"], "up": up}


def main() -> None:
    port, last = int(sys.argv[1]), None
    while True:
        # Before it listens, and after its end, no server answers, or not to the end.
        with contextlib.suppress(OSError, ValueError, IndexError):
            if (seen := look(port)) != last:
                last = seen
                with open(sys.argv[2], "a") as out:
                    out.write(json.dumps(seen) + "\n")
        time.sleep(ASK_EVERY)


if __name__ == "__main__":
    main()
