# SPDX-License-Identifier: Apache-2.0
"""Linux's own hosts behind the NICs: ping, TCP and UDP by NAT44. Arriving packets have right checksums, and each loss has a
counter."""
from __future__ import annotations

import time

import pytest
from bed import CLIENT, SERVER, STACKS, Bed, end_well
from frames import POOL
from namespaces import Namespace
from router_network import iperf3, ping, two_networks

SERVERS = "2.2.2.2"
# Counters of /proc/net/snmp; any of them shows a wrong checksum.
WRONG = {"Ip": "InHdrErrors", "Icmp": "InCsumErrors", "Tcp": "InCsumErrors", "Udp": "InCsumErrors"}


def snmp(host: Namespace, protocol: str, name: str) -> int:
    names, values = (line.split()[1:] for line in host.run("cat", "/proc/net/snmp").stdout.splitlines() if line.startswith(f"{protocol}:"))
    return int(dict(zip(names, values, strict=True))[name])


def silence(hosts: dict[str, Namespace]) -> None:
    """No frame comes any more: a NIC also counts frames that no worker reads from its queue at the end."""
    for side in STACKS:
        hosts[side].ip("link", "set", "wire", "down")
    time.sleep(0.5)


@pytest.fixture
def hosts(stacks: Bed) -> dict[str, Namespace]:
    """With addresses and a way to each other."""
    for number, side in enumerate(STACKS, start=1):
        host = stacks.hosts[side]
        host.ip("link", "set", "wire", "up")
        host.ip("address", "replace", f"{number}.{number}.{number}.2/24", "dev", "wire")
        host.ip("route", "replace", "default", "via", f"{number}.{number}.{number}.1")
    return stacks.hosts


def test_ping_tcp_and_udp(stacks, hosts):
    file = two_networks(nat44={"inside": ["left"], "outside": ["right"], "pool": [POOL]})
    with stacks.routing(file, between=STACKS) as running:
        assert ping(hosts[CLIENT], SERVERS, count=20).received == 20
        assert ping(hosts[SERVER], "2.2.2.1", count=20).received == 20
        tcp = iperf3(hosts[CLIENT], hosts[SERVER], SERVERS)
        assert tcp["sum_received"]["bytes"] > 100_000
        udp = iperf3(hosts[CLIENT], hosts[SERVER], SERVERS, "--udp", "--bitrate", "10M", "--length", "1400")["sum"]
        assert udp["packets"] > 100
        silence(hosts)
        report = end_well(running, stacks.device)
        assert report["packets"]["tx"] > tcp["sum_received"]["bytes"] // 1500
    wrong = {(side, protocol): snmp(hosts[side], protocol, name) for side in STACKS for protocol, name in WRONG.items()}
    assert not any(wrong.values()), wrong
