# SPDX-License-Identifier: Apache-2.0
"""packetwarp run between two networks: their hosts reach each other and the router, and are told what cannot be reached.

Every network ends by `end()`: no packet is unaccounted for.
"""
from __future__ import annotations

import dataclasses

import pytest
from namespaces import wait_for
from raw_interface import RawInterface
from router_network import (RIGHT_HOST_MAC, RIGHT_LINK_LOCAL, everything_on, ping, ping_in_vain, router_between, routing_in,
                            two_networks)
from scapy.layers.l2 import ARP, Ether

WHO_HAS = 1


@pytest.mark.parametrize("to", ("2.2.2.2", "2001:db8:2::2"))
def test_hosts_ping_each_other_through_it(packetwarp, namespaces, to):
    with router_between(packetwarp, namespaces, two_networks()) as network:
        there = ping(network.left, to)
        back = ping(network.right, to.replace("2::2", "1::2").replace("2.2.2.2", "1.1.1.2"))
        assert (there.received, back.received) == (3, 3), there.output + back.output
        assert there.says("ttl=63") == there.says("bytes from") >= 3, "one hop less than what Linux sends"
        assert network.end().packets.tx >= 2 * (3 + 3)


@pytest.mark.parametrize("plane", ({"burst": 1}, {"burst": 256, "descriptors": 256}, {"workers": "isolated-rx"}),
                         ids=("bursts of 1", "bursts of 256", "isolated-rx"))
def test_the_data_plane_may_be_another(packetwarp, namespaces, plane):
    with router_between(packetwarp, namespaces, two_networks(data_plane=plane)) as network:
        assert ping(network.left, "2.2.2.2").received == ping(network.right, "2001:db8:1::2").received == 3
        result = network.end().result
        assert result["burst"] == plane.get("burst", 32)


def test_interfaces_may_stand_in_another_order_than_ports(packetwarp, namespaces):
    file = two_networks()
    file["interfaces"].reverse()
    with router_between(packetwarp, namespaces, file) as network:
        assert ping(network.left, "2.2.2.2").received == ping(network.right, "1.1.1.1").received == 3
        assert ping_in_vain(network.left, "2.2.2.2", "-t", "1").says("From 1.1.1.1 ") == 3
        network.end()


@pytest.mark.parametrize("to", ("1.1.1.1", "2.2.2.1", "2001:db8:1::1", "2001:db8:2::1"))
def test_it_answers_pings_to_its_own_addresses(packetwarp, namespaces, to):
    """Also to that of the interface on the other side."""
    with router_between(packetwarp, namespaces, two_networks()) as network:
        pinged = ping(network.left, to)
        assert pinged.received == 3 and pinged.says("ttl=64") == 3, pinged.output
        assert network.end().packets.tx == 3


@pytest.mark.parametrize(("to", "says"), (
    ("2.2.2.99", "From 1.1.1.1 icmp_seq="), ("2001:db8:2::99", "From 2001:db8:1::1 icmp_seq=")))
def test_a_host_that_is_not_there_is_unreachable(packetwarp, namespaces, to, says):
    """Asked for three times in vain."""
    with router_between(packetwarp, namespaces, two_networks()) as network:
        with RawInterface(network.right, "r0") as seen:
            pinged = ping_in_vain(network.left, to)
            questions = [frame for frame in everything_on(seen) if about(frame, to)]
        assert pinged.received == 0 and pinged.says(says) == 3, pinged.output
        assert pinged.says("Host Unreachable" if "." in to else "Address unreachable") == 3, pinged.output
        assert len(questions) == 3
        control = network.end().result["control"]
        assert control["punted"]["neighbour_unknown"] >= 3 and control["dropped"]["host_unreachable"] == 3


def about(frame: bytes, address: str) -> bool:
    """Whether a frame asks for the address: by ARP, or by neighbour discovery to the address's solicited-node group."""
    packet = Ether(frame)
    if "." in address:
        return ARP in packet and packet[ARP].op == WHO_HAS and packet[ARP].pdst == address
    return packet.dst == "33:33:ff:00:00:99"


@pytest.mark.parametrize(("to", "says"), (
    ("2.2.2.2", "From 1.1.1.1 icmp_seq=%d Time to live exceeded"),
    ("2001:db8:2::2", "From 2001:db8:1::1 icmp_seq=%d Time exceeded: Hop limit")))
def test_a_packet_out_of_hops_is_answered(packetwarp, namespaces, to, says):
    with router_between(packetwarp, namespaces, two_networks()) as network:
        pinged = ping_in_vain(network.left, to, "-t", "1")
        assert pinged.received == 0, pinged.output
        for n in (1, 2, 3):
            assert pinged.says(says % n) == 1, pinged.output
        control = network.end().result["control"]
        assert control["punted"]["ttl_exceeded"] == control["dropped"]["time_exceeded"] == 3


