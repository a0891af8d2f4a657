# SPDX-License-Identifier: Apache-2.0
"""send_frames.py FILE INTERFACE: runs in a guest. Sends the file's frames by the interface of a tap, a few at a time, and waits
after each few until as many as are to pass have been read from the tap, by the kernel's count. A line of the file is a frame
in hexadecimal digits, and 1 where the frame is to pass, 0 where it is not."""
from __future__ import annotations

import pathlib
import socket
import sys
import time

# Fewer than any queue on the way has room for.
WINDOW = 32
SECONDS = 60


def read_from(interface: str) -> int:
    return int(pathlib.Path(f"/sys/class/net/{interface}/statistics/tx_packets").read_text())


def wait_until_read(interface: str, count: int) -> None:
    deadline = time.monotonic() + SECONDS
    while (seen := read_from(interface)) < count:
        if time.monotonic() > deadline:
            sys.exit(f"{count - seen} frames were not read from {interface}")
        time.sleep(0.001)


def main() -> None:
    file, interface = sys.argv[1:]
    frames = [line.split() for line in pathlib.Path(file).read_text().splitlines()]
    expected = read_from(interface)
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as wire:
        wire.bind((interface, 0))
        for begin in range(0, len(frames), WINDOW):
            some = frames[begin:begin + WINDOW]
            for frame, _ in some:
                wire.send(bytes.fromhex(frame))
            expected += sum(int(passes) for _, passes in some)
            wait_until_read(interface, expected)


if __name__ == "__main__":
    main()
