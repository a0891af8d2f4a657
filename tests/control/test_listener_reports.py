# SPDX-License-Identifier: Apache-2.0
"""Reports of the groups that the router listens to (RFC 3810, RFC 2710; RFC 4861, 7.2.1), without which a switch that
knows its listeners keeps solicitations for the router's addresses from it."""
from __future__ import annotations

import pytest
from routed import HOST_MAC, OWN_MAC, assert_untouched, frame_at, two_interfaces, wait
from scapy.layers.inet6 import (ICMPv6MLDMultAddrRec, ICMPv6MLQuery, ICMPv6MLQuery2, ICMPv6MLReport, ICMPv6MLReport2,
                                IPv6, IPv6ExtHdrHopByHop, RouterAlert)
from scapy.layers.l2 import Ether

EMPTY = two_interfaces(neighbours=[], control={})
LINK_LOCAL = ["fe80::ff:fe00:1", "fe80::ff:fe00:2"]
# All routers; the anycast address; the own address, whose last three bytes are those of the link-local address, too.
GROUPS = [["ff02::2", "ff02::1:ff00:0", "ff02::1:ff00:1"],
          ["ff02::2", "ff02::1:ff00:0", "ff02::1:ff00:1", "ff02::1:ff00:2"]]
IS_EXCLUDE, TO_EXCLUDE = 2, 4
ALL_NODES = ("33:33:00:00:00:01", "ff02::1")
SWITCH = "fe80::5:6"


def alerted(source: str, to: str, mac: str, own: str):
    """Ethernet and IPv6 with the router alert option, in front of a message."""
    options = IPv6ExtHdrHopByHop(options=[RouterAlert(value=0)])
    return Ether(src=own, dst=mac) / IPv6(src=source, dst=to, hlim=1) / options


def report(kind: int, interface: int = 0, groups: list[str] | None = None) -> tuple[str, int, str]:
    all_of_them = GROUPS[interface] if groups is None else groups
    records = [ICMPv6MLDMultAddrRec(rtype=kind, dst=group) for group in all_of_them]
    headers = alerted(LINK_LOCAL[interface], "ff02::16", "33:33:00:00:00:16", OWN_MAC[interface])
    return "send", interface, bytes(headers / ICMPv6MLReport2(records=records)).hex()


def report_v1(group: str) -> tuple[str, int, str]:
    mac = "33:33:" + ("00:00:00:02" if group == "ff02::2" else "ff:00:00:0" + group[-1])
    return "send", 0, bytes(alerted(LINK_LOCAL[0], group, mac, OWN_MAC[0]) / ICMPv6MLReport(mladdr=group)).hex()


def query(group: str = "::", most: int = 1000, source: str = SWITCH, **more):
    return alerted(source, ALL_NODES[1], ALL_NODES[0], HOST_MAC[0]) / ICMPv6MLQuery2(mladdr=group, mrd=most, **more)


def query_v1(group: str = "::", most: int = 1000):
    return alerted(SWITCH, ALL_NODES[1], ALL_NODES[0], HOST_MAC[0]) / ICMPv6MLQuery(mladdr=group, mrd=most)


def reported(outcomes) -> list[tuple[str, int, str]]:
    return [(one.what, one.to, one.frame.hex()) for one in outcomes if IPv6ExtHdrHopByHop in one.packet]


@pytest.mark.parametrize("interface", (0, 1))
def test_a_link_that_comes_up_hears_of_them_twice(router, interface):
    _, first, early, second, later = router.run(EMPTY, {"link_up": interface}, wait(1), wait(998), wait(2),
                                                wait(200_000))
    assert reported(first) == reported(second) == [report(TO_EXCLUDE, interface)]
    assert reported(early) == reported(later) == []


def test_a_network_of_ipv4_alone_hears_nothing_and_is_answered(router):
    table = two_interfaces(neighbours=[], routes=[], control={})
    for one in table["interfaces"]:
        one["addresses"] = one["addresses"][:1]
    _, first, second, _, answer = router.run(table, {"link_up": 0}, wait(1), wait(2000), frame_at(query()), wait(1000))
    assert reported(first) == reported(second) == []
    assert reported(answer) == [report(IS_EXCLUDE, groups=["ff02::2", "ff02::1:ff00:1"])]


@pytest.mark.parametrize("group", ["::", *GROUPS[0]])
def test_a_query_is_answered_once_within_its_delay(router, group):
    asked, again, answer, later = router.run(EMPTY, frame_at(query(group)), frame_at(query(group)), wait(1000),
                                             wait(10_000))
    for step in (asked, again):
        assert [(one.what, one.why) for one in step] == [("punt", "to_kernel"), ("drop", "discovery_taken")]
    assert reported(answer) == [report(IS_EXCLUDE)]
    assert reported(later) == []


