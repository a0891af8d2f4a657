# SPDX-License-Identifier: Apache-2.0
"""Tiny fragments of datagrams that never come whole, from any host, to the outside address: what belongs to sessions goes
on, and the ports never lack packets to receive into."""
import json

import pytest
from nat44_packets import answer_to, out, with_source
from raw_network import LEFT, RIGHT, into, known_hosts, need_whole_fragments, out_of, raw_router
from scapy.layers.inet import IP, UDP, fragment
from scapy.layers.l2 import Ether
from scapy.packet import Raw

POOL = "203.0.113.1"
NAT44 = {"inside": ["left"], "outside": ["right"], "pool": [POOL]}
PIECES = 60  # of each datagram: 8 bytes each, 42 with the headers


def forged(number):
    """The later pieces of a datagram, none of which has ports; each datagram from another source."""
    source = f"198.18.{number // 250}.{number % 250 + 1}"
    template = bytearray(into(RIGHT, IP(src=source, dst=POOL, id=number, flags="MF", proto=17) / Raw(b"fragment"))[1])
    for piece in range(1, PIECES + 1):
        template[20:22] = (0x2000 | piece).to_bytes(2, "big")
        template[24:26] = b"\0\0"
        template[24:26] = checksum(template)
        yield RIGHT, bytes(template)


def checksum(frame):
    total = sum(int.from_bytes(frame[at:at + 2], "big") for at in range(14, 34, 2))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return (~total & 0xFFFF).to_bytes(2, "big")


@pytest.fixture
def router(packetwarp, ends):
    with raw_router(packetwarp, known_hosts(nat44=NAT44), *ends) as made:
        need_whole_fragments(made)
        yield made


def exchange(router, number):
    """A packet of a stranger's flow each way. How many of the two arrive."""
    sent = out(UDP(sport=4000, dport=53) / f"{number}".encode())
    outside = with_source(sent, POOL, 4000)
    there = router.wires.cross([into(LEFT, sent)])
    back = router.wires.cross([into(RIGHT, answer_to(outside))])
    return (there == [out_of(RIGHT, outside)]) + (back == [out_of(LEFT, answer_to(sent))])


def test_later_pieces_of_datagrams_that_never_come_whole(router):
    """12,000 of them: more than the packet pool had when each held a packet of it."""
    arrived, rounds = 0, 200
    for number in range(rounds):
        router.wires.cross(list(forged(number)), count=0)
        arrived += exchange(router, number)
    assert arrived >= 0.95 * 2 * rounds, arrived
    datagram = out(UDP(sport=4000, dport=53) / bytes(4000), id=77)
    pieces = router.wires.cross([into(LEFT, piece) for piece in fragment(datagram, fragsize=1480)], count=3)
    assert len(pieces) == 3 and {Ether(frame)[IP].src for _, frame in pieces} == {POOL}, "a datagram of the flow in pieces"
    report = router.network.end().result
    assert [port["rx_nombuf"] for port in report["ports"]] == [0, 0], json.dumps(report["ports"])
    assert report["control"]["dropped"]["fragments_too_many"] > 0, report["control"]


def test_first_pieces_without_a_session_are_never_held(router):
    first = [into(RIGHT, IP(src=f"198.18.0.{n + 1}", dst=POOL, id=n, flags="MF") / UDP(sport=53, dport=5000) / bytes(8))
             for n in range(20)]
    arrived, rounds = 0, 50
    for number in range(rounds):
        router.wires.cross(first, count=0)
        arrived += exchange(router, number)
    assert arrived >= 0.95 * 2 * rounds, arrived
    report = router.network.end().result
    assert report["packets"]["dropped"]["no_session"] == rounds * len(first)
    assert "fragment" not in report["control"]["punted"], report["control"]
