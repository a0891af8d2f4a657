# SPDX-License-Identifier: Apache-2.0
"""The frames of Linux's software RDMA device, as they are on the wire: their ICRCs are zlib's, and all operations that packetwarp
knows are there. Recorded ones are in tests/rdma/roce/rxe.pcap, which tests/rdma/roce/rxe_frames_test.cpp reads."""
from __future__ import annotations

import collections
import pathlib
import subprocess
import sys
import zlib

from conftest import finished
from guest_rdma import OWN, PEER, WIRE
from harness import end_with_the_tests
from scapy.utils import rdpcap
from test_write_bw import ended, words_of

HERE = pathlib.Path(__file__).resolve().parent
PEER_BYTES = bytes(map(int, PEER.split(".")))
WRITE_FIRST, WRITE_MIDDLE, WRITE_LAST, WRITE_ONLY, ACKNOWLEDGE = 0x06, 0x07, 0x08, 0x0A, 0x11


def icrc_is_right(frame: bytes) -> bool:
    """InfiniBand Architecture, annex A17: fields that change on the way count as ones."""
    total = int.from_bytes(frame[16:18], "big")
    packet = bytearray(b"\xff" * 8 + frame[14:14 + total - 4])
    for at in (1, 8, 10, 11, 26, 27, 32):
        packet[8 + at] = 0xff
    return zlib.crc32(packet).to_bytes(4, "little") == frame[14 + total - 4:14 + total]


def test_of_the_software_device_are_right(guest, ours, host, tmp_path):
    path = tmp_path / "rxe.pcap"
    recorder = host.popen(sys.executable, str(HERE / "record_frames.py"), WIRE, str(path), "60", stdout=subprocess.PIPE, text=True,
                          preexec_fn=end_with_the_tests)
    assert recorder.stdout.readline() == "recording\n"
    for size, writes in ((600, 4), (40, 4)):  # of several packets each, with an MTU of 256, and of one
        server, result = ours.server("rdma-bw", *words_of(size, 1, 256))
        ended(guest.perftest("ib_write_bw", *words_of(size, 1, 256), "-n", str(writes + 1), OWN))
        finished(server, result)
        peer = guest.perftest("ib_write_bw", *words_of(size, 1, 256), "-n", str(writes + 1))
        ours.client("rdma-bw", *words_of(size, 1, 256), "-n", "1", "--posts", str(writes + 1))
        ended(peer)
    recorder.terminate()
    recorder.wait()
    frames = [bytes(frame) for frame in rdpcap(str(path))]
    assert all(map(icrc_is_right, frames))
    seen = collections.Counter((frame[26:30], frame[42]) for frame in frames)
    # Frames that packetwarp sends pass by the kernel's taps.
    for operation in (WRITE_FIRST, WRITE_MIDDLE, WRITE_LAST, WRITE_ONLY, ACKNOWLEDGE):
        assert seen[PEER_BYTES, operation] > 0, (operation, seen)
