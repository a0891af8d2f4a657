# SPDX-License-Identifier: Apache-2.0
"""The first messages of a BGP session (RFC 4271, 4.2 and 4.4), by a listener or a connecting peer: OPEN, KEEPALIVE. Prints
"established" and the peer's AS once both have come. Not a routing daemon: it has a daemon's demands on the network below it."""
from __future__ import annotations

import socket
import struct
import sys

PORT, OPEN, KEEPALIVE = 179, 1, 4


def message(kind: int, body: bytes = b"") -> bytes:
    return b"\xff" * 16 + struct.pack("!HB", 19 + len(body), kind) + body


def take(connection: socket.socket, count: int) -> bytes:
    got = b""
    while len(got) < count:
        if not (more := connection.recv(count - len(got))):
            raise SystemExit("the peer has closed the connection")
        got += more
    return got


def receive(connection: socket.socket, kind: int) -> bytes:
    marker, length, got = struct.unpack("!16sHB", take(connection, 19))
    if marker != b"\xff" * 16 or got != kind:
        raise SystemExit(f"a message of kind {got} where {kind} was due")
    return take(connection, length - 19)


def main() -> None:
    how, address, own_as = sys.argv[1:]
    if how == "listen":
        server = socket.create_server((address, PORT))
        connection, _ = server.accept()
    else:
        connection = socket.create_connection((address, PORT), timeout=20)
    connection.sendall(message(OPEN, struct.pack("!BHH4sB", 4, int(own_as), 90, socket.inet_aton(address), 0)))
    _, peer_as, *_ = struct.unpack("!BHH4sB", receive(connection, OPEN)[:10])
    connection.sendall(message(KEEPALIVE))
    receive(connection, KEEPALIVE)
    print("established", peer_as)
    if how == "listen":
        connection.recv(1)  # until the peer leaves


if __name__ == "__main__":
    main()
