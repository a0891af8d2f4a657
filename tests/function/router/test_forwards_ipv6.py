# SPDX-License-Identifier: Apache-2.0
"""IPv6 packets leave by their longest prefix with one hop less and new MAC addresses, with any content after the header."""
import pytest
from routed import FAR_IP6, HOST_IP6, assert_untouched, forwarded, to_router, two_interfaces
from scapy.layers.inet import TCP, UDP
from scapy.layers.inet6 import ICMPv6EchoRequest, IPv6, IPv6ExtHdrDestOpt, IPv6ExtHdrFragment, IPv6ExtHdrHopByHop
from scapy.packet import Raw


@pytest.mark.parametrize("payload", [UDP(sport=1, dport=2) / Raw(b"x" * 18), TCP(flags="S"), ICMPv6EchoRequest(),
                                     IPv6ExtHdrHopByHop() / UDP(), IPv6ExtHdrDestOpt() / UDP(),
                                     IPv6ExtHdrFragment(offset=3, m=1) / Raw(b"f" * 40), Raw(b"?" * 40)])
@pytest.mark.parametrize("to", [HOST_IP6[1], FAR_IP6])
def test_to_a_neighbour_and_by_a_gateway(router, payload, to):
    packet = to_router(IPv6(src=HOST_IP6[0], dst=to, hlim=64, tc=3, fl=77) / payload)
    outcome = router.route(packet)
    assert (outcome.what, outcome.to) == ("forward", 1)
    assert outcome.frame.hex() == forwarded(packet).hex()


@pytest.mark.parametrize("length", [0, 16, 24, 29, 32, 40, 48, 63, 64, 65, 96, 127, 128])
def test_longest_prefix_wins_at_any_length(router, length):
    """The prefix's last bit decides: its sibling goes another way."""
    import ipaddress
    far = ipaddress.ip_address("2a00:1234:5678:9abc:def0:1234:5678:9abc")
    network = ipaddress.ip_network(f"{far}/{length}", strict=False)
    table = two_interfaces(routes=[{"to": str(network), "by": HOST_IP6[1], "interface": 1}])
    inside = to_router(IPv6(src=HOST_IP6[0], dst=str(far)) / UDP())
    assert router.route(inside, table=table).frame.hex() == forwarded(inside).hex()
    if length == 0:
        return
    sibling = ipaddress.ip_address(int(far) ^ 1 << (128 - length))
    outside = to_router(IPv6(src=HOST_IP6[0], dst=str(sibling)) / UDP())
    assert_untouched(router.route(outside, table=table), outside, "punt", "unreachable")


def test_no_route_is_unreachable(router):
    packet = to_router(IPv6(src=HOST_IP6[0], dst="2001:db8:aa::1") / UDP())
    assert_untouched(router.route(packet), packet, "punt", "unreachable")


def test_neighbours_whose_mac_address_is_not_known(router):
    packet = to_router(IPv6(src=HOST_IP6[0], dst="2001:db8:1::99") / UDP())
    assert_untouched(router.route(packet), packet, "punt", "neighbour_unknown")


@pytest.mark.parametrize("source, to", [(HOST_IP6[0], "fe80::99"), ("fe80::99", HOST_IP6[1])])
def test_link_local_addresses_stay_on_their_link(router, source, to):
    packet = to_router(IPv6(src=source, dst=to) / UDP())
    assert_untouched(router.route(packet), packet, "drop", "link_local")
