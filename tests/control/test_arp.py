# SPDX-License-Identifier: Apache-2.0
"""ARP: requests for own addresses are answered, neighbours learnt from those and from answers (RFC 826)."""
import pytest
from routed import (FAR_IP, HOST_IP, HOST_MAC, OWN_IP, OWN_MAC, assert_untouched, forwarded, frame_at, to_router,
                    two_interfaces, wait)
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import ARP, Ether

ALL = "ff:ff:ff:ff:ff:ff"
NOBODY = "00:00:00:00:00:00"
EMPTY = two_interfaces(neighbours=[], control={})


def request(target: str = OWN_IP[0], sender: str = HOST_IP[0], mac: str = HOST_MAC[0], to: str = ALL):
    return Ether(src=mac, dst=to) / ARP(op=1, hwsrc=mac, psrc=sender, hwdst=NOBODY, pdst=target)


def reply(sender: str, mac: str, target: str, to: str):
    return Ether(src=mac, dst=to) / ARP(op=2, hwsrc=mac, psrc=sender, hwdst=to, pdst=target)


def test_a_request_for_an_own_address_is_answered(router):
    [[punted, answer]] = router.run(EMPTY, frame_at(bytes(request()) + bytes(18)))
    assert punted.why == "arp"
    wanted = bytes(reply(OWN_IP[0], OWN_MAC[0], HOST_IP[0], HOST_MAC[0])) + bytes(18)
    assert (answer.what, answer.to, answer.frame.hex()) == ("send", 0, wanted.hex())


def test_who_asks_is_learnt(router):
    packet = to_router(IP(src="198.51.100.9", dst=HOST_IP[0]) / UDP(), ingress=1)
    _, [sent] = router.run(EMPTY, frame_at(request()), frame_at(packet, ingress=1))
    assert (sent.what, sent.frame.hex()) == ("forward", forwarded(packet, egress=0).hex())


def test_a_probe_is_answered_and_nothing_learnt(router):
    """RFC 5227: a host that checks whether an address is taken has none."""
    [[_, answer]] = router.run(EMPTY, frame_at(request(sender="0.0.0.0")))
    assert (answer.what, answer.packet[ARP].op, answer.packet[ARP].hwsrc) == ("send", 2, OWN_MAC[0])


@pytest.mark.parametrize("target", [OWN_IP[1], "10.0.0.3", FAR_IP, HOST_IP[0]])
def test_requests_for_other_addresses_are_not_answered(router, target):
    """Not for the other interface's either: it is not on this wire."""
    frame = request(target)
    [[_, dropped]] = router.run(EMPTY, frame_at(frame))
    assert_untouched(dropped, frame, "drop", "arp_ignored")


def test_an_answer_nobody_asked_for_teaches_nothing(router):
    packet = to_router(IP(src="198.51.100.9", dst=HOST_IP[0]) / UDP(), ingress=1)
    [_, dropped], [punted, *_] = router.run(EMPTY, frame_at(reply(HOST_IP[0], HOST_MAC[0], OWN_IP[0], OWN_MAC[0])),
                                            frame_at(packet, ingress=1))
    assert (dropped.what, dropped.why) == ("drop", "arp_ignored")
    assert punted.why == "neighbour_unknown"


def test_a_neighbour_that_moved_is_learnt_anew(router):
    """By any ARP frame of one that is known, a gratuitous one too."""
    moved = "02:00:00:00:77:77"
    packet = to_router(IP(src="198.51.100.9", dst=HOST_IP[0]) / UDP(), ingress=1)
    _, [_, taken], [sent] = router.run(EMPTY, frame_at(request()), frame_at(request(HOST_IP[0], HOST_IP[0], moved)),
                                       frame_at(packet, ingress=1))
    assert (taken.what, taken.why) == ("drop", "arp_taken")
    assert sent.packet.dst == moved


def test_a_permanent_neighbour_is_not(router):
    packet = to_router(IP(src="198.51.100.9", dst=HOST_IP[0]) / UDP(), ingress=1)
    _, [sent] = router.run(two_interfaces(control={}), frame_at(request(HOST_IP[0], HOST_IP[0], "02:00:00:00:77:77")),
                           frame_at(packet, ingress=1))
    assert sent.packet.dst == HOST_MAC[0]


@pytest.mark.parametrize("sender", [OWN_IP[0], OWN_IP[1]])
def test_who_claims_an_own_address_is_named(router, sender):
    frame = request(sender=sender)
    [[_, dropped]] = router.run(EMPTY, frame_at(frame))
    assert_untouched(dropped, frame, "drop", "address_conflict")


@pytest.mark.parametrize("sender", [FAR_IP, HOST_IP[1], "127.0.0.1", "224.0.0.1"])
def test_nobody_is_learnt_who_is_not_on_this_wire(router, sender):
    """An answer is given; the sender's word on where it is is not taken."""
    packet = to_router(IP(src="10.0.0.9", dst=HOST_IP[1]) / UDP())
    [_, answer], [punted, *_] = router.run(EMPTY, frame_at(request(sender=sender)), frame_at(packet))
    assert answer.what == "send"
    assert punted.why == "neighbour_unknown"


@pytest.mark.parametrize("target", [OWN_IP[1], HOST_IP[1]])
@pytest.mark.parametrize("sender", ["10.1.0.255", "10.0.0.255"])
def test_no_host_takes_a_broadcast_address(router, sender, target):
    """The address stays no host's: packets to it and from it are dropped as before, after the host is forgotten too."""
    frame = Ether(src=HOST_MAC[1], dst=ALL) / ARP(op=1, hwsrc=HOST_MAC[1], psrc=sender, pdst=target)
    to_all = to_router(IP(src=HOST_IP[0], dst=sender) / UDP())
    from_all = to_router(IP(src=sender, dst=HOST_IP[0]) / UDP(), ingress=1)
    packets = [frame_at(to_all), frame_at(from_all, ingress=1)]
    silence = [wait(5000), wait(1000), wait(1000), wait(1000)]
    said, *others = router.run(EMPTY, frame_at(frame, ingress=1), *packets, *silence, *packets)
    assert [(one.what, one.why) for one in said] == [("punt", "arp"), ("drop", "arp_ignored")]
    assert [one for step in others[2:-2] for one in step] == []
    for [first], [second] in (others[:2], others[-2:]):
        assert (first.what, first.why, second.what, second.why) == ("drop", "directed_broadcast", "drop", "martian_source")


@pytest.mark.parametrize("frame", [
    bytes(request())[:41], bytes(request())[:14], bytes(Ether(dst=ALL) / ARP(hwtype=6, pdst=OWN_IP[0])),
    bytes(Ether(dst=ALL) / ARP(op=3, pdst=OWN_IP[0])), bytes(request(mac=ALL)), bytes(request(mac=NOBODY))])
def test_what_means_nothing_is_malformed(router, frame):
    [[_, dropped]] = router.run(EMPTY, frame_at(frame))
    assert_untouched(dropped, frame, "drop", "malformed")


def test_answers_are_handed_on_to_a_kernel_that_asks_by_itself(router):
    frame = reply(HOST_IP[0], HOST_MAC[0], OWN_IP[0], OWN_MAC[0])
    [[_, handed]] = router.run(two_interfaces(control={"with_kernel": [0]}), frame_at(frame))
    assert_untouched(handed, frame, "to_kernel", "")
