# SPDX-License-Identifier: Apache-2.0
"""packetwarp run as a router beside Linux's own: the same packets go into both, the same must come out, byte for byte.

In a router's own packets the IPv4 identification differs: RFC 6864 leaves it free. And Linux is more liberal with addresses: it
routes 240/4 and IPv4's link-local addresses, and answers packets from IPv6's; packetwarp drops them."""
from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from beside_linux import Both, comparable, hop_given_back, kernel_router, without_identification
from raw_network import (FAR, FAR6, HOST_MAC, HOSTS, HOSTS6, LEFT, RIGHT, OnWire, described, into, known_hosts,
                         need_whole_fragments, raw_router, wires_to_middle)
from scapy.layers.inet import ICMP, IP, TCP, UDP, IPOption_NOP, IPOption_Router_Alert, IPOption_Stream_Id, fragment
from scapy.layers.inet6 import (ICMPv6DestUnreach, ICMPv6EchoRequest, ICMPv6ND_NS, ICMPv6NDOptSrcLLAddr, ICMPv6TimeExceeded,
                                IPv6, IPv6ExtHdrDestOpt, IPv6ExtHdrFragment)
from scapy.layers.l2 import ARP, Ether
from scapy.packet import Packet, Raw

LEFT_HOST, RIGHT_HOST, LEFT_HOST6, RIGHT_HOST6 = HOSTS[LEFT][0], HOSTS[RIGHT][0], HOSTS6[LEFT][0], HOSTS6[RIGHT][0]
NARROW = 1400


@pytest.fixture(scope="module")
def both(packetwarp_of_module) -> Iterator[Both]:
    narrow = {RIGHT: NARROW}
    with kernel_router(mtu=narrow) as linux, wires_to_middle() as ends:
        with raw_router(packetwarp_of_module, known_hosts(narrow), *ends) as own:
            made = Both(linux, own)
            yield made
            made.end()


def some_bytes(size: int) -> Raw:
    return Raw(bytes(n % 251 for n in range(size)))


def either_way(side: str, left: str, right: str) -> tuple[str, str]:
    return (left, right) if side == LEFT else (right, left)


def ipv4(chance: random.Random, side: str) -> Packet:
    source, to = either_way(side, LEFT_HOST, chance.choice((RIGHT_HOST, FAR)))
    options = chance.choice(([], [], [IPOption_NOP()] * 8, [IPOption_Router_Alert()]))
    return IP(src=source, dst=to, ttl=chance.randrange(2, 256), id=chance.getrandbits(16), tos=chance.getrandbits(8),
              flags=chance.choice(("", "DF")), options=options) / protocol(chance)


def ipv6(chance: random.Random, side: str) -> Packet:
    source, to = either_way(side, LEFT_HOST6, chance.choice((RIGHT_HOST6, FAR6)))
    header = IPv6(src=source, dst=to, hlim=chance.randrange(2, 256), tc=chance.getrandbits(8), fl=chance.getrandbits(20))
    return header / (IPv6ExtHdrDestOpt() / protocol(chance) if chance.random() < 0.2 else protocol(chance))


def protocol(chance: random.Random) -> Packet:
    """UDP and TCP, with right or wrong checksums, and unknown protocols."""
    data = Raw(chance.randbytes(chance.randrange(0, 80)))
    return chance.choice([UDP(sport=1, dport=2) / data, UDP(sport=1, dport=2, chksum=0) / data,
                          TCP(flags="S", seq=chance.getrandbits(32)) / data, TCP(chksum=77) / data, data])


@pytest.mark.parametrize("make", (ipv4, ipv6))
def test_many_packets_either_way(both, make):
    """RFC 1624's corner cases are among so many: header checksums that become 0 or 0xffff."""
    chance = random.Random(1812)
    sides = [chance.choice((LEFT, RIGHT)) for _ in range(250)]
    both.cross(*(into(side, make(chance, side)) for side in sides))


