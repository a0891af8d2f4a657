# SPDX-License-Identifier: Apache-2.0
"""A packet with one hop left is for the control plane, before anything else is wrong with where it goes."""
import pytest
from routed import FAR_IP, FAR_IP6, HOST_IP, HOST_IP6, OWN_IP, assert_untouched, to_router
from scapy.layers.inet import IP, UDP
from scapy.layers.inet6 import IPv6


@pytest.mark.parametrize("hops", [0, 1])
@pytest.mark.parametrize("to", [FAR_IP, "203.0.113.9", "10.1.0.3"])
def test_ipv4(router, hops, to):
    packet = to_router(IP(src=HOST_IP[0], dst=to, ttl=hops) / UDP())
    assert_untouched(router.route(packet), packet, "punt", "ttl_exceeded")


@pytest.mark.parametrize("hops", [0, 1])
def test_ipv6(router, hops):
    packet = to_router(IPv6(src=HOST_IP6[0], dst=FAR_IP6, hlim=hops) / UDP())
    assert_untouched(router.route(packet), packet, "punt", "ttl_exceeded")


@pytest.mark.parametrize("hops", [2, 255])
def test_more_hops_are_enough(router, hops):
    packet = to_router(IP(src=HOST_IP[0], dst=FAR_IP, ttl=hops) / UDP())
    assert router.route(packet).packet[IP].ttl == hops - 1


def test_the_last_hop_is_the_router_itself(router):
    packet = to_router(IP(src=HOST_IP[0], dst=OWN_IP[0], ttl=1) / UDP())
    assert_untouched(router.route(packet), packet, "punt", "to_kernel")
