# SPDX-License-Identifier: Apache-2.0
"""10,000 frames through each function, on each device: every byte, in order, none lost, none twice, none unaccounted for."""
from __future__ import annotations

import contextlib

from bed import POLL_SLEEP, Bed, Way, end_well
from frames import JUMBO, POOL, forwarded, routed, translated
from harness import Running
from raw_network import LEFT, RIGHT, SIDES, known_hosts


def all_pass(bed: Bed, started: contextlib.AbstractContextManager[Running], ways: list[Way]) -> None:
    with started as running:
        bed.passes(ways)
        packets = end_well(running, bed.device)["packets"]
        assert (packets["rx"], packets["tx"]) == (len(ways), len(ways)), packets


def test_l2fwd(bed):
    all_pass(bed, bed.running("l2fwd", "-w", "cpu", "--poll-sleep", POLL_SLEEP), forwarded(bed.device.frames))


def test_router_on_ports_that_its_file_names(bed):
    all_pass(bed, bed.routing_by_name(known_hosts()), routed())


def test_nat44(bed):
    all_pass(bed, bed.routing(known_hosts(nat44={"inside": [LEFT], "outside": [RIGHT], "pool": [POOL]})), translated())


def test_frames_of_9000_bytes(bed):
    """Frames that the device does not take are an error that the port counts."""
    ways = routed(400, JUMBO)
    taken = [way for way in ways if len(way[0][1]) <= bed.device.longest]
    with bed.routing(known_hosts(mtu={side: 9000 for side in SIDES})) as running:
        bed.passes(taken)
        refused = [sent for sent, _ in ways if len(sent[1]) > bed.device.longest]
        bed.wires.cross(refused[:20], count=0)
        assert bed.wires.the_rest() == []
        report = end_well(running, bed.device)
        assert (report["packets"]["rx"], report["packets"]["tx"]) == (len(taken), len(taken)), report["packets"]
        assert sum(port["ierrors"] for port in report["ports"]) == len(refused[:20]), report["ports"]
