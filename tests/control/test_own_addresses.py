# SPDX-License-Identifier: Apache-2.0
"""The router's own addresses are announced: by ARP (RFC 5227, 2.3) and by neighbour advertisements (RFC 4861, 7.2.6), so that
hosts forget the MAC address of the router that had them before."""
from __future__ import annotations

import pytest
from routed import ANYCAST, OWN_IP, OWN_IP6, OWN_MAC, two_interfaces, wait
from scapy.layers.inet6 import ICMPv6ND_NA, ICMPv6NDOptDstLLAddr, IPv6
from scapy.layers.l2 import ARP, Ether

ALL, ALL_NODES, ALL_NODES_MAC = "ff:ff:ff:ff:ff:ff", "ff02::1", "33:33:00:00:00:01"
EMPTY = two_interfaces(neighbours=[], control={})


def arp(address: str, interface: int = 0) -> tuple[str, int, str]:
    own = OWN_MAC[interface]
    frame = Ether(src=own, dst=ALL) / ARP(op=1, hwsrc=own, psrc=address, hwdst="00:00:00:00:00:00", pdst=address)
    return "send", interface, (bytes(frame) + bytes(18)).hex()


def advertisement(address: str, interface: int = 0) -> tuple[str, int, str]:
    own = OWN_MAC[interface]
    frame = (Ether(src=own, dst=ALL_NODES_MAC) / IPv6(src=address, dst=ALL_NODES, hlim=255)
             / ICMPv6ND_NA(R=1, S=0, O=1, tgt=address) / ICMPv6NDOptDstLLAddr(lladdr=own))
    return "send", interface, bytes(frame).hex()


def link_up(interface: int) -> dict:
    return {"link_up": interface}


def said(outcomes) -> list[tuple[str, int, str]]:
    """Without reports of groups, which test_listener_reports.py has."""
    return [(one.what, one.to, one.frame.hex()) for one in outcomes if one.packet.dst != "33:33:00:00:00:16"]


@pytest.mark.parametrize("interface", (0, 1))
def test_each_is_announced_twice_two_seconds_apart(router, interface):
    _, first, early, second, later = router.run(EMPTY, link_up(interface), wait(1), wait(1900), wait(200), wait(9000))
    assert said(first) == said(second) == [arp(OWN_IP[interface], interface), advertisement(OWN_IP6[interface], interface)]
    assert said(early) == said(later) == []


def test_neither_anycast_addresses_nor_those_of_the_mac_address_are(router):
    """The link-local address of a MAC address changes with it; the anycast address is other routers', too."""
    _, first = router.run(EMPTY, link_up(0), wait(1))
    texts = [text for _, _, text in said(first)]
    assert len(texts) == 2 and advertisement(ANYCAST[0])[2] not in texts
    assert not any(one.packet[IPv6].src.startswith("fe80") for one in first if ICMPv6ND_NA in one.packet)


def test_a_link_local_address_of_the_file_is(router):
    table = two_interfaces(neighbours=[], routes=[], control={})
    table["interfaces"][0]["addresses"] = ["fe80::77/64"]
    _, first = router.run(table, link_up(0), wait(1))
    assert said(first) == [advertisement("fe80::77")]


def test_they_stay_announced_when_claims_change(router):
    _, _, first, _, second = router.run(EMPTY, link_up(0), {"claim": ["10.0.0.77"]}, wait(1), {"claim": []}, wait(2000))
    own = [arp(OWN_IP[0]), advertisement(OWN_IP6[0])]
    assert said(first) == [*own, arp("10.0.0.77")] and said(second) == own


def test_a_link_that_flaps_says_no_more_than_the_limit(router):
    table = two_interfaces(neighbours=[], control={"announcements_per_second": 1, "announcements_at_once": 2})
    flaps = [step for _ in range(20) for step in (link_up(0), wait(10))]
    outcomes = router.run(table, *flaps)
    assert sum(len(one) for one in outcomes) == 2
