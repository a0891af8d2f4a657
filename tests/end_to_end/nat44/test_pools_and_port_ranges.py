# SPDX-License-Identifier: Apache-2.0
"""Sessions get addresses of the pool and ports of its range, and a host one address unless pooling is arbitrary
(RFC 4787, REQ-2)."""
import collections

import pytest
from nat44_packets import out
from raw_network import HOSTS, LEFT
from scapy.layers.inet import ICMP, TCP, UDP

POOL = tuple(f"203.0.113.{n}" for n in (1, 2, 3, 9))
RANGE = {"pool": ["203.0.113.1-203.0.113.3", "203.0.113.9"], "ports": [3000, 3009]}


@pytest.mark.parametrize("nat", [RANGE], indirect=True, scope="module")
class TestPaired:
    @pytest.mark.parametrize("make", (lambda port: TCP(sport=port), lambda port: ICMP(id=port)), ids=("tcp", "icmp"))
    def test_all_is_of_the_pool_and_a_host_has_one_address(self, nat, make):
        given = collections.defaultdict(set)
        for host in HOSTS[LEFT][:2]:
            for port in (80, 5000, 60000, 3003):
                address, outside = nat.given(out(make(port), host=host), POOL)
                assert 3000 <= outside <= 3009 and (address, outside) not in given[host]
                given[host].add((address, outside))
        assert [len({address for address, _ in some}) for some in given.values()] == [1, 1]

    def test_a_host_gets_all_of_its_addresss_ports_and_no_more(self, nat):
        host = HOSTS[LEFT][2]
        given = {nat.answered(out(UDP(sport=7000 + n), host=host), POOL) for n in range(9)}
        given |= {nat.answered(out(UDP(sport=7100), host=host), POOL)}
        [address] = {address for address, _ in given}
        assert given == {(address, port) for port in range(3000, 3010)}
        nat.drops("no_port", *(out(UDP(sport=7200 + n), host=host) for n in range(3)))
        nat.given(out(TCP(sport=7200), host=host), POOL)


@pytest.mark.parametrize("nat", [{**RANGE, "pooling": "arbitrary"}], indirect=True, scope="module")
class TestArbitrary:
    def test_a_host_may_get_every_port_of_every_address(self, nat):
        given = {nat.answered(out(UDP(sport=7000 + n)), POOL) for n in range(40)}
        assert given == {(address, port) for address in POOL for port in range(3000, 3010)}
        nat.drops("no_port", out(UDP(sport=7100)))
