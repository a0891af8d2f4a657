# SPDX-License-Identifier: Apache-2.0
"""IPv4 packets that are too long and may be fragmented are sent in fragments (RFC 791, 3.2)."""
import pytest
from routed import FAR_IP, HOST_IP, frame_at, forwarded, to_router, two_interfaces
from scapy.layers.inet import ICMP, IP, UDP, IPOption_NOP, IPOption_RR, IPOption_Security, defragment, fragment
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


def test_not_when_the_sender_forbids_it(router):
    packet = to_router(IP(src=HOST_IP[0], dst=FAR_IP, flags="DF") / UDP() / Raw(CONTENT))
    [outcomes] = router.run(table(576), frame_at(packet))
    assert [(o.what, o.why) for o in outcomes[1:]] == [("drop", "too_big"), ("send", "")]
    assert outcomes[2].packet[ICMP].nexthopmtu == 576


def test_what_has_no_hop_left_or_no_known_neighbour_is_not_split(router):
    packet = to_router(IP(src=HOST_IP[0], dst="10.1.0.99") / UDP() / Raw(CONTENT))
    [outcomes] = router.run(table(576), frame_at(packet))
    assert [(o.what, o.why) for o in outcomes] == [("punt", "neighbour_unknown"), ("send", "")], "asked for"
