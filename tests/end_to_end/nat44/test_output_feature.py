# SPDX-License-Identifier: Apache-2.0
"""With `output_feature` whatever leaves by an outside interface is translated, wherever it came from; without, only what
came by an inside one."""
import pytest
from nat44_packets import HOST, OTHER, answer_to, out, with_source
from raw_network import LEFT, RIGHT, into, out_of
from scapy.layers.inet import ICMP, TCP, UDP

POOL = "203.0.113.1"
PACKETS = (UDP(sport=4000, dport=53) / b"u", TCP(sport=4000, dport=80), ICMP(id=4000) / b"i")


@pytest.mark.parametrize("nat", [{"inside": [], "output_feature": True}], indirect=True, scope="module")
class TestWith:
    def test_what_comes_from_neither_side_is_translated(self, nat):
        for payload in PACKETS:
            nat.leaves(out(payload.copy()))
            nat.enters(answer_to(with_source(out(payload.copy()), POOL)))

    def test_hosts_that_meet_by_outside_endpoints_see_no_other(self, nat):
        """All hosts are inside then (RFC 4787, REQ-9)."""
        nat.leaves(out(UDP(sport=4002, dport=53)))
        sent = out(UDP(sport=4001, dport=4002) / b"there", host=OTHER, to=POOL)
        nat.hairpins(sent, (POOL, 4001), (HOST, 4002))
        back = out(UDP(sport=4002, dport=4001) / b"back", to=POOL)
        nat.hairpins(back, (POOL, 4002), (OTHER, 4001))


# A pool without an inside interface is refused.
@pytest.mark.parametrize("nat", [{"inside": [], "pool": [], "static": [{"protocol": "tcp", "inside": f"{HOST}:9999", "outside": f"{POOL}:9999"}]}],
                         indirect=True, scope="module")
class TestWithout:
    def test_what_comes_from_neither_side_is_routed(self, nat):
        nat.router.passes(*((into(LEFT, out(payload.copy())), out_of(RIGHT, out(payload.copy()))) for payload in PACKETS))
        assert nat.logged() == []
