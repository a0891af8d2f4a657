# SPDX-License-Identifier: Apache-2.0
"""The router at a bridge of Linux that passes multicast packets only to their listeners: it learns the groups by
its reports, or hosts would ask in vain for its IPv6 addresses."""
from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from typing import Any

import pytest
from namespaces import Namespace, wait_for
from router_network import RouterNetwork, ping, routing_in, two_networks

OWN_MAC, LINK_LOCAL = "02:00:00:00:07:01", "fe80::ff:fe00:701"
SNOOPING = ["mcast_snooping", "1", "mcast_querier", "1", "mcast_startup_query_interval", "100",
            "mcast_query_response_interval", "100"]


def listened_to(switch: Namespace, port: str) -> set[str]:
    """The groups that the bridge knows a listener of at the port."""
    lines = switch.run("bridge", "-6", "mdb", "show", "dev", "br0").stdout.splitlines()
    return {line.split(" grp ")[1].split()[0] for line in lines if f" port {port} " in line}


@contextlib.contextmanager
def bridged(packetwarp, namespaces, *joined: str, version: int = 2, **keys: Any) -> Iterator[tuple[RouterNetwork, Namespace]]:
    """left h0 --- b1 br0 b0 --- w0 packetwarp; these are ports of the bridge. keys: of the left interface."""
    left, switch, middle, right = (namespaces.add(name) for name in ("left", "switch", "middle", "right"))
    middle.silence()
    for namespace in (left, switch, right):
        namespace.trust_addresses()
    switch.ip("link", "add", "br0", "type", "bridge", *SNOOPING, "mcast_mld_version", str(version))
    switch.ip("link", "set", "br0", "up")
    namespaces.connect((left, "h0"), (switch, "b1"))
    namespaces.connect((switch, "b0"), (middle, "w0"))
    namespaces.connect((right, "r0"), (middle, "w1"))
    for port in joined:
        switch.ip("link", "set", port, "master", "br0")
    left.address("h0", "2001:db8:1::2/64")
    file = two_networks()
    file["interfaces"][0] |= {"mac": OWN_MAC} | keys
    with routing_in(middle, packetwarp, file, "net_af_packet") as routing:
        yield RouterNetwork(routing, left, middle, right), switch


# Each is of an address's last three bytes. The bridge passes packets to all routers on by every port.
GROUPS = {"ff02::1:ff00:0", "ff02::1:ff00:1", "ff02::1:ff00:701"}


def hosts_reach(network: RouterNetwork) -> None:
    for address in ("2001:db8:1::1", f"{LINK_LOCAL}%h0"):
        assert ping(network.left, address).received == 3


def test_it_hears_of_the_groups_when_the_router_starts(packetwarp, namespaces):
    with bridged(packetwarp, namespaces, "b0", "b1") as (network, switch):
        wait_for(lambda: listened_to(switch, "b0") >= GROUPS, "the groups")
        hosts_reach(network)
        network.end()


@pytest.mark.parametrize("version", [1, 2])
def test_it_hears_of_the_groups_when_it_asks(packetwarp, namespaces, version):
    """It joins the router's wire after the router's first reports, when only an answer to its query is left."""
    with bridged(packetwarp, namespaces, "b1", version=version) as (network, switch):
        time.sleep(3)
        assert listened_to(switch, "b0") == set()
        switch.ip("link", "set", "b0", "master", "br0")
        wait_for(lambda: listened_to(switch, "b0") >= GROUPS, "the groups", seconds=40)
        hosts_reach(network)
        assert network.end().result["control"]["dropped"]["discovery_taken"] >= 1


def test_a_kernel_interface_tells_it_the_groups_itself(packetwarp, namespaces):
    with bridged(packetwarp, namespaces, "b0", "b1", kernel={"driver": "tap"}) as (network, switch):
        wait_for(lambda: listened_to(switch, "b0") >= {"ff02::1:ff00:1", "ff02::1:ff00:701"}, "the groups")
        hosts_reach(network)
        network.end()


def test_beside_a_kernel_interface_with_other_addresses_the_router_tells_it(packetwarp, namespaces):
    other = {"driver": "tap", "mac": "02:00:00:00:07:77", "addresses": ["2001:db8:1::77/64"]}
    with bridged(packetwarp, namespaces, "b0", "b1", kernel=other) as (network, switch):
        wait_for(lambda: listened_to(switch, "b0") >= GROUPS | {"ff02::1:ff00:77"}, "the groups")
        hosts_reach(network)
        network.end()
