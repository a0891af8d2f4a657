# SPDX-License-Identifier: Apache-2.0
"""By its Ethernet header a frame is another's, tagged, a group's, ARP, or of a protocol that is the kernel's."""
import pytest
from routed import FAR_IP, FAR_IP6, HOST_IP, HOST_IP6, HOST_MAC, OWN_IP6, OWN_MAC, assert_untouched
from scapy.layers.inet import IP, UDP
from scapy.layers.inet6 import ICMPv6ND_NA, ICMPv6ND_NS, ICMPv6ND_RS, IPv6
from scapy.layers.l2 import ARP, LLC, Dot1AD, Dot1Q, Ether
from scapy.packet import Raw

IP4 = IP(src=HOST_IP[0], dst=FAR_IP) / UDP()
IP6 = IPv6(src=HOST_IP6[0], dst=FAR_IP6) / UDP()
ALL = "ff:ff:ff:ff:ff:ff"


def frame(to: str, payload) -> Ether:
    return Ether(src=HOST_MAC[0], dst=to) / payload


@pytest.mark.parametrize("payload", [IP4, IP6, ARP(), Dot1Q(vlan=5) / IP4])
@pytest.mark.parametrize("to", ["02:00:00:00:00:99", OWN_MAC[1], "00:00:00:00:00:00"])
def test_to_another_mac_address(router, payload, to):
    packet = frame(to, payload)
    assert_untouched(router.route(packet), packet, "drop", "not_for_us")


@pytest.mark.parametrize("tag", [Dot1Q(vlan=5), Dot1Q(vlan=0, prio=3), Dot1AD(vlan=7), Dot1AD(vlan=7) / Dot1Q(vlan=5)])
@pytest.mark.parametrize("to", [OWN_MAC[0], ALL])
def test_tagged(router, tag, to):
    packet = frame(to, tag / IP4)
    assert_untouched(router.route(packet), packet, "drop", "vlan_tagged")


@pytest.mark.parametrize("to", [OWN_MAC[0], ALL])
def test_arp(router, to):
    packet = frame(to, ARP(psrc=HOST_IP[0], pdst="10.0.0.1"))
    assert_untouched(router.route(packet), packet, "punt", "arp")


@pytest.mark.parametrize("to, payload", [
    (ALL, IP4), (ALL, IP(src="0.0.0.0", dst="255.255.255.255") / UDP()), ("01:00:5e:00:00:05", IP(dst="224.0.0.5")),
    ("33:33:00:00:00:01", IP6), (OWN_MAC[0], IP(src=HOST_IP[0], dst="224.0.0.5")),
    (OWN_MAC[0], IP(src=HOST_IP[0], dst="255.255.255.255") / UDP()), (OWN_MAC[0], IPv6(src=HOST_IP6[0], dst="ff02::5")),
    ("01:80:c2:00:00:0e", Raw(b"lldp" * 10))])
def test_to_a_group(router, to, payload):
    packet = frame(to, payload)
    assert_untouched(router.route(packet), packet, "punt", "to_kernel")


@pytest.mark.parametrize("type_", [0x88cc, 0x8847, 0x0842])
def test_of_another_protocol(router, type_):
    packet = Ether(src=HOST_MAC[0], dst=OWN_MAC[0], type=type_) / Raw(b"?" * 46)
    assert_untouched(router.route(packet), packet, "punt", "to_kernel")


def test_with_a_length_instead_of_a_type(router):
    packet = Ether(src=HOST_MAC[0], dst=OWN_MAC[0], type=46) / LLC() / Raw(b"?" * 43)
    assert_untouched(router.route(packet), packet, "punt", "to_kernel")


@pytest.mark.parametrize("to, ip_to, message", [
    ("33:33:ff:00:00:01", "ff02::1:ff00:1", ICMPv6ND_NS(tgt=OWN_IP6[0])), (OWN_MAC[0], OWN_IP6[0], ICMPv6ND_NS(tgt=OWN_IP6[0])),
    (OWN_MAC[0], OWN_IP6[0], ICMPv6ND_NA(tgt=HOST_IP6[0])), ("33:33:00:00:00:02", "ff02::2", ICMPv6ND_RS())])
@pytest.mark.parametrize("hops", [255, 254])
def test_neighbour_discovery_is_of_this_link_only(router, to, ip_to, message, hops):
    packet = frame(to, IPv6(src=HOST_IP6[0], dst=ip_to, hlim=hops) / message)
    assert_untouched(router.route(packet), packet, "punt", "neighbour_discovery" if hops == 255 else "to_kernel")