def test_header_checksums_next_to_a_carry(both):
    """As they come in; with one hop less the high byte changes. 0 may be written as 0xffff too."""
    of_zero = IP(bytes(IP(src=LEFT_HOST, dst=RIGHT_HOST, id=0) / UDP())).chksum
    wanted = (0, 1, 0xff, 0x100, 0x101, 0xfdff, 0xfefe, 0xfeff, 0xff00, 0xfffe)
    packets = [IP(src=LEFT_HOST, dst=RIGHT_HOST, id=(of_zero - sum_) % 65535) / UDP() for sum_ in wanted]
    assert [IP(bytes(packet)).chksum for packet in packets] == list(wanted)
    packets += [IP(src=LEFT_HOST, dst=RIGHT_HOST, id=of_zero, chksum=0xffff) / UDP()]
    both.cross(*(into(LEFT, packet) for packet in packets))


@pytest.mark.parametrize("size", (0, 1, 17, 46, 1352))
def test_any_size(both, size):
    both.cross(into(LEFT, IP(src=LEFT_HOST, dst=RIGHT_HOST) / UDP() / some_bytes(size)),
               into(LEFT, IPv6(src=LEFT_HOST6, dst=RIGHT_HOST6) / UDP() / some_bytes(size)))


def test_padding_is_no_part_of_the_packet(both):
    short = into(LEFT, IP(src=LEFT_HOST, dst=RIGHT_HOST) / UDP() / b"short")
    [(_, wanted)] = both.cross(short)
    for wires in (both.linux, both.own.wires):
        [(side, frame)] = wires.cross([(LEFT, short[1] + bytes(13))])
        assert side == RIGHT and frame.rstrip(b"\0") == wanted


def test_back_out_by_where_it_came_in(both):
    [(side, _)] = both.cross(into(RIGHT, IP(src=RIGHT_HOST, dst=HOSTS[RIGHT][1]) / UDP()))
    assert side == RIGHT


def test_fragments_pass_as_they_are(both):
    need_whole_fragments(both.own)
    whole = IP(src=LEFT_HOST, dst=RIGHT_HOST, id=4000) / UDP() / some_bytes(4000)
    both.cross(*(into(LEFT, piece) for piece in reversed(fragment(whole, fragsize=1000))))
    header = IPv6(src=LEFT_HOST6, dst=RIGHT_HOST6)
    both.cross(*(into(LEFT, header / IPv6ExtHdrFragment(nh=17, offset=125 * n, m=n < 2, id=4) / some_bytes(1000))
                 for n in range(3)))


@pytest.mark.parametrize(("packet", "count"), (
    (IP(id=1) / UDP() / some_bytes(1392), 2),
    (IP(id=2, options=[IPOption_Stream_Id(security=7)]) / UDP() / some_bytes(1390), 2),
    (IP(id=3, flags="MF", frag=10) / some_bytes(1400), 2), (IP(id=4, frag=100) / some_bytes(1401), 2)),
    ids=("datagram", "with options", "fragment", "last fragment"))
def test_what_is_too_long_is_fragmented_alike(both, packet, count):
    need_whole_fragments(both.own)
    packet.src, packet.dst = LEFT_HOST, RIGHT_HOST
    assert {side for side, _ in both.cross(into(LEFT, packet), count=count)} == {RIGHT}


