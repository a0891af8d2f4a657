# SPDX-License-Identifier: Apache-2.0
"""The packets of a kernel interface beside an interface: echo requests to the addresses that both have, frames to its MAC
address."""
import pytest
from routed import (HOST_IP, HOST_IP6, HOST_MAC, OWN_IP, OWN_IP6, OWN_MAC, assert_untouched, to_router, two_interfaces)
from scapy.layers.inet import ICMP, IP, UDP
from scapy.layers.inet6 import ICMPv6EchoRequest, IPv6
from scapy.layers.l2 import ARP, Dot1Q, Ether

KERNEL_MAC = "02:00:00:00:88:88"


def with_kernel(mac: str, *addresses: str) -> dict:
    """Beside the first interface."""
    table = two_interfaces()
    table["interfaces"][0]["kernel"] = {"mac": mac, "addresses": addresses}
    return table


def echo(own: str, ingress: int = 0):
    if ":" in own:
        return to_router(IPv6(src=HOST_IP6[ingress], dst=own) / ICMPv6EchoRequest(id=5, seq=6), ingress)
    return to_router(IP(src=HOST_IP[ingress], dst=own) / ICMP(id=5, seq=6), ingress)


@pytest.mark.parametrize("own", [OWN_IP[0], OWN_IP6[0]])
def test_echo_requests_to_an_address_that_the_kernel_has_are_its(router, own):
    frame = echo(own)
    assert_untouched(router.route(frame, table=with_kernel(OWN_MAC[0], own)), frame, "punt", "to_kernel")


@pytest.mark.parametrize("own", [OWN_IP[1], OWN_IP6[1], OWN_IP[0]])
def test_to_other_own_addresses_they_are_answered(router, own):
    assert router.route(echo(own), table=with_kernel(OWN_MAC[0], OWN_IP6[0])).what == "forward"


@pytest.mark.parametrize("own", [OWN_IP[0], OWN_IP6[0]])
def test_by_an_interface_without_one_they_are_answered(router, own):
    assert router.route(echo(own, 1), 1, table=with_kernel(OWN_MAC[0], own)).what == "forward"


@pytest.mark.parametrize("ingress, what", [(0, "punt"), (1, "forward")])
def test_a_link_local_address_that_the_kernel_has_is_one_interfaces(router, ingress, what):
    table = with_kernel(OWN_MAC[0], "fe80::77")
    for interface in table["interfaces"]:
        interface["addresses"].append("fe80::77/64")
    frame = to_router(IPv6(src="fe80::2", dst="fe80::77") / ICMPv6EchoRequest(), ingress)
    assert router.route(frame, ingress, table=table).what == what


@pytest.mark.parametrize("payload", [IP(src=HOST_IP[0], dst="10.9.9.9") / UDP(), IPv6(src=HOST_IP6[0]) / UDP(), ARP(),
                                     Dot1Q(vlan=5) / IP() / UDP()])
def test_frames_to_its_own_mac_address_are_its(router, payload):
    frame = Ether(src=HOST_MAC[0], dst=KERNEL_MAC) / payload
    assert_untouched(router.route(frame, table=with_kernel(KERNEL_MAC)), frame, "punt", "to_kernel")
    assert_untouched(router.route(frame, 1, table=with_kernel(KERNEL_MAC)), frame, "drop", "not_for_us")


@pytest.mark.parametrize("mac", [KERNEL_MAC, OWN_MAC[0]])
def test_frames_to_no_mac_address_are_nobodys(router, mac):
    frame = Ether(src=HOST_MAC[0], dst="00:00:00:00:00:00") / IP() / UDP()
    assert_untouched(router.route(frame, table=with_kernel(mac)), frame, "drop", "not_for_us")


def test_what_it_shares_is_routed_to_as_ever(router):
    frame = to_router(IP(src=HOST_IP[0], dst=OWN_IP[0]) / UDP())
    assert_untouched(router.route(frame, table=with_kernel(OWN_MAC[0], OWN_IP[0])), frame, "punt", "to_kernel")
    again = to_router(IP(src=OWN_IP[0], dst=HOST_IP[1]) / UDP())
    assert_untouched(router.route(again, table=with_kernel(OWN_MAC[0], OWN_IP[0])), again, "drop", "martian_source")
