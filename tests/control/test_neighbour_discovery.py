# SPDX-License-Identifier: Apache-2.0
"""IPv6 neighbour discovery: solicitations for own addresses are answered, neighbours learnt (RFC 4861, 7.2)."""
import pytest
from routed import ANYCAST, HOST_IP6, HOST_MAC, OWN_IP6, OWN_MAC, assert_untouched, forwarded, frame_at, to_router, two_interfaces
from scapy.layers.inet import UDP
from scapy.layers.inet6 import ICMPv6ND_NA, ICMPv6ND_NS, ICMPv6ND_RS, ICMPv6NDOptDstLLAddr, ICMPv6NDOptSrcLLAddr, IPv6
from scapy.layers.l2 import Ether
from scapy.packet import Raw

EMPTY = two_interfaces(neighbours=[], control={})
LINK_LOCAL = "fe80::ff:fe00:1"
OTHER_LINK_LOCAL = "fe80::ff:fe00:2"  # of the other interface
GROUP = ("33:33:ff:00:00:01", "ff02::1:ff00:1")


def solicit(target=OWN_IP6[0], source=HOST_IP6[0], to=GROUP, option=True, **ip):
    message = IPv6(src=source, dst=to[1], hlim=ip.pop("hlim", 255)) / ICMPv6ND_NS(tgt=target, **ip)
    return Ether(src=HOST_MAC[0], dst=to[0]) / (message / ICMPv6NDOptSrcLLAddr(lladdr=HOST_MAC[0]) if option else message)


def advertise(target=HOST_IP6[0], mac=HOST_MAC[0], override=1):
    return (Ether(src=mac, dst=OWN_MAC[0]) / IPv6(src=target, dst=OWN_IP6[0], hlim=255) /
            ICMPv6ND_NA(tgt=target, R=0, S=1, O=override) / ICMPv6NDOptDstLLAddr(lladdr=mac))


def advertised(target, to_mac, to, asked=1, override=1):
    return (Ether(src=OWN_MAC[0], dst=to_mac) / IPv6(src=target, dst=to, hlim=255) /
            ICMPv6ND_NA(tgt=target, R=1, S=asked, O=override) / ICMPv6NDOptDstLLAddr(lladdr=OWN_MAC[0]))


@pytest.mark.parametrize("target, source", [(OWN_IP6[0], HOST_IP6[0]), (LINK_LOCAL, "fe80::2"), (OWN_IP6[0], "fe80::2")])
@pytest.mark.parametrize("to", [GROUP, (OWN_MAC[0], OWN_IP6[0])])
def test_a_solicitation_is_answered(router, target, source, to):
    [[punted, answer, taken]] = router.run(EMPTY, frame_at(solicit(target, source, to)))
    assert punted.why == "neighbour_discovery"
    assert (answer.what, answer.to) == ("send", 0)
    assert answer.frame.hex() == bytes(advertised(target, HOST_MAC[0], source)).hex()
    assert (taken.what, taken.why) == ("drop", "discovery_taken")


def test_one_without_a_source_is_answered_to_all_nodes(router):
    """Duplicate address detection (RFC 4862, 5.4)."""
    [[_, answer, _]] = router.run(EMPTY, frame_at(solicit(source="::", option=False)))
    assert answer.frame.hex() == bytes(advertised(OWN_IP6[0], "33:33:00:00:00:01", "ff02::1", asked=0)).hex()


def test_the_subnets_anycast_address_is_answered_for_without_override(router):
    """Another router of the subnet has it, too (RFC 4291, 2.6.1; RFC 4861, 7.2.4)."""
    [[_, answer, taken]] = router.run(EMPTY, frame_at(solicit(ANYCAST[0], to=("33:33:ff:00:00:00", "ff02::1:ff00:0"))))
    wanted = advertised(ANYCAST[0], HOST_MAC[0], HOST_IP6[0], override=0)
    assert (answer.what, answer.frame.hex(), taken.why) == ("send", bytes(wanted).hex(), "discovery_taken")


