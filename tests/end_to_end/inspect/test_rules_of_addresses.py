# SPDX-License-Identifier: Apache-2.0
"""`packetwarp run` with rules of addresses and ports alone, and with rules that pass: how long they hold. The fates
and alerts are those of Suricata 7.0.10 with --simulate-ips for the same packets."""
from __future__ import annotations

from typing import Any

import pytest
from harness import DONE
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.l2 import Ether
from scapy.packet import Packet
from test_run_inspect import CLIENT, HOST, LEFT, SERVER, back, events_in, handshake, run, talk, there

# As a rule of Emerging Threats' lists of addresses, with `drop`.
LISTED = ('drop ip [198.51.100.77,192.0.2.9] any -> any any (msg:"listed"; '
          'threshold: type limit, track by_src, seconds 3600, count 1; sid:1;)\n')


def outcome(packetwarp: Any, rules: str, frames: list[Packet], **inspect: Any) -> tuple[int, list[tuple[int, str]]]:
    """How many frames are forwarded, to either side, and the alerts with their actions."""
    (packetwarp.folder / "my.rules").write_text(rules)
    done, out, returned = run(packetwarp, frames, {"events": "eve.json", **inspect})
    assert done.status == DONE, done
    fields = [event["alert"] for event in events_in(packetwarp.folder / "eve.json")]
    alerts = [(one["signature_id"], one["action"]) for one in fields]
    return len(out) + len(returned), alerts


def datagrams(count: int, sport: int = 1000) -> list[Packet]:
    return [there() / UDP(sport=sport, dport=7) / b"evil" for _ in range(count)]


@pytest.mark.parametrize("streams", [{}, {"streams": "none"}])
def test_a_host_that_a_list_drops_gets_nothing_through(packetwarp, streams):
    syn = there() / TCP(sport=4000, dport=80, flags="S", seq=10)
    frames = [syn, *handshake(4000, 80)[::2], talk(4000, 80, b"GET / HTTP/1.0\r\n\r\n"), *datagrams(3)]
    assert outcome(packetwarp, LISTED, frames, **streams) == (0, [(1, "blocked")])


@pytest.mark.parametrize("streams", [{}, {"streams": "none"}])
def test_a_flow_of_a_host_that_passes_is_not_judged(packetwarp, streams):
    rules = ('pass ip 192.0.2.9 any -> any any (msg:"a scanner of ours"; sid:1;)\n'
             'drop ip any any -> any any (content:"evil"; sid:2;)\n')
    other = Ether(src=HOST, dst=LEFT) / IP(src="192.0.2.8", dst=SERVER) / UDP(sport=1, dport=7) / b"evil"
    frames = [*datagrams(3), back() / UDP(sport=7, dport=1000) / b"evil", other]
    assert outcome(packetwarp, rules, frames, **streams) == (4, [(2, "blocked")])


def test_a_host_of_http_that_passes_may_answer(packetwarp):
    rules = ('pass http any any -> any any (http.host; content:"trusted"; sid:1;)\n'
             'drop http any any -> any any (msg:"a virus"; file.data; content:"EICAR"; sid:2;)\n')
    body = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nEICAR"
    answer = back() / TCP(sport=80, dport=4000, flags="PA", seq=21, ack=11) / body
    for host, expected in ((b"trusted", (5, [])), (b"other", (4, [(2, "blocked")]))):
        frames = [*handshake(4000, 80), talk(4000, 80, b"GET / HTTP/1.1\r\nHost: " + host + b"\r\n\r\n"), answer]
        assert outcome(packetwarp, rules, frames) == expected, host


def test_a_rule_that_counts_flows_drops_the_rest_of_one_that_is_too_many(packetwarp):
    rules = 'drop udp any any -> any 7 (threshold: type both, track by_src, count 2, seconds 60; sid:1;)\n'
    frames = [frame for flow in range(4) for frame in datagrams(3, 1000 + flow)]
    assert CLIENT == frames[0][IP].src
    assert outcome(packetwarp, rules, frames) == (3, [(1, "blocked")])
