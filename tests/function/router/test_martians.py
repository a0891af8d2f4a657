# SPDX-License-Identifier: Apache-2.0
"""Addresses that belong on no wire are dropped by name (RFC 1812, 5.3.7; RFC 4291), as is what pretends to be us."""
import pytest
from routed import (ANYCAST, FAR_IP, FAR_IP6, HOST_IP, HOST_IP6, HOST_MAC, OWN_IP, OWN_IP6, OWN_MAC, assert_untouched,
                    to_router)
from scapy.layers.inet import IP, UDP
from scapy.layers.inet6 import ICMPv6ND_NA, IPv6
from scapy.layers.l2 import Ether


@pytest.mark.parametrize("source", ["0.0.0.0", "0.1.2.3", "127.0.0.1", "127.255.255.255", "224.0.0.1", "239.1.1.1",
                                    "240.0.0.1", "255.255.255.255", OWN_IP[0], OWN_IP[1], "10.0.0.255", "10.1.0.255"])
@pytest.mark.parametrize("to", [FAR_IP, OWN_IP[0]])
def test_ipv4_sources(router, source, to):
    packet = to_router(IP(src=source, dst=to) / UDP())
    assert_untouched(router.route(packet), packet, "drop", "martian_source")


@pytest.mark.parametrize("to", ["0.0.0.0", "0.1.2.3", "127.0.0.1", "127.1.2.3", "240.0.0.1", "255.255.255.254"])
def test_ipv4_destinations(router, to):
    packet = to_router(IP(src=HOST_IP[0], dst=to) / UDP())
    assert_untouched(router.route(packet), packet, "drop", "martian_destination")


@pytest.mark.parametrize("source", ["::", "::1", "ff02::1", "ff0e::1", OWN_IP6[0], OWN_IP6[1], *ANYCAST])
def test_ipv6_sources(router, source):
    packet = to_router(IPv6(src=source, dst=FAR_IP6) / UDP())
    assert_untouched(router.route(packet), packet, "drop", "martian_source")


@pytest.mark.parametrize("to", ["::", "::1"])
def test_ipv6_destinations(router, to):
    packet = to_router(IPv6(src=HOST_IP6[0], dst=to) / UDP())
    assert_untouched(router.route(packet), packet, "drop", "martian_destination")


@pytest.mark.parametrize("source, to", [("169.254.1.1", FAR_IP), (HOST_IP[0], "169.254.1.1")])
def test_ipv4_link_local(router, source, to):
    packet = to_router(IP(src=source, dst=to) / UDP())
    assert_untouched(router.route(packet), packet, "drop", "link_local")


@pytest.mark.parametrize("source, to", [("1.0.0.1", FAR_IP), ("126.255.255.255", FAR_IP), ("128.0.0.1", FAR_IP),
                                        ("223.255.255.255", FAR_IP)])
def test_what_is_next_to_them_is_sound(router, source, to):
    assert router.route(to_router(IP(src=source, dst=to) / UDP())).what == "forward"


def test_directed_broadcasts(router):
    packet = to_router(IP(src=HOST_IP[0], dst="10.1.0.255") / UDP())
    assert_untouched(router.route(packet), packet, "drop", "directed_broadcast")


GROUP_MAC, GROUP_MAC6, ALL_MAC = "01:00:5e:00:00:05", "33:33:00:00:00:05", "ff:ff:ff:ff:ff:ff"


@pytest.mark.parametrize("mac", [OWN_MAC[0], GROUP_MAC, ALL_MAC])
@pytest.mark.parametrize("to", ["224.0.0.5", "255.255.255.255", "10.0.0.255"])
@pytest.mark.parametrize("source", [OWN_IP[0], OWN_IP[1], "10.0.0.255"])
def test_an_own_source_to_a_group(router, mac, to, source):
    """Its own packet came back, or another host has its address (RFC 1812, 5.3.7): nothing for the kernel."""
    packet = Ether(src=HOST_MAC[0], dst=mac) / IP(src=source, dst=to) / UDP()
    assert_untouched(router.route(packet), packet, "drop", "martian_source")


@pytest.mark.parametrize("mac", [OWN_MAC[0], GROUP_MAC6])
@pytest.mark.parametrize("source", OWN_IP6)
def test_an_own_ipv6_source_to_a_group(router, mac, source):
    packet = Ether(src=HOST_MAC[0], dst=mac) / IPv6(src=source, dst="ff02::5") / UDP()
    assert_untouched(router.route(packet), packet, "drop", "martian_source")


LINK_LOCAL, OTHER_LINK_LOCAL = "fe80::ff:fe00:1", "fe80::ff:fe00:2"  # of OWN_MAC (RFC 4291, appendix A)


@pytest.mark.parametrize("mac", [OWN_MAC[0], GROUP_MAC6])
@pytest.mark.parametrize("source, wanted", [(LINK_LOCAL, ("drop", "martian_source")), (OTHER_LINK_LOCAL, ("punt", "to_kernel"))])
def test_a_link_local_source_is_own_on_its_link_only(router, mac, source, wanted):
    packet = Ether(src=HOST_MAC[0], dst=mac) / IPv6(src=source, dst="ff02::5") / UDP()
    assert_untouched(router.route(packet), packet, *wanted)


@pytest.mark.parametrize("ingress, why", [(0, "martian_source"), (1, "link_local")])
def test_a_link_local_source_of_a_routed_packet(router, ingress, why):
    packet = to_router(IPv6(src=LINK_LOCAL, dst=FAR_IP6) / UDP(), ingress)
    assert_untouched(router.route(packet, ingress), packet, "drop", why)


@pytest.mark.parametrize("mac", [OWN_MAC[0], GROUP_MAC, ALL_MAC])
@pytest.mark.parametrize("source", [HOST_IP[0], "0.0.0.0", FAR_IP])
def test_others_reach_groups(router, mac, source):
    """0.0.0.0 is who asks a DHCP server; to the own MAC address it is none's."""
    packet = Ether(src=HOST_MAC[0], dst=mac) / IP(src=source, dst="224.0.0.5") / UDP()
    is_martian = mac == OWN_MAC[0] and source == "0.0.0.0"
    assert_untouched(router.route(packet), packet, *(("drop", "martian_source") if is_martian else ("punt", "to_kernel")))


@pytest.mark.parametrize("mac", [OWN_MAC[0], GROUP_MAC6])
def test_neighbour_discovery_learns_of_an_own_address_that_another_has(router, mac):
    """RFC 4862, 5.4.4."""
    packet = Ether(src=HOST_MAC[0], dst=mac) / IPv6(src=OWN_IP6[0], dst="ff02::1", hlim=255) / ICMPv6ND_NA(tgt=OWN_IP6[0])
    assert_untouched(router.route(packet), packet, "punt", "neighbour_discovery")


@pytest.mark.parametrize("length", range(14, 55))
@pytest.mark.parametrize("version", [4, 6])
def test_a_group_frame_that_is_cut(router, version, length):
    ip = IP(src=OWN_IP[0], dst="224.0.0.5") if version == 4 else IPv6(src=OWN_IP6[0], dst="ff02::5")
    packet = bytes(Ether(src=HOST_MAC[0], dst=GROUP_MAC if version == 4 else GROUP_MAC6) / ip)[:length]
    has_header = length >= 14 + (20 if version == 4 else 40)
    assert_untouched(router.route(packet), packet, *(("drop", "martian_source") if has_header else ("punt", "to_kernel")))
