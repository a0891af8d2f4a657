# SPDX-License-Identifier: Apache-2.0
"""`inspect` in a chain with `nat44`: rules see each packet with the inside host's address, in both directions. The judge is
`packetwarp inspect run` with a capture of the same packets as they are on the inside."""
from __future__ import annotations

import collections
from collections.abc import Iterator

import pytest
from harness import Program
from namespaces import wait_for
from nat44_packets import HOST, OTHER, SERVER, port_of
from raw_network import LEFT, RIGHT, RawRouter, into, known_hosts, raw_router, wires_to_middle
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.l2 import Ether
from scapy.packet import Packet
from scapy.utils import wrpcap
from test_run_inspect import events_in, judged_by_command, key_of

POOL, ALONE = "203.0.113.1", "203.0.113.9"
NAT44 = {"inside": ["left"], "outside": ["right"], "pool": [POOL],
         "static": [{"protocol": "tcp", "inside": f"{HOST}:8000", "outside": f"{POOL}:8080"},
                    {"inside": OTHER, "outside": ALONE}]}
RULES = """\
alert tcp any any -> any any (msg:"over two segments"; content:"secret word"; sid:1;)
alert http any any -> any any (msg:"page"; http.uri; content:"/evil"; flowbits:set,asked; sid:2;)
alert http any any -> any any (msg:"answer"; flow:established,to_client; http.stat_code; content:"200"; flowbits:isset,asked; sid:3;)
alert http any any -> any any (msg:"file"; file.data; content:"virus"; sid:4;)
alert tcp-pkt any any -> [1.1.1.0/24] any (msg:"to an inside address"; flow:established; content:"rus is"; sid:5;)
alert udp any any -> any any (msg:"UDP's answer"; flow:to_client; content:"told"; sid:6;)
alert icmp any any -> [1.1.1.0/24] any (msg:"echo reply"; itype:0; sid:7;)
alert ip any any -> [203.0.113.0/24] any (msg:"to an outside address"; sid:8;)
"""
OF_WHOLE_STREAMS = ("http ",)  # other executors than the CPU read a message in its first segment alone
ASKED = (b"GET /ev", b"il?q=secret wo", b"rd HTTP/1.1\r\nHost: a\r\n\r\n")
SAID = (b"HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\nthe vi", b"rus is")


class Talk:
    """A connection through the NAT, packet by packet: each leaves before the next one comes. inside: the same packets with
    the inside host's address. far: the other end, as the inside host knows it."""

    def __init__(self, router: RawRouter, inside: list[Packet], near: tuple[str, int], far: tuple[str, int]) -> None:
        self.router, self.inside, self.near, self.far = router, inside, near, far
        self.outside = near  # its translation, after a packet has left

    def _sent(self, side: str, packet: Packet) -> Packet:
        [(_, frame)] = self.router.wires.cross([into(side, packet)])
        return Ether(frame)[IP]

    def out(self, payload: Packet) -> None:
        packet = IP(src=self.near[0], dst=self.far[0]) / payload
        self.inside.append(packet.copy())
        left = self._sent(LEFT, packet)
        self.outside = left.src, port_of(left)

    def back(self, payload: Packet) -> None:
        packet = IP(src=self.far[0], dst=self.outside[0]) / payload
        self.inside.append(self._sent(RIGHT, packet).copy())
        assert self.inside[-1].dst == self.near[0]

    def tcp(self, begins_outside: bool = False) -> None:
        """A request of HTTP, and its response; the server is inside if the connection begins outside."""
        numbers = [1000, 5000]  # of the client's and the server's next byte

        def segment(of_server: bool, flags: str, data: bytes = b"") -> None:
            own = numbers[of_server]
            answered = numbers[not of_server] if flags != "S" else 0
            goes_out = of_server if begins_outside else not of_server
            ends = (self.near[1], self.far[1]) if goes_out else (self.far[1], self.outside[1])
            (self.out if goes_out else self.back)(
                TCP(sport=ends[0], dport=ends[1], flags=flags, seq=own, ack=answered) / data)
            numbers[of_server] = own + len(data) + ("S" in flags)
        segment(False, "S")
        segment(True, "SA")
        segment(False, "A")
        for data in ASKED:
            segment(False, "PA", data)
        for data in SAID:
            segment(True, "PA", data)


