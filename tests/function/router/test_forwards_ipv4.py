# SPDX-License-Identifier: Apache-2.0
"""IPv4 packets leave by their longest prefix with one hop less, a right checksum and new MAC addresses."""
import random

import pytest
from routed import FAR_IP, HOST_IP, HOST_MAC, OWN_MAC, assert_untouched, forwarded, to_router, two_interfaces
from scapy.layers.inet import ICMP, IP, TCP, UDP, IPOption_NOP, IPOption_Router_Alert
from scapy.packet import Raw


@pytest.mark.parametrize("payload", [UDP(sport=1, dport=2) / Raw(b"x" * 18), TCP(flags="S"), ICMP(), Raw(b"?" * 40)])
@pytest.mark.parametrize("to", [HOST_IP[1], FAR_IP])
def test_to_a_neighbour_and_by_a_gateway(router, payload, to):
    packet = to_router(IP(src=HOST_IP[0], dst=to, ttl=64) / payload)
    outcome = router.route(packet)
    assert (outcome.what, outcome.to) == ("forward", 1)
    assert outcome.frame.hex() == forwarded(packet).hex()


def test_checksum_is_right_for_any_header(router):
    """RFC 1624's corner cases are among so many: sums that become 0 or 0xffff."""
    chance = random.Random(1624)
    for _ in range(5):
        packets = [to_router(IP(src=HOST_IP[0], dst=FAR_IP, ttl=chance.randint(2, 255), id=chance.randrange(65536),
                                tos=chance.randrange(256)) / UDP()) for _ in range(400)]
        steps = [{"ingress": 0, "frame": bytes(packet).hex()} for packet in packets]
        for packet, [outcome] in zip(packets, router.run(two_interfaces(), *steps), strict=True):
            assert outcome.frame.hex() == forwarded(packet).hex()


def test_options_are_passed_on(router):
    packet = to_router(IP(src=HOST_IP[0], dst=FAR_IP, options=[IPOption_Router_Alert(), IPOption_NOP()]) / UDP())
    assert router.route(packet).frame.hex() == forwarded(packet).hex()


def test_padding_of_short_frames_is_no_part_of_the_packet(router):
    packet = to_router(IP(src=HOST_IP[0], dst=FAR_IP) / UDP())
    padded = bytes(packet) + bytes(60 - len(packet))
    outcome = router.route(padded)
    assert outcome.frame.hex() == forwarded(packet).hex() + "00" * (60 - len(packet))


def test_header_in_the_first_piece_is_enough(router):
    packet = to_router(IP(src=HOST_IP[0], dst=FAR_IP) / UDP() / Raw(b"y" * 1000))
    assert router.route(packet, contiguous=34).frame.hex() == forwarded(packet).hex()


def test_longest_prefix_wins(router):
    table = two_interfaces()
    table["routes"] += [{"to": "0.0.0.0/0", "by": HOST_IP[0], "interface": 0},
                        {"to": "198.51.100.128/25", "by": HOST_IP[0], "interface": 0},
                        {"to": "198.51.100.7/32"}]
    for to, wanted in (("198.51.100.8", 1), ("198.51.100.200", 0), ("203.0.113.9", 0)):
        packet = to_router(IP(src=HOST_IP[1], dst=to) / UDP(), ingress=1)
        outcome = router.route(packet, ingress=1, table=table)
        assert (outcome.what, outcome.to, outcome.packet.dst) == ("forward", wanted, HOST_MAC[wanted])
        assert outcome.packet.src == OWN_MAC[wanted]
    dropped = to_router(IP(src=HOST_IP[0], dst="198.51.100.7") / UDP())
    assert_untouched(router.route(dropped, table=table), dropped, "drop", "discard_route")


def test_no_route_is_unreachable(router):
    packet = to_router(IP(src=HOST_IP[0], dst="203.0.113.9") / UDP())
    assert_untouched(router.route(packet), packet, "punt", "unreachable")


def test_back_out_of_the_interface_it_came_by(router):
    packet = to_router(IP(src="198.51.100.9", dst=FAR_IP) / UDP(), ingress=1)
    outcome = router.route(packet, ingress=1)
    assert (outcome.what, outcome.to) == ("forward", 1)


@pytest.mark.parametrize("to", ["10.1.0.3", "10.0.0.77"])
def test_neighbours_whose_mac_address_is_not_known(router, to):
    packet = to_router(IP(src=HOST_IP[0], dst=to) / UDP())
    assert_untouched(router.route(packet), packet, "punt", "neighbour_unknown")


def test_gateway_whose_mac_address_is_not_known(router):
    packet = to_router(IP(src=HOST_IP[0], dst=FAR_IP) / UDP())
    assert_untouched(router.route(packet, table=two_interfaces(neighbours=[])), packet, "punt", "neighbour_unknown")
