# SPDX-License-Identifier: Apache-2.0
"""packetwarp run with nat44 beside Linux's NAT (nftables): the same packets go into both, the same have to come out, byte
for byte. Both have the same addresses, MAC addresses, pool and range of ports.

Linux's mapping depends on whom a host sends to, RFC 4787 asks for one that does not. So what is compared is what is the
same by either: ports that are kept, replies, what is forwarded by configuration; where a port is taken already, only that
another one is given. Linux also drops what can be no segment of a connection (flags, lengths that are not true) and joins
the pieces of a datagram as they came; packetwarp leaves the first to the receiver, and sends full pieces.
"""
from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from nat44_beside_linux import ALONE, OWN_ADDRESS, POOL, Translators, translators
from nat44_packets import HOST, OTHER, SERVER, answer_to, out, port_of, with_source
from raw_network import FAR, LEFT, RIGHT, described, into, need_whole_fragments, out_of
from scapy.layers.inet import ICMP, IP, TCP, UDP, IPOption_NOP, defragment, fragment
from scapy.layers.l2 import Ether
from scapy.packet import Packet, Raw


@pytest.fixture(scope="module")
def both(packetwarp_of_module) -> Iterator[Translators]:
    with translators(packetwarp_of_module) as made:
        yield made
        made.end()


def test_udp_there_and_back(both):
    sizes = (0, 1, 2, 17, 18, 1400)
    both.talk(*(out(UDP(sport=4000 + size, dport=53) / Raw(b"u" * size), tos=size % 256, id=size) for size in sizes))


def test_udp_without_a_checksum_stays_without(both):
    sent = both.talk(*(out(UDP(sport=4100 + size, dport=53, chksum=0) / Raw(b"u" * size)) for size in (0, 5)))
    assert [packet[UDP].chksum for packet in sent] == [0, 0]


def with_sum_of_zero(packet: Packet) -> Packet:
    """Its last two bytes so that the transport checksum would come out as 0 once it has left: of UDP, all ones then."""
    outside = packet.copy()
    outside.src = POOL
    missing = IP(bytes(outside)).payload.chksum
    packet[Raw].load = packet[Raw].load[:-2] + missing.to_bytes(2, "big")
    return packet


@pytest.mark.parametrize("protocol", [UDP(sport=4200, dport=53), TCP(sport=4200, dport=80, flags="S")], ids=("udp", "tcp"))
def test_a_checksum_that_becomes_zero(both, protocol):
    [left] = both.talk(with_sum_of_zero(out(protocol / Raw(bytes(10)))))
    assert left.payload.chksum == (0xFFFF if UDP in left else 0)


def test_a_checksum_that_is_wrong_stays_as_wrong(both):
    """To be noticed by whom it is for."""
    both.talk(out(UDP(sport=4300, dport=53, chksum=0x1234) / b"?"), out(TCP(sport=4300, dport=80, flags="S", chksum=0x1234)),
              out(ICMP(id=4300, chksum=0x1234) / b"?"))


def test_a_tcp_connection(both):
    """Opened, used and closed by both sides, and one that is reset."""
    def segment(flags: str, seq: int, ack: int, data: bytes = b"", port: int = 4400) -> Packet:
        options = [("MSS", 1460)] if flags == "S" else []
        return out(TCP(sport=port, dport=80, flags=flags, seq=seq, ack=ack, options=options) / data)

    def reply(flags: str, seq: int, ack: int, data: bytes = b"", port: int = 4400) -> Packet:
        return IP(src=SERVER, dst=POOL) / TCP(sport=80, dport=port, flags=flags, seq=seq, ack=ack) / data

    both.answered(segment("S", 1000, 0), reply("SA", 5000, 1001))
    both.answered(segment("A", 1001, 5001), reply("A", 5001, 1001))
    both.answered(segment("PA", 1001, 5001, b"GET /"), reply("PA", 5001, 1006, b"x" * 1400))
    both.answered(segment("FA", 1006, 6401), reply("FA", 6401, 1007))
    both.cross(into(LEFT, segment("A", 1007, 6402)))
    both.answered(segment("S", 1, 0, port=4401), reply("RA", 0, 2, port=4401))