def dynamic(router: RawRouter, inside: list[Packet]) -> None:
    """Sessions of two inside hosts with the same port; a third connection answers UDP, a fourth one ICMP."""
    for host in (HOST, "1.1.1.5"):
        Talk(router, inside, (host, 4000), (SERVER, 80)).tcp()
    udp = Talk(router, inside, (HOST, 4001), (SERVER, 53))
    udp.out(UDP(sport=4001, dport=53) / b"asked")
    udp.back(UDP(sport=53, dport=udp.outside[1]) / b"told")
    ping = Talk(router, inside, (HOST, 77), (SERVER, 0))
    ping.out(ICMP(type=8, id=77) / b"there")
    ping.back(ICMP(type=0, id=ping.outside[1]) / b"there")


def forwarded(router: RawRouter, inside: list[Packet]) -> None:
    talk = Talk(router, inside, (HOST, 8000), (SERVER, 5000))
    talk.outside = POOL, 8080
    talk.tcp(begins_outside=True)


def static(router: RawRouter, inside: list[Packet]) -> None:
    talk = Talk(router, inside, (OTHER, 80), (SERVER, 5001))
    talk.outside = ALONE, 80
    talk.tcp(begins_outside=True)
    Talk(router, inside, (OTHER, 4002), (SERVER, 80)).tcp()


def unmatched(router: RawRouter, inside: list[Packet]) -> None:
    """A packet of no session: nat44 drops it, and it is judged as it came."""
    packet = IP(src=SERVER, dst=POOL) / UDP(sport=9, dport=9) / b"told"
    inside.append(packet)
    router.drops("no_session", into(RIGHT, packet))


WANTED = {dynamic: {1: 2, 2: 2, 3: 2, 4: 2, 5: 2, 6: 1, 7: 1}, forwarded: {1: 1, 2: 1, 3: 1, 4: 1}, static: {1: 2, 2: 2, 3: 2, 4: 2, 5: 1},
          unmatched: {8: 1}}


@pytest.fixture
def routers(packetwarp: Program) -> Iterator[RawRouter]:
    rules = [line for line in RULES.splitlines() if packetwarp.executor == "cpu" or not any(word in line for word in OF_WHOLE_STREAMS)]
    (packetwarp.folder / "my.rules").write_text("\n".join(rules) + "\n")
    inspect = {"rules": [str(packetwarp.folder / "my.rules")], "events": str(packetwarp.folder / "eve.json")}
    with wires_to_middle() as (wires, middle), raw_router(packetwarp, known_hosts(nat44=NAT44, inspect=inspect), wires, middle) as router:
        yield router


@pytest.mark.parametrize("through", WANTED, ids=[through.__name__ for through in WANTED])
def test_rules_see_inside_addresses_in_both_directions(packetwarp, routers, through):
    inside: list[Packet] = []
    through(routers, inside)
    wrpcap(str(packetwarp.folder / "in.pcap"), [Ether() / packet for packet in inside])
    wanted, _ = judged_by_command(packetwarp)
    by_rule: collections.Counter[int] = collections.Counter()
    for key, count in wanted.items():
        by_rule[key[0]] += count
    of_all = {sid: count for sid, count in WANTED[through].items() if packetwarp.executor == "cpu" or sid not in (2, 3, 4)}
    assert by_rule == of_all, "the rules that are asked for alert"
    events = packetwarp.folder / "eve.json"
    wait_for(lambda: len(events_in(events)) >= wanted.total(), "the alerts", seconds=30)
    routers.end()
    said = events_in(events)
    assert collections.Counter(map(key_of, said)) == wanted
    flows = {frozenset([(one["src_ip"], one.get("src_port")), (one["dest_ip"], one.get("dest_port"))]) for one in said}
    assert len({one["flow_id"] for one in said}) == len(flows), "both directions of a connection are one flow"
