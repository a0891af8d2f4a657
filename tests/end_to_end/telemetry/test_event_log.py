# SPDX-License-Identifier: Apache-2.0
"""--event-log: what happens to a run, a JSON object a line."""
from __future__ import annotations

import datetime
import json
import os
import pathlib
import re
import signal
from typing import Any

from harness import ALONE, FAILED, WRONG_USAGE
from live import ROUTED, live, wait_until
from seeing import NULLS, seen_l2fwd

RFC_3339 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")


def events_of(path: pathlib.Path) -> list[dict[str, Any]]:
    """Every line, its time in order."""
    events = [json.loads(line) for line in path.read_text().splitlines()]
    assert all(RFC_3339.fullmatch(event["time"]) and list(event)[:2] == ["time", "event"] for event in events), events
    times = [event["time"] for event in events]
    assert times == sorted(times)
    return events


def test_a_run_begins_and_ends(packetwarp, tmp_path):
    path = tmp_path / "events.jsonl"
    before = datetime.datetime.now(datetime.timezone.utc)
    with seen_l2fwd(packetwarp, "--event-log", str(path), "--workers", "pair", "-p", "3") as (running, _):
        done = running.interrupt().result
    after = datetime.datetime.now(datetime.timezone.utc)
    events = events_of(path)
    assert [event["event"] for event in events] == ["started", *["notice"] * len(done["notices"]), "ended"]
    started, ended = events[0], events[-1]
    assert before <= datetime.datetime.fromisoformat(started["time"].replace("Z", "+00:00")) <= after
    assert (started["command"], started["executor"], started["pipelines"]) == ("l2fwd", "cpu", 3)
    assert [port["name"] for port in started["ports"]] == ["net_null0", "net_null1"]
    assert [event["text"] for event in events[1:-1]] == done["notices"] != []
    assert (ended["cause"], ended["rx"], ended["tx"], ended["in_flight"], ended["conserved"]) == (
        "signal", done["packets"]["rx"], done["packets"]["tx"], 0, True)


def test_another_run_goes_on_behind_it(packetwarp, tmp_path):
    path = tmp_path / "events.jsonl"
    for _ in range(2):
        packetwarp.forward(["-l", "0", *(f"--vdev={device}" for device in NULLS)], ["--event-log", str(path), "--packets", "1000"])
    assert [event["event"] for event in events_of(path) if event["event"] != "notice"] == ["started", "ended"] * 2


def test_reloads_that_are_done_and_refused(packetwarp, tmp_path):
    path = tmp_path / "events.jsonl"
    file = {**ROUTED, "event_log": str(path)}
    with live(packetwarp, file, "net_null0", "net_null1,no-rx=1") as running:
        running.write({**file, "routes": []})
        running.said("reload")
        running.write({**file, "routes": [], "interfaces": []})
        assert running.ask("reload").status == WRONG_USAGE
        running.write(file)
        running.running.send(signal.SIGHUP)
        wait_until(running, lambda: path.read_text().count('"reload_') >= 3, "the third reload")
        running.running.interrupt()
    told = [event for event in events_of(path) if event["event"].startswith("reload")]
    assert [(event["event"], event["by"]) for event in told] == [
        ("reload_done", "control socket"), ("reload_refused", "control socket"), ("reload_done", "signal")]
    assert "1 routes" in told[0]["text"] and f"{running.config}:" in told[1]["text"]


def test_a_log_that_is_renamed_goes_on_in_a_new_file(packetwarp, tmp_path):
    """As logrotate does it: SIGHUP follows."""
    path, old = tmp_path / "events.jsonl", tmp_path / "events.jsonl.1"
    with live(packetwarp, {**ROUTED, "event_log": str(path)}, "net_null0", "net_null1,no-rx=1") as running:
        wait_until(running, lambda: "started" in path.read_text(), "the run to begin")
        path.rename(old)
        running.running.send(signal.SIGHUP)
        wait_until(running, path.exists, "the new file")
        running.running.interrupt()
    assert "started" in [event["event"] for event in events_of(old)]
    assert [event["event"] for event in events_of(path)] == ["reload_done", "ended"]


def test_links_that_go_down_and_interfaces_that_are_deleted(packetwarp, namespaces, tmp_path):
    path = tmp_path / "events.jsonl"
    here = namespaces.add("links")
    namespaces.connect((here, "l0"), (here, "r0"))
    eal = ["-l", "0", "--vdev=net_af_packet0,iface=l0", "--vdev=net_null1,no-rx=1"]
    with packetwarp.running(eal, ["--event-log", str(path)], within=here.command()) as running:
        running.wait_until_forwarding()
        here.ip("link", "set", "r0", "down")
        running.wait_for_log("link down")
        here.ip("link", "set", "r0", "up")
        running.wait_for_log("link up")
        here.ip("link", "del", "l0")
        running.wait_for_log("is gone")
        running.send(signal.SIGINT).finish()
    told = [(event["event"], event["name"]) for event in events_of(path) if event["event"] not in ("started", "notice", "ended")]
    assert told == [(what, "net_af_packet0") for what in ("link_down", "link_up", "port_lost")]


def test_a_file_of_the_largest_size_costs_lines_and_not_the_run(packetwarp, tmp_path):
    """`ulimit -f` and systemd's LimitFSIZE: the kernel's signal ends a process that does not expect it (SIGXFSZ)."""
    path, most = tmp_path / "events.jsonl", 256 << 20
    path.touch()
    os.truncate(path, most)
    within = ["prlimit", f"--fsize={most}"]
    done = packetwarp.forward(["-l", "0", *(f"--vdev={device}" for device in NULLS)],
                              ["--event-log", str(path), "--packets", "1000"], within=within)
    events = next(log for log in done.result["logs"] if log["name"] == "events")
    assert events["written"] == 0 and events["lost"] >= 2, events
    assert "File too large" in done.stderr, done


def test_a_file_that_cannot_be_written_is_one_line(packetwarp):
    done = packetwarp.run("l2fwd", [*ALONE, "-l", "0", *(f"--vdev={device}" for device in NULLS)],
                          ["--event-log", "/nowhere/events.jsonl", "--control", "none", "--duration", "50ms"])
    assert done.status == FAILED and len(done.errors) == 1 and "event log /nowhere/events.jsonl: No such file" in done.errors[0], done
