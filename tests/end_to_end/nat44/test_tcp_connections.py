# SPDX-License-Identifier: Apache-2.0
"""A mapping has the long time-out as long as one of its TCP connections lives, and a RST counts only for the connection that
it is of (RFC 5382, REQ-5; RFC 6146, 3.5.2.2; RFC 7857, 2.2). Here the long one is an hour, so what has ended was closed."""
from nat44_packets import HOST, SERVER, SERVER2, out
from raw_network import RIGHT
from scapy.layers.inet import IP, TCP

POOL = "203.0.113.1"
STRANGER = "198.51.100.99"
# Some seconds: sessions have to come into their states before they end.
NAT44 = {"timeouts": {"tcp_transitory": 3, "tcp_established": 3600}}


class Host:
    """An inside port that has connections."""

    def __init__(self, nat, port: int) -> None:
        self.nat, self.port = nat, port

    def says(self, flags: str, to: str = SERVER, dport: int = 80) -> None:
        self.nat.leaves(out(TCP(sport=self.port, dport=dport, flags=flags), to=to))

    def hears(self, flags: str, source: str = SERVER, sport: int = 80) -> None:
        self.nat.enters(self.segment(flags, source, sport), port=self.port)

    def segment(self, flags: str, source: str = SERVER, sport: int = 80):
        return IP(src=source, dst=POOL) / TCP(sport=sport, dport=self.port, flags=flags)

    def opens(self, to: str = SERVER, dport: int = 80) -> None:
        self.says("S", to, dport)
        self.hears("SA", to, dport)
        self.says("A", to, dport)

    def closes(self, to: str = SERVER, dport: int = 80) -> None:
        self.says("FA", to, dport)
        self.hears("FA", to, dport)
        self.says("A", to, dport)


def until_what_was_closed_has_ended(nat, port: int) -> None:
    """Another mapping, closed last: what was closed before it has ended, too."""
    last = Host(nat, port)
    last.opens()
    last.closes()
    nat.wait_for_end_of(f"tcp {HOST}:{port}")


def test_a_reset_of_no_connection_ends_nothing(nat):
    host = Host(nat, 5000)
    host.opens()
    for source, sport in ((STRANGER, 80), (SERVER, 81), (SERVER2, 80)):
        host.hears("R", source, sport)
        host.hears("RA", source, sport)
    until_what_was_closed_has_ended(nat, 5001)
    host.hears("A")


def test_the_end_of_one_connection_leaves_the_others_of_its_port(nat):
    host = Host(nat, 5100)
    for to, dport in ((SERVER, 80), (SERVER, 443), (SERVER2, 80)):
        host.opens(to, dport)
    host.closes(SERVER, 80)
    host.hears("R", SERVER, 443)
    until_what_was_closed_has_ended(nat, 5101)
    host.hears("A", SERVER2, 80)
    host.closes(SERVER2, 80)
    nat.wait_for_end_of(f"tcp {HOST}:5100")
    nat.drops("no_session", host.segment("A", SERVER2, 80), side=RIGHT)


def test_data_of_a_connection_that_was_reset_brings_it_back(nat):
    host = Host(nat, 5200)
    host.opens()
    host.hears("R")
    host.says("A")
    until_what_was_closed_has_ended(nat, 5201)
    host.hears("A")


def test_a_reset_of_the_only_connection_ends_it(nat):
    host = Host(nat, 5300)
    host.opens()
    host.hears("R")
    nat.wait_for_end_of(f"tcp {HOST}:5300")
    nat.drops("no_session", host.segment("A"), side=RIGHT)
