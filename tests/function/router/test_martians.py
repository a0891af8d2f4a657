# SPDX-License-Identifier: Apache-2.0
"""Addresses that belong on no wire are dropped by name (RFC 1812, 5.3.7; RFC 4291), as is what pretends to be us."""
import pytest
from routed import FAR_IP, FAR_IP6, HOST_IP, HOST_IP6, OWN_IP, OWN_IP6, assert_untouched, to_router
from scapy.layers.inet import IP, UDP
from scapy.layers.inet6 import IPv6


@pytest.mark.parametrize("source", ["0.0.0.0", "0.1.2.3", "127.0.0.1", "127.255.255.255", "224.0.0.1", "239.1.1.1",
                                    "240.0.0.1", "255.255.255.255", OWN_IP[0], OWN_IP[1]])
@pytest.mark.parametrize("to", [FAR_IP, OWN_IP[0]])
def test_ipv4_sources(router, source, to):
    packet = to_router(IP(src=source, dst=to) / UDP())
    assert_untouched(router.route(packet), packet, "drop", "martian_source")


@pytest.mark.parametrize("to", ["0.0.0.0", "0.1.2.3", "127.0.0.1", "127.1.2.3", "240.0.0.1", "255.255.255.254"])
def test_ipv4_destinations(router, to):
    packet = to_router(IP(src=HOST_IP[0], dst=to) / UDP())
    assert_untouched(router.route(packet), packet, "drop", "martian_destination")


@pytest.mark.parametrize("source", ["::", "::1", "ff02::1", "ff0e::1", OWN_IP6[0], OWN_IP6[1]])
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
