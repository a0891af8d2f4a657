# SPDX-License-Identifier: Apache-2.0
"""Untranslated packets are routed unchanged: from outside only with `forwarding`, and then their answers too; else they are
dropped by name."""
import pytest
from nat44_packets import HOST, OTHER, SERVER, SERVER2, error_about, out
from raw_network import HOSTS6, LEFT, RIGHT, into, out_of
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.inet6 import IPv6
from scapy.packet import Raw

POOL = "203.0.113.1"
PROTOCOLS = (UDP(sport=9, dport=9) / b"u", TCP(sport=9, dport=9), ICMP(id=9) / b"i", Raw(b"any"))


def from_outside(payload, **fields):
    return IP(src=SERVER, dst=HOST, **({"proto": 99} if isinstance(payload, Raw) else {}), **fields) / payload


def as_it_is(side, packet, to):
    return into(side, packet), out_of(to, packet)


@pytest.mark.parametrize("nat", [{"forwarding": True}], indirect=True, scope="module")
class TestWithForwarding:
    def test_what_has_no_session_is_routed(self, nat):
        nat.router.passes(*(as_it_is(RIGHT, from_outside(payload), LEFT) for payload in PROTOCOLS))

    def test_what_has_one_is_translated(self, nat):
        nat.leaves(out(UDP(sport=4000, dport=53)))
        nat.enters(IP(src=SERVER, dst=POOL) / UDP(sport=53, dport=4000))

    def test_what_it_answers_leaves_as_it_came(self, nat):
        for payload in PROTOCOLS:
            nat.router.passes(as_it_is(RIGHT, from_outside(payload), LEFT))
            fields = {"proto": 99} if isinstance(payload, Raw) else {}
            nat.router.passes(as_it_is(LEFT, out(payload, **fields), RIGHT))
        assert not [one for one in nat.logged() if one["inside"] == f"{HOST}:9"], "no session was made"

    def test_errors_about_it_do_too(self, nat):
        came = from_outside(UDP(sport=90, dport=99) / b"nobody")
        nat.router.passes(as_it_is(RIGHT, came, LEFT))
        nat.router.passes(as_it_is(LEFT, error_about(came, source=HOST, type=3, code=3), RIGHT))
        nat.router.passes(as_it_is(LEFT, error_about(came, source=OTHER, type=11), RIGHT))

    def test_what_the_host_begins_is_translated(self, nat):
        nat.router.passes(as_it_is(RIGHT, from_outside(UDP(sport=9, dport=4003)), LEFT))
        nat.leaves(out(UDP(sport=4001, dport=9)))
        nat.leaves(out(UDP(sport=4003, dport=10)))
        nat.leaves(out(UDP(sport=4003, dport=9), to=SERVER2))


@pytest.mark.parametrize("nat", [{"forwarding": True, "static": [
    {"protocol": "tcp", "inside": f"{HOST}:8080", "outside": f"{POOL}:80"}, {"inside": OTHER, "outside": "203.0.113.99"}]}],
    indirect=True, scope="module")
class TestBesideStaticOnes:
    """Like VPP's test of a mapping for packets from outside alone."""

    def test_a_port_forward_and_its_host_itself(self, nat):
        nat.enters(IP(src=SERVER, dst=POOL) / TCP(sport=12345, dport=80), port=8080)
        nat.router.passes(as_it_is(RIGHT, from_outside(TCP(sport=12346, dport=8080)), LEFT))
        nat.leaves(out(TCP(sport=8080, dport=12345, flags="SA")), port=80)
        nat.router.passes(as_it_is(LEFT, out(TCP(sport=8080, dport=12346, flags="SA")), RIGHT))

    def test_a_static_address_and_its_host_itself(self, nat):
        nat.enters(IP(src=SERVER, dst="203.0.113.99") / UDP(sport=53, dport=99), host=OTHER)
        nat.router.passes(as_it_is(RIGHT, IP(src=SERVER, dst=OTHER) / UDP(sport=54, dport=99), LEFT))
        nat.leaves(out(UDP(sport=99, dport=53), host=OTHER), address="203.0.113.99")
        nat.router.passes(as_it_is(LEFT, out(UDP(sport=99, dport=54), host=OTHER), RIGHT))


@pytest.mark.parametrize("nat", [{}], indirect=True, scope="module")
class TestWithout:
    def test_what_has_no_session_is_dropped(self, nat):
        nat.drops("no_session", *(from_outside(payload) for payload in PROTOCOLS), side=RIGHT)
        nat.drops("no_session", IP(src=SERVER, dst=POOL) / UDP(dport=4999), side=RIGHT)

    def test_between_hosts_of_one_side_it_is_routed(self, nat):
        nat.router.passes(as_it_is(LEFT, out(UDP(sport=4000, dport=53), to=OTHER), LEFT))
        nat.drops("no_session", IP(src=SERVER, dst=SERVER2) / UDP(), side=RIGHT)

    def test_ipv6_is_routed(self, nat):
        there = IPv6(src=HOSTS6[LEFT][0], dst=HOSTS6[RIGHT][0]) / UDP(sport=4000, dport=53) / b"six"
        back = IPv6(src=HOSTS6[RIGHT][0], dst=HOSTS6[LEFT][0]) / UDP(sport=53, dport=4000) / b"six"
        nat.router.passes(as_it_is(LEFT, there, RIGHT), as_it_is(RIGHT, back, LEFT))

    def test_what_the_router_refuses_makes_no_session(self, nat):
        """Out of hops: the sender is told, and the port is still free for another host."""
        nat.router.wires.cross([into(LEFT, out(UDP(sport=4100, dport=53), ttl=1))])
        nat.leaves(out(UDP(sport=4100, dport=53), host=OTHER))
        assert f"{HOST}:4100" not in {one["inside"] for one in nat.logged()}
