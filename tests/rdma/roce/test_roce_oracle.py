# SPDX-License-Identifier: Apache-2.0
"""RoCEv2 packets of src/rdma/roce: scapy reads the same fields, and scapy and zlib compute the same ICRC."""
from __future__ import annotations

import struct
import subprocess
import zlib

import pytest
from scapy.contrib.roce import AETH, BTH
from scapy.layers.inet import IP, UDP

PACKETS = 100
NAMES = ("code", "padding", "queue_number", "asks", "psn", "address", "rkey", "length", "syndrome", "message_number", "payload")


@pytest.fixture(scope="module")
def packets(request) -> list[tuple[bytes, dict[str, int]]]:
    done = subprocess.run([request.config.getoption("--frames"), str(PACKETS)], capture_output=True, text=True, check=True, timeout=60)
    lines = [line.split() for line in done.stdout.splitlines()]
    assert len(lines) == PACKETS
    return [(bytes.fromhex(line[0]), dict(zip(NAMES, map(int, line[1:]), strict=True))) for line in lines]


def test_scapy_reads_the_fields(packets):
    for data, fields in packets:
        bth = IP(data)[UDP][BTH]
        assert (bth.opcode, bth.padcount, bth.version, bth.pkey) == (fields["code"], fields["padding"], 0, 0xFFFF)
        assert (bth.solicited, bth.migreq) == (0, 1)  # without automatic path migration a connection's state is "migrated"
        assert (bth.dqpn, bth.ackreq, bth.psn) == (fields["queue_number"], fields["asks"], fields["psn"])
        rest = bytes(bth.payload)
        if fields["code"] == 0x11:
            assert (bth[AETH].syndrome, bth[AETH].msn) == (fields["syndrome"], fields["message_number"])
        if fields["code"] in (0x06, 0x0A):  # scapy has no RETH
            assert struct.unpack(">QII", rest[:16]) == (fields["address"], fields["rkey"], fields["length"])
            assert len(rest) == 16 + fields["payload"] + fields["padding"]


def test_scapy_computes_the_same_icrc(packets):
    for data, _ in packets:
        packet = IP(data)
        bth = packet[UDP][BTH]
        # scapy reads the four bytes as a number in network order.
        sent = data[-4:]
        bth.icrc = None
        assert bytes(packet)[-4:] == sent


def test_zlib_computes_the_same_icrc(packets):
    for data, _ in packets:
        masked = bytearray(data[:-4])
        for at in (1, 8, 10, 11, 26, 27, 32):
            masked[at] = 0xFF
        assert zlib.crc32(b"\xff" * 8 + masked).to_bytes(4, "little") == data[-4:]