def test_another_routers_answer_for_the_anycast_address_is_no_conflict(router):
    frame = advertise(target=ANYCAST[0], mac="02:00:00:00:77:77", override=0)
    frame[IPv6].src = HOST_IP6[0]
    [[_, dropped]] = router.run(EMPTY, frame_at(frame))
    assert_untouched(dropped, frame, "drop", "discovery_ignored")


def test_who_asks_is_learnt(router):
    packet = to_router(IPv6(src="2001:db8:ff::9", dst=HOST_IP6[0]) / UDP(), ingress=1)
    _, [sent] = router.run(EMPTY, frame_at(solicit()), frame_at(packet, 1))
    assert (sent.what, sent.frame.hex()) == ("forward", forwarded(packet, egress=0).hex())


@pytest.mark.parametrize("override, wanted", [(1, "02:00:00:00:77:77"), (0, HOST_MAC[0])])
def test_what_is_known_is_replaced_only_by_what_overrides(router, override, wanted):
    packet = to_router(IPv6(src="2001:db8:ff::9", dst=HOST_IP6[0]) / UDP(), ingress=1)
    *_, [sent] = router.run(EMPTY, frame_at(solicit()), frame_at(advertise(mac="02:00:00:00:77:77", override=override)),
                            frame_at(packet, 1))
    assert sent.packet.dst == wanted


def test_an_advertisement_nobody_asked_for_teaches_nothing(router):
    frame = advertise()
    [[_, dropped]] = router.run(EMPTY, frame_at(frame))
    assert_untouched(dropped, frame, "drop", "discovery_ignored")


@pytest.mark.parametrize("target", [OWN_IP6[0], LINK_LOCAL])
@pytest.mark.parametrize("has_option", [True, False])
def test_the_routers_own_advertisement_that_comes_back_is_no_conflict(router, target, has_option):
    frame = advertised(target, "33:33:00:00:00:01", "ff02::1", asked=0)
    if not has_option:
        frame = Ether(src=OWN_MAC[0], dst=frame.dst) / IPv6(src=target, dst="ff02::1", hlim=255) / ICMPv6ND_NA(tgt=target, R=1, S=0, O=1)
    [[_, dropped]] = router.run(EMPTY, frame_at(frame))
    assert_untouched(dropped, frame, "drop", "discovery_ignored")


def test_the_routers_own_mac_address_is_not_learnt_for_a_host(router):
    packet = to_router(IPv6(src="2001:db8:ff::9", dst=HOST_IP6[0]) / UDP(), ingress=1)
    frame = advertise(mac=OWN_MAC[0])
    _, [_, dropped], [punted, *_] = router.run(EMPTY, frame_at(packet, 1), frame_at(frame), frame_at(packet, 1))
    assert_untouched(dropped, frame, "drop", "discovery_ignored")
    assert punted.why == "neighbour_unknown"


def test_who_claims_an_own_address_is_named(router):
    frame = advertise(target=OWN_IP6[0], mac="02:00:00:00:77:77")
    frame[IPv6].src = HOST_IP6[0]
    [[_, dropped]] = router.run(EMPTY, frame_at(frame))
    assert_untouched(dropped, frame, "drop", "address_conflict")


@pytest.mark.parametrize("source", [OWN_IP6[0], OWN_IP6[1], LINK_LOCAL])
@pytest.mark.parametrize("target", [OWN_IP6[0], "2001:db8:0::3"])
def test_who_asks_from_an_own_address_is_named(router, source, target):
    frame = solicit(target, source)
    [[_, dropped]] = router.run(EMPTY, frame_at(frame))
    assert_untouched(dropped, frame, "drop", "address_conflict")


def test_the_router_itself_and_other_routers_by_their_common_address_are_no_conflict(router):
    own = solicit(source=OWN_IP6[0], option=False)
    own.src = OWN_MAC[0]
    for frame in (own, solicit("2001:db8:0::3", ANYCAST[0])):
        [[_, dropped]] = router.run(EMPTY, frame_at(frame))
        assert_untouched(dropped, frame, "drop", "discovery_ignored")


