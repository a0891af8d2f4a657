# SPDX-License-Identifier: Apache-2.0
"""ICMP queries by their identifier, errors by the packet that they hold (RFC 5508)."""
import pytest
from nat44_packets import HOST, SERVER, answer_to, error_about, out, port_of, with_source
from raw_network import FAR, LEFT, RIGHT, into, out_of
from scapy.layers.inet import ICMP, IP, TCP, UDP, IPOption_NOP
from scapy.packet import Raw

POOL, ROUTER, INSIDE_ROUTER = "203.0.113.1", "192.0.2.1", "1.1.1.9"
ERRORS = {"unreachable": {"type": 3, "code": 1}, "fragmentation needed": {"type": 3, "code": 4, "nexthopmtu": 1280},
          "time exceeded": {"type": 11, "code": 0}, "parameter problem": {"type": 12, "code": 0, "ptr": 8},
          "source quench": {"type": 4, "code": 0}}
HELD = {"udp": lambda port: UDP(sport=port, dport=53) / b"odd",
        "udp without checksum": lambda port: UDP(sport=port + 1, dport=53, chksum=0) / b"none",
        "tcp": lambda port: TCP(sport=port, dport=80, flags="S") / b"data!", "echo": lambda port: ICMP(id=port, seq=2) / b"ping"}
# A port that is kept, and a port outside of the sessions' range, which gets another outside.
PORTS = (4000, 99)


@pytest.mark.parametrize("kinds", ((8, 0), (13, 14), (15, 16), (17, 18)),
                         ids=("echo", "timestamp", "information", "address mask"))
def test_queries_and_their_replies(nat, kinds):
    query, reply = kinds
    nat.leaves(out(ICMP(type=query, id=5000 + query, seq=1)))
    nat.enters(IP(src=SERVER, dst=POOL) / ICMP(type=reply, id=5000 + query, seq=1))


@pytest.mark.parametrize("kind", ERRORS)
@pytest.mark.parametrize("held", HELD)
@pytest.mark.parametrize("port", PORTS)
def test_errors_come_in_with_the_packet_as_it_was_sent(nat, port, held, kind):
    """By a router, or by whom it was for; with all of the packet, or with the eight bytes that RFC 792 asks for."""
    sent = out(HELD[held](port), ttl=9)
    seen = with_source(sent, *nat.given(sent))
    nat.router.passes(*(about(sent, seen, source, length, **ERRORS[kind]) for source in (ROUTER, SERVER) for length in (None, 28)))


def about(inside, outside, source, length, **icmp):
    """The incoming error, and the expected one."""
    sent, wanted = (error_about(packet, source, length, **icmp) for packet in (outside, inside))
    return into(RIGHT, sent), out_of(LEFT, wanted)


@pytest.mark.parametrize("held", HELD)
@pytest.mark.parametrize("port", PORTS)
def test_errors_go_out_with_the_packet_as_it_was_outside(nat, port, held):
    """By the host, or by a router inside, which the outside sees as the pool's address."""
    sent = out(HELD[held](port))
    inside, outside = answer_to(sent), answer_to(with_source(sent, *nat.given(sent)))
    nat.enters(outside, HOST, port_of(sent))
    for source in (HOST, INSIDE_ROUTER):
        for length in (None, 28):
            nat.router.passes((into(LEFT, error_about(inside, source, length, **ERRORS["unreachable"])),
                               out_of(RIGHT, error_about(outside, POOL, length, **ERRORS["unreachable"]))))


def test_options_in_the_packet_that_it_holds(nat):
    sent = out(UDP(sport=4300, dport=53), options=[IPOption_NOP()] * 4)
    nat.leaves(sent)
    nat.router.passes(about(sent, with_source(sent, POOL), ROUTER, None, **ERRORS["time exceeded"]))


def test_errors_that_belong_to_nothing(nat):
    """They make no session either."""
    never_sent = IP(src=POOL, dst=SERVER) / UDP(sport=4900, dport=53)
    nat.drops("no_session", error_about(never_sent, ROUTER, type=3, code=3), side=RIGHT)
    nat.drops("no_session", error_about(IP(src=FAR, dst=HOST) / UDP(sport=53, dport=4901), HOST, type=3, code=3))
    assert not {f"{HOST}:4900", f"{HOST}:4901"} & {one["inside"] for one in nat.logged()}


def test_errors_that_cannot_be_true(nat):
    """A wrong checksum, of the message or of the header in it; about a packet that its receiver has not sent; about an
    error; cut short."""
    nat.leaves(out(UDP(sport=4800, dport=53)))
    sent = IP(bytes(with_source(out(UDP(sport=4800, dport=53)), POOL)))
    broken = sent.copy()
    broken.chksum ^= 1
    bad = [error_about(sent, ROUTER, type=3, code=3), error_about(broken, ROUTER, type=3, code=3),
           error_about(with_source(sent, "203.0.113.7"), ROUTER, to=POOL, type=3, code=3),
           error_about(IP(src=POOL, dst=SERVER) / ICMP(type=3) / bytes(sent), ROUTER, type=3, code=3),
           error_about(sent, ROUTER, 27, type=3, code=3)]
    bad[0][ICMP].chksum = 0x1234
    nat.drops("bad_icmp_error", *bad, side=RIGHT)


def test_other_types(nat):
    """Neither queries nor errors: redirects, router discovery, unknown types."""
    nat.drops("icmp_type", *(out(ICMP(type=kind) / Raw(bytes(28))) for kind in (5, 9, 10, 40)))
