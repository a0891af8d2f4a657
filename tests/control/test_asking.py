# SPDX-License-Identifier: Apache-2.0
"""Packets wait while their neighbour's MAC address is asked for (RFC 1122, 2.3.2.2; RFC 4861, 7.2.2)."""
import pytest
from routed import (FAR_IP, FAR_IP6, HOST_IP, HOST_IP6, HOST_MAC, OWN_IP, OWN_IP6, OWN_MAC, forwarded, frame_at, to_router,
                    two_interfaces, wait)
from scapy.layers.inet import ICMP, IP, UDP
from scapy.layers.inet6 import ICMPv6DestUnreach, ICMPv6ND_NA, ICMPv6ND_NS, ICMPv6NDOptDstLLAddr, ICMPv6NDOptSrcLLAddr, IPv6
from scapy.layers.l2 import ARP, Ether
from scapy.packet import Raw

ONE_KNOWN = two_interfaces(neighbours=[{"interface": 0, "address": a, "mac": HOST_MAC[0]} for a in (HOST_IP[0], HOST_IP6[0])],
                           control={})


def question(target: str = HOST_IP[1], to: str = "ff:ff:ff:ff:ff:ff") -> str:
    arp = ARP(op=1, hwsrc=OWN_MAC[1], psrc=OWN_IP[1], hwdst="00:00:00:00:00:00", pdst=target)
    return (bytes(Ether(src=OWN_MAC[1], dst=to) / arp) + bytes(18)).hex()


def answer(sender: str = HOST_IP[1], mac: str = HOST_MAC[1]) -> dict:
    return frame_at(Ether(src=mac, dst=OWN_MAC[1]) / ARP(op=2, hwsrc=mac, psrc=sender, hwdst=OWN_MAC[1], pdst=OWN_IP[1]), 1)


def packet(n: int = 0, to: str = HOST_IP[1]):
    return to_router(IP(src=HOST_IP[0], dst=to, id=n) / UDP() / Raw(b"p" * 20))


@pytest.mark.parametrize("to", [HOST_IP[1], FAR_IP])
def test_one_question_then_all_that_waited_in_order(router, to):
    """For a host after a gateway, the question is for the gateway."""
    frames = [packet(n, to) for n in range(3)]
    first, *others, last = router.run(ONE_KNOWN, *(frame_at(f) for f in frames), answer())
    assert [o.what for o in first] == ["punt", "send"]
    assert (first[1].to, first[1].frame.hex()) == (1, question())
    assert [[o.what for o in step] for step in others] == [["punt"]] * 2
    assert [o.frame.hex() for o in last if o.what == "put_back"] == [bytes(f).hex() for f in frames]
    assert [o.frame.hex() for o in last if o.what == "forward"] == [forwarded(f).hex() for f in frames]


OFF_LINK = "203.0.113.1"
OFF_LINK6 = "2001:db8:99::1"
BY_OFF_LINK = ONE_KNOWN | {"routes": [{"to": "198.51.100.0/24", "by": OFF_LINK, "interface": 1},
                                      {"to": "2001:db8:ff::/48", "by": OFF_LINK6, "interface": 1}]}


def test_a_gateway_outside_every_prefix_answers_too(router):
    [_, ask], last = router.run(BY_OFF_LINK, frame_at(packet(to=FAR_IP)), answer(OFF_LINK))
    assert (ask.to, ask.frame.hex()) == (1, question(OFF_LINK))
    assert [o.what for o in last if o.what != "drop"] == ["punt", "put_back", "forward"]
    assert last[-1].frame.hex() == forwarded(packet(to=FAR_IP)).hex()


def test_a_gateway_outside_every_prefix_answers_by_ipv6_too(router):
    frame = to_router(IPv6(src=HOST_IP6[0], dst=FAR_IP6) / UDP())
    told = (Ether(src=HOST_MAC[1], dst=OWN_MAC[1]) / IPv6(src=OFF_LINK6, dst=OWN_IP6[1], hlim=255) /
            ICMPv6ND_NA(tgt=OFF_LINK6, R=0, S=1, O=1) / ICMPv6NDOptDstLLAddr(lladdr=HOST_MAC[1]))
    _, last = router.run(BY_OFF_LINK, frame_at(frame), frame_at(told, 1))
    assert [o.frame.hex() for o in last if o.what == "forward"] == [forwarded(frame).hex()]


def test_no_other_host_outside_every_prefix_is_known_by_its_own_word(router):
    """Neither its unasked answer nor its question makes an entry, which an answer would renew."""
    other = "203.0.113.2"
    asks = Ether(src=HOST_MAC[1], dst="ff:ff:ff:ff:ff:ff") / ARP(op=1, hwsrc=HOST_MAC[1], psrc=other, pdst=OWN_IP[1])
    before, asked, after = router.run(BY_OFF_LINK, answer(other), frame_at(asks, 1), answer(other))
    assert [o.what for o in asked] == ["punt", "send"]
    for unasked in (before, after):
        assert [(o.what, o.why) for o in unasked] == [("punt", "arp"), ("drop", "arp_ignored")]


