# SPDX-License-Identifier: Apache-2.0
"""The events of `detect`, its limits, and the hosts that `packetwarp top` has."""
from __future__ import annotations

import datetime
import json
import os
import pathlib
from typing import Any

import pytest
from harness import DONE, WRONG_USAGE, Program
from live import FLOWS, ROUTED, routed, wait_until
from onnx_tree import question
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Ether
from test_run_detect import FRAMES, HOST, LEFT, WITH_SYN, run, segment


@pytest.fixture
def folder(packetwarp: Program) -> pathlib.Path:
    """With trees that ask one question each."""
    for name, made in {"syn": question("syn", 0, threshold="0.5"), "all": question("length", 0, threshold="0.5"),
                       "udp": question("udp", 0, threshold="0.5")}.items():
        (packetwarp.folder / f"{name}.onnx").write_bytes(made)
    return packetwarp.folder


def events_in(file: pathlib.Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def test_each_flow_with_anomalous_packets_is_one_event(packetwarp, folder):
    """Packets of a flow and its answers are one flow. Suricata's names, and the model's object."""
    before = datetime.datetime.now(datetime.UTC)
    answers = [Ether(src=HOST, dst=LEFT) / IP(src="203.0.113.5", dst="192.0.2.9") / TCP(sport=80, dport=frame[TCP].sport, flags="SA")
               for frame in WITH_SYN]
    done, _ = run(packetwarp, [*FRAMES, *WITH_SYN, *answers], {"models": ["syn.onnx"], "action": "drop", "events": "eve.json"})
    assert done.status == DONE, done
    events = events_in(folder / "eve.json")
    assert sorted(event["src_port"] for event in events) == sorted(frame[TCP].sport for frame in WITH_SYN)
    for event in events:
        flow, when = event.pop("flow_id"), datetime.datetime.strptime(event.pop("timestamp"), "%Y-%m-%dT%H:%M:%S.%f%z")
        assert 0 < flow < 1 << 53 and before <= when <= datetime.datetime.now(datetime.UTC)
        event.pop("src_port")
        assert event == {"in_iface": "left", "event_type": "anomaly", "src_ip": "192.0.2.9", "dest_ip": "203.0.113.5", "dest_port": 80,
                         "proto": "TCP", "anomaly": {"type": "model", "event": "score_above_threshold", "model": "syn.onnx",
                                                     "score": 1.0, "threshold": 0.5, "action": "drop"}}
    counts = done.result["detect"]["events"]
    assert counts["told"] == len(WITH_SYN) and counts["limited"] == counts["lost"] == 0, counts
    log, = (log for log in done.result["logs"] if log["name"] == "detect")
    assert (log["written"], log["lost"]) == (len(WITH_SYN), 0)
    packets = done.result["packets"]
    assert packets["rx"] == packets["tx"] + sum(packets["dropped"].values()) == len(FRAMES) + 2 * len(WITH_SYN)
    assert (folder / "eve.json").stat().st_mode & 0o777 == 0o600


def test_events_have_what_the_packet_has(packetwarp, folder):
    ether = Ether(src=HOST, dst=LEFT)
    frames = [ether / IPv6(src="2001:db8:1::9", dst="2001:db8:ff::5") / UDP(sport=7, dport=53) / b"x",
              ether / IP(src="192.0.2.9", dst="203.0.113.5") / ICMP(), ether / IP(src="192.0.2.9", dst="203.0.113.5", proto=47) / b"gre",
              Ether(src=HOST, dst=LEFT, type=0x88B5) / b"no IP at all"]
    run(packetwarp, frames, {"models": ["all.onnx"], "events": "eve.json"})
    six, icmp, gre, other = events_in(folder / "eve.json")
    assert (six["src_ip"], six["src_port"], six["dest_ip"], six["dest_port"], six["proto"]) == ("2001:db8:1::9", 7, "2001:db8:ff::5", 53, "UDP")
    assert icmp["proto"] == "ICMP" and "src_port" not in icmp and icmp["src_ip"] == "192.0.2.9"
    assert gre["proto"] == "047" and not {"src_ip", "proto"} & set(other)


def test_flows_beyond_the_rate_are_counted_and_packets_go_on(packetwarp, folder):
    done, left = run(packetwarp, FRAMES, {"models": ["syn.onnx"], "events": "eve.json", "events_rate": 5})
    counts = done.result["detect"]["events"]
    assert counts["told"] == len(events_in(folder / "eve.json")) >= 5
    assert counts["limited"] > 0 and counts["told"] + counts["limited"] == len(WITH_SYN), counts
    assert len(left) == len(FRAMES)


def test_punts_beyond_the_rate_are_dropped_by_name(packetwarp, folder):
    done, _ = run(packetwarp, FRAMES, {"models": ["syn.onnx"], "action": "punt", "punt_rate": 5})
    packets = done.result["packets"]
    dropped = packets["dropped"]
    assert dropped["no_kernel_interface"] >= 5 and dropped["anomalous_limited"] > 0, dropped
    assert sum(dropped.values()) == len(WITH_SYN) and packets["rx"] == packets["tx"] + len(WITH_SYN), packets


def test_a_flow_that_goes_on_is_told_again_after_the_period(packetwarp, folder):
    """FLOWS flows at full rate: an event each per second, however many packets."""
    file = {**ROUTED, "detect": {"models": [str(folder / "udp.onnx")], "events": str(folder / "eve.json"), "events_period": "1s"}}
    with routed(packetwarp, file) as running:
        wait_until(running, lambda: running.json("show", "detect")["events"]["told"] >= 2 * FLOWS, "each flow's second event")
        running.write({**file, "detect": {**file["detect"], "events_rate": 0}})
        running.said("reload")
        counts = running.json("show", "detect")["events"]
        sent = running.report()["packets"]["tx"]
        wait_until(running, lambda: running.report()["packets"]["tx"] > sent, "packets that go on")
        assert running.json("show", "detect")["events"] == counts, "no record any more"
        done = running.running.interrupt()
    flows: dict[int, int] = {}
    for event in events_in(folder / "eve.json"):
        flows[event["flow_id"]] = flows.get(event["flow_id"], 0) + 1
    assert len(flows) == FLOWS and done.packets.rx == done.packets.tx > FLOWS * max(flows.values())


def test_top_and_show_have_the_hosts_with_the_most_anomalous_packets_and_the_flows_with_the_highest_scores(packetwarp, folder):
    file = {**ROUTED, "detect": {"models": [str(folder / "udp.onnx")]}}
    with routed(packetwarp, file, hosts=4, count=16) as running:
        wait_until(running, lambda: [len(running.json("show", "detect")[key]) for key in ("busiest", "highest")] == [5, 16], "hosts and flows")
        said = running.json("show", "detect")
        once, shown = running.said("top", "--once"), running.said("show", "detect")
        running.running.interrupt()
    first, *others = said["busiest"]
    assert (first["address"], first["role"], first["highest"]) == ("203.0.113.9", "destination", 1.0)
    assert {host["address"] for host in others} == {f"10.0.0.{n}" for n in range(2, 6)}
    assert {(flow["source"], flow["source_port"]) for flow in said["highest"]} == {(f"10.0.0.{2 + n % 4}", 4000 + n) for n in range(16)}
    assert {(*(flow[key] for key in ("destination", "destination_port", "protocol", "highest")),) for flow in said["highest"]} == {
        ("203.0.113.9", 53, "UDP", 1.0)}
    for text in (once, shown):
        row, = (line for line in text.splitlines() if line.startswith("203.0.113.9"))
        assert "destination" in row and "1.000" in row, text
        row, = (line for line in text.splitlines() if line.startswith("10.0.0.3:4005"))
        assert row.split()[1] == "203.0.113.9:53" and "1.000" in row and "UDP" in row, text


def test_events_that_nobody_reads_hold_nothing_up(packetwarp, folder):
    fifo = folder / "eve.fifo"
    os.mkfifo(fifo)
    file = {**ROUTED, "detect": {"models": [str(folder / "udp.onnx")], "events": str(fifo), "events_room": "64k", "events_period": "1s",
                                 "events_rate": 1000000}}
    with routed(packetwarp, file, count=2000) as running:
        wait_until(running, lambda: running.report()["logs"][-1]["lost"] > 0, "a line that finds no room")
        sent = running.report()["packets"]["tx"]
        wait_until(running, lambda: running.report()["packets"]["tx"] > sent, "packets that go on")
        done = running.running.interrupt()
    log, = (log for log in done.result["logs"] if log["name"] == "detect")
    assert log["lost"] > 0 and done.packets.rx == done.packets.tx, done


REFUSED = [({"events_period": "0s"}, "detect.events_period: "), ({"events_rate": 2000000}, "detect.events_rate: "),
           ({"events_room": "1k"}, "detect.events_room: '1k' is no size from 64k to 1g"),
           ({"punt_rate": 5}, "detect.punt_rate: only 'action: punt' hands packets over")]


@pytest.mark.parametrize(("section", "line"), REFUSED, ids=[line for _, line in REFUSED])
def test_a_wrong_limit_is_refused_in_a_line(packetwarp, folder, section, line):
    done, _ = run(packetwarp, [segment(1, "S")], {"models": ["syn.onnx"], **section})
    assert done.status == WRONG_USAGE and len(done.errors) == 1 and line in done.errors[0], done


def test_a_file_that_cannot_be_written_is_refused(packetwarp, folder):
    done, _ = run(packetwarp, [segment(1, "S")], {"models": ["syn.onnx"], "events": "/nowhere/eve.json"})
    assert done.status == WRONG_USAGE and "detect.events: '/nowhere/eve.json' cannot be written" in done.errors[0], done
