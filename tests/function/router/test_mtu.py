# SPDX-License-Identifier: Apache-2.0
"""Packets as long as the MTU of the interface they leave by pass; longer ones are for the control plane."""
import pytest
from routed import FAR_IP, FAR_IP6, HOST_IP, HOST_IP6, assert_untouched, forwarded, to_router, two_interfaces
from scapy.layers.inet import IP, UDP
from scapy.layers.inet6 import IPv6
from scapy.packet import Raw


def table_with_mtu(mtu: int) -> dict:
    table = two_interfaces()
    table["interfaces"][1]["mtu"] = mtu
    return table


@pytest.mark.parametrize("mtu", [68, 576, 1400])
@pytest.mark.parametrize("flags", ["", "DF"])
def test_ipv4(router, mtu, flags):
    fits = to_router(IP(src=HOST_IP[0], dst=FAR_IP, flags=flags) / UDP() / Raw(b"m" * (mtu - 28)))
    assert router.route(fits, table=table_with_mtu(mtu)).frame.hex() == forwarded(fits).hex()
    longer = to_router(IP(src=HOST_IP[0], dst=FAR_IP, flags=flags) / UDP() / Raw(b"m" * (mtu - 27)))
    outcome = router.route(longer, table=table_with_mtu(mtu))
    if flags:
        assert_untouched(outcome, longer, "punt", "too_big")
    else:
        assert (outcome.what, outcome.why) == ("punt", "needs_fragmentation")
        assert outcome.frame.hex() == forwarded(longer).hex(), "only to be cut"


def test_ipv6(router):
    fits = to_router(IPv6(src=HOST_IP6[0], dst=FAR_IP6) / UDP() / Raw(b"m" * (1280 - 48)))
    assert router.route(fits, table=table_with_mtu(1280)).frame.hex() == forwarded(fits).hex()
    longer = to_router(IPv6(src=HOST_IP6[0], dst=FAR_IP6) / UDP() / Raw(b"m" * (1280 - 47)))
    assert_untouched(router.route(longer, table=table_with_mtu(1280)), longer, "punt", "too_big")


def test_the_mtu_of_the_interface_it_came_by_does_not_matter(router):
    table = two_interfaces()
    table["interfaces"][0]["mtu"] = 600
    packet = to_router(IP(src=HOST_IP[0], dst=FAR_IP) / UDP() / Raw(b"m" * 1400))
    assert router.route(packet, table=table).frame.hex() == forwarded(packet).hex()


@pytest.mark.parametrize("packet", [IP(src=HOST_IP[0], dst=FAR_IP) / UDP(), IP(src=HOST_IP[0], dst=FAR_IP, flags="DF") / UDP(),
                                    IPv6(src=HOST_IP6[0], dst=FAR_IP6) / UDP()])
def test_a_frame_that_only_its_padding_makes_too_long_is_for_the_control_plane(router, packet):
    """No executor shortens frames. It is routed before, as one that needs fragments."""
    table = table_with_mtu(1280)
    for excess in (0, 1, 700):
        padding = bytes(1280 + excess - len(packet))
        outcome = router.route(bytes(to_router(packet)) + padding, table=table)
        assert (outcome.what, outcome.why) == (("punt", "needs_fragmentation") if excess else ("forward", ""))
        assert outcome.frame.hex() == (forwarded(to_router(packet)) + padding).hex()


def test_padding_does_not_make_a_packet_too_big(router):
    """Unless the packet is too long by itself."""
    packet = to_router(IP(src=HOST_IP[0], dst=FAR_IP, flags="DF") / UDP() / Raw(b"m" * 1300))
    padded = bytes(packet) + bytes(100)
    assert_untouched(router.route(padded, table=table_with_mtu(1280)), padded, "punt", "too_big")