def test_a_host_may_have_the_link_local_address_of_another_interface(router):
    """The address is unique on its link only (RFC 4007, 6): it is answered, learnt, and routes may lead by it."""
    table = two_interfaces(neighbours=[], control={})
    table["routes"].append({"to": "2001:db8:77::/48", "by": OTHER_LINK_LOCAL, "interface": 0})
    packet = to_router(IPv6(src="2001:db8:ff::9", dst="2001:db8:77::1") / UDP(), ingress=1)
    [_, answer, taken], [sent] = router.run(table, frame_at(solicit(LINK_LOCAL, OTHER_LINK_LOCAL)), frame_at(packet, 1))
    assert answer.frame.hex() == bytes(advertised(LINK_LOCAL, HOST_MAC[0], OTHER_LINK_LOCAL)).hex()
    assert (taken.what, taken.why) == ("drop", "discovery_taken")
    assert (sent.what, sent.frame.hex()) == ("forward", forwarded(packet, egress=0).hex())


def test_an_answer_from_the_link_local_address_of_another_interface_is_no_conflict(router):
    table = two_interfaces(neighbours=[], control={})
    table["routes"].append({"to": "2001:db8:77::/48", "by": OTHER_LINK_LOCAL, "interface": 0})
    packet = to_router(IPv6(src="2001:db8:ff::9", dst="2001:db8:77::1") / UDP(), ingress=1)
    answer = advertise(OTHER_LINK_LOCAL)
    answer[IPv6].dst = LINK_LOCAL
    _, [_, taken, *sent] = router.run(table, frame_at(packet, 1), frame_at(answer))
    assert (taken.what, taken.why) == ("drop", "discovery_taken")
    assert [one.what for one in sent] == ["put_back", "forward"]
    assert sent[-1].frame.hex() == forwarded(packet, egress=0).hex()


@pytest.mark.parametrize("solicited, why", [(1, "malformed"), (0, "discovery_taken")])
def test_an_answer_to_all_is_invalid(router, solicited, why):
    """RFC 4861, 7.1.2: an advertisement to a group was not solicited."""
    frame = advertise(mac="02:00:00:00:77:77")
    frame.dst, frame[IPv6].dst, frame[ICMPv6ND_NA].S = "33:33:00:00:00:01", "ff02::1", solicited
    _, [_, dropped] = router.run(EMPTY, frame_at(solicit()), frame_at(frame))
    assert_untouched(dropped, frame, "drop", why)


@pytest.mark.parametrize("target", [OWN_IP6[1], ANYCAST[1], "2001:db8:0::3"])
def test_solicitations_for_other_addresses_are_not_answered(router, target):
    frame = solicit(target)
    [[_, dropped]] = router.run(EMPTY, frame_at(frame))
    assert_untouched(dropped, frame, "drop", "discovery_ignored")


@pytest.mark.parametrize("frame", [
    solicit(cksum=0x1234), solicit(code=1), solicit(target="ff02::1"), solicit(source="::", option=True),
    solicit(option=False) / Raw(b"\x01\x00" + bytes(6)), solicit(option=False) / Raw(b"\x01\x02" + bytes(6)),
    solicit(option=False) / Raw(b"\x01\x01" + b"\xff" * 6), solicit(option=False) / Raw(b"\x01")])
def test_what_rfc_4861_calls_invalid_is_malformed(router, frame):
    [[_, dropped]] = router.run(EMPTY, frame_at(frame))
    assert_untouched(dropped, frame, "drop", "malformed")


def test_what_came_over_a_router_is_not_of_discovery(router):
    [[punted, handed]] = router.run(EMPTY, frame_at(solicit(hlim=254)))
    assert (punted.why, handed.what) == ("to_kernel", "to_kernel")


def test_messages_between_routers_and_hosts_are_the_kernels(router):
    frame = Ether(src=HOST_MAC[0], dst="33:33:00:00:00:02") / IPv6(src="fe80::2", dst="ff02::2", hlim=255) / ICMPv6ND_RS()
    [[_, handed]] = router.run(EMPTY, frame_at(frame))
    assert_untouched(handed, frame, "to_kernel", "")
