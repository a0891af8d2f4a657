# SPDX-License-Identifier: Apache-2.0
"""The fates of the packets between two hosts and `packetwarp run`: each link's two ends, the result, the hosts' sockets."""
from __future__ import annotations

import json
import time
from typing import Any

from namespaces import Namespace, wait_for
from router_network import RouterNetwork


def kernel_counts(host: Namespace, interface: str) -> tuple[int, int]:
    """Frames that an interface received and sent."""
    counts = json.loads(host.ip("-j", "-s", "link", "show", "dev", interface).stdout)[0]["stats64"]
    return counts["rx"]["packets"], counts["tx"]["packets"]


def counts_at_rest(network: RouterNetwork) -> list[tuple[int, int]]:
    """The counts of both hosts' interfaces, once nothing has moved for a while: a connection's last packets go to and fro when
    its programs have ended already."""
    ends: list[tuple[int, int]] = []

    def at_rest() -> bool:
        nonlocal ends
        before, ends = ends, [kernel_counts(network.left, "l0"), kernel_counts(network.right, "r0")]
        time.sleep(0.2)
        return ends == before

    wait_for(at_rest, "the hosts to send no more")
    return ends


def report_with_each_loss(network: RouterNetwork) -> dict[str, Any]:
    """The result, once it is sure that each loss has a counter: packets of a host came to the port, or its driver counts them as
    missed; packets of a port came to the host. The result itself has the sum of packets between. For hosts without IPv6: with it
    they send before packetwarp is up."""
    ends = counts_at_rest(network)
    report = network.end().result
    # A host may ask for a neighbour once more until packetwarp has ended.
    later = [kernel_counts(network.left, "l0"), kernel_counts(network.right, "r0")]
    for (arrived, sent), (arrived_later, sent_later), port in zip(ends, later, report["ports"], strict=True):
        assert sent <= port["rx_packets"] + port["imissed"] + port["rx_nombuf"] <= sent_later, (ends, later, report["ports"])
        assert arrived <= port["tx_packets"] <= arrived_later, (ends, later, report["ports"])
    return report


def lost_on_the_way(report: dict[str, Any]) -> int:
    missed = sum(port["imissed"] + port["rx_nombuf"] for port in report["ports"])
    return missed + sum(report["packets"]["dropped"].values()) + report["control"]["dropped"].get("tx_full", 0)


def receive_errors(host: Namespace) -> int:
    """UDP datagrams that arrived at a host for which its socket had no room."""
    names, values = (line.split()[1:] for line in host.run("cat", "/proc/net/snmp").stdout.splitlines() if line.startswith("Udp:"))
    return int(dict(zip(names, values, strict=True))["RcvbufErrors"])
