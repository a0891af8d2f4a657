# SPDX-License-Identifier: Apache-2.0
"""ICMP errors: what they say, what they quote, and about what none is sent (RFC 792, 1191, 1812 4.3.2, 4443)."""
import pytest
from routed import (FAR_IP, FAR_IP6, HOST_IP, HOST_IP6, HOST_MAC, OWN_IP, OWN_IP6, OWN_MAC, frame_at, to_router,
                    two_interfaces, wait)
from scapy.layers.inet import ICMP, IP, TCP, UDP, IPOption_NOP
from scapy.layers.inet6 import (ICMPv6DestUnreach, ICMPv6EchoRequest, ICMPv6PacketTooBig, ICMPv6TimeExceeded, IPv6,
                                IPv6ExtHdrDestOpt, IPv6ExtHdrFragment)
from scapy.layers.ipsec import AH
from scapy.layers.l2 import Ether
from scapy.packet import Raw

NOWHERE, NOWHERE6 = "203.0.113.9", "2001:db8:aa::1"


def table(mtu: int = 1500, **settings) -> dict:
    made = two_interfaces(control=settings)
    made["interfaces"][1]["mtu"] = mtu
    return made


def quoted(packet, most: int) -> Raw:
    return Raw(bytes(packet.payload)[:most])


def error_about(packet, number: int = 0, **icmp) -> bytes:
    """scapy's version of the router's error with this number: the sums are scapy's own."""
    return bytes(Ether(src=OWN_MAC[0], dst=HOST_MAC[0]) / IP(src=OWN_IP[0], dst=packet[IP].src, tos=0xc0, id=number, ttl=64) /
                 ICMP(**icmp) / quoted(packet, 576 - 28))


def error6_about(packet, message) -> bytes:
    return bytes(Ether(src=OWN_MAC[0], dst=HOST_MAC[0]) / IPv6(src=OWN_IP6[0], dst=packet[IPv6].src, hlim=64) /
                 message / quoted(packet, 1280 - 48))


@pytest.mark.parametrize("size", [0, 1, 500, 520, 521, 1400])
@pytest.mark.parametrize("to, ttl, why, icmp", [(FAR_IP, 1, "time_exceeded", {"type": 11, "code": 0}),
                                                (NOWHERE, 64, "no_route", {"type": 3, "code": 0})])
def test_ipv4(router, size, to, ttl, why, icmp):
    packet = to_router(IP(src=HOST_IP[0], dst=to, ttl=ttl, options=[IPOption_NOP()] * 4) / UDP() / Raw(b"q" * size))
    [[_, dropped, sent]] = router.run(table(), frame_at(packet))
    assert (dropped.what, dropped.why, dropped.frame) == ("drop", why, bytes(packet))
    assert (sent.what, sent.to, sent.frame.hex()) == ("send", 0, error_about(packet, **icmp).hex())


@pytest.mark.parametrize("size", [0, 1, 1180, 1192, 1300])
@pytest.mark.parametrize("to, hops, why, message", [(FAR_IP6, 1, "time_exceeded", ICMPv6TimeExceeded(code=0)),
                                                    (NOWHERE6, 64, "no_route", ICMPv6DestUnreach(code=0))])
def test_ipv6(router, size, to, hops, why, message):
    packet = to_router(IPv6(src=HOST_IP6[0], dst=to, hlim=hops) / UDP() / Raw(b"q" * size))
    [[_, dropped, sent]] = router.run(table(), frame_at(packet))
    assert (dropped.what, dropped.why) == ("drop", why)
    assert (sent.what, sent.to, sent.frame.hex()) == ("send", 0, error6_about(packet, message).hex())


