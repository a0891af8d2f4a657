# SPDX-License-Identifier: Apache-2.0
"""The captures and the session file of bench_network.py, read by scapy and by the programs that they are for."""
from __future__ import annotations

import struct

import network_flows as flows
import pytest
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from scapy.utils import rdpcap

LAST_OF_THE_FIRST = flows.PORTS_A_HOST - 1


@pytest.mark.parametrize(("side", "translated", "wanted"), (
    (0, True, [("1.1.1.2", 1024, "2.2.2.2", 53), ("1.1.1.2", 65535, "2.2.2.2", 53), ("1.1.1.3", 1024, "2.2.2.2", 53)]),
    (1, True, [("2.2.2.2", 53, "2.2.2.1", 1024), ("2.2.2.2", 53, "2.2.2.1", 65535), ("2.2.2.2", 53, "198.18.0.1", 1024)]),
    (1, False, [("2.2.2.2", 1024, "1.1.1.2", 53), ("2.2.2.2", 65535, "1.1.1.2", 53), ("2.2.2.2", 1024, "1.1.1.3", 53)])))
def test_frames_are_what_a_router_forwards(tmp_path, side, translated, wanted):
    flows.write_capture(tmp_path / "x.pcap", flows.Lane(0).frames(side, [0, LAST_OF_THE_FIRST, LAST_OF_THE_FIRST + 1], translated))
    packets = rdpcap(str(tmp_path / "x.pcap"))
    assert [(one[IP].src, one[UDP].sport, one[IP].dst, one[UDP].dport) for one in packets] == wanted
    for one in packets:
        assert len(one) == 60 and (one.dst, one.src) == (flows.OWN_MACS[side], flows.HOST_MACS[side])
        again = one.copy()
        del again[IP].chksum, again[IP].len, again[UDP].len
        assert bytes(Ether(bytes(again))) == bytes(one), "checksum and lengths are scapy's"


def test_a_session_file_has_a_record_a_session(tmp_path):
    count = flows.PORTS_A_HOST + 1
    flows.write_sessions(tmp_path / "sessions", [count])
    data = (tmp_path / "sessions").read_bytes()
    assert struct.unpack_from("<8sQ", data) == (b"pwnat441", count) and len(data) == 16 + 24 * count
    assert struct.unpack_from("<QQII", data, 16) == (0x01010102_0400_0001, 0x02020201_0400_0001, 0, 0)
    assert struct.unpack_from("<QQII", data, len(data) - 24) == (0x01010103_0400_0001, 0xc6120001_0400_0001, 0, 0)
