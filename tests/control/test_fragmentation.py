# SPDX-License-Identifier: Apache-2.0
"""IPv4 packets that are too long and may be fragmented are sent in fragments (RFC 791, 3.2)."""
import pytest
from routed import FAR_IP, FAR_IP6, HOST_IP, HOST_IP6, OWN_IP, OWN_IP6, frame_at, forwarded, to_router, two_interfaces
from scapy.layers.inet import ICMP, IP, UDP, IPOption_NOP, IPOption_RR, IPOption_Security, defragment, fragment
from scapy.layers.inet6 import ICMPv6EchoReply, ICMPv6EchoRequest, IPv6, IPv6ExtHdrFragment, defragment6
from scapy.layers.l2 import Ether
from scapy.packet import Raw

CONTENT = bytes(n * 7 % 256 for n in range(1472))


def table(mtu: int) -> dict:
    made = two_interfaces(control={})
    made["interfaces"][1]["mtu"] = mtu
    return made


def sent_of(outcomes):
    assert [o.why for o in outcomes if o.what == "drop"] == ["fragmented"]
    return [o for o in outcomes if o.what == "send"]


@pytest.mark.parametrize("mtu", [68, 296, 576, 1004, 1499])
def test_as_scapy_fragments(router, mtu):
    packet = to_router(IP(src=HOST_IP[0], dst=FAR_IP, id=77, ttl=9) / UDP(sport=1, dport=2) / Raw(CONTENT))
    [outcomes] = router.run(table(mtu), frame_at(packet))
    whole = Ether(forwarded(packet))
    wanted = [bytes(one).hex() for one in fragment(whole, fragsize=(mtu - 20) // 8 * 8)]
    assert [o.frame.hex() for o in sent_of(outcomes)] == wanted
    assert {o.to for o in sent_of(outcomes)} == {1}


def test_a_fragment_is_split_further(router):
    middle = to_router(IP(src=HOST_IP[0], dst=FAR_IP, id=78, flags="MF", frag=100) / Raw(CONTENT[:1000]))
    [outcomes] = router.run(table(576), frame_at(middle))
    pieces = [o.packet[IP] for o in sent_of(outcomes)]
    assert [(p.frag, int(p.flags), len(p.payload)) for p in pieces] == [(100, 1, 552), (169, 1, 448)]
    assert b"".join(bytes(p.payload) for p in pieces) == CONTENT[:1000]


def test_only_options_that_are_to_be_copied_are_in_all(router):
    """Security has the flag, record route has not."""
    options = [IPOption_RR(length=7, routers=["0.0.0.0"]), IPOption_NOP(), IPOption_Security(), IPOption_NOP()]
    packet = to_router(IP(src=HOST_IP[0], dst=FAR_IP, id=79, options=options) / UDP() / Raw(CONTENT[:1200]))
    [outcomes] = router.run(table(600), frame_at(packet))
    pieces = [o.packet[IP] for o in sent_of(outcomes)]
    kinds = [[option.option for option in p.options if option.option not in (0, 1)] for p in pieces]
    assert kinds == [[7, 2]] + [[2]] * (len(pieces) - 1)
    assert all(p.len <= 600 for p in pieces)
    [together] = defragment([Ether(o.frame) for o in sent_of(outcomes)])
    assert bytes(together[UDP]) == bytes(packet[UDP])


def test_padding_is_not_sent_on(router):
    packet = to_router(IP(src=HOST_IP[0], dst=FAR_IP, id=80) / UDP() / Raw(CONTENT[:100]))
    [outcomes] = router.run(table(68), frame_at(bytes(packet) + bytes(30)))
    assert sum(len(o.packet[IP].payload) for o in sent_of(outcomes)) == 108


@pytest.mark.parametrize("packet", [IP(src=HOST_IP[0], dst=FAR_IP, flags="DF") / UDP() / Raw(CONTENT[:100]), IPv6(
    src=HOST_IP6[0], dst=FAR_IP6) / UDP() / Raw(CONTENT[:100])])
@pytest.mark.parametrize("contiguous", [54, 160, 1000, 1481])
def test_a_packet_that_fits_without_its_padding_is_sent_without_it(router, packet, contiguous):
    """The packet ends in any piece of the frame."""
    frame = to_router(packet)
    [outcomes] = router.run(table(1400), frame_at(bytes(frame) + bytes(1500 - len(frame)), contiguous=contiguous))
    assert [(o.what, o.why, o.to) for o in outcomes[1:]] == [("send", "", 1)]
    assert outcomes[1].frame.hex() == forwarded(frame).hex()


def narrow_left() -> dict:
    made = two_interfaces(control={})
    made["interfaces"][0]["mtu"] = 1280
    return made


def test_long_answers_to_pings_are_sent_in_fragments(router):
    ask = to_router(IP(src=HOST_IP[0], dst=OWN_IP[1], id=81, flags="DF") / ICMP(id=1, seq=2) / Raw(CONTENT))
    [outcomes] = router.run(narrow_left(), frame_at(ask))
    sent = sent_of(outcomes)
    assert {o.to for o in sent} == {0} and all(o.packet[IP].len <= 1280 and o.packet.dst == ask.src for o in sent)
    [together] = defragment([Ether(o.frame) for o in sent])
    assert (together[IP].src, together[IP].dst, together[IP].ttl) == (OWN_IP[1], HOST_IP[0], 64)
    wanted = Ether(bytes(Ether() / IP() / ICMP(type="echo-reply", id=1, seq=2) / Raw(CONTENT)))
    assert bytes(together[ICMP]) == bytes(wanted[ICMP])


@pytest.mark.parametrize("length", [1233, 1424])
def test_long_answers_to_ipv6_pings_are_sent_in_fragments(router, length):
    ask = to_router(IPv6(src=HOST_IP6[0], dst=OWN_IP6[1]) / ICMPv6EchoRequest(id=1, seq=2, data=CONTENT[:length]))
    [outcomes] = router.run(narrow_left(), frame_at(ask))
    sent = sent_of(outcomes)
    assert {o.to for o in sent} == {0} and all(len(o.frame) <= 1294 and o.packet.dst == ask.src for o in sent)
    assert len({o.packet[IPv6ExtHdrFragment].id for o in sent}) == 1 < len(sent)
    together = defragment6([o.packet[IPv6] for o in sent])
    answer = IPv6(src=OWN_IP6[1], dst=HOST_IP6[0], hlim=64) / ICMPv6EchoReply(id=1, seq=2, data=CONTENT[:length])
    assert bytes(together).hex() == bytes(answer).hex()


def test_a_padded_ping_is_answered_without_the_padding(router):
    ask = to_router(IP(src=HOST_IP[0], dst=OWN_IP[0]) / ICMP())
    [outcomes] = router.run(narrow_left(), frame_at(bytes(ask) + bytes(1400)))
    assert [(o.what, o.why, len(o.frame)) for o in outcomes[1:]] == [("send", "", len(ask))]


def test_not_when_the_sender_forbids_it(router):
    packet = to_router(IP(src=HOST_IP[0], dst=FAR_IP, flags="DF") / UDP() / Raw(CONTENT))
    [outcomes] = router.run(table(576), frame_at(packet))
    assert [(o.what, o.why) for o in outcomes[1:]] == [("drop", "too_big"), ("send", "")]
    assert outcomes[2].packet[ICMP].nexthopmtu == 576


def test_what_has_no_hop_left_or_no_known_neighbour_is_not_split(router):
    packet = to_router(IP(src=HOST_IP[0], dst="10.1.0.99") / UDP() / Raw(CONTENT))
    [outcomes] = router.run(table(576), frame_at(packet))
    assert [(o.what, o.why) for o in outcomes] == [("punt", "neighbour_unknown"), ("send", "")], "asked for"
