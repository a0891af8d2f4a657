# SPDX-License-Identifier: Apache-2.0
"""packetwarp run under load: a file by HTTP, TCP and UDP by iperf3; what is lost was lost where a counter says so."""
from __future__ import annotations

import json
from typing import Any

import make_captures
import pytest
from namespaces import Namespace
from router_network import RouterNetwork, fetch, iperf3, router_between, serving, two_networks


@pytest.mark.parametrize("address", ("2.2.2.2", "2001:db8:2::2"))
def test_a_file_arrives_whole(packetwarp, namespaces, tmp_path, address):
    content = make_captures.pattern(3_000_000)
    with router_between(packetwarp, namespaces, two_networks()) as network:
        with serving(network.right, address, tmp_path, content):
            assert fetch(network.left, address, tmp_path) == content
        assert network.end().packets.tx > len(content) // 1500


def kernel_counts(host: Namespace, interface: str) -> tuple[int, int]:
    """Frames that an interface received and sent."""
    counts = json.loads(host.ip("-j", "-s", "link", "show", "dev", interface).stdout)[0]["stats64"]
    return counts["rx"]["packets"], counts["tx"]["packets"]


def assert_each_loss_is_counted(network: RouterNetwork) -> dict[str, Any]:
    """Hop by hop: what a host sent came to the port, or its driver counts it as missed; what a port sent came to the
    host. What is between is the report's own sum. Returns the report."""
    ends = [kernel_counts(network.left, "l0"), kernel_counts(network.right, "r0")]
    report = network.end().result
    for (arrived, sent), port in zip(ends, report["ports"], strict=True):
        assert port["rx_packets"] + port["imissed"] + port["rx_nombuf"] == sent, (ends, report["ports"])
        assert port["tx_packets"] == arrived, (ends, report["ports"])
    return report


def lost_on_the_way(report: dict[str, Any]) -> int:
    missed = sum(port["imissed"] + port["rx_nombuf"] for port in report["ports"])
    return missed + sum(report["packets"]["dropped"].values()) + report["control"]["dropped"].get("tx_full", 0)


def test_tcp_by_iperf3(packetwarp, namespaces):
    with router_between(packetwarp, namespaces, two_networks(), ipv6=False) as network:
        end = iperf3(network.left, network.right, "2.2.2.2", "--bitrate", "40M")
        assert end["sum_received"]["bytes"] > 1_000_000
        report = assert_each_loss_is_counted(network)
        assert report["packets"]["tx"] > end["sum_received"]["bytes"] // 1500


def receive_errors(host: Namespace) -> int:
    """UDP datagrams that arrived at a host for which its socket had no room."""
    names, values = (line.split()[1:] for line in host.run("cat", "/proc/net/snmp").stdout.splitlines() if line.startswith("Udp:"))
    return int(dict(zip(names, values, strict=True))["RcvbufErrors"])


def test_udp_by_iperf3(packetwarp, namespaces):
    with router_between(packetwarp, namespaces, two_networks(), ipv6=False) as network:
        total = iperf3(network.left, network.right, "2.2.2.2", "--udp", "--bitrate", "20M", "--length", "1400")["sum"]
        unread = receive_errors(network.right)
        report = assert_each_loss_is_counted(network)
        assert total["packets"] > 100
        assert total["lost_packets"] <= lost_on_the_way(report) + unread, (total, report)
