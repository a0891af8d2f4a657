# SPDX-License-Identifier: Apache-2.0
"""The hosts that may send to a session from outside (RFC 4787, REQ-8; RFC 5382, REQ-3)."""
import pytest
from nat44_packets import SERVER, SERVER2, answer_to, error_about, out, with_source
from raw_network import LEFT, RIGHT, into, out_of
from scapy.layers.inet import ICMP, IP, TCP, UDP

POOL = "203.0.113.1"
# Whom a session of port 4000 that has sent to SERVER:53 hears.
THE_SAME, OTHER_PORT, OTHER_ADDRESS = (SERVER, 53), (SERVER, 54), (SERVER2, 53)
LETS_IN = {"endpoint-independent": {THE_SAME, OTHER_PORT, OTHER_ADDRESS}, "address-dependent": {THE_SAME, OTHER_PORT},
           "address-and-port-dependent": {THE_SAME}}

pytestmark = pytest.mark.parametrize(
    ("nat", "lets_in"), [({"filtering": name}, passing) for name, passing in LETS_IN.items()],
    indirect=["nat"], ids=LETS_IN, scope="module")


@pytest.mark.parametrize("protocol", (UDP, TCP))
def test_by_whom_it_has_sent_to(nat, lets_in, protocol):
    nat.leaves(out(protocol(sport=4000, dport=53)))
    for server in (THE_SAME, OTHER_PORT, OTHER_ADDRESS):
        sent = IP(src=server[0], dst=POOL) / protocol(sport=server[1], dport=4000) / b"hello"
        if server in lets_in:
            nat.enters(sent)
        else:
            nat.drops("filtered", sent, side=RIGHT)


@pytest.mark.parametrize("protocol", (UDP, TCP))
def test_whoever_is_sent_to_may_answer_from_then_on(nat, lets_in, protocol):
    for server, port in (THE_SAME, OTHER_PORT, OTHER_ADDRESS):
        sent = out(protocol(sport=4100, dport=port) / b"hello", to=server)
        nat.leaves(sent)
        nat.enters(answer_to(with_source(sent, POOL)))


def test_echo_replies_by_address(nat, lets_in):
    sent = out(ICMP(id=4200) / b"echo")
    nat.leaves(sent)
    nat.enters(answer_to(with_source(sent, POOL)))
    by_another = answer_to(with_source(sent, POOL))
    by_another.src = SERVER2
    del by_another.chksum
    if OTHER_ADDRESS in lets_in:
        nat.enters(by_another)
    else:
        nat.drops("filtered", by_another, side=RIGHT)


def test_errors_by_routers_on_the_way_come_in(nat, lets_in):
    """The errors are about packets to a server that is let in, from any reporter."""
    sent = out(UDP(sport=4300, dport=53) / b"lost")
    nat.leaves(sent)
    error = {"source": "192.0.2.1", "type": 11, "code": 0}
    nat.router.passes((into(RIGHT, error_about(with_source(sent, POOL), **error)), out_of(LEFT, error_about(sent, **error))))
