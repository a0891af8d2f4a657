# SPDX-License-Identifier: Apache-2.0
"""Useless sessions by the thousand: flows with a session keep it, and hosts that behave get new ones."""
from __future__ import annotations

from typing import Any

import pytest
from besieged import Besieged, besieged, host, translated
from frames import SYN, TCP, UDP, ethernet, ipv4, nth_address, tcp, udp
from stranger import Share, Stranger, new_flows
from wire_end import WireEnd, flood

RATE = 4000
SERVER, GREEDY = host(1, 3), host(0, 9)
# Hosts that have done nothing wrong and want sessions while others flood.
MODEST = [host(0, number) for number in range(3, 9)]
PORTS = [40000, 41999]


def udp_of(end: WireEnd, source: str, port: int, to_port: int = 53) -> bytes:
    return ethernet(end.router_mac, end.mac, 0x0800, ipv4(source, SERVER, UDP, udp(port, to_port, b"?")))


def syn_of(end: WireEnd, source: str, port: int) -> bytes:
    return ethernet(end.router_mac, end.mac, 0x0800, ipv4(source, SERVER, TCP, tcp(source, SERVER, (port, 80), SYN)))


def attack(made: Besieged, what: str, frames: list[bytes], times: int) -> tuple[Share, Share]:
    """A flow that has its session, and one whose every packet wants a new one, a few a second. The flood goes on meanwhile."""
    fresh = made.stranger(frame=new_flows(made.ends[0], MODEST, host(1), ports=100000), rate=20)
    with made.strangers(back_to=host(1, 1)) as flow:
        calm, first = flow.calm(), flow.sent
        for _ in range(times):
            flood(made.ends[0], frames, RATE)
        attacked = flow.since(first)
        made.must_go_on(f"{what}, a flow that has its session", calm, attacked)
    return calm, wanted(made, what, fresh, frames)


def wanted(made: Besieged, what: str, fresh: Stranger, frames: list[bytes]) -> Share:
    with fresh.going():
        share = fresh.during(lambda: flood(made.ends[0], frames, RATE / 4, seconds=2))
    made.figures.say(f"{what}, flows that want a session: {share}")
    return share


FLOODS: dict[str, tuple[dict[str, Any], Any]] = {
    "one host takes all ports": ({"ports": PORTS}, lambda end: [udp_of(end, GREEDY, 1024 + n) for n in range(6000)]),
    "one host fills the table": ({"sessions": 2048}, lambda end: [udp_of(end, GREEDY, 1024 + n) for n in range(6000)]),
    "one host sends SYNs": ({"ports": PORTS}, lambda end: [syn_of(end, GREEDY, 1024 + n) for n in range(6000)]),
}


@pytest.mark.parametrize("what", [*list(FLOODS)[:-1], pytest.param("one host sends SYNs", marks=pytest.mark.first)])
def test_one_greedy_host_takes_nothing_from_others(packetwarp, figures, times, what):
    more, frames = FLOODS[what]
    with besieged(packetwarp, figures, translated(**more)) as made:
        calm, fresh = attack(made, what, frames(made.ends[0]), times)
        assert fresh.share >= 0.95, f"new flows of hosts that behave: {fresh}\n{made.live.json('nat', 'stats')}"
        made.end()


@pytest.mark.first
def test_forged_sources_do_not_end_flows_that_have_sessions(packetwarp, figures, times):
    """As many hosts as packets: no share of a host helps. Ports and records run out of embryonic sessions only."""
    with besieged(packetwarp, figures, translated(sessions=2048)) as made:
        end = made.ends[0]
        forged = [udp_of(end, host(0, 1000 + n), 5000 + n % 50) for n in range(6000)]
        forged += [syn_of(end, host(0, 8000 + n), 5000 + n % 50) for n in range(6000)]
        _, fresh = attack(made, "forged sources", forged, times)
        assert fresh.share >= 0.95, f"new flows of hosts that behave: {fresh}\n{made.live.json('nat', 'stats')}"
        made.end()


def test_a_session_with_many_remotes_leaves_remotes_to_others(packetwarp, figures, times):
    """With address-dependent filtering each remote is remembered: one host's sends to thousands of them."""
    with besieged(packetwarp, figures, translated(filtering="address-dependent", sessions=2048)) as made:
        end = made.ends[0]
        spread = [ethernet(end.router_mac, end.mac, 0x0800, ipv4(GREEDY, nth_address("198.18.0.0", n), UDP, udp(5000, 53, b"?")))
                  for n in range(8000)]
        _, fresh = attack(made, "one session, many remotes", spread, times)
        assert fresh.share >= 0.95, f"new flows of hosts that behave: {fresh}\n{made.report()['packets']}"
        made.end()
