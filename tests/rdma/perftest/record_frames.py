#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records RoCEv2 frames of an interface: record_frames.py INTERFACE FILE SECONDS.

It writes a pcap file. tests/rdma/roce/rxe.pcap was recorded by test_frames.py, whose guest has Linux's software
RDMA device."""
from __future__ import annotations

import pathlib
import socket
import struct
import sys
import time

ALL_PROTOCOLS = 0x0003
ROCE_PORT = 4791


def is_roce(frame: bytes) -> bool:
    return frame[12:14] == b"\x08\x00" and frame[23] == 17 and struct.unpack(">H", frame[36:38])[0] == ROCE_PORT


def main() -> int:
    interface, path, seconds = sys.argv[1], pathlib.Path(sys.argv[2]), float(sys.argv[3])
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ALL_PROTOCOLS)) as wire, path.open("wb") as out:
        wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 24)
        wire.bind((interface, 0))
        wire.settimeout(0.1)
        out.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1))
        print("recording", flush=True)
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            try:
                frame = wire.recv(65535)
            except TimeoutError:
                continue
            if len(frame) >= 42 and is_roce(frame):
                out.write(struct.pack("<IIII", 0, 0, len(frame), len(frame)) + frame)
                out.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
