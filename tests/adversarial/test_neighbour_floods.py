# SPDX-License-Identifier: Apache-2.0
"""Neighbours by the thousand that are not there: known hosts are reached as before, and new ones come to be known."""
from __future__ import annotations

from collections.abc import Callable

from besieged import Besieged, answering_arp, besieged, host, host6, routed
from frames import BROADCAST, UDP, arp, ethernet, group_mac, ipv4, neighbour_solicitation, udp
from stranger import ENOUGH, PORT, Share
from wire_end import WireEnd, flood

COUNT, RATE = 20_000, 8000
FIRST_NEW = 300


def forged_mac(n: int) -> str:
    return f"06:00:00:{n >> 16:02x}:{n >> 8 & 255:02x}:{n & 255:02x}"


def forged_requests(end: WireEnd) -> list[bytes]:
    """Each says that another host has another MAC address."""
    return [ethernet(BROADCAST, forged_mac(n), 0x0806, arp(1, host(0, 10_000 + n), forged_mac(n), host(0, 1))) for n in range(COUNT)]


def forged_solicitations(end: WireEnd) -> list[bytes]:
    own = host6(0, 1)
    return [ethernet(group_mac(own), forged_mac(n), 0x86DD, neighbour_solicitation(host6(0, 10_000 + n), forged_mac(n), own))
            for n in range(COUNT)]


def scan(end: WireEnd) -> list[bytes]:
    """Packets to the /16 on the other wire, which has no host."""
    return [ethernet(end.router_mac, end.mac, 0x0800, ipv4(host(0, 9), host(1, 20_000 + n), UDP, udp(7, 7, b"?"))) for n in range(COUNT)]


def new_hosts(end: WireEnd, first: int) -> Callable[[int, bytes], bytes]:
    """Each packet to a host that has not been sent to before."""
    def frame(n: int, body: bytes) -> bytes:
        return ethernet(end.router_mac, end.mac, 0x0800, ipv4(host(0), host(1, first + n), UDP, udp(4000, PORT, body)))
    return frame


def attack(made: Besieged, what: str, frames: list[bytes], times: int, first_new: int) -> tuple[Share, int]:
    """Known hosts there and back; a packet to a new host ten times per second, during the flood and a while after. Returns how
    many of them arrived, and how many questions the other wire saw."""
    new = {host(1, first_new + n) for n in range(1000)}
    fresh = made.stranger(frame=new_hosts(made.ends[0], first_new), rate=10)
    with answering_arp(made.ends[1], new) as asked, made.strangers() as flow:
        calm, first = flow.calm(), flow.sent
        with fresh.going():
            share = fresh.during(lambda: [flood(made.ends[0], frames, RATE) for _ in range(times)])
        attacked = flow.since(first)
    made.must_go_on(what, calm, attacked)
    made.figures.say(f"{what}: packets to new hosts: {share}; {asked[0]} questions on the other wire for {len(frames) * times} packets")
    return share, asked[0]


def test_new_hosts_come_to_be_known_beside_forged_neighbours(packetwarp, figures, times):
    with besieged(packetwarp, figures, routed()) as made:
        for n, forged in enumerate((forged_requests, forged_solicitations)):
            share, _ = attack(made, forged.__name__, forged(made.ends[0]), times, FIRST_NEW + 1000 * n)
            assert share.share >= ENOUGH, share
        made.end()


def test_a_scan_of_a_connected_network_asks_little_and_delays_nobody(packetwarp, figures, times):
    with besieged(packetwarp, figures, routed()) as made:
        share, asked = attack(made, "scan", scan(made.ends[0]), times, FIRST_NEW)
        assert share.share >= ENOUGH, share
        assert asked < COUNT * times / 4, "questions are held to a rate"
        assert made.end().result["control"]["dropped"]["asking_limited"] > 0, "what is not asked for is counted"