def test_the_delay_is_a_part_of_what_is_allowed(router):
    """Routers that are asked together do not answer at once."""
    _, at_once, answer = router.run(EMPTY, frame_at(query(most=10_000)), wait(100), wait(9900))
    assert (reported(at_once), reported(answer)) == ([], [report(IS_EXCLUDE)])


def test_a_long_delay_is_a_floating_number(router):
    """0x9000: 4096 * 2^(1 + 3) ms (RFC 3810, 5.1.3)."""
    _, early, answer = router.run(EMPTY, frame_at(query(most=0x9000)), wait(1100), wait(64_500))
    assert (reported(early), reported(answer)) == ([], [report(IS_EXCLUDE)])


def test_a_query_of_version_1_is_answered_in_version_1(router):
    """RFC 3810, 8.2.1: its sender knows no other. Each group has a report of its own."""
    _, answer = router.run(EMPTY, frame_at(query_v1()), wait(1000))
    assert reported(answer) == [report_v1(group) for group in GROUPS[0]]


@pytest.mark.parametrize("asked", [query("ff02::1:ff00:77"), query_v1("ff02::fb")])
def test_others_groups_are_not_reported(router, asked):
    [_, dropped], answer = router.run(EMPTY, frame_at(asked), wait(1000))
    assert_untouched(dropped, asked, "drop", "discovery_ignored")
    assert reported(answer) == []


def damaged(frame, **fields):
    for name, value in fields.items():
        setattr(frame[IPv6], name, value)
    return frame


@pytest.mark.parametrize("asked", [
    query(source="2001:db8::9"), query(source="::"), query(cksum=7), query(code=1), query("2001:db8::1"),
    damaged(query(), hlim=2),
    Ether(src=HOST_MAC[0], dst=ALL_NODES[0]) / IPv6(src=SWITCH, dst=ALL_NODES[1], hlim=1) / ICMPv6MLQuery2(),
    bytes(query())[:80], damaged(query(), plen=30)])
def test_what_is_no_sound_query_is_for_the_kernel(router, asked):
    [[*_, last], answer] = router.run(EMPTY, frame_at(asked), wait(1000))
    assert last.what in ("to_kernel", "drop") and last.why in ("", "ip_truncated", "bad_total_length")
    assert reported(answer) == []


def test_answers_are_within_the_limit_of_announcements(router):
    table = two_interfaces(neighbours=[], control={"announcements_per_second": 1, "announcements_at_once": 2})
    steps = router.run(table, *(step for _ in range(20) for step in (frame_at(query(most=0)), wait(10))))
    assert sum(len(reported(step)) for step in steps[1::2]) == 2


def test_many_groups_take_several_reports(router):
    table = two_interfaces(neighbours=[], control={})
    table["interfaces"][0]["addresses"] = [f"2001:db8:0::1:{n:x}/64" for n in range(1, 151)]
    groups = ["ff02::2", "ff02::1:ff00:0", "ff02::1:ff00:1", *(f"ff02::1:ff01:{n:x}" for n in range(1, 151))]
    _, answer = router.run(table, frame_at(query()), wait(1000))
    assert reported(answer) == [report(IS_EXCLUDE, groups=groups[n:n + 60]) for n in (0, 60, 120)]


def with_kernel(mac: str, *shared: str) -> dict:
    table = two_interfaces(neighbours=[], control={"with_kernel": [0]})
    table["interfaces"][0]["kernel"] = {"mac": mac, "addresses": shared}
    return table


def test_a_kernel_that_has_the_addresses_reports_them_itself(router):
    table = with_kernel(OWN_MAC[0], "2001:db8:0::1")
    _, first, [_, handed], answer = router.run(table, {"link_up": 0}, wait(1), frame_at(query()), wait(200_000))
    assert reported(first) == reported(answer) == []
    assert handed.what == "to_kernel"


def test_beside_a_kernel_with_other_addresses_they_are_reported_again_and_again(router):
    """The queries are the kernel's."""
    own = report(TO_EXCLUDE, groups=GROUPS[0][1:])
    _, first, second, early, third, fourth = router.run(
        with_kernel("02:00:00:00:00:77"), {"link_up": 0}, wait(1), wait(1000), wait(124_000), wait(1000), wait(125_000))
    assert [reported(step) for step in (first, second, early, third, fourth)] == [[own], [own], [], [own], [own]]
