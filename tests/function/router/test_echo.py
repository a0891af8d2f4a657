# SPDX-License-Identifier: Apache-2.0
"""Echo requests to the router's own addresses are answered in place (RFC 792, RFC 4443 4.2); nothing else is."""
import pytest
from routed import (ANYCAST, FAR_IP, FAR_IP6, HOST_IP, HOST_IP6, HOST_MAC, OWN_IP, OWN_IP6, OWN_MAC, assert_untouched,
                    to_router, two_interfaces)
from scapy.layers.inet import ICMP, IP, UDP, IPOption_NOP
from scapy.layers.inet6 import ICMPv6EchoReply, ICMPv6EchoRequest, IPv6
from scapy.layers.l2 import Ether
from scapy.packet import Raw

LINK_LOCAL = "fe80::ff:fe00:1"  # of 02:00:00:00:00:01 (RFC 4291, appendix A)
OTHER_LINK_LOCAL = "fe80::ff:fe00:2"  # of 02:00:00:00:00:02


@pytest.mark.parametrize("size", [0, 1, 56, 1400])
@pytest.mark.parametrize("source, own", [(HOST_IP[0], OWN_IP[0]), (HOST_IP[0], OWN_IP[1]), (FAR_IP, OWN_IP[0])])
@pytest.mark.parametrize("ttl", [1, 64, 255])
def test_ipv4(router, size, source, own, ttl):
    ask = IP(src=source, dst=own, ttl=ttl, id=7) / ICMP(id=5, seq=size) / Raw(bytes(n % 256 for n in range(size)))
    outcome = router.route(to_router(ask))
    answer = IP(src=own, dst=source, ttl=64, id=7) / ICMP(type="echo-reply", id=5, seq=size) / ask[ICMP].payload
    wanted = Ether(src=OWN_MAC[0], dst=HOST_MAC[0]) / answer
    assert (outcome.what, outcome.to) == ("forward", 0)
    assert outcome.frame.hex() == bytes(wanted).hex()


@pytest.mark.parametrize("own", [OWN_IP6[0], OWN_IP6[1], *ANYCAST, LINK_LOCAL])
@pytest.mark.parametrize("size", [0, 1, 56])
def test_ipv6(router, own, size):
    source = "fe80::2" if own == LINK_LOCAL else HOST_IP6[0]
    ask = IPv6(src=source, dst=own, hlim=9) / ICMPv6EchoRequest(id=5, seq=6, data=b"e" * size)
    outcome = router.route(to_router(ask))
    answer = IPv6(src=own, dst=source, hlim=64) / ICMPv6EchoReply(id=5, seq=6, data=b"e" * size)
    assert (outcome.what, outcome.to) == ("forward", 0)
    assert outcome.frame.hex() == bytes(Ether(src=OWN_MAC[0], dst=HOST_MAC[0]) / answer).hex()


def test_a_host_may_have_the_link_local_address_of_another_interface(router):
    """The address is unique on its link only (RFC 4007, 6): Linux answers, too."""
    ask = IPv6(src=OTHER_LINK_LOCAL, dst=LINK_LOCAL, hlim=9) / ICMPv6EchoRequest(id=5, seq=6)
    outcome = router.route(to_router(ask))
    answer = IPv6(src=LINK_LOCAL, dst=OTHER_LINK_LOCAL, hlim=64) / ICMPv6EchoReply(id=5, seq=6)
    assert (outcome.what, outcome.to) == ("forward", 0)
    assert outcome.frame.hex() == bytes(Ether(src=OWN_MAC[0], dst=HOST_MAC[0]) / answer).hex()


@pytest.mark.parametrize("ingress, own", [(0, OTHER_LINK_LOCAL), (1, LINK_LOCAL), (0, "fe80::77")])
def test_the_link_local_address_of_another_interface_is_not_answered_for(router, ingress, own):
    table = two_interfaces()
    table["interfaces"][1]["addresses"].append("fe80::77/64")
    frame = to_router(IPv6(src="fe80::2", dst=own) / ICMPv6EchoRequest(), ingress)
    assert_untouched(router.route(frame, ingress, table=table), frame, "drop", "link_local")