def test_too_big_for_the_next_link_tells_its_mtu(router):
    """RFC 1191 and RFC 8201."""
    packet = to_router(IP(src=HOST_IP[0], dst=FAR_IP, flags="DF") / UDP() / Raw(b"q" * 1400))
    [[_, dropped, sent]] = router.run(table(mtu=1300), frame_at(packet))
    assert (dropped.why, sent.frame.hex()) == ("too_big", error_about(packet, type=3, code=4, nexthopmtu=1300).hex())
    packet = to_router(IPv6(src=HOST_IP6[0], dst=FAR_IP6) / UDP() / Raw(b"q" * 1400))
    [[_, dropped, sent]] = router.run(table(mtu=1300), frame_at(packet))
    assert (dropped.why, sent.frame.hex()) == ("too_big", error6_about(packet, ICMPv6PacketTooBig(mtu=1300)).hex())


@pytest.mark.parametrize("hops, size, message", [(1, 40, ICMPv6TimeExceeded(code=0)), (64, 1400, ICMPv6PacketTooBig(mtu=1300))])
def test_later_ipv6_fragments_are_told_about_too(router, hops, size, message):
    """RFC 4443, 2.4 (e) has no exception for them."""
    packet = to_router(IPv6(src=HOST_IP6[0], dst=FAR_IP6, hlim=hops) / IPv6ExtHdrFragment(offset=3, nh=17) / Raw(b"f" * size))
    [[*_, sent]] = router.run(table(mtu=1300), frame_at(packet))
    assert sent.frame.hex() == error6_about(packet, message).hex()


def test_each_ipv4_error_has_another_identification(router):
    """RFC 6864, 4.3."""
    packets = [to_router(IP(src=HOST_IP[0], dst=NOWHERE) / UDP(sport=n)) for n in range(1, 4)]
    answers = router.run(table(), *map(frame_at, packets))
    assert [told[-1].frame.hex() for told in answers] == [error_about(packet, n, type=3, code=0).hex() for n, packet in enumerate(packets)]


def test_ethernet_padding_is_not_quoted(router):
    packet = to_router(IP(src=HOST_IP[0], dst=NOWHERE) / UDP())
    [[*_, sent]] = router.run(table(), frame_at(bytes(packet) + bytes(18)))
    assert sent.frame.hex() == error_about(packet, type=3, code=0).hex()


@pytest.mark.parametrize("packet", [
    IP(src=HOST_IP[0], dst=NOWHERE) / ICMP(type=kind) / Raw(b"e" * 28) for kind in (3, 4, 5, 11, 12, 40)] + [
    IP(src=HOST_IP[0], dst=NOWHERE, frag=3) / Raw(b"f" * 40), IP(src=HOST_IP[0], dst=NOWHERE, proto=1),
    IPv6(src=HOST_IP6[0], dst=NOWHERE6) / ICMPv6TimeExceeded() / Raw(b"e" * 40),
    IPv6(src=HOST_IP6[0], dst=NOWHERE6) / IPv6ExtHdrDestOpt() / ICMPv6DestUnreach(),
    IPv6(src=HOST_IP6[0], dst=NOWHERE6, nh=58) / Raw(b"\x89" + bytes(7)),
    IPv6(src=HOST_IP6[0], dst=NOWHERE6) / AH(nh=58, payloadlen=4, icv=bytes(12)) / ICMPv6TimeExceeded(),
    IPv6(src=HOST_IP6[0], dst=NOWHERE6) / IPv6ExtHdrDestOpt(nh=51) / AH(nh=60, payloadlen=4, icv=bytes(12)) / IPv6ExtHdrDestOpt(nh=51) /
    AH(nh=58, payloadlen=2, icv=bytes(4)) / ICMPv6DestUnreach(),
    IPv6(src=HOST_IP6[0], dst=NOWHERE6, nh=51) / Raw(b"\x3a"),
    IPv6(src=HOST_IP6[0], dst=NOWHERE6, nh=51) / Raw(b"\x3a\x04" + bytes(21))])
def test_none_about_errors_and_later_ipv4_fragments(router, packet):
    [[_, dropped]] = router.run(table(), frame_at(to_router(packet)))
    assert (dropped.what, dropped.why) == ("drop", "icmp_not_allowed")