def test_questions_are_asked_three_times_a_second_apart(router):
    _, *waits = router.run(ONE_KNOWN, frame_at(packet()), wait(900), wait(100), wait(1000), wait(999))
    assert [[o.frame.hex() for o in step] for step in waits] == [[], [question()], [question()], []]


def test_in_vain_is_host_unreachable(router):
    frame = packet()
    *_, last = router.run(ONE_KNOWN, frame_at(frame), wait(1000), wait(1000), wait(1000))
    assert [(o.what, o.why) for o in last] == [("drop", "host_unreachable"), ("send", "")]
    error = last[1].packet
    assert (error.src, error.dst, last[1].to) == (OWN_MAC[0], HOST_MAC[0], 0)
    assert (error[ICMP].type, error[ICMP].code, error[IP].src, error[IP].dst) == (3, 1, OWN_IP[0], HOST_IP[0])


def test_after_that_it_is_asked_for_again(router):
    *_, last = router.run(ONE_KNOWN, frame_at(packet()), wait(1000), wait(1000), wait(1000), frame_at(packet()))
    assert last[1].frame.hex() == question()


def test_the_oldest_makes_room_for_the_newest(router):
    table = ONE_KNOWN | {"control": {"held_each": 2}}
    frames = [packet(n) for n in range(3)]
    *_, third, last = router.run(table, *(frame_at(f) for f in frames), answer())
    assert [(o.what, o.why) for o in third] == [("punt", "neighbour_unknown"), ("drop", "hold_full")]
    assert third[1].frame.hex() == bytes(frames[0]).hex()
    assert [o.frame.hex() for o in last if o.what == "put_back"] == [bytes(f).hex() for f in frames[1:]]


def test_one_trusted_for_a_minute_is_asked_itself(router):
    """Meanwhile its packets go on as before; when it answers, it is trusted again."""
    _, _, before, ask, forward, _, later = router.run(ONE_KNOWN, frame_at(packet()), answer(), wait(59_999), wait(1),
                                                      frame_at(packet()), answer(), wait(59_000))
    assert before == []
    assert [o.frame.hex() for o in ask] == [question(to=HOST_MAC[1])]
    assert [o.what for o in forward] == ["forward"]
    assert later == []


def told6(mac: str = HOST_MAC[1], option: str = HOST_MAC[1], solicited: int = 1, override: int = 0) -> dict:
    """An advertisement of the host on interface 1; without its address if `option` is empty."""
    message = ICMPv6ND_NA(tgt=HOST_IP6[1], R=0, S=solicited, O=override)
    whole = Ether(src=mac, dst=OWN_MAC[1]) / IPv6(src=HOST_IP6[1], dst=OWN_IP6[1], hlim=255) / message
    return frame_at(whole / ICMPv6NDOptDstLLAddr(lladdr=option) if option else whole, 1)


def question6(to: str = HOST_MAC[1]) -> str:
    return bytes(Ether(src=OWN_MAC[1], dst=to) / IPv6(src=OWN_IP6[1], dst=HOST_IP6[1], hlim=255) /
                 ICMPv6ND_NS(tgt=HOST_IP6[1]) / ICMPv6NDOptSrcLLAddr(lladdr=OWN_MAC[1])).hex()


def packet6():
    return to_router(IPv6(src=HOST_IP6[0], dst=HOST_IP6[1]) / UDP())


@pytest.mark.parametrize("solicited, taken", [(1, "discovery_taken"), (0, "discovery_ignored")])
def test_one_asked_itself_need_not_repeat_its_address(router, solicited, taken):
    """Hosts leave it out of their answer to a unicast question, whose sender has it (RFC 4861, 7.2.4). An answer is
    trusted; an advertisement of the host's own accord changes nothing (7.2.5)."""
    _, _, ask, told, sent, second, *_, later = router.run(
        ONE_KNOWN, frame_at(packet6()), told6(), wait(60_000), told6(option="", solicited=solicited),
        frame_at(packet6()), wait(1000), wait(1000), wait(1000), frame_at(packet6()))
    assert [one.frame.hex() for one in ask] == [question6()]
    assert [(one.what, one.why) for one in told[1:]] == [("drop", taken)]
    assert [one.frame.hex() for one in sent] == [forwarded(packet6()).hex()]
    assert [one.frame.hex() for one in second] == ([] if solicited else [question6()])
    assert later[0].what == ("forward" if solicited else "punt")


def test_one_that_is_not_known_has_to_tell_its_address(router):
    _, told, last = router.run(ONE_KNOWN, frame_at(packet6()), told6(option=""), told6())
    assert [(one.what, one.why) for one in told[1:]] == [("drop", "discovery_ignored")]
    assert [one.frame.hex() for one in last if one.what == "forward"] == [forwarded(packet6()).hex()]