BIG = some_bytes(1400)
ERRORS = {
    "no hop left": IP(src=LEFT_HOST, dst=RIGHT_HOST, ttl=1) / UDP() / b"one",
    "no hop at all": IP(src=LEFT_HOST, dst=RIGHT_HOST, ttl=0) / UDP() / b"none",
    "no hop left, long": IP(src=LEFT_HOST, dst=RIGHT_HOST, ttl=1) / UDP() / some_bytes(1300),
    "no hop left, options": IP(src=LEFT_HOST, dst=RIGHT_HOST, ttl=1, options=[IPOption_NOP()] * 4) / TCP(),
    "no hop left, echo": IP(src=LEFT_HOST, dst=RIGHT_HOST, ttl=1) / ICMP(id=7, seq=8),
    "no hop left, from afar": IP(src=FAR, dst=LEFT_HOST, ttl=1) / UDP(),
    "first fragment": IP(src=LEFT_HOST, dst=RIGHT_HOST, ttl=1, flags="MF") / UDP() / some_bytes(24),
    "wrong udp checksum": IP(src=LEFT_HOST, dst=RIGHT_HOST, ttl=1) / UDP(chksum=5) / b"?",
    # From a host that has got no error yet: these Linux limits to one a second for each, come what may.
    "no route": IP(src=HOSTS[LEFT][5], dst="203.0.113.1") / UDP() / b"nowhere",
    "too long": IP(src=LEFT_HOST, dst=RIGHT_HOST, flags="DF") / UDP() / BIG,
    "ipv6, no hop left": IPv6(src=LEFT_HOST6, dst=RIGHT_HOST6, hlim=1) / UDP() / b"one",
    "ipv6, no hop at all": IPv6(src=LEFT_HOST6, dst=RIGHT_HOST6, hlim=0) / UDP() / b"none",
    "ipv6, no hop left, long": IPv6(src=LEFT_HOST6, dst=RIGHT_HOST6, hlim=1, tc=0xb8, fl=7) / UDP() / some_bytes(1300),
    "ipv6, no hop left, extension header": IPv6(src=LEFT_HOST6, dst=RIGHT_HOST6, hlim=1) / IPv6ExtHdrDestOpt() / TCP(),
    "ipv6, no hop left, from afar": IPv6(src=FAR6, dst=LEFT_HOST6, hlim=1) / ICMPv6EchoRequest(),
    "ipv6, no route": IPv6(src=LEFT_HOST6, dst="2001:db8:99::1") / UDP() / b"nowhere",
    "ipv6, too big": IPv6(src=LEFT_HOST6, dst=RIGHT_HOST6) / UDP() / BIG,
}


@pytest.mark.parametrize("why", ERRORS)
def test_icmp_errors(both, why):
    """Type, code, whom they are from, what they quote and how much of it."""
    if "fragment" in why:
        need_whole_fragments(both.own)
    side = RIGHT if "afar" in why else LEFT
    same_but_for_identification(both, into(side, ERRORS[why]))


def same_but_for_identification(both: Both, sent: OnWire) -> None:
    by_linux, by_own = both.cross_alone(sent)
    assert without_identification(by_own).hex() == without_identification(by_linux).hex()


def test_icmp_errors_are_internetwork_control(both):
    """Precedence 6 (RFC 1812, 4.3.2.5). Linux has what the packet had of RFC 1349's service beside; packetwarp's is the
    DSCP CS6 (RFC 2474) whatever it had."""
    errors = both.cross_alone(into(LEFT, IP(src=LEFT_HOST, dst=RIGHT_HOST, ttl=1, tos=0xb8) / ICMP()))
    assert [error[IP].tos >> 5 for error in errors] == [6, 6]
    assert [bytes(error[ICMP]) for error in errors] == [bytes(errors[0][ICMP])] * 2


def test_a_host_that_is_not_there(both):
    """It is asked for three times, by ARP and neighbour discovery; then the sender is told."""
    sent = [into(LEFT, IP(src=LEFT_HOST, dst="2.2.2.99") / UDP() / b"who"),
            into(LEFT, IPv6(src=LEFT_HOST6, dst="2001:db8:2::99") / UDP())]
    for wires in (both.linux, both.own.wires):
        wires.cross(sent, count=0)
    by_linux, by_own = ([(side, Ether(frame)) for side, frame in wires.receive(2 * (3 + 1))]
                        for wires in (both.linux, both.own.wires))
    by_linux = [(side, hop_given_back(frame) if side == LEFT else frame) for side, frame in by_linux]
    assert described(map(comparable, by_own)) == described(map(comparable, by_linux))
    assert sorted(side for side, _ in by_own) == [LEFT] * 2 + [RIGHT] * 6


