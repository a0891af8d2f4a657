# SPDX-License-Identifier: Apache-2.0
"""Addresses that a function translates: ARP answers for them on the wire whose prefix has them, and announces them (RFC 5227,
2.3), because no packet comes to an address for which no host answers."""
import pytest
from routed import HOST_IP, HOST_MAC, OWN_IP, OWN_MAC, assert_untouched, frame_at, to_router, two_interfaces, wait
from scapy.layers.inet import ICMP, IP, UDP
from scapy.layers.l2 import ARP, Ether

ALL = "ff:ff:ff:ff:ff:ff"
NOBODY = "00:00:00:00:00:00"
FIRST, SECOND = "10.0.0.77", "10.0.0.78"
EMPTY = two_interfaces(neighbours=[], control={})


def request(target: str = FIRST, sender: str = HOST_IP[0], mac: str = HOST_MAC[0]):
    return Ether(src=mac, dst=ALL) / ARP(op=1, hwsrc=mac, psrc=sender, hwdst=NOBODY, pdst=target)


def announcement(address: str, interface: int = 0) -> tuple[str, int, str]:
    own = OWN_MAC[interface]
    frame = Ether(src=own, dst=ALL) / ARP(op=1, hwsrc=own, psrc=address, hwdst=NOBODY, pdst=address)
    return "send", interface, (bytes(frame) + bytes(18)).hex()


def claim(*addresses: str) -> dict:
    return {"claim": addresses}


def link_up(interface: int) -> dict:
    return {"link_up": interface}


def said(outcomes) -> list[tuple[str, int, str]]:
    return [(one.what, one.to, one.frame.hex()) for one in outcomes]


@pytest.mark.parametrize("sender", [HOST_IP[0], "0.0.0.0"])
def test_a_request_for_one_is_answered(router, sender):
    _, [punted, answer] = router.run(EMPTY, claim(FIRST), frame_at(request(sender=sender)))
    assert punted.why == "arp"
    assert (answer.what, answer.to, answer.packet.dst) == ("send", 0, HOST_MAC[0])
    wanted = ARP(op=2, hwsrc=OWN_MAC[0], psrc=FIRST, hwdst=HOST_MAC[0], pdst=sender)
    assert bytes(answer.packet[ARP]) == bytes(wanted)


def test_who_asks_is_learnt(router):
    packet = to_router(IP(src="198.51.100.9", dst=HOST_IP[0]) / UDP(), ingress=1)
    *_, [sent] = router.run(EMPTY, claim(FIRST), frame_at(request()), frame_at(packet, ingress=1))
    assert (sent.what, sent.packet.dst) == ("forward", HOST_MAC[0])


@pytest.mark.parametrize("target", ["10.0.0.79", "203.0.113.1", "10.0.0.0", "10.0.0.255"])
def test_what_is_not_claimed_or_no_hosts_is_not_answered(router, target):
    """Nor what lies in no prefix of the wire: it is routed here, or it never comes."""
    frame = request(target)
    _, [_, dropped] = router.run(EMPTY, claim(FIRST, "203.0.113.1", "10.0.0.0", "10.0.0.255"), frame_at(frame))
    assert_untouched(dropped, frame, "drop", "arp_ignored")


def test_on_another_wire_it_is_not_answered(router):
    frame = request(sender=HOST_IP[1], mac=HOST_MAC[1])
    _, [_, dropped] = router.run(EMPTY, claim(FIRST), frame_at(frame, ingress=1))
    assert_untouched(dropped, frame, "drop", "arp_ignored")


def test_one_that_is_given_up_is_no_longer_answered(router):
    frame = request()
    _, [_, answer], _, [_, dropped] = router.run(EMPTY, claim(FIRST), frame_at(frame), claim(SECOND), frame_at(frame))
    assert answer.what == "send"
    assert_untouched(dropped, frame, "drop", "arp_taken")  # of whom it knows by now


def test_who_else_has_one_is_named(router):
    frame = request(target=HOST_IP[0], sender=FIRST)
    _, [_, dropped] = router.run(EMPTY, claim(FIRST), frame_at(frame))
    assert_untouched(dropped, frame, "drop", "address_conflict")


def test_each_is_announced_twice_two_seconds_apart(router):
    _, first, early, second, later = router.run(EMPTY, claim(FIRST, "10.1.0.77"), wait(1), wait(1900), wait(200), wait(9000))
    assert said(first) == said(second) == [announcement(FIRST), announcement("10.1.0.77", 1)]
    assert early == later == []


def test_own_addresses_are_not_announced_as_claimed(router):
    _, none = router.run(EMPTY, claim(OWN_IP[0], OWN_IP[1], "203.0.113.1"), wait(1))
    assert none == []


def test_only_those_that_are_new_are_announced(router):
    *_, added, again = router.run(EMPTY, claim(FIRST), wait(1), wait(3000), claim(FIRST, SECOND), wait(1), wait(3000))
    assert said(added) == said(again) == [announcement(SECOND)]


def test_one_that_is_given_up_is_not_announced_again(router):
    _, first, _, nothing = router.run(EMPTY, claim(FIRST), wait(1), claim(), wait(3000))
    assert said(first) == [announcement(FIRST)] and nothing == []


def test_all_of_an_interface_are_announced_when_its_link_comes_up(router):
    claimed = [FIRST, SECOND, "10.1.0.77"]
    *_, again = router.run(EMPTY, claim(*claimed), wait(1), wait(3000), link_up(0), wait(1))
    assert [one for one in said(again) if one[2].startswith("f" * 12)][-2:] == [announcement(FIRST), announcement(SECOND)]
    assert not [one for one in said(again) if one[1] == 1], "the other interface says nothing"


def test_announcements_have_a_limit(router):
    table = two_interfaces(neighbours=[], control={"announcements_per_second": 10, "announcements_at_once": 4})
    claimed = [f"10.0.0.{n}" for n in range(100, 120)]
    _, at_once, *slices = router.run(table, claim(*claimed), wait(1), *[wait(1000)] * 2)
    assert said(at_once) == [announcement(one) for one in claimed[:4]]
    # The bucket holds no more than four, however long it waits.
    assert [len(one) for one in slices] == [4, 4]


def test_a_link_that_flaps_says_no_more_than_the_limit(router):
    table = two_interfaces(neighbours=[], control={"announcements_per_second": 1, "announcements_at_once": 2})
    claimed = [f"10.0.0.{n}" for n in range(100, 120)]
    flaps = [step for _ in range(20) for step in (link_up(0), wait(10))]
    _, first, *rest = router.run(table, claim(*claimed), wait(1), *flaps)
    assert len(first) == 2 and sum(len(one) for one in rest) == 0


def test_no_wire_is_asked_for_one(router):
    """A packet that is routed to one belongs to no session: no host has the address."""
    packet = to_router(IP(src=HOST_IP[1], dst=FIRST) / UDP(), ingress=1)
    [_, [_, dropped, sent]] = router.run(two_interfaces(control={}), claim(FIRST), frame_at(packet, ingress=1))
    assert (dropped.what, dropped.why) == ("drop", "host_unreachable")
    assert (sent.what, sent.to, sent.packet[ICMP].type, sent.packet[ICMP].code) == ("send", 1, 3, 1)
