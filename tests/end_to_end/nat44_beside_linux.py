# SPDX-License-Identifier: Apache-2.0
"""Linux's NAT (nftables) and packetwarp's with the same addresses, pool, range of ports and forwards; packets for them."""
from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest
from beside_linux import Both, kernel_router
from harness import Program
from namespaces import Namespaces, need_root_and_tools
from nat44_packets import HOST, answer_to
from raw_network import HOSTS, LEFT, RIGHT, into, known_hosts, raw_router, wires_to_middle
from scapy.layers.inet import IP
from scapy.layers.l2 import Ether
from scapy.packet import Packet

POOL, ALONE = "2.2.2.1", "203.0.113.99"
OWN_ADDRESS = HOSTS[LEFT][7]

NAT44 = {
    "inside": ["left"], "outside": ["right"], "pool": [POOL],
    "static": [{"protocol": "tcp", "inside": f"{HOST}:8000", "outside": f"{POOL}:8080"},
               {"protocol": "udp", "inside": f"{HOST}:53", "outside": f"{POOL}:5353"},
               {"inside": OWN_ADDRESS, "outside": ALONE}],
}
# Connections from outside come in by the three forwards only. conntrack would let packets of no connection through
# unchanged: this drops them. The sums of packets are not checked, as in packetwarp.
NFTABLES = f"""
table ip translation {{
  chain inwards {{
    type nat hook prerouting priority dstnat;
    ip daddr {POOL} tcp dport 8080 dnat to {HOST}:8000
    ip daddr {POOL} udp dport 5353 dnat to {HOST}:53
    ip daddr {ALONE} dnat to {OWN_ADDRESS}
  }}
  chain outwards {{
    type nat hook postrouting priority srcnat;
    ip saddr {OWN_ADDRESS} snat to {ALONE}
    iifname w0 meta l4proto {{ tcp, udp, icmp }} snat to {POOL}:1024-65535
  }}
  chain passing {{
    type filter hook forward priority filter;
    ct state invalid drop
    iifname w0 meta l4proto != {{ tcp, udp, icmp }} ip saddr != {OWN_ADDRESS} drop
    iifname w1 ct state new ct status ! dnat drop
  }}
  chain own {{
    type filter hook input priority filter; policy drop;
  }}
}}
"""


class Translators(Both):
    """Linux's NAT and packetwarp's."""

    def talk(self, *packets: Packet) -> list[Packet]:
        """Packets from the left that leave with the pool's address and the port they have; each is answered by the same."""
        there = self.cross(*(into(LEFT, packet) for packet in packets))
        assert {(side, Ether(frame)[IP].src) for side, frame in there} == {(RIGHT, POOL)}
        back = self.cross(*(into(RIGHT, answer_to(Ether(frame)[IP])) for _, frame in there))
        assert {side for side, _ in back} == {LEFT}
        return [Ether(frame)[IP] for _, frame in there]

    def answered(self, sent: Packet, reply: Packet) -> None:
        """A packet from the left, and an answer to its translation."""
        self.cross(into(LEFT, sent))
        [(side, _)] = self.cross(into(RIGHT, reply))
        assert side == LEFT


def lack_of_nftables() -> str:
    """Why Linux cannot translate here, "" where it can."""
    if reason := need_root_and_tools("ip", "nft"):
        return reason
    with Namespaces("pwtest") as namespaces:
        loaded = namespaces.add("probe").run("nft", "-f", "-", input=NFTABLES, check=False)
    return f"this kernel has no nf_nat or nf_tables: {loaded.stderr.strip()}" if loaded.returncode != 0 else ""


@contextlib.contextmanager
def translators(packetwarp: Program) -> Iterator[Translators]:
    """Both, the left a bit narrower than the right."""
    if reason := lack_of_nftables():
        pytest.skip(reason)
    narrow = {LEFT: 1450}
    with kernel_router(NFTABLES, {"net.netfilter.nf_conntrack_checksum": 0}, narrow) as linux, wires_to_middle() as ends:
        with raw_router(packetwarp, known_hosts(narrow, nat44=NAT44), *ends) as own:
            yield Translators(linux, own)
