# SPDX-License-Identifier: Apache-2.0
"""The ports of bench_network.py: whose flows come on which queue, and how many packets there are. Nothing is run."""
from __future__ import annotations

import pathlib

import pytest
from bench_network import PACKETS_A_PIPELINE, Bed
from network_flows import FIRST_PORT
from scapy.layers.inet import UDP
from scapy.utils import rdpcap


def bed(folder: pathlib.Path, ports: str, lcores: int, flows: int, ways: int = 2, sessions: int | None = None) -> Bed:
    return Bed(pathlib.Path("packetwarp"), folder, lcores, flows, ways, sessions or flows, ports)


def flows_in(capture: str | pathlib.Path) -> list[int]:
    """Their numbers, of what comes from inside."""
    return [packet[UDP].sport - FIRST_PORT for packet in rdpcap(str(capture))]


def test_each_port_replays_a_capture_of_all_flows(tmp_path):
    made = bed(tmp_path, "null", lcores=3, flows=4, sessions=40)
    assert made.eal("routed")[-2:] == ["--vdev=net_null0,copy=0,size=60", "--vdev=net_null1,copy=0,size=60"]
    [option, left, again, right] = made.replays("routed")
    assert option == again == "--replay" and left.startswith("0=") and right.startswith("1=")
    assert flows_in(left.removeprefix("0=")) == [0, 10, 20, 30]
    assert made.packets == 6 * PACKETS_A_PIPELINE


def test_one_way_leaves_the_other_port_without_packets(tmp_path):
    made = bed(tmp_path, "null", lcores=1, flows=4, ways=1)
    assert made.eal("translated")[-2:] == ["--vdev=net_null0,copy=0,size=60", "--vdev=net_null1,no-rx=1"]
    assert len(made.replays("translated")) == 2


@pytest.mark.parametrize(("first", "step", "list_of_lcores"), ((1, 1, "0,1,2,3"), (2, 1, "0,2,3,4"), (2, 2, "0,2,4,6")))
def test_the_master_has_lcore_0_and_who_forwards_those_from_the_first_on(tmp_path, first, step, list_of_lcores):
    made = Bed(pathlib.Path("packetwarp"), tmp_path, 3, 4, 2, 4, "null", first_lcore=first, lcore_step=step)
    assert made.eal("routed")[:2] == ["-l", list_of_lcores]


@pytest.mark.parametrize(("flows", "wanted"), ((7, [[0, 3, 6], [1, 4], [2, 5]]), (2, [[0], [1], [0]])))
def test_captures_of_net_pcap_are_one_a_queue(tmp_path, flows, wanted):
    made = bed(tmp_path, "pcap", lcores=3, flows=flows)
    name, *words = made.eal("routed")[-2].split(",")
    assert name == "--vdev=net_pcap0" and words.pop() == "infinite_rx=1"
    assert [flows_in(word.removeprefix("rx_pcap=")) for word in words] == wanted
    assert made.replays("routed") == []
    assert made.packets == 6 * PACKETS_A_PIPELINE + 2 * max(flows, 3), "with those that net_pcap keeps"
