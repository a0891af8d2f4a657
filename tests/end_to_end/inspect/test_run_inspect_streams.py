# SPDX-License-Identifier: Apache-2.0
"""`packetwarp run` with `inspect`: streams of TCP and messages of HTTP. `packetwarp inspect run` is the judge, as in test_run_inspect.py."""
from __future__ import annotations

import collections
import json
import pathlib
import random
from typing import Any

import pytest
from harness import ALONE, DONE, WRONG_USAGE, Program, Run
from scapy.layers.inet import IP, TCP
from scapy.layers.l2 import Ether
from scapy.packet import Packet
from scapy.utils import rdpcap, wrpcap
from test_run_inspect import CLIENT, HOST, LEFT, NETWORK, RIGHT, SERVER, conserved, events_in, judged_by_command, key_of

RULES = """\
alert tcp any any -> any any (msg:"word"; content:"secret word"; sid:1;)
alert http any any -> any any (msg:"page"; http.uri; content:"/evil"; http.method; content:"GET"; sid:2;)
alert http any any -> any any (msg:"tool"; http.user_agent; content:"bad tool"; flowbits:set,bad; sid:3;)
alert http any any -> any any (msg:"answered"; flow:to_client; http.stat_code; content:"200"; flowbits:isset,bad; sid:4;)
alert http any any -> any any (msg:"form"; http.request_body; content:"password="; sid:5;)
alert http any any -> any any (msg:"file"; file.data; content:"virus"; sid:6;)
alert tcp any any -> any any (msg:"only in streams"; flow:only_stream,to_client; content:"answer"; content:"end"; distance:0; sid:7;)
"""
REQUESTS = (b"GET /%65vil?id=1 HTTP/1.1\r\nHost: a\r\nUser-Agent: bad\r\n tool\r\n\r\n",
            b"POST /form HTTP/1.1\r\nContent-Length: 20\r\n\r\nuser=me&password=abc", b"a secret word, and no HTTP",
            b"GET / HTTP/1.1\r\nUser-Agent: bad tool\r\n\r\nGET /evil/2 HTTP/1.1\r\n\r\n")
ANSWERS = (b"HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\nthe virus is", b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
           b"the answer, in the end")
PIECE = 1400


class Talk:
    """A TCP connection whose packets come in at one side of the router."""

    def __init__(self, number: int, router: str = LEFT) -> None:
        self.port, self.router = 10_000 + number, router

    def frame(self, side: int, at: int, data: bytes = b"", flags: str = "PA") -> Packet:
        ends = [(CLIENT, self.port), (SERVER, 80)]
        (source, sport), (to, dport) = ends[side], ends[1 - side]
        made = Ether(src=HOST, dst=self.router) / IP(src=source, dst=to) / TCP(sport=sport, dport=dport, flags=flags, seq=1000 + at, ack=1000) / data
        return Ether(bytes(made))

    def handshake(self) -> list[Packet]:
        return [self.frame(0, -1, flags="S"), self.frame(1, -1, flags="SA"), self.frame(0, 0, flags="A")]

    def pieces(self, side: int, data: bytes, size: int) -> list[Packet]:
        return [self.frame(side, at, data[at:at + size]) for at in range(0, len(data), size)]


def conversation(number: int, router: str, chance: random.Random) -> list[Packet]:
    """Requests and answers in pieces of any sizes, of which one comes late and one twice."""
    talk = Talk(number, router)
    asked = b"".join(chance.choice(REQUESTS) for _ in range(chance.randint(1, 3)))
    said = talk.pieces(0, asked, chance.randint(3, 60)) + talk.pieces(1, chance.choice(ANSWERS), chance.randint(3, 30))
    late = chance.randrange(len(said) - 1)
    said[late], said[late + 1] = said[late + 1], said[late]
    return talk.handshake() + said + [chance.choice(said)]


def in_turn(talks: list[list[Packet]]) -> list[Packet]:
    return [talk[n] for n in range(max(map(len, talks))) for talk in talks if n < len(talk)]


@pytest.fixture
def folder(packetwarp: Program) -> pathlib.Path:
    (packetwarp.folder / "my.rules").write_text(RULES)
    return packetwarp.folder