def test_echo_there_and_back(both):
    both.talk(*(out(ICMP(id=4500 + size, seq=size) / Raw(b"e" * size)) for size in (0, 1, 56, 1400)))


def test_many_packets_of_many_flows(both):
    """Also what comes of RFC 1624's arithmetic, where sums are 0 or 0xffff on the way."""
    chance = random.Random(4787)

    def one() -> Packet:
        port, to, seq = chance.randrange(20000, 60000), chance.randrange(1, 65536), chance.getrandbits(32)
        protocol = chance.choice([UDP(sport=port, dport=to), TCP(sport=port, dport=to, flags="S", seq=seq),
                                  ICMP(id=port, seq=port)])
        data = chance.randbytes(chance.randrange(0, 64))
        return out(protocol / data, to=chance.choice((SERVER, FAR)), id=chance.getrandbits(16), tos=chance.getrandbits(8),
                   ttl=chance.randrange(2, 256), flags=chance.choice(("", "DF")))
    by_port = {(type(packet.payload), packet.payload.id if ICMP in packet else packet.payload.sport): packet
               for packet in (one() for _ in range(250))}
    both.talk(*by_port.values())


def test_ip_options_are_passed_on(both):
    both.talk(out(UDP(sport=4600, dport=53), options=[IPOption_NOP()] * 4))


# No port of the range, one that another host has, and one that is configured: both give another, from the range.
@pytest.mark.parametrize(("host", "protocol"), [
    (HOST, UDP(sport=123, dport=123)), (HOST, TCP(sport=1023, dport=80, flags="S")), (HOST, ICMP(id=7)),
    (OTHER, UDP(sport=6000, dport=53)), (OTHER, TCP(sport=6000, dport=80, flags="S")), (OTHER, ICMP(id=6000))], ids=repr)
def test_another_port_where_the_own_one_cannot_be(both, host, protocol):
    if host == OTHER:
        both.talk(out(protocol.copy()))
    sent = out(protocol / b"port", host=host)
    for wires, left in zip((both.linux, both.own.wires), both.cross_alone(into(LEFT, sent)), strict=True):
        left = left[IP]
        given = port_of(left)
        assert given >= 1024 and given != 6000
        again = wires.cross([into(LEFT, sent)])
        assert described(again) == described([out_of(RIGHT, with_source(sent, POOL, given))]), "and keeps it"
        assert described(wires.cross([into(RIGHT, answer_to(left))])) == described(
            [out_of(LEFT, answer_to(IP(bytes(sent)), to=host))])


def test_a_port_forward_leads_inside_and_back(both):
    for to, inside, protocol in ((8080, 8000, TCP(flags="S")), (5353, 53, UDP())):
        ask, answer = protocol.copy(), protocol.copy()
        ask.sport, ask.dport, answer.sport, answer.dport = 7000, to, inside, 7000
        [(side, _)] = both.cross(into(RIGHT, IP(src=FAR, dst=POOL) / ask / b"ask"))
        assert side == LEFT
        [(side, frame)] = both.cross(into(LEFT, out(answer / b"answer", to=FAR)))
        assert (side, Ether(frame)[IP].src, Ether(frame).payload.payload.sport) == (RIGHT, POOL, to)


def test_hairpinning_to_a_port_forward(both):
    """Both see the pool's address, not each other's."""
    [(side, frame)] = both.cross(into(LEFT, out(TCP(sport=7100, dport=8080, flags="S"), host=OTHER, to=POOL)))
    assert (side, Ether(frame)[IP].src, Ether(frame)[IP].dst) == (LEFT, POOL, HOST)
    [(side, frame)] = both.cross(into(LEFT, out(TCP(sport=8000, dport=7100, flags="SA"), to=POOL)))
    assert (side, Ether(frame)[IP].src, Ether(frame)[IP].dst) == (LEFT, POOL, OTHER)


