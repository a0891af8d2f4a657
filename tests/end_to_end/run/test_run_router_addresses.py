# SPDX-License-Identifier: Apache-2.0
"""The router's own addresses, beside routes that lead elsewhere."""
from __future__ import annotations

import pytest
from harness import ALONE, DONE, WRONG_USAGE
from router_network import ping, ping_in_vain, router_between, two_networks

# Longer than the own prefixes around them.
LONGER = [{"to": "1.1.1.0/25", "via": "2.2.2.2"}, {"to": "2.2.2.254/31", "via": "2.2.2.2"},
          {"to": "2001:db8:1::/100", "via": "2001:db8:2::2"}]


@pytest.mark.parametrize(("to", "ttl"), (("1.1.1.1", 64), ("2.2.2.1", 64), ("2001:db8:1::1", 64), ("2.2.2.2", 63)))
def test_own_addresses_answer_under_a_longer_route(packetwarp, namespaces, to, ttl):
    """From the host that the longer route leads to: it finds its way back by its own prefix."""
    host = "right" if to == "2001:db8:1::1" or to.startswith("1.1.1") else "left"
    file = two_networks(routes=LONGER[1:] if host == "left" else LONGER)
    with router_between(packetwarp, namespaces, file) as network:
        pinged = ping(getattr(network, host), to)
        assert pinged.received == 3 and pinged.says(f"ttl={ttl}") == 3, pinged.output
        network.end()


def test_a_broadcast_address_stays_one_under_a_longer_route(packetwarp, namespaces):
    with router_between(packetwarp, namespaces, two_networks(routes=LONGER[1:])) as network:
        assert ping_in_vain(network.left, "2.2.2.255", "-b", "-W", "1").received == 0
        assert network.end().packets.dropped["directed_broadcast"] == 3


def test_the_anycast_address_of_a_subnet_answers_its_hosts(packetwarp, namespaces):
    """The subnet-router anycast address (RFC 4291, 2.6.1)."""
    with router_between(packetwarp, namespaces, two_networks()) as network:
        pinged = ping(network.left, "2001:db8:1::")
        assert pinged.received == 3, pinged.output
        network.end()


LEFT_LINK_LOCAL, RIGHT_LINK_LOCAL = "fe80::48ac:4fff:fe29:8780", "fe80::8419:a0ff:feb8:10bd"  # of the two MAC addresses


def test_a_host_may_have_the_link_local_address_of_another_interface(packetwarp, namespaces):
    """It is unique on its link only (RFC 4007, 6). The router asks for it, answers it, and routes by it."""
    file = two_networks(routes=[{"to": "2001:db8:77::/48", "via": LEFT_LINK_LOCAL, "interface": "right"}])
    with router_between(packetwarp, namespaces, file) as network:
        network.right.ip("address", "add", f"{LEFT_LINK_LOCAL}/64", "dev", "r0", "nodad")
        network.right.ip("address", "add", "2001:db8:77::1/128", "dev", "lo")
        for host, to, more in ((network.left, "2001:db8:77::1", ()), (network.right, f"{RIGHT_LINK_LOCAL}%r0", ("-I", f"{LEFT_LINK_LOCAL}%r0"))):
            pinged = ping(host, to, *more)
            assert pinged.received == 3, pinged.output
        assert "martian_source" not in network.end().packets.dropped


@pytest.mark.parametrize(("right", "more", "said"), (
    (["fe80::1/64"], {}, ""), (["fe80::2/64"], {"routes": [{"to": "2001:db8:9::/48", "via": "fe80::2", "interface": "left"}]}, ""),
    (["fe80::1/64", "fe80::1/10"], {}, "interfaces[1].addresses[2]: fe80::1 is interface right's already"),
    (["fe80::2/64"], {"routes": [{"to": "2001:db8:9::/48", "via": "fe80::2", "interface": "right"}]}, "routes[0].via: fe80::2 is interface right's own")))
def test_link_local_addresses_are_one_interfaces(packetwarp, right, more, said):
    file = two_networks(**more)
    file["interfaces"][0]["addresses"].append("fe80::1/64")
    file["interfaces"][1]["addresses"] += right
    config = packetwarp.write_config(file)
    done = packetwarp.run("run", [*ALONE, "-l", "0", "--vdev=net_null0", "--vdev=net_null1"], ["-c", config, "--duration", "50ms"])
    assert done.status == (WRONG_USAGE if said else DONE) and said in "".join(done.errors), done


@pytest.mark.parametrize(("to", "via", "use"), (
    ("1.1.1.1/32", "2.2.2.2", "own address of interface left"), ("2.2.2.255/32", "2.2.2.2", "broadcast address of interface right"),
    ("2001:db8:1::/128", "2001:db8:2::2", "subnet-router anycast address of interface left")))
def test_a_route_to_a_single_address_of_the_router_is_refused(packetwarp, to, via, use):
    """It would have no effect, and `show routes` would not have it."""
    path = packetwarp.write_config(two_networks(routes=[{"to": to, "via": via}]))
    done = packetwarp.run("run", ["-l", "0", "--vdev=net_null0", "--vdev=net_null1"], ["-c", str(path), "--duration", "50ms"])
    assert done.status == WRONG_USAGE and len(done.errors) == 1, done
    assert f"routes[0].to: {to} is the {use}: no packet to it is routed; leave this route out" in done.errors[0], done
