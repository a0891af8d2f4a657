# SPDX-License-Identifier: Apache-2.0
"""Attacks on `inspect`: every packet is a flow of its own and alerts, the table of flows is full, and no program reads the alerts; connections
without answers, each with a stream; packets of which each rule's contents match in part, at as many places as there are."""
from __future__ import annotations

import os
import pathlib
from typing import Any

import pytest
from besieged import Besieged, besieged, host, routed
from frames import ACK, SYN, TCP, UDP, ethernet, ipv4, tcp, udp
from namespaces import wait_for
from stranger import Share
from wire_end import flood

RATE = 4000
VICTIM = host(1, 3)
RULES = """\
{action} tcp any any -> any 80 (msg:"attack"; content:"attack"; sid:1;)
alert tcp any any -> any 80 (msg:"counted"; content:"attack"; threshold:type limit, track by_src, count 1, seconds 600; sid:3;)
alert tcp any any -> any 80 (msg:"of a flow"; flow:established; content:"attack"; sid:4;)
"""


def forged(made: Besieged) -> list[bytes]:
    end = made.ends[0]
    return [ethernet(end.router_mac, end.mac, 0x0800, ipv4(source, VICTIM, TCP, tcp(source, VICTIM, (5000 + n % 50, 80), ACK, b"attack" * 100)))
            for n in range(8000) if (source := host(0, 1000 + n))]


def inspected(folder: pathlib.Path, action: str) -> dict[str, Any]:
    (folder / "my.rules").write_text(RULES.format(action=action))
    os.mkfifo(folder / "eve")
    return routed(inspect={"rules": [str(folder / "my.rules")], "events": str(folder / "eve"), "events_room": "64k", "flows": 64,
                           "thresholds": 64})


@pytest.mark.parametrize("action", ("alert", "drop", "reject"))
def test_a_flood_that_alerts_harms_no_strangers_flow(packetwarp, figures, times, tmp_path, action):
    with besieged(packetwarp, figures, inspected(tmp_path, action)) as made:
        frames = forged(made)
        with made.strangers() as flow:
            calm = flow.calm()
            attacked: Share = flow.during(lambda: [flood(made.ends[0], frames, RATE) for _ in range(times)])
            wait_for(lambda: log_of(made.report())["lost"] > 0, "lines that find no room")
            report = made.report()
        made.must_go_on(f"a flood that rules {action}", calm, attacked)
        counted = report["inspect"]
        figures.say(f"{action}: {counted['alerts']} alerts, {counted['events']}, {counted['packets_without_flow_place']} packets without a place")
        attack = next(row for row in counted["by_rule"] if row["sid"] == 1)
        assert attack["matches"] >= 0.9 * times * len(frames), counted
        assert counted["packets_without_flow_place"] > 0 and counted["unjudged"]["rates_without_place"] > 0, counted
        assert counted[{"drop": "dropped", "reject": "rejected"}.get(action, "alerts")] >= attack["matches"], counted
        made.end()


def half_open(made: Besieged) -> list[bytes]:
    """A SYN that brings data begins a stream, and needs no answer."""
    end = made.ends[0]
    return [ethernet(end.router_mac, end.mac, 0x0800, ipv4(source, VICTIM, TCP, tcp(source, VICTIM, (5000 + n % 50, 80), SYN, b"x" * 600)))
            for n in range(8000) if (source := host(0, 1000 + n))]


def test_a_flood_of_half_open_connections_harms_no_strangers_flow(packetwarp, figures, times, tmp_path):
    (tmp_path / "my.rules").write_text(RULES.format(action="drop"))
    file = routed(inspect={"rules": [str(tmp_path / "my.rules")], "streams": 256, "stream_memory": "1m"})
    with besieged(packetwarp, figures, file) as made:
        frames = half_open(made)
        with made.strangers() as flow:
            calm = flow.calm()
            attacked: Share = flow.during(lambda: [flood(made.ends[0], frames, RATE) for _ in range(times)])
            streams = made.report()["inspect"]["streams"]
        made.must_go_on("a flood of half-open connections", calm, attacked)
        figures.say(f"half-open: {streams['followed']} followed in {streams['bytes']} bytes, {streams['streams_given_up_for_places']} given up for "
                    f"places, {streams['streams_given_up_for_bytes']} for bytes")
        assert streams["followed"] <= 256 and streams["bytes"] <= 1 << 20, streams
        assert streams["streams_given_up_for_places"] + streams["streams_given_up_for_bytes"] > 0, streams
        made.end()


# Each place of a content is tried with each place of the next one, within its bound: the last one is equal for long at each, and
# nowhere. The first rule says that a packet was judged.
PARTIAL = 'alert udp any any -> any 7 (msg:"judged"; content:"abababab"; priority:1; sid:1;)\n' + "".join(
    f'alert udp any any -> any 7 (content:"abababab"; fast_pattern; content:"ab"; within:600; content:"ba"; within:600; '
    f'content:"{"ab" * 40}x{n:02}"; within:600; priority:2; sid:{100 + n};)\n' for n in range(16))
# A packet that spends its budget costs some tenths of a millisecond.
PARTIAL_RATE = 400


def test_a_flood_of_partial_matches_harms_no_strangers_flow(packetwarp, figures, times, tmp_path):
    (tmp_path / "my.rules").write_text(PARTIAL)
    with besieged(packetwarp, figures, routed(inspect={"rules": [str(tmp_path / "my.rules")]})) as made:
        end = made.ends[0]
        frames = [ethernet(end.router_mac, end.mac, 0x0800, ipv4(host(0, 1000 + n), VICTIM, UDP, udp(5000, 7, b"ab" * 700))) for n in range(1200)]
        with made.strangers() as flow:
            calm = flow.calm()
            attacked: Share = flow.during(lambda: [flood(made.ends[0], frames, PARTIAL_RATE) for _ in range(times)])
            counted = made.report()["inspect"]
        made.must_go_on("a flood of partial matches", calm, attacked)
        judged = next(row["matches"] for row in counted["by_rule"] if row["sid"] == 1)
        spent = counted["unjudged"]["rules_out_of_bytes"]
        figures.say(f"partial matches: {judged} packets, {spent} rules beyond their packet's bytes")
        assert judged >= 0.9 * times * len(frames) and spent >= judged and counted["unjudged"]["rules_out_of_steps"] >= judged, counted
        assert [row["sid"] for row in counted["by_rule"]] == [1], counted
        made.end()


def log_of(report: dict[str, Any]) -> dict[str, Any]:
    found, = (log for log in report["logs"] if log["name"] == "inspect")
    return found
