# SPDX-License-Identifier: Apache-2.0
"""The key `chain_as` of a run's file: the general chain does what the special one does, and shows no stage that is off."""
from __future__ import annotations

import copy
from typing import Any

import pytest
from harness import Program
from live import FLOWS, NAT44, ROUTED, flows, live, wait_until

# No flow has this source port: all packets pass the rule's screens.
RULE = "flow create 0 ingress pattern eth / ipv4 / udp src is 9 / end actions drop / end\n"


def file_of(packetwarp: Program, stages: set[str], way: str) -> dict[str, Any]:
    file = {**copy.deepcopy(ROUTED), "chain_as": way}
    if "nat44" in stages:
        file["nat44"] = copy.deepcopy(NAT44)
    if "rules" in stages:
        (packetwarp.folder / "flows.txt").write_text(RULE)
        file["rules"] = {"file": str(packetwarp.folder / "flows.txt")}
    return file


@pytest.mark.parametrize("stages", [set(), {"rules"}, {"nat44"}, {"rules", "nat44"}], ids=lambda stages: "+".join(sorted(stages)) or "router")
def test_the_general_chain_does_what_the_special_one_does(packetwarp, stages):
    """The same packets leave, and reports have the same names: none of a stage that is off."""
    capture = flows(packetwarp.folder / "flows.pcap")
    seen = []
    for way in ("special", "general"):
        with live(packetwarp, file_of(packetwarp, stages, way), f"net_pcap0,rx_pcap={capture}", "net_null1,no-rx=1") as running:
            wait_until(running, lambda: running.report()["packets"]["tx"] == FLOWS, "all packets sent")
            rows = running.json("show", "drops", "--all")["drops"]
            report = running.report()
            done = running.running.interrupt()
        assert done.packets.dropped == {}
        seen.append(({(row["stage"], row["drop"], row["interface"]) for row in rows}, set(report)))
    assert seen[0] == seen[1]
    shown = {stage for stage, _, _ in seen[1][0]}
    assert shown & {"rules", "nat44", "router"} == stages | {"router"}
