# SPDX-License-Identifier: Apache-2.0
"""Ports or records have run out: a new session takes the place of a session without an answer, and of no other."""
import pytest
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
    nat.enters(IP(src=SERVER, dst=POOL) / TCP(sport=80, dport=3000, flags="SA"))
    for n in range(12):
        assert nat.given(out(TCP(sport=5100 + n), host=OTHER))[1] != 3000
    nat.leaves(out(UDP(sport=5000) / b"goes on"), port=kept)
    nat.enters(IP(src=SERVER, dst=POOL) / UDP(dport=kept), host=HOST, port=5000)
    nat.leaves(out(TCP(sport=3000, flags="A") / b"goes on"))


@pytest.mark.parametrize("nat", [{"ports": [3000, 3031], "sessions": 32, "per_host": 0, "per_prefix": 0,
                                  "timeouts": {"udp": 2}}], indirect=True, scope="module")
def test_all_whose_time_is_over_make_room_at_once(nat):
    """Though what they held is otherwise given back some seconds after their end."""
    for n in range(32):
        nat.answered(out(UDP(sport=3000 + n)))
    nat.wait_for_end_of(*(f"udp {HOST}:{3000 + n}" for n in range(32)))
    for n in range(32):
        nat.answered(out(UDP(sport=3000 + n), host=OTHER))
