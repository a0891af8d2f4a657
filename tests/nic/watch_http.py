# SPDX-License-Identifier: Apache-2.0
"""watch_http.py PORT FILE: runs in a guest. Asks packetwarp over and over by HTTP why it is not ready and which ports are up, and
appends a line of JSON to the file whenever that has changed."""
from __future__ import annotations

import contextlib
import http.client
import json
import pathlib
import sys
import time
from typing import Any

# A request takes a guest without KVM some 30 ms of its CPU.
ASK_EVERY = 0.25


def ask(port: int, path: str) -> tuple[int, str]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    with contextlib.closing(connection):
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()


def look(port: int) -> dict[str, Any]:
    status, readiness = ask(port, "/readyz")
    why = json.loads(readiness)["why"]
    lines = [line for line in ask(port, "/metrics")[1].splitlines() if line.startswith("packetwarp_port_up{")]
    up = {line.split('port="')[1][0]: int(float(line.split()[-1])) for line in lines}
    return {"status": status, "why": why, "up": up}


def main() -> None:
    port, file = int(sys.argv[1]), pathlib.Path(sys.argv[2])
    last = None
    while True:
        # Before it listens, and after its end, no server answers.
        with contextlib.suppress(OSError, http.client.HTTPException):
            if (seen := look(port)) != last:
                last = seen
                with file.open("a") as out:
                    out.write(json.dumps(seen) + "\n")
        time.sleep(ASK_EVERY)


if __name__ == "__main__":
    main()
