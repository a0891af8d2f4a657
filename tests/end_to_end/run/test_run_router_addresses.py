# SPDX-License-Identifier: Apache-2.0
"""The router's own addresses, beside routes that lead elsewhere."""
from __future__ import annotations

import pytest
from router_network import ping, ping_in_vain, router_between, two_networks

# Longer than the own prefixes around them.
LONGER = [{"to": "1.1.1.0/25", "via": "2.2.2.2"}, {"to": "2.2.2.255/32", "via": "2.2.2.2"},
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