def run(packetwarp: Program, left: list[Packet], inspect: dict[str, Any], right: list[Packet] | None = None, lcores: str = "0") -> Run:
    folder = packetwarp.folder
    file = packetwarp.write_config({**NETWORK, "inspect": {"rules": ["my.rules"], "events": "eve.json", **inspect}})
    for name, frames in (("left", left), ("right", right or [])):
        wrpcap(str(folder / f"{name}.pcap"), frames)
    wrpcap(str(folder / "in.pcap"), left + (right or []))
    return packetwarp.run("run", [*ALONE, "-l", lcores, f"--vdev=net_pcap0,rx_pcap={folder}/left.pcap,tx_pcap={folder}/back.pcap",
                                  f"--vdev=net_pcap1,rx_pcap={folder}/right.pcap,tx_pcap={folder}/out.pcap"],
                          ["-c", str(file), "--until-idle", "200ms", "--json", "-"], cwd=folder)


@pytest.mark.parametrize("lcores", ("0", "0-1"))
def test_streams_and_messages_are_those_of_the_command(packetwarp, folder, lcores):
    """With two lcores each judges the connections of one port; both share the table of streams."""
    chance = random.Random(7)
    sides = [in_turn([conversation(n, router, chance) for n in range(first, first + 20)]) for first, router in ((0, LEFT), (20, RIGHT))]
    done = run(packetwarp, sides[0], {}, sides[1], lcores)
    assert done.status == DONE, done
    wanted, stats = judged_by_command(packetwarp)
    assert {key[0] for key in wanted} == set(range(1, 8)), "each rule has alerted"
    assert collections.Counter(map(key_of, events_in(folder / "eve.json"))) == wanted
    counted = done.result["inspect"]
    for name in ("segments_out_of_order", "segments_repeated", "segments_differing", "segments_without_begin", "stream_gaps", "http_messages",
                 "http_unreadable"):
        assert counted["streams"][name] == stats[name], name
    assert counted["streams"]["segments_out_of_order"] > 0 and counted["streams"]["http_messages"] > 20
    assert counted["streams"]["followed"] == 40 and counted["candidates"] == stats["candidates"]
    assert not any(counted["unjudged"].values()), counted["unjudged"]
    conserved(done, len(sides[0]) + len(sides[1]))


def stranger_and(packetwarp: Program, flood: list[Packet], inspect: dict[str, Any]) -> dict[str, Any]:
    """A stranger's word, half of it before a flood and half of it after it, alerts. Returns the counters of streams."""
    stranger = Talk(0)
    frames = [*stranger.handshake(), stranger.frame(0, 0, b"the secret "), *flood, stranger.frame(0, 11, b"word")]
    done = run(packetwarp, frames, inspect)
    assert done.status == DONE, done
    event, = events_in(packetwarp.folder / "eve.json")
    assert event["alert"]["signature_id"] == 1 and event["src_port"] == stranger.port, event
    assert conserved(done, len(frames)) == {}, "no packet is dropped for a stream"
    return done.result["inspect"]["streams"]


def test_a_flood_of_half_open_connections_leaves_a_strangers_stream(packetwarp, folder):
    """A SYN that brings data begins a stream, from any forged source."""
    flood = [Talk(n).frame(0, -1, b"x" * 100, "S") for n in range(1, 1001)]
    counted = stranger_and(packetwarp, flood, {"streams": 64})
    assert counted["streams_given_up_for_places"] >= 900 and counted["followed"] == 64, counted


def test_a_flood_of_segments_out_of_order_leaves_a_strangers_stream(packetwarp, folder):
    """Segments wait for the one before them, which never comes."""
    flood = [frame for n in range(1, 101) for talk in [Talk(n)]
             for frame in [*talk.handshake(), *(talk.frame(0, 100 + PIECE * i, b"x" * PIECE) for i in range(30))]]
    counted = stranger_and(packetwarp, flood, {"stream_memory": "1m"})
    assert counted["streams_given_up_for_bytes"] > 0 and counted["segments_out_of_order"] >= 1000, counted
    assert counted["bytes"] <= 1 << 20, counted


def test_a_flood_of_gaps_leaves_a_strangers_stream(packetwarp, folder):
    """More segments than may wait: the gap before them is skipped, again and again."""
    talk = Talk(1)
    flood = [*talk.handshake(), *(talk.frame(0, 100 + 20 * i, b"x") for i in range(1000))]
    counted = stranger_and(packetwarp, flood, {})
    assert counted["stream_gaps"] >= 10, counted


