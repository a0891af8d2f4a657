# SPDX-License-Identifier: Apache-2.0
"""The rate of a run is that of the packets that left: neither punted nor dropped ones have a part in its bits."""
from __future__ import annotations

from typing import Any

import pytest
from harness import ALONE, DONE
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import ARP, Ether
from scapy.packet import Packet, Raw
from scapy.utils import wrpcap

OWN, HOST, NEXT, OTHER = "02:00:00:00:00:01", "02:00:00:00:00:10", "02:00:00:00:00:99", "02:00:00:00:00:77"
NETWORK: dict[str, Any] = {
    "interfaces": [{"name": "left", "port": 0, "mac": OWN, "addresses": ["192.0.2.1/24"]},
                   {"name": "right", "port": 1, "addresses": ["198.51.100.1/24"]}],
    "neighbours": [{"interface": "right", "address": "198.51.100.2", "mac": NEXT}]}
FRAME_BYTES, FCS_BYTES, FRAMING_BYTES = 300, 4, 20
ROUNDS = 200  # several bursts, so that a stretch is measured, and fewer questions than the master takes at once


def to(mac: str) -> Packet:
    headers = Ether(src=HOST, dst=mac) / IP(src="192.0.2.9", dst="198.51.100.2") / UDP(sport=1, dport=2)
    return headers / Raw(bytes(FRAME_BYTES - len(headers)))


QUESTION = Ether(src=HOST, dst="ff:ff:ff:ff:ff:ff") / ARP(op=1, hwsrc=HOST, psrc="192.0.2.9", pdst="192.0.2.77") / Raw(bytes(100))


@pytest.mark.parametrize("routed", [0, 5])
def test_only_packets_that_left_are_in_the_rate(packetwarp, tmp_path, routed):
    wrpcap(str(tmp_path / "in.pcap"), ([QUESTION, to(OTHER)] + [to(OWN)] * routed) * ROUNDS)
    ports = [f"--vdev=net_pcap0,rx_pcap={tmp_path / 'in.pcap'},tx_pcap={tmp_path / 'back.pcap'}", "--vdev=net_null0,no-rx=1"]
    done = packetwarp.run("run", [*ALONE, "-l", "0", *ports],
                          ["-c", packetwarp.write_config(NETWORK), "--control", "none", "--until-idle", "100ms", "--json", "-"])
    assert done.status == DONE, done
    result, sent = done.result, ROUNDS * routed
    assert (result["packets"]["punted"], result["packets"]["tx"], result["measured"]["tx"]) == (ROUNDS, sent, sent), done
    assert result["seconds"] > 0, done
    for key, beside in (("gbps_l2", FCS_BYTES), ("gbps_l1", FCS_BYTES + FRAMING_BYTES)):
        assert result[key] * result["seconds"] * 1e9 == pytest.approx(8 * sent * (FRAME_BYTES + beside)), key
