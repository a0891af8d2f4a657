# SPDX-License-Identifier: Apache-2.0
"""The rate of a run is that of the packets that left, as they left: neither punted nor dropped ones have a part in its bits."""
from __future__ import annotations

from typing import Any

import pytest
from harness import ALONE, DONE, Run
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
    assert_rate(done, sent, FRAME_BYTES)


def assert_rate(done: Run, sent: int, frame_bytes: int) -> None:
    result = done.result
    assert result["seconds"] > 0, done
    for key, beside in (("gbps_l2", FCS_BYTES), ("gbps_l1", FCS_BYTES + FRAMING_BYTES)):
        assert result[key] * result["seconds"] * 1e9 == pytest.approx(8 * sent * (frame_bytes + beside)), key


PUSH = "of_push_vlan ethertype 0x8100 / of_push_vlan ethertype 0x88a8 / "
POP = "of_pop_vlan / "


@pytest.mark.parametrize(("actions", "tags", "longer"), (
    pytest.param(f"{PUSH}port_id id 1", 0, 8, id="pushed"), pytest.param(f"{POP}port_id id 1", 1, -4, id="popped"),
    pytest.param(f"{PUSH}port_id id 0", 0, 8, id="pushed and sent back"), pytest.param(f"{POP}drop", 1, 0, id="popped and dropped"),
    pytest.param(f"{PUSH}drop", 0, 0, id="pushed and dropped")))
def test_bytes_that_rules_add_or_remove_are_counted_once(packetwarp, tmp_path, actions, tags, longer):
    """Two frames of three meet the rule, and the third leaves as it came."""
    frame = to(OWN)
    of_rule = bytes(frame)[:12] + tags * bytes.fromhex("81000005") + bytes(frame)[12:]
    other = Ether(src=HOST, dst=OTHER, type=0x9000) / Raw(bytes(FRAME_BYTES - 14))
    wrpcap(str(tmp_path / "in.pcap"), [of_rule, of_rule, bytes(other)] * ROUNDS)
    pattern = "eth / vlan / ipv4" if tags else "eth / ipv4"
    rules = tmp_path / "rules.txt"
    rules.write_text(f"flow create 0 ingress pattern {pattern} / end actions {actions} / end\n"
                     "flow create 0 priority 1 ingress pattern eth / end actions port_id id 1 / end\n")
    ports = [f"--vdev=net_pcap0,rx_pcap={tmp_path / 'in.pcap'},tx_pcap={tmp_path / 'back.pcap'}", "--vdev=net_null0,no-rx=1"]
    file = {"interfaces": [{"name": "left", "port": 0}, {"name": "right", "port": 1}], "rules": {"file": str(rules)}}
    done = packetwarp.run("run", [*ALONE, "-l", "0", *ports],
                          ["-c", packetwarp.write_config(file), "--control", "none", "--until-idle", "100ms", "--json", "-"])
    assert done.status == DONE, done
    changed = 0 if actions.endswith("drop") else 2 * ROUNDS
    assert done.result["measured"]["tx"] == ROUNDS + changed, done
    total = ROUNDS * FRAME_BYTES + changed * (len(of_rule) + longer)
    assert_rate(done, ROUNDS + changed, total / (ROUNDS + changed))
