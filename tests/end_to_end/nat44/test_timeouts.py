# SPDX-License-Identifier: Apache-2.0
"""Sessions end when nothing has used them for their protocol's time-out, of TCP by its state (RFC 4787, REQ-5; RFC 5382,
REQ-5; RFC 5508, REQ-2). When they end is for the unit tests, which have a clock of their own; here, which."""
import pytest
from nat44_packets import HOST, SERVER, out
from raw_network import RIGHT
from scapy.layers.inet import ICMP, IP, TCP, UDP

POOL = "203.0.113.1"
OPENING, ESTABLISHED, HALF_CLOSED, CLOSED, RESET = range(4000, 4005)


def make_sessions(nat):
    """A session of UDP, one of ICMP, and one of TCP in each state."""
    nat.leaves(out(UDP(sport=4000, dport=53)))
    nat.leaves(out(ICMP(id=4000)))
    for port in (OPENING, ESTABLISHED, HALF_CLOSED, CLOSED, RESET):
        nat.leaves(out(TCP(sport=port, dport=80, flags="S")))
        if port != OPENING:
            nat.enters(IP(src=SERVER, dst=POOL) / TCP(sport=80, dport=port, flags="SA"))
            nat.leaves(out(TCP(sport=port, dport=80, flags="A")))
    for port in (HALF_CLOSED, CLOSED):
        nat.leaves(out(TCP(sport=port, dport=80, flags="FA")))
    nat.enters(IP(src=SERVER, dst=POOL) / TCP(sport=80, dport=CLOSED, flags="FA"))
    nat.enters(IP(src=SERVER, dst=POOL) / TCP(sport=80, dport=RESET, flags="R"))


def from_server(session):
    protocol, port = session.split()
    if protocol == "icmp":
        return IP(src=SERVER, dst=POOL) / ICMP(type="echo-reply", id=int(port))
    return IP(src=SERVER, dst=POOL) / (UDP if protocol == "udp" else TCP)(dport=int(port))


OF_TRANSITORY = {f"tcp {port}" for port in (OPENING, CLOSED, RESET)}
OF_ESTABLISHED = {f"tcp {port}" for port in (ESTABLISHED, HALF_CLOSED)}


# Short time-outs are some seconds all the same: sessions must reach their states before they end.
@pytest.mark.parametrize(("nat", "ending"), (
    ({"timeouts": {"udp": 3, "tcp_transitory": 3}}, {"udp 4000"} | OF_TRANSITORY),
    ({"timeouts": {"icmp": 3, "tcp_established": 3}}, {"icmp 4000"} | OF_ESTABLISHED)),
    indirect=["nat"], ids=("udp and transitory", "icmp and established"), scope="module")
def test_those_end_whose_time_out_is_short(nat, ending):
    make_sessions(nat)
    nat.wait_for_end_of(*(f"{one.split()[0]} {HOST}:{one.split()[1]}" for one in ending))
    nat.drops("no_session", *(from_server(one) for one in sorted(ending)), side=RIGHT)
    for one in sorted(({"udp 4000", "icmp 4000"} | OF_TRANSITORY | OF_ESTABLISHED) - ending):
        nat.enters(from_server(one))
    assert len([one for one in nat.logged() if one["event"] == "ended"]) == len(ending)
