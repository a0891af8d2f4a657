# SPDX-License-Identifier: Apache-2.0
"""telling_client.py PORT BYTES WRITES: a client of ib_write_bw's exchange, with one queue, that makes no write of its own. It
prints the number of the server's queue, reads a line, and tells the server of WRITES writes; it ends as perftest does."""
from __future__ import annotations

import socket
import struct
import sys


def main() -> None:
    port, size, writes = map(int, sys.argv[1:])
    gid = "00:00:00:00:00:00:00:00:00:00:ff:ff:0a:09:00:02"
    key = f"0000:0001:000011:000022:00000033:0000000000001000:{gid}:00000000:".encode().ljust(108, b"\0")
    with socket.create_connection(("127.0.0.1", port)) as connection, connection.makefile("rwb") as stream:

        def trade(message: bytes) -> bytes:
            stream.write(message)
            stream.flush()
            return stream.read(len(message))

        for message in (b"6.06".ljust(16, b"\0"), (4096).to_bytes(4, "big"), (64).to_bytes(4, "big"), b"3\0"):
            trade(message)
        server = trade(key)
        for _ in range(2):
            trade(key)
        print(int(server.split(b":")[2], 16), flush=True)
        sys.stdin.readline()
        trade(key)
        for number in (size, writes):
            trade(struct.pack(">Q", number))
        for rate in (500.0, 400.0, 6.5):
            trade(struct.pack(">d", rate))
        trade(key)
        stream.write(b"done\0")


main()
