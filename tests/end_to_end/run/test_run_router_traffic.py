# SPDX-License-Identifier: Apache-2.0
"""packetwarp run under load: a file by HTTP, TCP and UDP by iperf3; what is lost was lost where a counter says so."""
from __future__ import annotations

import make_captures
import pytest
from router_losses import lost_on_the_way, receive_errors, report_with_each_loss
from router_network import fetch, iperf3, router_between, serving, two_networks


@pytest.mark.parametrize("address", ("2.2.2.2", "2001:db8:2::2"))
def test_a_file_arrives_whole(packetwarp, namespaces, tmp_path, address):
    content = make_captures.pattern(3_000_000)
    with router_between(packetwarp, namespaces, two_networks()) as network:
        with serving(network.right, address, tmp_path, content):
            assert fetch(network.left, address, tmp_path) == content
        assert network.end().packets.tx > len(content) // 1500


def test_tcp_by_iperf3(packetwarp, namespaces):
    with router_between(packetwarp, namespaces, two_networks(), ipv6=False) as network:
        end = iperf3(network.left, network.right, "2.2.2.2", "--bitrate", "40M")
        assert end["sum_received"]["bytes"] > 100_000
        report = report_with_each_loss(network)
        assert report["packets"]["tx"] > end["sum_received"]["bytes"] // 1500


def test_udp_by_iperf3(packetwarp, namespaces):
    with router_between(packetwarp, namespaces, two_networks(), ipv6=False) as network:
        total = iperf3(network.left, network.right, "2.2.2.2", "--udp", "--bitrate", "20M", "--length", "1400")["sum"]
        unread = receive_errors(network.right)
        report = report_with_each_loss(network)
        assert total["packets"] > 100
        assert total["lost_packets"] <= lost_on_the_way(report) + unread, (total, report)
