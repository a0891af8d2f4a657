# SPDX-License-Identifier: Apache-2.0
"""The frames of the tests on NICs: of every length and kind, numbered, each different from every other; and the expected results,
by scapy."""
from __future__ import annotations

import functools
import operator
import random
from collections.abc import Callable, Iterator

from bed import Way
from check_l2fwd import transform
from raw_network import HOST_MAC, HOSTS, HOSTS6, LEFT, OWN_MAC, RIGHT, SIDES, Wires
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


# Each byte value in turn, often enough for any payload from any byte on.
TURNS = bytes(range(256)) * (JUMBO // 256 + 2)


@functools.cache
def bare_length(*layers: type[Packet]) -> int:
    """The length of headers without options and payload."""
    return len(bytes(functools.reduce(operator.truediv, [layer() for layer in layers])))


def filled(packet: Packet, length: int, number: int) -> Packet:
    """The packet, with the number in front of a payload that makes it so long, or as short as it can be."""
    room = max(length - bare_length(*packet.layers()), 4)
    packet.add_payload((number.to_bytes(4, "big") + TURNS[number & 0xFF:][:room])[:room])
    return packet


def built(packet: Packet) -> bytes:
    """Its bytes. scapy first copies a packet whose fields may be ranges or random, which takes longer than to build it."""
    layer = packet
    while layer:
        layer.explicit = 1
        layer = layer.payload
    return bytes(packet)


@functools.cache
def ethernet(source: str, to: str, kind: type[Packet]) -> bytes:
    """The header in front of such a packet."""
    return bytes(Ether(src=source, dst=to) / kind())[:ETHERNET]


def passed(side: str, packet: Packet, **changed: object) -> Way:
    """A packet from a side to the router, and as it has to come out on the other, with these fields changed and one hop
    less: what into() and out_of() of raw_network.py make, without copies of it."""
    other = OTHER_SIDE[side]
    sent = side, ethernet(HOST_MAC[side], OWN_MAC[side], type(packet)) + built(packet)
    for field, value in changed.items():
        setattr(packet, field, value)
    if isinstance(packet, IP):
        packet.ttl -= 1
    else:
        packet.hlim -= 1
    return sent, (other, ethernet(OWN_MAC[other], HOST_MAC[other], type(packet)) + built(packet))


def with_payload(packet: Packet, payload: Packet) -> Packet:
    """packet / payload, without the copies of both that "/" makes."""
    packet.add_payload(payload)
    return packet


def ipv4(side: str, to: str, payload: Packet, **fields: object) -> Packet:
    return with_payload(IP(src=HOSTS[side][0], dst=to, **fields), payload)


def ipv6(side: str, to: str, payload: Packet, host: int = 0) -> Packet:
    return with_payload(IPv6(src=HOSTS6[side][host], dst=to), payload)


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
    lambda n: None, lambda n: Dot1Q(vlan=n % 4095, prio=n % 8), lambda n: None, lambda n: with_payload(Dot1AD(vlan=n % 4095), Dot1Q(vlan=n % 100)))


@functools.cache
def forwarded(tagged: str) -> list[Way]:
    """For l2fwd -w cpu: by turns from either side, half of them with tags, one and two; or "plain" ones."""
    ways = []
    for number, length in enumerate(lengths(COUNT)):
        side = SIDES[number % 2]
        packet = KINDS[number // 8 % len(KINDS)](side, number)
        header = ethernet(HOST_MAC[side], OWN_MAC[side], type(packet))
        if tagged == "tagged" and (tag := TAGS[number // 2 % len(TAGS)](number)) is not None:
            header = built(with_payload(Ether(src=HOST_MAC[side], dst=OWN_MAC[side]), with_payload(tag, type(packet)())))[:-bare_length(type(packet))]
        sent = header + built(filled(packet, length - len(header), number))
        ways.append(((side, sent), (OTHER_SIDE[side], transform(sent, "cpu"))))
    return ways


@functools.cache
def routed(count: int = COUNT, longest: int = LONGEST) -> list[Way]:
    """For a router, from either side."""
    ways = []
    for number, length in enumerate(lengths(count, longest)):
        side = SIDES[number % 2]
        ways.append(passed(side, filled(KINDS[number // 2 % len(KINDS)](side, number), length - ETHERNET, number)))
    return ways


# A host's packet from its port, and its answer; flags: of TCP.
CONVERSATIONS: tuple[Callable[[int, str], tuple[Packet, Packet]], ...] = (
    lambda port, flags: (UDP(sport=port, dport=53), UDP(sport=53, dport=port)),
    lambda port, flags: (TCP(sport=port, dport=80, flags=flags), TCP(sport=80, dport=port, flags="A" if flags == "A" else "SA")),
    lambda port, flags: (ICMP(id=port), ICMP(type="echo-reply", id=port)),
)


@functools.cache
def translated() -> list[Way]:
    """For NAT44, left inside: out with the pool's address and the port of the host, and the answers to that back in. IPv6
    is routed."""
    def pair(number: int, out: int, back: int) -> Iterator[Way]:
        host, server, port = HOSTS[LEFT][number % 8], HOSTS[RIGHT][number % 7], 2000 + number % 500 * 8 + number % 8
        kind = number // 8 % 4
        if kind == 3:
            yield passed(LEFT, filled(ipv6(LEFT, HOSTS6[RIGHT][1], UDP(sport=port, dport=53)), out, number))
            yield passed(RIGHT, filled(ipv6(RIGHT, HOSTS6[LEFT][0], UDP(sport=53, dport=port), host=1), back, number))
            return
        sends, answers = CONVERSATIONS[kind](port, "A" if number >= 4000 else "S")
        yield passed(LEFT, filled(with_payload(IP(src=host, dst=server), sends), out, number), src=POOL)
        yield passed(RIGHT, filled(with_payload(IP(src=server, dst=POOL), answers), back, number), dst=host)
    # Some leave, and then their answers come: together on the way, an answer may be there before its question.
    each = lengths(2 * PAIRS)
    pairs = [list(pair(n, each[2 * n] - ETHERNET, each[2 * n + 1] - ETHERNET)) for n in range(PAIRS)]
    return [one[turn] for begin in range(0, PAIRS, Wires.WINDOW) for turn in (0, 1) for one in pairs[begin:begin + Wires.WINDOW]]
