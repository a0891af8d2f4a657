# SPDX-License-Identifier: Apache-2.0
"""ICMP errors through packetwarp's nat44 and through Linux's NAT: about packets either way, and a router's own errors. The same
must come out, byte for byte."""
from __future__ import annotations

from collections.abc import Iterator

import pytest
from beside_linux import without_identification
from nat44_beside_linux import POOL, Translators, translators
from nat44_packets import HOST, SERVER, answer_to, error_about, out, with_source
from raw_network import LEFT, RIGHT, into
from scapy.layers.inet import ICMP, IP, TCP, UDP, IPOption_NOP
from scapy.layers.l2 import Ether
from scapy.packet import Raw


@pytest.fixture(scope="module")
def both(packetwarp_of_module) -> Iterator[Translators]:
    with translators(packetwarp_of_module) as made:
        yield made
        made.end()


ERRORS = {"port unreachable": {"type": 3, "code": 3}, "fragmentation needed": {"type": 3, "code": 4, "nexthopmtu": 1300},
          "time exceeded": {"type": 11, "code": 0}, "parameter problem": {"type": 12, "code": 0, "ptr": 20},
          "source quench": {"type": 4, "code": 0}}
PROTOCOLS = {"udp": lambda port: UDP(sport=port, dport=9),
             "udp without checksum": lambda port: UDP(sport=port, dport=9, chksum=0),
             "tcp": lambda port: TCP(sport=port, dport=9, flags="S"), "echo": lambda port: ICMP(id=port)}


@pytest.mark.parametrize("kind", ERRORS)
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_icmp_errors_about_what_went_out(both, protocol, kind):
    """By the server or by a router on the way, with eight bytes of the transport header or all that there was."""
    port = 5000 + 100 * list(PROTOCOLS).index(protocol) + 10 * list(ERRORS).index(kind)
    [seen] = [Ether(frame)[IP] for _, frame in both.cross(into(LEFT, out(PROTOCOLS[protocol](port) / Raw(b"i" * 33))))]
    errors = [error_about(seen, source, held, **ERRORS[kind])
              for held in (28, len(seen)) for source in (SERVER, "192.0.2.77")]
    assert {side for side, _ in both.cross(*(into(RIGHT, error) for error in errors))} == {LEFT}


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_icmp_errors_about_what_came_in(both, protocol):
    """By the host, or by a router inside, whose address the outside does not get to see."""
    port = 5500 + 10 * list(PROTOCOLS).index(protocol)
    [seen] = both.talk(out(PROTOCOLS[protocol](port) / Raw(b"i" * 33)))
    came_in = answer_to(seen, to=HOST, ttl=63)
    errors = [error_about(came_in, source, held, **ERRORS["port unreachable"])
              for held in (28, len(came_in)) for source in (HOST, "1.1.1.9")]
    arrived = both.cross(*(into(LEFT, error) for error in errors))
    assert {Ether(frame)[IP].src for _, frame in arrived} == {POOL}


def test_odd_errors(both):
    """With options; about the first of several fragments; with RFC 4884's length; with a precedence and marked by ECN."""
    sent = out(UDP(sport=7700, dport=53) / bytes(140))
    both.talk(sent)
    seen = with_source(sent, POOL)
    first = seen.copy()
    first.flags = "MF"
    errors = [error_about(seen, SERVER, type=3, code=1), error_about(first, SERVER, type=11, code=1),
              error_about(seen, SERVER, 128, type=3, code=1, length=32), error_about(seen, SERVER, type=3, code=1)]
    errors[0].options, errors[3].tos = [IPOption_NOP()] * 4, 0xc3
    both.cross(*(into(RIGHT, error) for error in errors))


def test_errors_about_nothing(both):
    """Too little of a packet, and a piece of one in which there are no ports."""
    seen = with_source(both.talk(out(UDP(sport=7800, dport=53)))[0], POOL)
    later = seen.copy()
    later.frag = 5
    both.lose("bad_icmp_error", into(RIGHT, error_about(seen, SERVER, 27, type=3, code=1)),
              into(RIGHT, error_about(later, SERVER, type=11, code=1)))


def test_an_icmp_error_of_its_own(both):
    """Out of hops on the way out, on the way in; too long for the left on the way in. The packet in it is as it was sent."""
    both.talk(out(UDP(sport=7500, dport=53)))
    reply = IP(src=SERVER, dst=POOL) / UDP(sport=53, dport=7500)
    for side, packet, icmp in ((LEFT, out(UDP(sport=7500, dport=53) / b"last hop", ttl=1), (11, 0)),
                               (RIGHT, IP(src=SERVER, dst=POOL, ttl=1) / reply.payload / b"last hop", (11, 0)),
                               (RIGHT, IP(src=SERVER, dst=POOL, flags="DF") / reply.payload / bytes(1440), (3, 4))):
        errors = both.cross_alone(into(side, packet))
        assert [(error[ICMP].type, error[ICMP].code) for error in errors] == [icmp, icmp]
        assert without_identification(errors[0]).hex() == without_identification(errors[1]).hex()
