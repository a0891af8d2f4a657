# SPDX-License-Identifier: Apache-2.0
"""The hosts of a prefix have no more sessions than `per_prefix` together, each no more than `per_host`; what they have goes on."""
from nat44_packets import HOST, OTHER, SERVER, out
from scapy.layers.inet import IP, TCP, UDP

POOL = "203.0.113.1"
NAT44 = {"per_host": 3, "per_prefix": 4, "share_prefix": 24}


def test_so_many_sessions_and_no_more(nat):
    for n in range(3):
        nat.leaves(out(TCP(sport=5000 + n)))
    nat.drops("host_limit", out(TCP(sport=5003)))
    nat.leaves(out(UDP(sport=6000), host=OTHER))
    nat.drops("prefix_limit", out(UDP(sport=6001), host=OTHER), out(TCP(sport=6001), host=OTHER))
    nat.leaves(out(TCP(sport=5000)))
    nat.enters(IP(src=SERVER, dst=POOL) / UDP(dport=6000), host=OTHER)
    assert HOST != OTHER
