# SPDX-License-Identifier: Apache-2.0
"""A host has no more sessions than `per_host`; what it has goes on, others are not its concern, and what ages
counts no more."""
from nat44_packets import HOST, OTHER, SERVER, out
from scapy.layers.inet import ICMP, IP, TCP, UDP

POOL = "203.0.113.1"
NAT44 = {"per_host": 4, "timeouts": {"udp": 2}}


def test_so_many_sessions_and_no_more(nat):
    """The sessions of all protocols together."""
    for payload in (TCP(sport=5000), TCP(sport=5001), ICMP(id=5000), UDP(sport=5000, dport=9)):
        nat.leaves(out(payload))
    nat.drops("host_limit", out(UDP(sport=5001)), out(TCP(sport=5002)), out(ICMP(id=5001)))
    for n in range(4):
        nat.leaves(out(TCP(sport=6000 + n), host=OTHER))
    nat.leaves(out(TCP(sport=5000)))
    nat.enters(IP(src=SERVER, dst=POOL) / TCP(dport=5001))
    nat.wait_for_end_of(f"udp {HOST}:5000")
    nat.leaves_in_the_end("host_limit", out(TCP(sport=5003, dport=80)))