def test_interfaces_may_share_a_link_local_address(router):
    table = two_interfaces()
    for interface in table["interfaces"]:
        interface["addresses"].append("fe80::77/64")
    for ingress in (0, 1):
        assert router.route(to_router(IPv6(src="fe80::2", dst="fe80::77") / ICMPv6EchoRequest(), ingress), ingress, table=table).to == ingress


@pytest.mark.parametrize("packet", [
    IP(src=HOST_IP[0], dst=OWN_IP[0]) / ICMP(type="echo-reply"),
    IP(src=HOST_IP[0], dst=OWN_IP[0]) / ICMP(type="timestamp-request"),
    IP(src=HOST_IP[0], dst=OWN_IP[0]) / ICMP(code=1),
    IP(src=HOST_IP[0], dst=OWN_IP[0], flags="MF") / ICMP() / Raw(b"f" * 24),
    IP(src=HOST_IP[0], dst=OWN_IP[0], frag=3) / ICMP(),
    IP(src=HOST_IP[0], dst=OWN_IP[0], options=[IPOption_NOP()] * 4) / ICMP(),
    IP(src=HOST_IP[0], dst=OWN_IP[0], proto=1) / Raw(b"\x08\x00\x00\x00"),
    IP(src=HOST_IP[0], dst=OWN_IP[1]) / UDP(),
    IPv6(src=HOST_IP6[0], dst=OWN_IP6[0]) / ICMPv6EchoReply(),
    IPv6(src=HOST_IP6[0], dst=OWN_IP6[0]) / ICMPv6EchoRequest(code=1),
    IPv6(src=HOST_IP6[0], dst=OWN_IP6[0], nh=58) / Raw(b"\x80\x00\x00\x00"),
    IPv6(src=HOST_IP6[0], dst=OWN_IP6[0]) / UDP()])
def test_all_else_to_an_own_address_is_the_kernels(router, packet):
    frame = to_router(packet)
    assert_untouched(router.route(frame), frame, "punt", "to_kernel")


def test_a_damaged_request_gives_a_damaged_answer(router):
    """Its sender refuses it: what was damaged is not made to look sound."""
    ask = to_router(IP(src=HOST_IP[0], dst=OWN_IP[0]) / ICMP(chksum=0x1234) / Raw(b"d" * 20))
    answer = router.route(ask).packet
    carried = answer[ICMP].chksum
    del answer[ICMP].chksum
    assert Ether(bytes(answer))[ICMP].chksum != carried


def test_request_to_a_host_is_forwarded(router):
    packet = to_router(IP(src=HOST_IP[0], dst=FAR_IP) / ICMP())
    assert router.route(packet).packet[ICMP].type == 8
    packet = to_router(IPv6(src=HOST_IP6[0], dst=FAR_IP6) / ICMPv6EchoRequest())
    assert router.route(packet, table=two_interfaces()).to == 1


@pytest.mark.parametrize("make", [lambda size: IP(src=HOST_IP[0], dst=OWN_IP[1]) / ICMP() / Raw(b"m" * (size - 28)),
                                  lambda size: IPv6(src=HOST_IP6[0], dst=OWN_IP6[1]) / ICMPv6EchoRequest(data=b"m" * (size - 48))])
def test_an_answer_longer_than_the_mtu_of_its_interface_is_only_to_be_cut(router, make):
    table = two_interfaces()
    table["interfaces"][0]["mtu"] = 1280
    assert router.route(to_router(make(1280)), table=table).what == "forward"
    longer = router.route(to_router(make(1281)), table=table)
    assert (longer.what, longer.why) == ("punt", "needs_fragmentation")
    assert (longer.packet.src, longer.packet.dst) == (OWN_MAC[0], HOST_MAC[0])
    padded = router.route(bytes(to_router(make(100))) + bytes(1200), table=table)
    assert (padded.what, padded.why) == ("punt", "needs_fragmentation")
