# SPDX-License-Identifier: Apache-2.0
"""An inside endpoint has one outside endpoint, for any destination (RFC 4787, REQ-1; RFC 5382, REQ-1; RFC 5508, REQ-1)."""
import pytest
from nat44_packets import HOST, OTHER, SERVER, SERVER2, answer_to, out, with_source
from raw_network import FAR
from scapy.layers.inet import ICMP, TCP, UDP

POOL = "203.0.113.1"
SERVERS = ((SERVER, 53), (SERVER, 54), (SERVER2, 53), (FAR, 7))


@pytest.mark.parametrize("protocol", (UDP, TCP))
def test_whomever_it_sends_to(nat, protocol):
    for server, port in SERVERS:
        asked = out(protocol(sport=4000, dport=port) / b"ask", to=server)
        nat.leaves(asked)
        nat.enters(answer_to(with_source(asked, POOL)))


def test_an_echo_identifier(nat):
    for server, _ in SERVERS:
        asked = out(ICMP(id=4000, seq=9) / b"ask", to=server)
        nat.leaves(asked)
        nat.enters(answer_to(with_source(asked, POOL)))


def test_one_that_it_could_not_keep_is_as_lasting(nat):
    """The port of another host: the second one's is the same to all, and theirs come in by it."""
    nat.leaves(out(UDP(sport=4100, dport=53)))
    _, port = nat.given(out(UDP(sport=4100, dport=53), host=OTHER))
    assert port != 4100
    for server, to in SERVERS:
        asked = out(UDP(sport=4100, dport=to) / b"ask", to=server, host=OTHER)
        nat.leaves(asked, port=port)
        nat.enters(answer_to(with_source(asked, POOL, port)), OTHER, 4100)


def test_one_number_is_a_session_for_each_protocol(nat):
    """Each in use by another host."""
    for host, protocol in ((HOST, UDP(sport=4200, dport=1)), (OTHER, TCP(sport=4200, dport=1)), ("1.1.1.4", ICMP(id=4200))):
        asked = out(protocol / b"?", host=host)
        nat.leaves(asked)
        nat.enters(answer_to(with_source(asked, POOL)), host)