def test_an_address_of_its_own_has_all_ports_and_protocols(both):
    """Connections that it begins, and connections that begin outside."""
    protocols = (UDP(sport=9, dport=7200), TCP(sport=10, dport=7200, flags="S"), ICMP(id=11), Raw(b"any"))
    for number, protocol in enumerate(protocols):
        proto = {"proto": 99} if isinstance(protocol, Raw) else {}
        for first, second in ((FAR, SERVER), (SERVER, FAR)):
            [(side, frame)] = both.cross(into(LEFT, out(protocol.copy(), host=OWN_ADDRESS, to=first, id=number, **proto)))
            assert (side, Ether(frame)[IP].src) == (RIGHT, ALONE)
            [(side, frame)] = both.cross(into(RIGHT, IP(src=second, dst=ALONE, id=number, **proto) / protocol.copy()))
            assert (side, Ether(frame)[IP].dst) == (LEFT, OWN_ADDRESS)


@pytest.mark.parametrize(("to", "name"), ((HOST, "no_session"), (POOL, "no_kernel_interface")))
def test_what_nobody_inside_asked_for(both, to, name):
    """To a host inside, and to the pool's address, which here is the router's own too."""
    both.lose(name, *(into(RIGHT, IP(src=FAR, dst=to) / protocol) for protocol in (
        UDP(sport=1, dport=7300), TCP(sport=1, dport=7300, flags="S"))))


def test_protocols_without_ports_need_an_address_of_their_own(both):
    both.lose("protocol", into(LEFT, out(Raw(b"no port"), proto=99)))


def test_fragments_of_full_packets(both):
    """In order and the other way round; each comes out translated and whole."""
    need_whole_fragments(both.own)
    for host_port, pieces_of in ((7400, list), (7401, reversed)):
        whole = out(UDP(sport=host_port, dport=53) / Raw(bytes(n % 251 for n in range(4000))), id=host_port)
        pieces = list(pieces_of(fragment(whole, fragsize=1480)))
        assert len(pieces) == 3
        there = both.cross(*(into(LEFT, piece) for piece in pieces))
        [together] = defragment([Ether(frame)[IP] for _, frame in there])
        answer = fragment(answer_to(together), fragsize=1424)
        back = both.cross(*(into(RIGHT, piece) for piece in answer))
        assert {side for side, _ in back} == {LEFT} and len(back) == 3


@pytest.mark.parametrize("size", (600, 1000, 1200))
def test_fragments_of_other_sizes(both, size):
    """The pieces differ, the datagram does not."""
    need_whole_fragments(both.own)
    whole = out(UDP(sport=7450, dport=53) / Raw(bytes(n % 251 for n in range(3600))), id=size)
    for side, datagram in ((LEFT, whole), (RIGHT, answer_to(with_source(whole, POOL)))):
        pieces = [into(side, piece) for piece in fragment(datagram, fragsize=size)]
        joined = []
        for wires, count in ((both.linux, len(pieces)), (both.own.wires, 3)):
            arrived = wires.cross(pieces, count=count)
            joined.append([bytes(one) for one in defragment([Ether(frame)[IP] for _, frame in arrived])])
        assert joined[0] == joined[1] and len(joined[0]) == 1


def test_what_has_no_whole_header(both):
    both.lose("transport_truncated", into(LEFT, out(Raw(bytes(7)), proto=17)), into(LEFT, out(Raw(bytes(19)), proto=6)))


def test_what_is_too_long_for_the_left_is_fragmented(both):
    both.talk(out(UDP(sport=7600, dport=53)))
    sent = IP(src=SERVER, dst=POOL, id=76) / UDP(sport=53, dport=7600) / Raw(bytes(n % 251 for n in range(1440)))
    assert [side for side, _ in both.cross(into(RIGHT, sent), count=2)] == [LEFT, LEFT]
