# SPDX-License-Identifier: Apache-2.0
"""The frames of the tests on NICs: of every length and kind, numbered, each different from every other; and the expected results,
by scapy."""
from __future__ import annotations

import functools
import random
from collections.abc import Callable, Iterator

from bed import Way
from check_l2fwd import transform
from nat44_packets import with_destination, with_source
from raw_network import HOST_MAC, HOSTS, HOSTS6, LEFT, OWN_MAC, RIGHT, SIDES, Wires, into, out_of
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.inet6 import ICMPv6EchoRequest, IPv6
from scapy.layers.l2 import Dot1AD, Dot1Q, Ether
from scapy.packet import Packet

COUNT = 10_000
# The number of packets and their answers; whole windows.
PAIRS = 157 * Wires.WINDOW
# The lengths of an Ethernet frame without its check sequence (IEEE 802.3, 3.2.7), and of one with an MTU of 9,000.
SHORTEST, LONGEST, JUMBO = 60, 1514, 9014
ETHERNET = 14
POOL = "203.0.113.1"
OTHER_SIDE = {LEFT: RIGHT, RIGHT: LEFT}


def lengths(count: int, longest: int = LONGEST) -> list[int]:
    """Both ends of the range, then any in it, the same in each run."""
    numbers = random.Random(1)
    return [SHORTEST, SHORTEST + 1, longest - 1, longest] + [numbers.randint(SHORTEST, longest) for _ in range(count - 4)]


def filled(packet: Packet, length: int, number: int) -> Packet:
    """With the number in front of a payload that makes the packet so long, or as short as it can be."""
    room = max(length - len(packet), 4)
    return packet / (number.to_bytes(4, "big") + bytes(byte & 0xFF for byte in range(number, number + room)))[:room]


def ipv4(side: str, to: str, payload: Packet, **fields: object) -> Packet:
    return IP(src=HOSTS[side][0], dst=to, **fields) / payload


def ipv6(side: str, to: str, payload: Packet) -> Packet:
    return IPv6(src=HOSTS6[side][0], dst=to) / payload


# A packet of each kind, from a host of a side to one of the other.
KINDS: tuple[Callable[[str, int], Packet], ...] = (
    lambda side, n: ipv4(side, HOSTS[OTHER_SIDE[side]][n % 8], UDP(sport=1024 + n % 60_000, dport=53)),
    lambda side, n: ipv4(side, HOSTS[OTHER_SIDE[side]][n % 8], TCP(sport=1024 + n % 60_000, dport=80, seq=n, flags="PA")),
    lambda side, n: ipv4(side, HOSTS[OTHER_SIDE[side]][n % 8], ICMP(id=n & 0xFFFF, seq=n & 0xFFFF)),
    lambda side, n: ipv4(side, HOSTS[OTHER_SIDE[side]][n % 8], UDP(sport=53, dport=53), id=n & 0xFFFF, flags="MF"),
    lambda side, n: IP(src=HOSTS[side][0], dst=HOSTS[OTHER_SIDE[side]][0], id=n & 0xFFFF, frag=185, proto=17),
    lambda side, n: ipv6(side, HOSTS6[OTHER_SIDE[side]][n % 8], UDP(sport=1024 + n % 60_000, dport=53)),
    lambda side, n: ipv6(side, HOSTS6[OTHER_SIDE[side]][n % 8], TCP(sport=1024 + n % 60_000, dport=80, seq=n)),
    lambda side, n: ipv6(side, HOSTS6[OTHER_SIDE[side]][n % 8], ICMPv6EchoRequest(id=n & 0xFFFF)),
)
# The layers between the Ethernet header and the packet.
TAGS: tuple[Callable[[int], Packet | None], ...] = (
    lambda n: None, lambda n: Dot1Q(vlan=n % 4095, prio=n % 8), lambda n: None, lambda n: Dot1AD(vlan=n % 4095) / Dot1Q(vlan=n % 100))


@functools.cache
def forwarded(tagged: str) -> list[Way]:
    """For l2fwd -w cpu: by turns from either side, half of them with tags, one and two; or "plain" ones."""
    ways = []
    for number, length in enumerate(lengths(COUNT)):
        side = SIDES[number % 2]
        frame = Ether(src=HOST_MAC[side], dst=OWN_MAC[side])
        if tagged == "tagged" and (tag := TAGS[number // 2 % len(TAGS)](number)) is not None:
            frame = frame / tag
        sent = bytes(filled(frame / KINDS[number // 8 % len(KINDS)](side, number), length, number))
        ways.append(((side, sent), (OTHER_SIDE[side], transform(sent, "cpu"))))
    return ways


@functools.cache
def routed(count: int = COUNT, longest: int = LONGEST) -> list[Way]:
    """For a router, from either side."""
    ways = []
    for number, length in enumerate(lengths(count, longest)):
        side = SIDES[number % 2]
        packet = filled(KINDS[number // 2 % len(KINDS)](side, number), length - ETHERNET, number)
        ways.append((into(side, packet), out_of(OTHER_SIDE[side], packet)))
    return ways


@functools.cache
def translated() -> list[Way]:
    """For NAT44, left inside: out with the pool's address and the port of the host, and the answers to that back in. IPv6
    is routed."""
    def pair(number: int, out: int, back: int) -> Iterator[Way]:
        host, server, port = HOSTS[LEFT][number % 8], HOSTS[RIGHT][number % 7], 2000 + number % 500 * 8 + number % 8
        kind = number // 8 % 4
        if kind == 3:
            sent = filled(IPv6(src=HOSTS6[LEFT][0], dst=HOSTS6[RIGHT][1]) / UDP(sport=port, dport=53), out, number)
            yield into(LEFT, sent), out_of(RIGHT, sent)
            sent = filled(IPv6(src=HOSTS6[RIGHT][1], dst=HOSTS6[LEFT][0]) / UDP(sport=53, dport=port), back, number)
            yield into(RIGHT, sent), out_of(LEFT, sent)
            return
        sends = (UDP(sport=port, dport=53), TCP(sport=port, dport=80, flags="S" if number < 4000 else "A"), ICMP(id=port))[kind]
        answers = (UDP(sport=53, dport=port), TCP(sport=80, dport=port, flags="SA" if number < 4000 else "A"),
                   ICMP(type="echo-reply", id=port))[kind]
        sent = filled(IP(src=host, dst=server) / sends, out, number)
        yield into(LEFT, sent), out_of(RIGHT, with_source(sent, POOL))
        answer = filled(IP(src=server, dst=POOL) / answers, back, number)
        yield into(RIGHT, answer), out_of(LEFT, with_destination(answer, host))
    # Some leave, and then their answers come: together on the way, an answer may be there before its question.
    each = lengths(2 * PAIRS)
    pairs = [list(pair(n, each[2 * n] - ETHERNET, each[2 * n + 1] - ETHERNET)) for n in range(PAIRS)]
    return [one[turn] for begin in range(0, PAIRS, Wires.WINDOW) for turn in (0, 1) for one in pairs[begin:begin + Wires.WINDOW]]
