# SPDX-License-Identifier: Apache-2.0
"""Ports or records run out: new sessions are dropped by name, those that were answered go on, and what ages is to be had again."""
from nat44_packets import HOST, SERVER, out
from scapy.layers.inet import IP, TCP, UDP

POOL = "203.0.113.1"
NAT44 = {"ports": [3000, 3003], "sessions": 6, "timeouts": {"udp": 6}}


def test_ports_then_records_and_both_come_back(nat):
    given = {nat.answered(out(UDP(sport=5000 + n)))[1] for n in range(4)}
    assert given == {3000, 3001, 3002, 3003}
    nat.drops("no_port", *(out(UDP(sport=5100 + n)) for n in range(3)))
    for n in range(2):
        assert nat.answered(out(TCP(sport=3000 + n))) == (POOL, 3000 + n)
    nat.drops("table_full", *(out(TCP(sport=3002 + n)) for n in range(2)))
    nat.leaves(out(TCP(sport=3000, flags="A") / b"goes on"))
    nat.enters(IP(src=SERVER, dst=POOL) / TCP(dport=3001, flags="A") / b"goes on")
    nat.wait_for_end_of(*(f"udp {HOST}:{5000 + n}" for n in range(4)))
    nat.leaves_in_the_end("table_full", out(TCP(sport=3002)))
    nat.leaves_in_the_end("no_port", out(UDP(sport=3003)))
