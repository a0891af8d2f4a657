# SPDX-License-Identifier: Apache-2.0
"""Datagrams in pieces are translated as the whole that they are, in whatever order they come (RFC 4787, REQ-14)."""
import random

import pytest
from nat44_packets import OTHER, answer_to, out, with_source
from raw_network import LEFT, RIGHT, into, need_whole_fragments, out_of
from scapy.layers.inet import ICMP, IP, UDP, fragment
from scapy.layers.l2 import Ether

POOL = "203.0.113.1"
CONTENT = bytes(n * 7 % 251 for n in range(4000))
ORDERS = {"in order": list, "the other way round": lambda pieces: pieces[::-1],
          "the first one late": lambda pieces: pieces[1:] + pieces[:1]}


@pytest.fixture(autouse=True)
def whole_fragments(nat):
    need_whole_fragments(nat.router)


def payload_of(pieces):
    """The payload of a datagram whose pieces, by their own fields, have all come."""
    whole = bytearray(max(piece.frag * 8 + len(piece.payload) for piece in pieces))
    assert sum(len(piece.payload) for piece in pieces) == len(whole)
    in_order = sorted(pieces, key=lambda piece: piece.frag)
    assert [bool(piece.flags.MF) for piece in in_order] == [True] * (len(pieces) - 1) + [False]
    for piece in pieces:
        begin = piece.frag * 8
        whole[begin:begin + len(piece.payload)] = bytes(piece.payload)
    return bytes(whole)


def assert_whole(arrived, side, wanted):
    """All pieces of the wanted packet, with one hop less; its transport checksum is in the first of them, by scapy."""
    pieces = [Ether(frame)[IP] for _, frame in arrived]
    assert {one for one, _ in arrived} == {side}
    assert {(piece.src, piece.dst, piece.id, piece.ttl, piece.tos) for piece in pieces} == {
        (wanted.src, wanted.dst, wanted.id, wanted.ttl - 1, wanted.tos)}
    assert all(len(piece) <= 1500 and IP(bytes(piece)).chksum == piece.chksum for piece in pieces)
    assert payload_of(pieces) == bytes(IP(bytes(wanted)).payload)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("size", (1480, 1400, 1304))
def test_either_way(nat, order, size):
    """Pieces of several sizes, which come out as long as the wire allows."""
    for number, payload in enumerate((UDP(sport=4000, dport=53), UDP(sport=53, dport=53), ICMP(id=4000))):
        sent = out(payload / CONTENT, id=size + number, tos=8)
        pieces = ORDERS[order](fragment(sent, fragsize=size))
        outside = with_source(sent, *nat.given(out(payload)))
        assert_whole(nat.router.wires.cross([into(LEFT, piece) for piece in pieces], count=3), RIGHT, outside)
        answer = answer_to(outside)
        pieces = ORDERS[order](fragment(answer, fragsize=size))
        assert_whole(nat.router.wires.cross([into(RIGHT, piece) for piece in pieces], count=3), LEFT,
                     answer_to(sent))


def test_two_datagrams_at_a_time(nat):
    """Datagrams of two hosts with one identification, their pieces mixed."""
    datagrams = [out(UDP(sport=4100 + n, dport=53) / CONTENT, host=host, id=7) for n, host in enumerate(("1.1.1.2", OTHER))]
    pieces = [piece for datagram in datagrams for piece in fragment(datagram, fragsize=1480)]
    random.Random(791).shuffle(pieces)
    arrived = nat.router.wires.cross([into(LEFT, piece) for piece in pieces], count=6)
    first = {(Ether(frame)[UDP].sport): frame for _, frame in arrived if Ether(frame)[IP].frag == 0}
    assert set(first) == {4100, 4101}, "both, with the ports that they had"
    assert {Ether(frame)[IP].src for _, frame in arrived} == {POOL}


def test_what_is_not_translated_is_not_put_together(nat):
    """Between hosts inside each piece is routed as it is."""
    sent = out(UDP(sport=4200, dport=53) / CONTENT, to=OTHER, id=9)
    for piece in fragment(sent, fragsize=1000)[::-1]:
        nat.router.passes((into(LEFT, piece), out_of(LEFT, piece)))


def test_a_last_piece_alone_makes_no_session(nat):
    sent = out(UDP(sport=4300, dport=53) / CONTENT, id=10)
    nat.router.wires.cross([into(LEFT, fragment(sent, fragsize=1480)[-1])], count=0)
    nat.leaves(out(UDP(sport=4300, dport=53), host=OTHER))