@pytest.mark.parametrize(("to", "says"), (
    ("203.0.113.1", "From 1.1.1.1 icmp_seq=%d Destination Net Unreachable"),
    ("2001:db8:99::1", "From 2001:db8:1::1 icmp_seq=%d Destination unreachable: No route")))
def test_what_no_route_leads_to_is_unreachable(packetwarp, namespaces, to, says):
    with router_between(packetwarp, namespaces, two_networks()) as network:
        pinged = ping_in_vain(network.left, to)
        for n in (1, 2, 3):
            assert pinged.says(says % n) == 1, pinged.output
        control = network.end().result["control"]
        assert control["punted"]["unreachable"] == control["dropped"]["no_route"] == 3


@pytest.mark.parametrize(("address", "interface", "route"), (
    ("198.51.100.1/32", "lo", {"to": "198.51.100.0/24", "via": "2.2.2.2"}),
    ("198.51.100.1/32", "lo", {"to": "0.0.0.0/0", "via": "2.2.2.2", "interface": "right"}),
    ("192.0.2.7/32", "r0", {"to": "192.0.2.0/24", "interface": "right"}),
    ("2001:db8:99::1/128", "lo", {"to": "2001:db8:99::/64", "via": "2001:db8:2::2"}),
    ("2001:db8:99::1/128", "lo", {"to": "::/0", "via": RIGHT_LINK_LOCAL, "interface": "right"})),
    ids=("via", "default", "on-link", "ipv6-via", "ipv6-default-via-link-local"))
def test_routes_lead_beyond_the_wire(packetwarp, namespaces, address, interface, route):
    with router_between(packetwarp, namespaces, two_networks(routes=[route])) as network:
        network.right.address(interface, address)
        network.right.settle()
        pinged = ping(network.left, address.partition("/")[0])
        assert pinged.received == 3, pinged.output
        assert network.end().packets.tx >= 2 * 3


def test_a_route_that_discards_drops_by_name(packetwarp, namespaces):
    routes = [{"to": "0.0.0.0/0", "via": "2.2.2.2"}, {"to": "198.51.100.0/24", "discard": True}]
    with router_between(packetwarp, namespaces, two_networks(routes=routes)) as network:
        network.right.address("lo", "198.51.100.1/32", "192.0.2.1/32")
        assert ping(network.left, "192.0.2.1").received == 3
        assert ping_in_vain(network.left, "198.51.100.1", "-W", "1").received == 0
        dropped = network.end().packets.dropped
        assert dropped.pop("no_kernel_interface", 0) >= 0, "what the hosts say to groups: nobody here takes it"
        assert dropped == {"discard_route": 3}


@pytest.mark.parametrize("known", ("by asking", "by configuration"))
def test_a_neighbour_in_the_file_is_not_asked_for(packetwarp, namespaces, known):
    neighbours = [{"interface": "right", "address": "2.2.2.2", "mac": RIGHT_HOST_MAC}] if known == "by configuration" else []
    with router_between(packetwarp, namespaces, two_networks(neighbours=neighbours), ipv6=False) as network:
        with RawInterface(network.right, "r0") as seen:
            assert ping(network.left, "2.2.2.2").received == 3
            questions = sum(about(frame, "2.2.2.2") for frame in everything_on(seen))
        assert questions == (0 if neighbours else 1)
        punted = network.end().result["control"]["punted"]
        assert punted.get("neighbour_unknown", 0) == (0 if neighbours else 1)


def test_hosts_hear_at_once_of_another_mac_address(packetwarp, namespaces):
    """As of a router that takes over: without announcements the hosts would send to the old address for about a minute."""
    gateways = ("1.1.1.1", "2001:db8:1::1")
    other = two_networks()
    for n, interface in enumerate(other["interfaces"]):
        interface["mac"] = f"02:00:00:00:77:0{n}"
    with router_between(packetwarp, namespaces, two_networks()) as network:
        for gateway in gateways:
            assert ping(network.left, gateway).received == 3
        network.end()
        with routing_in(network.middle, packetwarp, other, "net_af_packet") as routing:
            for gateway in gateways:
                wait_for(lambda to=gateway: "02:00:00:00:77:00" in network.left.ip("neighbour", "show", to).stdout, "the new address", seconds=5)
            assert ping(network.left, "2.2.2.2").received == 3
            dataclasses.replace(network, routing=routing).end()