OTHER_MAC = "02:00:00:00:77:77"


@pytest.mark.parametrize("solicited", [0, 1])
def test_another_address_that_does_not_override_makes_one_doubtful(router, solicited):
    """RFC 4861, 7.2.5, I: it is kept, and asked itself after five seconds, once."""
    doubt = told6(OTHER_MAC, OTHER_MAC, solicited)
    _, _, told, again, early, ask, _, none, sent = router.run(
        ONE_KNOWN, frame_at(packet6()), told6(), doubt, doubt, wait(4999), wait(1), told6(option=""), wait(59_000),
        frame_at(packet6()))
    for step in (told, again):
        assert [(one.what, one.why) for one in step[1:]] == [("drop", "discovery_ignored")]
    assert early == none == []
    assert [one.frame.hex() for one in ask] == [question6()]
    assert [one.frame.hex() for one in sent] == [forwarded(packet6()).hex()]


def test_another_address_that_overrides_unasked_is_used_and_asked_soon(router):
    """RFC 4861, 7.2.5, II: the neighbour is stale."""
    _, _, told, sent, early, ask = router.run(ONE_KNOWN, frame_at(packet6()), told6(), told6(OTHER_MAC, OTHER_MAC, 0, 1),
                                              frame_at(packet6()), wait(4999), wait(1))
    assert [(one.what, one.why) for one in told[1:]] == [("drop", "discovery_taken")]
    assert (sent[0].packet.dst, early) == (OTHER_MAC, [])
    assert [one.frame.hex() for one in ask] == [question6(OTHER_MAC)]


def test_an_unasked_first_word_is_used_and_asked_soon(router):
    _, told, early, ask = router.run(ONE_KNOWN, frame_at(packet6()), told6(solicited=0), wait(4999), wait(1))
    assert [one.what for one in told] == ["punt", "drop", "put_back", "forward"]
    assert early == []
    assert [one.frame.hex() for one in ask] == [question6()]


def test_one_that_stays_silent_is_forgotten(router):
    *_, last = router.run(ONE_KNOWN, frame_at(packet()), answer(), wait(60_000), wait(1000), wait(1000), wait(1000),
                          frame_at(packet()))
    assert (last[0].why, last[1].frame.hex()) == ("neighbour_unknown", question())


def test_ipv6(router):
    frame = to_router(IPv6(src=HOST_IP6[0], dst=HOST_IP6[1]) / UDP())
    told = (Ether(src=HOST_MAC[1], dst=OWN_MAC[1]) / IPv6(src=HOST_IP6[1], dst=OWN_IP6[1], hlim=255) /
            ICMPv6ND_NA(tgt=HOST_IP6[1], R=0, S=1, O=1) / ICMPv6NDOptDstLLAddr(lladdr=HOST_MAC[1]))
    [_, ask], last = router.run(ONE_KNOWN, frame_at(frame), frame_at(told, 1))
    wanted = (Ether(src=OWN_MAC[1], dst="33:33:ff:00:00:02") / IPv6(src=OWN_IP6[1], dst="ff02::1:ff00:2", hlim=255) /
              ICMPv6ND_NS(tgt=HOST_IP6[1]) / ICMPv6NDOptSrcLLAddr(lladdr=OWN_MAC[1]))
    assert (ask.to, ask.frame.hex()) == (1, bytes(wanted).hex())
    assert [o.frame.hex() for o in last if o.what == "forward"] == [forwarded(frame).hex()]


def test_ipv6_in_vain_is_address_unreachable(router):
    frame = to_router(IPv6(src=HOST_IP6[0], dst=HOST_IP6[1]) / UDP())
    *_, last = router.run(ONE_KNOWN, frame_at(frame), wait(1000), wait(1000), wait(1000))
    assert [(o.what, o.why) for o in last] == [("drop", "host_unreachable"), ("send", "")]
    assert last[1].packet[ICMPv6DestUnreach].code == 3


def test_icmp_errors_wait_for_their_neighbour_too(router):
    """The host that is told is not known either: the error is held, and sent when it answers."""
    nobody = two_interfaces(neighbours=[], control={})
    frame = to_router(IP(src=HOST_IP[0], dst="203.0.113.9") / UDP())
    told = Ether(src=HOST_MAC[0], dst=OWN_MAC[0]) / ARP(op=2, hwsrc=HOST_MAC[0], psrc=HOST_IP[0], hwdst=OWN_MAC[0],
                                                        pdst=OWN_IP[0])
    [_, dropped, ask], [_, _, error] = router.run(nobody, frame_at(frame), frame_at(told))
    assert (dropped.what, dropped.why, ask.what) == ("drop", "no_route", "send")
    assert (error.what, error.packet.dst, error.packet[ICMP].type) == ("send", HOST_MAC[0], 3)
