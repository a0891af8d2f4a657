# SPDX-License-Identifier: Apache-2.0
"""Outside addresses in the prefix of an interface: Linux on that wire reaches them by its own ARP, and hears of new ones."""
from __future__ import annotations

import signal
from typing import Any

import pytest
from namespaces import Namespace, wait_for
from nat44_packets import SERVER
from raw_network import ANNOUNCED, OWN_MAC, RIGHT, arp_announcement, known_hosts, raw_router
from router_network import ping, ping_in_vain, router_between, two_networks

CLIENT, POOL, ALONE, LATER = "1.1.1.2", "2.2.2.50", "2.2.2.60", "2.2.2.70"
STRANGERS_MAC = "02:00:00:00:99:99"


def translated(*pool: str, **more: Any) -> dict[str, Any]:
    return two_networks(nat44={"inside": ["left"], "outside": ["right"], "pool": list(pool), **more})


@pytest.fixture
def network(request, packetwarp, namespaces):
    """The right knows no other network than its own."""
    with router_between(packetwarp, namespaces, request.param, ipv6=False) as made:
        made.right.ip("route", "delete", "default")
        yield made


def mac_of(address: str, host: Namespace) -> str:
    """As Linux there has it."""
    words = host.ip("neighbour", "show", address).stdout.split()
    return words[words.index("lladdr") + 1] if "lladdr" in words else ""


def reload(packetwarp, network, file: dict[str, Any]) -> None:
    packetwarp.write_config(file)
    network.routing.send(signal.SIGHUP).wait_for_log("is in force")


@pytest.mark.parametrize("network", [translated(POOL)], indirect=True)
def test_answers_to_the_pool_arrive(network):
    assert ping(network.left, SERVER).received == 3
    assert mac_of(POOL, network.right) == OWN_MAC[RIGHT]
    assert ping_in_vain(network.right, "2.2.2.51", count=1).received == 0
    assert mac_of("2.2.2.51", network.right) == ""
    network.end()


@pytest.mark.parametrize("network", [translated(static=[{"inside": CLIENT, "outside": ALONE}])], indirect=True)
def test_a_static_address_is_reached(network):
    assert ping(network.right, ALONE).received == 3
    assert ping(network.left, SERVER).received == 3
    network.end()


@pytest.mark.parametrize("network", [translated(POOL)], indirect=True)
def test_after_a_reload_new_ones_are_announced_and_old_ones_no_longer_answered(packetwarp, network):
    assert ping(network.left, SERVER).received == 3
    network.right.ip("neighbour", "replace", LATER, "lladdr", STRANGERS_MAC, "dev", "r0", "nud", "stale")
    reload(packetwarp, network, translated(LATER))
    wait_for(lambda: mac_of(LATER, network.right) == OWN_MAC[RIGHT], "Linux to hear of the new address")
    assert ping(network.left, SERVER).received == 3
    network.right.ip("neighbour", "flush", "dev", "r0")
    ping_in_vain(network.right, POOL, count=1)
    assert mac_of(POOL, network.right) == ""
    network.end()


def test_the_start_and_a_link_that_comes_up_are_announced(packetwarp, ends):
    """The address of the pool, and the router's own."""
    file = known_hosts(nat44={"inside": ["left"], "outside": ["right"], "pool": [POOL]})
    claimed = [arp_announcement(RIGHT, POOL)]
    wires, middle = ends
    with raw_router(packetwarp, file, *ends) as router:
        assert wires.receive(2) == claimed * 2
        wires.the_rest()
        assert sorted(wires.announced) == sorted(ANNOUNCED * 2)
        wires.announced.clear()
        middle.ip("link", "set", "w1", "down")
        router.network.routing.wait_for_log("link down")
        middle.ip("link", "set", "w1", "up")
        router.network.routing.wait_for_log("link up")
        assert wires.receive(2) == claimed * 2
        wires.the_rest()
        assert sorted(wires.announced) == sorted([one for one in ANNOUNCED if one[0] == RIGHT] * 2)
        router.network.end()