NO_ERRORS = {
    "an icmp error": IP(src=LEFT_HOST, dst=RIGHT_HOST, ttl=1) / ICMP(type=3, code=1) / some_bytes(28),
    "a later fragment": IP(src=LEFT_HOST, dst=RIGHT_HOST, ttl=1, frag=3) / some_bytes(24),
    "an icmpv6 error": IPv6(src=LEFT_HOST6, dst=RIGHT_HOST6, hlim=1) / ICMPv6TimeExceeded() / some_bytes(48),
    "an icmpv6 error behind a header":
        IPv6(src=LEFT_HOST6, dst=RIGHT_HOST6, hlim=1) / IPv6ExtHdrDestOpt() / ICMPv6DestUnreach(),
}


@pytest.mark.parametrize("about", NO_ERRORS)
def test_no_icmp_error_about(both, about):
    if "fragment" in about:
        need_whole_fragments(both.own)
    both.lose("icmp_not_allowed", into(LEFT, NO_ERRORS[about]))


GOOD = into(LEFT, IP(src=LEFT_HOST, dst=RIGHT_HOST) / UDP() / some_bytes(20))[1]
LOST = {
    "not_for_us": (bytes.fromhex("020000000999") + GOOD[6:],),
    "bad_version": (GOOD[:14] + b"\x55" + GOOD[15:],), "bad_header_length": (GOOD[:14] + b"\x44" + GOOD[15:],),
    "bad_total_length": (GOOD[:-1],), "bad_checksum": (GOOD[:24] + b"\x12\x34" + GOOD[26:],), "ip_truncated": (GOOD[:30],),
    "martian_source": tuple(
        IP(src=source, dst=RIGHT_HOST) / UDP() for source in ("127.0.0.1", "224.0.0.1", "1.1.1.1", "2.2.2.1")) + (
        IPv6(src="::1", dst=RIGHT_HOST6) / UDP(), IPv6(src="ff02::1", dst=RIGHT_HOST6) / UDP()),
    "martian_destination": tuple(IP(src=LEFT_HOST, dst=to) / UDP() for to in ("127.0.0.1", "0.0.0.0")) + (
        IPv6(src=LEFT_HOST6, dst="::1") / UDP(),),
    "directed_broadcast": (IP(src=LEFT_HOST, dst="2.2.2.255") / UDP(),),
}


@pytest.mark.parametrize("name", LOST)
def test_what_no_router_sends_on(both, name):
    both.lose(name, *(into(LEFT, packet) for packet in LOST[name]))


def test_questions_for_its_addresses(both):
    """ARP and neighbour discovery."""
    ask = Ether(src=HOST_MAC[LEFT], dst="ff:ff:ff:ff:ff:ff")
    both.cross(into(LEFT, bytes(ask / ARP(hwsrc=HOST_MAC[LEFT], psrc=LEFT_HOST, pdst="1.1.1.1"))))
    group = Ether(src=HOST_MAC[LEFT], dst="33:33:ff:00:00:01") / IPv6(src=LEFT_HOST6, dst="ff02::1:ff00:1", hlim=255)
    both.cross(into(LEFT, bytes(group / ICMPv6ND_NS(tgt="2001:db8:1::1") / ICMPv6NDOptSrcLLAddr(lladdr=HOST_MAC[LEFT]))))


@pytest.mark.parametrize("to", ("1.1.1.1", "2.2.2.1"))
def test_pings_to_its_addresses(both, to):
    same_but_for_identification(both, into(LEFT, IP(src=LEFT_HOST, dst=to, tos=0x20) / ICMP(id=5, seq=6) / b"ping"))


@pytest.mark.parametrize("to", ("2001:db8:1::1", "2001:db8:2::1"))
def test_pings_to_its_ipv6_addresses(both, to):
    both.cross(into(LEFT, IPv6(src=LEFT_HOST6, dst=to) / ICMPv6EchoRequest(id=5, seq=6, data=b"ping")))
