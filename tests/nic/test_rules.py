# SPDX-License-Identifier: Apache-2.0
"""Flow rules in devices: what `rules.on: auto` gives a NIC is what its driver takes, by testpmd's word, and RSS puts each flow
into the queue that the device's table says."""
from __future__ import annotations

from typing import Any

import pytest
from bed import Bed, end_well
from given_rules import queues_of, rules_on
from raw_network import HOSTS, LEFT, RIGHT, SIDES, into, known_hosts, out_of
from scapy.layers.inet import IP, TCP
from toeplitz import hash_of

REFUSED = "its port refuses it"
# docs/flow.md, "Who runs which rule": why a rule is not a NIC's although its port takes it.
DOCUMENTED = ("an earlier rule", "a rule of its own priority", "the table would", "other rules of the table", "queue", "its port has no", "no room")


def on_queues(bed: Bed, **sections: Any) -> dict[str, Any]:
    return known_hosts(**sections) | {"data_plane": {"executor": "cpu", "pipelines": len(SIDES) * queues_of(bed)}}


def test_a_nic_gets_the_rules_that_its_driver_takes(bed, driver):
    given = rules_on(queues_of(bed))
    assert len(given) == 40
    file = bed.guest.folder / "flows.txt"
    file.write_text("".join(f"flow create 0 {rule}\n" for rule in given))
    rules = {"file": str(file), "receive_queues": queues_of(bed), "on": "auto"}
    with bed.routing(on_queues(bed, rules=rules)) as running:
        report = end_well(running, bed.device)
    assert len(report["rules"]) == len(given)
    for rule, taken, said in zip(given, driver.takes, report["rules"], strict=True):
        if said["on"] == "nic":
            assert taken, f"{rule}: a NIC's, and its driver refuses it"
        elif said["why"].startswith(REFUSED):
            assert not taken, f"{rule}: {said['why']}, and its driver takes it"
        else:
            assert any(reason in said["why"] for reason in DOCUMENTED), f"{rule}: {said['why']}"
    # docs/hardware.md has these.
    assert (sum(driver.takes), sum(one["on"] == "nic" for one in report["rules"])) == bed.device.rules


def test_rss_puts_a_flow_into_its_queue(bed, driver):
    if bed.device.spread == "none":
        pytest.skip(f"{bed.device.name} has no RSS here")
    key, table = driver.key, driver.table
    assert len(table) == 128 and set(table) == set(range(queues_of(bed)))
    expected = [0] * queues_of(bed)
    ways = []
    for flow in range(64):
        packet = IP(src=HOSTS[LEFT][flow % 8], dst=HOSTS[RIGHT][flow % 5]) / TCP(sport=1000 + 7 * flow, dport=80) / bytes(40)
        count = 1 + flow % 3
        ways += [(into(LEFT, packet), out_of(RIGHT, packet))] * count
        expected[table[hash_of(key, packet) % len(table)]] += count
    with bed.routing(on_queues(bed)) as running:
        arrived = bed.wires.cross([sent for sent, _ in ways])
        assert sorted(arrived) == sorted(wanted for _, wanted in ways)
        report = end_well(running, bed.device)
    received = {one["rx_queue"]: one["rx"] for one in report["pipelines"] if one["rx_port"] == 0}
    assert received == dict(enumerate(expected))
