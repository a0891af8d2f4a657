# SPDX-License-Identifier: Apache-2.0
"""Addresses and ports that are a host's by configuration: from outside at any time, and what the host sends
leaves by them."""
import pytest
from nat44_packets import HOST, OTHER, answer_to, error_about, out, with_destination
from raw_network import FAR, RIGHT, into, out_of
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.packet import Raw

POOL, ELSEWHERE, ALONE = "203.0.113.1", "203.0.113.50", "203.0.113.99"
OWNER = "1.1.1.9"
NAT44 = {"static": [{"protocol": "tcp", "inside": f"{HOST}:8000", "outside": f"{POOL}:80"},
                    {"protocol": "udp", "inside": f"{HOST}:53", "outside": f"{ELSEWHERE}:5353"},
                    {"protocol": "icmp", "inside": f"{HOST}:77", "outside": f"{POOL}:7777"},
                    {"inside": OWNER, "outside": ALONE}]}


@pytest.mark.parametrize(("protocol", "inside", "address", "outside"), (
    (TCP, 8000, POOL, 80), (UDP, 53, ELSEWHERE, 5353)), ids=("tcp", "udp"))
def test_a_port_forward_either_way(nat, protocol, inside, address, outside):
    """Its address need not be one of the pool, nor its port one of the range."""
    asked = IP(src=FAR, dst=address) / protocol(sport=999, dport=outside) / b"ask"
    nat.enters(asked, HOST, inside)
    nat.leaves(answer_to(with_destination(asked, HOST, inside)), address, outside)
    nat.leaves(out(protocol(sport=inside, dport=7) / b"own"), address, outside)


def test_a_forward_of_an_echo_identifier(nat):
    asked = IP(src=FAR, dst=POOL) / ICMP(id=7777, seq=3) / b"echo"
    nat.enters(asked, HOST, 77)
    nat.leaves(answer_to(with_destination(asked, HOST, 77)), POOL, 7777)


def test_the_other_protocols_ports_are_not_forwarded(nat):
    nat.drops("no_session", IP(src=FAR, dst=POOL) / UDP(dport=80), IP(src=FAR, dst=ELSEWHERE) / TCP(dport=5353), side=RIGHT)


def test_an_error_about_what_came_by_a_forward(nat):
    asked = IP(src=FAR, dst=ELSEWHERE) / UDP(sport=999, dport=5353) / b"ask"
    error = {"type": 3, "code": 3}
    nat.router.passes((into("left", error_about(with_destination(asked, HOST, 53), source=HOST, **error)),
                       out_of(RIGHT, error_about(asked, source=ELSEWHERE, **error))))


@pytest.mark.parametrize("payload", (UDP(sport=99, dport=5), TCP(sport=99, dport=5), ICMP(id=3), Raw(b"gre")),
                         ids=("udp", "tcp", "icmp", "gre"))
def test_an_address_has_every_port_and_protocol(nat, payload):
    proto = {"proto": 47} if isinstance(payload, Raw) else {}
    nat.leaves(out(payload.copy(), to=FAR, host=OWNER, **proto), ALONE)
    nat.enters(IP(src=FAR, dst=ALONE, **proto) / payload.copy(), OWNER)


def test_protocols_without_ports_have_no_session(nat):
    nat.drops("protocol", out(Raw(b"gre"), proto=47), out(Raw(b"esp"), host=OTHER, proto=50))
    nat.drops("protocol", IP(src=FAR, dst=POOL, proto=47) / b"gre", side=RIGHT)
