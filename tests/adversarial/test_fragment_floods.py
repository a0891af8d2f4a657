# SPDX-License-Identifier: Apache-2.0
"""Fragments that are never completed, thousands per second: a node that holds them holds few, and others' packets go on."""
from __future__ import annotations

import struct
import time
from collections.abc import Callable

import pytest
from besieged import Besieged, besieged, host, host6, routed, translated, whole_fragments_driver
from frames import FRAGMENT6, ICMP, UDP, ethernet, ipv4, ipv6, udp
from stranger import ENOUGH, fragmented_flow
from wire_end import WireEnd, flood

# 3,600 of them were 27 s of silence once. As many as a default pool has packets, and more.
COUNT, RATE = 9000, 4500
ATTACKER, ATTACKER6 = host(1, 9), host6(1, 9)
# Pieces of one datagram that a reassembler may hold.
EACH = 60


def many_pieces(end: WireEnd, to: str, n: int) -> bytes:
    """Pieces of 42 bytes each, which lie beside each other and never make a datagram: the most that can be held."""
    piece = ipv4(ATTACKER, to, UDP, bytes(8), number=n // EACH, offset=1 + n % EACH * 2, more=1)
    return ethernet(end.router_mac, end.mac, 0x0800, piece)


def first_pieces(end: WireEnd, to: str, n: int) -> bytes:
    """A header, a UDP header, and the promise of more: each of another datagram."""
    return ethernet(end.router_mac, end.mac, 0x0800, ipv4(ATTACKER, to, UDP, udp(n % 60000 + 1, 53, b""), number=n, more=1))


def overlapping_pieces(end: WireEnd, to: str, n: int) -> bytes:
    return ethernet(end.router_mac, end.mac, 0x0800, ipv4(ATTACKER, to, ICMP, bytes(16), number=n % 8, offset=n // 8 * 2 + n % 2, more=1))


def ipv6_pieces(end: WireEnd, to: str, n: int) -> bytes:
    header = struct.pack("!BBHI", UDP, 0, n % EACH << 4 | 1, n // EACH)
    return ethernet(end.router_mac, end.mac, 0x86DD, ipv6(ATTACKER6, to, FRAGMENT6, header + bytes(8)))


def attack(made: Besieged, times: int, back_to: str | None, *waves: tuple[str, Callable[[WireEnd, str, int], bytes], str]) -> None:
    with made.strangers(back_to=back_to) as flow:
        calm = flow.calm()
        for what, piece, to in waves:
            frames = [piece(made.ends[1], to, n) for n in range(COUNT)]
            first = flow.sent
            for _ in range(times):
                flood(made.ends[1], frames, RATE)
            # Fragments are held for a while after the attack, too.
            time.sleep(0.5)
            made.must_go_on(what, calm, flow.since(first))
    made.end()


def test_datagrams_that_are_completed_pass_beside_a_flood_of_pieces(packetwarp, figures, times):
    """Fragments from inside hosts are reassembled and translated, while others' pieces pile up."""
    with besieged(packetwarp, figures, translated(), driver=whole_fragments_driver()) as made:
        inside = made.stranger(frame=fragmented_flow(made.ends[0], host(0, 4), host(1)), rate=50)
        frames = [many_pieces(made.ends[1], host(1, 1), n) for n in range(COUNT)]
        with made.strangers(back_to=host(1, 1)) as flow, inside.going():
            calm, whole_before, first = flow.calm(), inside.calm(0.5), flow.sent
            whole = inside.during(lambda: [flood(made.ends[1], frames, RATE) for _ in range(times)])
            made.must_go_on("many_pieces", calm, flow.since(first))
        figures.say(f"datagrams in two pieces: {whole} (calm: {whole_before})")
        assert whole.share >= ENOUGH, whole
        made.end()


@pytest.mark.parametrize("piece", (pytest.param(many_pieces, marks=pytest.mark.first), first_pieces, overlapping_pieces), ids=lambda piece: piece.__name__)
def test_tiny_fragments_to_the_outside_address_leave_translated_flows_alone(packetwarp, figures, times, piece):
    with besieged(packetwarp, figures, translated(), driver=whole_fragments_driver()) as made:
        attack(made, times, host(1, 1), (piece.__name__, piece, host(1, 1)))


def test_fragments_to_own_addresses_leave_routed_flows_alone(packetwarp, figures, times):
    with besieged(packetwarp, figures, routed(), driver=whole_fragments_driver()) as made:
        attack(made, times, None, ("IPv4", many_pieces, host(0, 1)), ("IPv6", ipv6_pieces, host6(0, 1)), ("IPv6 through", ipv6_pieces, host6(0, 3)))
