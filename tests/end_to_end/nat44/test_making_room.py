# SPDX-License-Identifier: Apache-2.0
"""Ports or records have run out: a new session takes the place of one that nobody has answered, and of no other."""
from nat44_packets import HOST, OTHER, SERVER, out
from scapy.layers.inet import IP, TCP, UDP

POOL = "203.0.113.1"
NAT44 = {"ports": [3000, 3003], "sessions": 6}


def test_unanswered_flows_make_room_and_answered_ones_stay(nat):
    _, kept = nat.given(out(UDP(sport=5000)))
    nat.enters(IP(src=SERVER, dst=POOL) / UDP(dport=kept), port=5000)
    for n in range(12):
        assert nat.given(out(UDP(sport=5100 + n), host=OTHER))[1] != kept
    nat.leaves(out(TCP(sport=3000)))
    nat.enters(IP(src=SERVER, dst=POOL) / TCP(dport=3000, flags="SA"))
    for n in range(12):
        assert nat.given(out(TCP(sport=5100 + n), host=OTHER))[1] != 3000
    nat.leaves(out(UDP(sport=5000) / b"goes on"), port=kept)
    nat.enters(IP(src=SERVER, dst=POOL) / UDP(dport=kept), host=HOST, port=5000)
    nat.leaves(out(TCP(sport=3000, flags="A") / b"goes on"))
