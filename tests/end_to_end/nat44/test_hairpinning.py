# SPDX-License-Identifier: Apache-2.0
"""Inside hosts meet by their outside endpoints, and see no other (RFC 4787, REQ-9; RFC 5382, REQ-8; RFC 5508, REQ-7)."""
import pytest
from nat44_packets import HOST, OTHER, answer_to, error_about, out, with_destination, with_source
from raw_network import LEFT, into, out_of
from scapy.layers.inet import ICMP, TCP, UDP
from scapy.layers.l2 import Ether

POOL, ALONE = "203.0.113.1", "203.0.113.99"
NAT44 = {"static": [{"inside": "1.1.1.9", "outside": ALONE}]}


@pytest.mark.parametrize("protocol", (UDP, TCP))
def test_by_ports_of_sessions(nat, protocol):
    """The port of the one is another outside; the other's session is made by the packet."""
    nat.leaves(out(protocol(sport=4000, dport=53)))
    _, port = nat.given(out(protocol(sport=4000, dport=53), host=OTHER))
    there = out(protocol(sport=4001, dport=port) / b"there", to=POOL)
    nat.hairpins(there, (POOL, 4001), (OTHER, 4000))
    back = out(protocol(sport=4000, dport=4001) / b"back", host=OTHER, to=POOL)
    nat.hairpins(back, (POOL, port), (HOST, 4001))


def test_an_endpoint_to_itself(nat):
    nat.leaves(out(UDP(sport=4100, dport=53)))
    nat.hairpins(out(UDP(sport=4100, dport=4100) / b"me", to=POOL), (POOL, 4100), (HOST, 4100))


def test_an_error_about_such_a_packet(nat):
    """The packet in it is as its sender knows it."""
    nat.leaves(out(UDP(sport=4200, dport=53), host=OTHER))
    sent = out(UDP(sport=4201, dport=4200) / b"nobody", to=POOL)
    nat.hairpins(sent, (POOL, 4201), (OTHER, 4200))
    as_received = with_destination(with_source(sent, POOL, 4201), OTHER, 4200)
    error = {"type": 3, "code": 3}
    nat.router.passes((into(LEFT, error_about(as_received, source=OTHER, **error)),
                       out_of(LEFT, error_about(sent, source=POOL, **error))))


def test_a_ping_to_an_address_of_its_own(nat):
    asked = out(ICMP(id=4300) / b"ping", to=ALONE)
    nat.hairpins(asked, (POOL, None), ("1.1.1.9", None))
    answer = answer_to(with_destination(asked, "1.1.1.9"), to=POOL)
    nat.hairpins(answer, (ALONE, None), (HOST, None))


def test_a_ping_to_another_hosts_identifier(nat):
    """It has the identifier that the asking host has outside, by which the answer finds back."""
    nat.leaves(out(ICMP(id=4350)))
    _, theirs = nat.given(out(ICMP(id=4350), host=OTHER))
    sent = out(ICMP(id=theirs) / b"ping", to=POOL)
    [(side, frame)] = nat.router.wires.cross([into(LEFT, sent)])
    seen = Ether(frame)[ICMP].id
    nat.router.must_be([out_of(LEFT, with_destination(with_source(sent, POOL, seen), OTHER))], [(side, frame)])
    nat.hairpins(answer_to(with_destination(with_source(sent, POOL, seen), OTHER)), (POOL, None), (HOST, theirs))


def test_a_port_that_nobody_has(nat):
    nat.drops("no_session", out(UDP(sport=4400, dport=4444), to=POOL), out(TCP(sport=4400, dport=4444), to=POOL))
