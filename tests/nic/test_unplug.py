# SPDX-License-Identifier: Apache-2.0
"""A device is taken out of a running machine: it is given back, the rest goes on, and it can be put in again."""
from __future__ import annotations

import pytest
from bed import Bed, end_well
from frames import routed
from harness import FAILED
from namespaces import wait_for
from raw_network import HOSTS, LEFT, RIGHT, SIDES, into, known_hosts, out_of
from scapy.layers.inet import ICMP, IP
from scapy.layers.l2 import Ether


def answers_ping(bed: Bed, side: str) -> bool:
    """The router's own address on that side."""
    own = {LEFT: "1.1.1.1", RIGHT: "2.2.2.1"}[side]
    arrived = bed.wires.cross([into(side, IP(src=HOSTS[side][0], dst=own) / ICMP(id=7) / b"here?")], count=1)
    return any(ICMP in (packet := Ether(frame)) and packet[ICMP].type == 0 for one, frame in arrived if one == side)


@pytest.mark.part(3)
def test_the_rest_goes_on_and_the_device_comes_back(bed):
    ways = routed(128)
    with bed.routing(known_hosts()) as running:
        bed.passes(ways[:64])
        bed.take_out(LEFT)
        running.wait_for_log("given back after")
        wait_for(lambda: not bed.is_there(LEFT), "the kernel to have let it go", seconds=60)
        assert answers_ping(bed, RIGHT)
        done = running.interrupt()
        assert [port["state"] for port in done.result["ports"]] == ["removed", "up"], done
    bed.put_in(LEFT)
    with bed.routing(known_hosts()) as running:
        bed.passes(ways[64:128])
        end_well(running, bed.device)


def test_without_any_device_it_ends_with_one_line(bed):
    with bed.routing(known_hosts()) as running:
        for side in SIDES:
            bed.take_out(side)
        done = running.finish(seconds=120)
        assert done.status == FAILED and len(done.errors) == 1, done
        assert "taken away" in done.errors[0]
    for side in SIDES:
        wait_for(lambda: not bed.is_there(side), "the kernel to have let it go", seconds=60)
        bed.put_in(side)
    with bed.routing(known_hosts()) as running:
        bed.passes(routed(128)[:64])
        end_well(running, bed.device)
