# SPDX-License-Identifier: Apache-2.0
"""Anomalous packets from forged sources, each of which is a flow of its own, and a file of events that no program reads; forged sources that
fill the tables of a model that knows a flow."""
from __future__ import annotations

import os
import pathlib
from typing import Any

import pytest
from besieged import Besieged, besieged, host, routed
from frames import ACK, SYN, TCP, ethernet, ipv4, tcp
from namespaces import wait_for
from stranger import ENOUGH, Share
from wire_end import flood

from onnx_tree import question
from random_models.random_model import random_model

RATE = 4000
LEVEL_OF_64 = 25  # docs/features.md
VICTIM = host(1, 3)


def forged(made: Besieged) -> list[bytes]:
    end = made.ends[0]
    return [ethernet(end.router_mac, end.mac, 0x0800, ipv4(source, VICTIM, TCP, tcp(source, VICTIM, (5000 + n % 50, 80), SYN)))
            for n in range(8000) if (source := host(0, 1000 + n))]


def judged(folder: pathlib.Path, **more: Any) -> dict[str, Any]:
    """A model that calls each SYN anomalous, and events to a FIFO that takes none. Tables of 40 MB, all of which a flood may touch."""
    (folder / "syn.onnx").write_bytes(question("syn", 0, threshold="0.5"))
    os.mkfifo(folder / "eve")
    return routed(detect={"models": [str(folder / "syn.onnx")], "events": str(folder / "eve"), "events_room": "64k", "flows": 131_072,
                          "hosts": 32_768, **more})


@pytest.mark.parametrize("more", ({"action": "count", "events_rate": 1_000_000}, {"action": "drop", "events_rate": 100},
                                  {"action": "punt", "punt_rate": 100}), ids=("every flow is told", "most flows are limited", "punts"))
def test_a_flood_of_anomalous_packets_harms_no_strangers_flow(packetwarp, figures, times, tmp_path, more):
    with besieged(packetwarp, figures, judged(tmp_path, **more)) as made:
        frames = forged(made)
        with made.strangers() as flow:
            calm = flow.calm()
            attacked: Share = flow.during(lambda: [flood(made.ends[0], frames, RATE) for _ in range(times)])
            report = made.report()
            wait_for(lambda: log_of(made.report())["lost"] > 0, "lines that find no room")
        made.must_go_on("a flood of anomalous packets", calm, attacked)
        detect = report["detect"]
        figures.say(f"{detect['models'][0]['anomalous']} anomalous packets: {detect['events']}")
        assert detect["models"][0]["anomalous"] >= 0.9 * times * len(frames), detect
        if more.get("events_rate") == 100:
            assert detect["events"]["limited"] > detect["events"]["told"] > 0, detect
        if more["action"] == "punt":
            assert made.report()["packets"]["dropped"]["anomalous_limited"] > 0
        made.end()


@pytest.mark.parametrize("fate", ("takes all", "takes nothing", "deleted"))
def test_a_flood_that_is_mirrored_harms_no_strangers_flow_whatever_the_mirror_port_does(packetwarp, figures, times, tmp_path, fate):
    """Copies leave at once or are lost by name: the packets themselves take their way beside a port without a peer, or without a device."""
    stuck = (f"net_memif0,role=server,socket={tmp_path}/memif,socket-abstract=no",) if fate == "takes nothing" else ()
    file = routed(3, detect=judged(tmp_path)["detect"] | {"action": "mirror", "mirror_to": "if2", "mirror_rate": 1_000_000})
    with besieged(packetwarp, figures, file, more_devices=stuck) as made:
        frames = forged(made)
        with made.strangers() as flow:
            calm = flow.calm()
            if fate == "deleted":
                made.middle.ip("link", "delete", "w2")
            attacked: Share = flow.during(lambda: [flood(made.ends[0], frames, RATE) for _ in range(times)])
        made.must_go_on(f"a mirrored flood, and a mirror port that {fate}", calm, attacked)
        mirror = [one["mirror"] for one in made.report()["pipelines"]]
        sent, lost = sum(one["sent"] for one in mirror), sum(one["lost"].get("tx_full", 0) for one in mirror)
        figures.say(f"{sent} copies sent, {lost} lost")
        anomalous = made.report()["detect"]["models"][0]["anomalous"]
        assert sent + lost == anomalous >= 0.9 * times * len(frames), made.report()
        if fate == "takes all":
            assert sent >= 0.9 * anomalous, mirror
        if fate == "takes nothing":
            assert sent == 0, mirror
        made.end()


def known(folder: pathlib.Path) -> dict[str, Any]:
    """A model that calls packets anomalous whose flow had 80 in their direction before, and small tables."""
    if not (folder / "known.onnx").exists():
        (folder / "known.onnx").write_bytes(question("flow_packets", LEVEL_OF_64, threshold="0.5"))
    return {"models": [str(folder / "known.onnx")], "flows": 1024, "hosts": 256}


def test_a_known_flow_is_detected_while_forged_sources_fill_the_tables(packetwarp, figures, times, tmp_path):
    """The record of a flow with packets of both directions outlives those of a flood, so that the flow's count goes on."""
    with besieged(packetwarp, figures, routed(detect=known(tmp_path))) as made:
        frames = forged(made)
        with made.strangers() as flow:
            wait_for(lambda: min(flow.sent) >= 200, "enough packets to know the flow")
            calm = flow.calm()
            least, before = flow.sent, made.report()["detect"]
            begun = flow.sent
            for _ in range(times):
                flood(made.ends[0], frames, RATE)
            sent = sum(flow.sent) - sum(begun)
            attacked = flow.since(begun)
            after, most = made.report()["detect"], sum(flow.sent) - sum(least)
        made.must_go_on("a flood that fills the tables", calm, attacked)
        found = after["models"][0]["anomalous"] - before["models"][0]["anomalous"]
        replaced = {table: after[table]["replaced"] - before[table]["replaced"] for table in ("flows", "hosts")}
        figures.say(f"{found} of the known flow's {sent} packets detected; replaced {replaced}, untracked {after['flows']['untracked']}")
        assert min(replaced.values()) > 0, after
        assert ENOUGH * attacked.share * sent <= found <= most, (found, sent, most)
        made.end()


def test_a_flood_of_flows_that_come_to_a_milestone_costs_the_large_models_rate_and_no_more(packetwarp, figures, times, tmp_path):
    """Five hundred flows of sixteen packets, of which each would be judged by a wide network."""
    (tmp_path / "wide.onnx").write_bytes(random_model("3-512-512-256-1", ["length", "syn", "ack"]))
    large = {"file": str(tmp_path / "wide.onnx"), "milestones": [8], "rate": 50}
    with besieged(packetwarp, figures, judged(tmp_path, large=large)) as made:
        end, source = made.ends[0], host(0, 1000)
        frames = [ethernet(end.router_mac, end.mac, 0x0800, ipv4(source, VICTIM, TCP, tcp(source, VICTIM, (5000 + n % 500, 80), ACK)))
                  for n in range(8000)]
        with made.strangers() as flow:
            calm = flow.calm()
            attacked: Share = flow.during(lambda: [flood(end, frames, RATE) for _ in range(times)])
            counts = made.report()["detect"]["large"]
        made.must_go_on("a flood of flows for the large model", calm, attacked)
        figures.say(f"{counts}")
        assert 0 < counts["judged"] < 300 and counts["judged"] + counts["limited"] >= 400, counts
        made.end()


def log_of(report: dict[str, Any]) -> dict[str, Any]:
    found, = (log for log in report["logs"] if log["name"] == "detect")
    return found
