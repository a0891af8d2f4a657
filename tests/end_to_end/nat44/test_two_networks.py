# SPDX-License-Identifier: Apache-2.0
"""VPP's `output-feature` on both interfaces, with the addresses of both: each network is the other's outside, and what
leaves for it has the router's address there."""
import pytest
from nat44_packets import answer_to, error_about, with_destination, with_source
from raw_network import HOSTS, LEFT, RIGHT, into, out_of
from scapy.layers.inet import ICMP, IP, TCP, UDP

OWN = {LEFT: "1.1.1.1", RIGHT: "2.2.2.1"}
OTHER_SIDE = {LEFT: RIGHT, RIGHT: LEFT}
BOTH = {"inside": [], "outside": [LEFT, RIGHT], "output_feature": True, "forwarding": True,
        "pool": [{"interface": LEFT}, {"interface": RIGHT}]}
PACKETS = (UDP(sport=4000, dport=53) / b"u", TCP(sport=4000, dport=80), ICMP(id=4000) / b"i")


@pytest.mark.parametrize("nat", [BOTH], indirect=True, scope="module")
class TestOwnAddresses:
    @pytest.mark.parametrize("side", [LEFT, RIGHT])
    def test_each_side_begins_and_is_answered(self, nat, side):
        far = OTHER_SIDE[side]
        for payload in PACKETS:
            sent = IP(src=HOSTS[side][0], dst=HOSTS[far][0]) / payload.copy()
            left = with_source(sent, OWN[far])
            nat.router.passes((into(side, sent), out_of(far, left)))
            answer = answer_to(left)
            nat.router.passes((into(far, answer), out_of(side, with_destination(answer, HOSTS[side][0]))))

    def test_the_same_port_of_two_hosts_is_told_apart(self, nat):
        first, second = (IP(src=HOSTS[RIGHT][n], dst=HOSTS[LEFT][0]) / UDP(sport=5000, dport=53) for n in (1, 2))
        nat.router.passes((into(RIGHT, first), out_of(LEFT, with_source(first, OWN[LEFT]))))
        [(side, frame)] = nat.router.wires.cross([into(RIGHT, second)])
        port = IP(frame[14:])[UDP].sport
        assert side == LEFT and port != 5000
        nat.router.must_be([out_of(LEFT, with_source(second, OWN[LEFT], port))], [(side, frame)])

    def test_an_error_finds_its_way_back(self, nat):
        sent = IP(src=HOSTS[LEFT][3], dst=HOSTS[RIGHT][3]) / UDP(sport=6000, dport=53)
        left = with_source(sent, OWN[RIGHT])
        nat.router.passes((into(LEFT, sent), out_of(RIGHT, left)))
        seen = left.copy()
        seen.ttl -= 1
        told = error_about(IP(bytes(seen)), HOSTS[RIGHT][3], type=3, code=3)
        wanted = sent.copy()
        wanted.ttl -= 1
        back = error_about(IP(bytes(wanted)), HOSTS[RIGHT][3], type=3, code=3)
        nat.router.passes((into(RIGHT, told), out_of(LEFT, back)))

    def test_the_log_has_each_session_with_the_address_of_where_it_leaves(self, nat):
        wanted = {f"{HOSTS[LEFT][0]}:4000": OWN[RIGHT], f"{HOSTS[RIGHT][0]}:4000": OWN[LEFT]}

        def made(lines: list[dict]) -> dict[str, str]:
            return {one["inside"]: one["outside"].split(":")[0] for one in lines if one["event"] == "made"}
        # The log is written beside the packets.
        nat.wait_for_log(lambda lines: set(wanted) <= set(made(lines)))
        assert wanted.items() <= made(nat.logged()).items()


@pytest.mark.parametrize("nat", [{**BOTH, "pool": [{"interface": RIGHT, "addresses": "203.0.113.1"}]}], indirect=True,
                         scope="module")
def test_who_leaves_where_no_address_is_given_has_no_port(nat):
    sent = IP(src=HOSTS[LEFT][0], dst=HOSTS[RIGHT][0]) / UDP(sport=4000, dport=53)
    nat.router.passes((into(LEFT, sent), out_of(RIGHT, with_source(sent, "203.0.113.1"))))
    nat.drops("no_port", IP(src=HOSTS[RIGHT][1], dst=HOSTS[LEFT][1]) / UDP(sport=4000, dport=53), side=RIGHT)