@pytest.mark.parametrize("packet", [
    IP(src=HOST_IP[0], dst=NOWHERE) / ICMP(type=8), IP(src=HOST_IP[0], dst=NOWHERE) / ICMP(type=13),
    IP(src=HOST_IP[0], dst=NOWHERE) / TCP(), IP(src=HOST_IP[0], dst=NOWHERE, flags="MF") / UDP() / Raw(b"f" * 16),
    IPv6(src=HOST_IP6[0], dst=NOWHERE6) / ICMPv6EchoRequest(),
    IPv6(src=HOST_IP6[0], dst=NOWHERE6) / AH(nh=58, payloadlen=4, icv=bytes(12)) / ICMPv6EchoRequest(),
    IPv6(src=HOST_IP6[0], dst=NOWHERE6) / AH(nh=17, payloadlen=4, icv=bytes(12)) / UDP(),
    IPv6(src=HOST_IP6[0], dst=NOWHERE6) / IPv6ExtHdrFragment(offset=0, m=1) / UDP(),
    IPv6(src=HOST_IP6[0], dst=NOWHERE6) / IPv6ExtHdrFragment(offset=3) / Raw(b"f" * 40),
    IPv6(src=HOST_IP6[0], dst=NOWHERE6) / IPv6ExtHdrFragment(offset=3, nh=58) / Raw(b"\x01" + bytes(40))])
def test_one_about_queries_and_fragments(router, packet):
    [[*_, sent]] = router.run(table(), frame_at(to_router(packet)))
    assert sent.what == "send"


def test_no_more_than_the_limit(router):
    """Four at once, then two a second: a token bucket."""
    packet = frame_at(to_router(IP(src=HOST_IP[0], dst=NOWHERE) / UDP()))
    limited = table(icmp_errors_at_once=4, icmp_errors_per_second=2)
    results = router.run(limited, *[packet] * 6, wait(500), *[packet] * 2, wait(60_000), *[packet] * 5)
    sent = [any(o.what == "send" for o in outcomes) for outcomes in results]
    assert sent == [True] * 4 + [False] * 2 + [False] + [True, False] + [False] + [True] * 4 + [False]
    assert results[4][1].why == "icmp_limited"


def test_each_kind_of_error_and_each_interface_has_a_limit_of_its_own(router):
    """A traceroute flood takes nothing from path MTU discovery, and nothing from hosts behind another interface."""
    out_of_hops = frame_at(to_router(IP(src=HOST_IP[0], dst=FAR_IP, ttl=1) / UDP()))
    others = [frame_at(to_router(IP(src=HOST_IP[0], dst=FAR_IP, flags="DF") / UDP() / Raw(b"q" * 1400))),
              frame_at(to_router(IP(src=HOST_IP[0], dst=NOWHERE) / UDP())),
              frame_at(to_router(IP(src=FAR_IP, dst=HOST_IP[0], ttl=1) / UDP(), ingress=1), 1)]
    results = router.run(table(mtu=1300, icmp_errors_at_once=2, icmp_errors_per_second=1), *[out_of_hops] * 5, *others)
    sent = [any(o.what == "send" for o in outcomes) for outcomes in results]
    assert sent == [True] * 2 + [False] * 3 + [True] * 3


def test_it_comes_from_the_interface_that_faces_the_sender(router):
    packet = to_router(IP(src=FAR_IP, dst=NOWHERE) / UDP(), ingress=1)
    [[*_, sent]] = router.run(table(), frame_at(packet, 1))
    assert (sent.to, sent.packet.src, sent.packet.dst) == (1, OWN_MAC[1], HOST_MAC[1])
    assert (sent.packet[IP].src, sent.packet[IP].dst) == (OWN_IP[1], FAR_IP)


def test_without_a_way_back_it_is_dropped_by_name(router):
    packet = to_router(IP(src="192.0.2.77", dst=NOWHERE) / UDP())
    [[_, dropped, error]] = router.run(table(), frame_at(packet))
    assert (dropped.why, error.what, error.why) == ("no_route", "drop", "no_way_back")