def test_a_repetition_of_a_dropped_request_is_dropped(packetwarp, folder):
    """The sender repeats what did not arrive: the connection is over for both sides."""
    (folder / "my.rules").write_text(RULES.replace("alert http any any -> any any (msg:\"page\"", "drop http any any -> any any (msg:\"page\""))
    talk = Talk(0)
    request = talk.frame(0, 0, REQUESTS[0])
    frames = [*talk.handshake(), request, request, talk.frame(1, 0, ANSWERS[0]), talk.frame(0, len(REQUESTS[0]), b"more")]
    done = run(packetwarp, frames, {})
    assert done.status == DONE, done
    assert conserved(done, len(frames)) == {"inspect_drop": 4}
    assert done.result["inspect"]["packets_of_ended_connections"] == 3
    assert not any(TCP in frame and bytes(frame[TCP].payload) for frame in rdpcap(str(folder / "out.pcap")))
    assert [event["alert"]["action"] for event in events_in(folder / "eve.json") if event["alert"]["signature_id"] == 2] == ["blocked"]


def test_without_streams_segments_are_judged_alone_and_counted(packetwarp, folder):
    talk = Talk(0)
    frames = [*talk.handshake(), talk.frame(0, 0, b"a secret "), talk.frame(0, 9, b"word, a secret word")]
    done = run(packetwarp, frames, {"streams": "none"})
    assert done.status == DONE, done
    counted = done.result["inspect"]
    assert counted["alerts"] == 1 and counted["unjudged"]["streams_not_followed"] == 2 and counted["streams"]["followed"] == 0, counted


def forged(frame: Packet) -> Packet:
    """With a wrong checksum of TCP: its receiver drops it."""
    frame[TCP].chksum ^= 1
    return frame


@pytest.mark.parametrize("how", ("ignore", "verify"))
def test_a_segment_with_a_wrong_checksum_hides_nothing_if_checksums_are_verified(packetwarp, folder, how):
    talk = Talk(0)
    frames = [*talk.handshake(), talk.frame(0, 0, b"a secret "), forged(talk.frame(0, 9, b"door")), forged(talk.frame(1, 0, flags="RA")),
              talk.frame(0, 9, b"word")]
    done = run(packetwarp, frames, {"checksums": how})
    assert done.status == DONE and conserved(done, len(frames)) == {}, done
    is_verified = how == "verify"
    assert len(events_in(folder / "eve.json")) == done.result["inspect"]["alerts"] == (1 if is_verified else 0)
    assert done.result["inspect"]["packets_with_wrong_checksums"] == (2 if is_verified else 0)
    judged = packetwarp.run("inspect", ["run", "--rules", str(folder / "my.rules"), "--pcap", str(folder / "in.pcap"), "--checksums", how])
    *alerts, stats = map(json.loads, judged.stdout.splitlines())
    assert len(alerts) == (1 if is_verified else 0) and stats["stats"]["packets_with_wrong_checksums"] == (2 if is_verified else 0), judged


def test_a_gpu_verifies_no_checksums_and_says_so(packetwarp, folder):
    packetwarp.plane["executor"] = "persistent"
    done = run(packetwarp, Talk(0).handshake(), {"checksums": "verify"})
    assert done.status == WRONG_USAGE and len(done.errors) == 1, done
    assert "inspect.checksums: a GPU verifies no checksums" in done.errors[0] and ".yaml:" in done.errors[0], done


@pytest.mark.parametrize(("section", "line"), [({"streams": 3}, "inspect.streams: '3' is no number from 64"),
                                               ({"stream_memory": "1k"}, "inspect.stream_memory: '1k' is no size from 1m to 1024g"),
                                               ({"checksums": "maybe"}, "inspect.checksums: 'maybe' is none of ignore, verify"),
                                               ({"checksums": "verify", "streams": "none"},
                                                "inspect.checksums: with 'streams: none' no stream needs it"),
                                               ({"streams": "none", "stream_memory": "1m"},
                                                "inspect.stream_memory: with 'streams: none' no stream needs memory")])
def test_a_wrong_bound_is_refused_in_a_line(packetwarp, folder, section, line):
    done = run(packetwarp, Talk(0).handshake(), section)
    assert done.status == WRONG_USAGE and len(done.errors) == 1 and line in done.errors[0], done
