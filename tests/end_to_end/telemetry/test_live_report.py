# SPDX-License-Identifier: Apache-2.0
"""The report of a run while it runs, by the control socket."""
from __future__ import annotations

import os
import pathlib

import pytest
from harness import DONE
from live import NAT44, ROUTED, live, routed, wait_until
from namespaces import wait_for
from seeing import NULLS, Control, assert_grown, seen_l2fwd
from test_run_control import NULLS as RUN_NULLS
from test_run_control import with_rules


@pytest.mark.parametrize("lcores", ("0", "0-1", "0-2"))
def test_a_report_of_the_moment_has_all_that_the_last_one_has(packetwarp, lcores):
    workers = ("--workers", "pair", "-p", "1") if lcores == "0-2" else ()
    with seen_l2fwd(packetwarp, *workers, lcores="0,1@0,2@1" if lcores == "0-2" else lcores) as (running, control):
        with Control(control) as asking:
            first = asking.report()
            second = asking.later_report(first)
        done = running.interrupt().result
    assert_grown(first, second)
    assert_grown(second, done)
    assert first["ended_by"] is second["ended_by"] is None and done["ended_by"] == "signal"
    assert list(first) == list(done)
    assert 0 < first["packets"]["rx"] < second["packets"]["rx"] <= done["packets"]["rx"]
    assert second["mpps"] > 0 and second["seconds"] > 0 and second["latency_us"]["p50"] > 0


def test_every_job_is_a_stage_that_says_what_a_packet_costs(packetwarp):
    with seen_l2fwd(packetwarp, "--workers", "pair-cpu", "-p", "1", lcores="0,1@0,2@1,3@1") as (running, control):
        with Control(control) as asking:
            report = asking.later_report(asking.report())
        running.interrupt()
    stages = {stage["name"]: stage for worker in report["workers"] for stage in worker["stages"]}
    assert set(stages) == {name for worker in report["workers"] for name in worker["jobs"]} == {"receive 0", "execute 0", "transmit 0"}
    for stage in stages.values():
        assert 0 < stage["calls"] <= stage["packets"] <= report["packets"]["rx"], stage
        assert stage["cycles_per_packet"] == pytest.approx(stage["cycles"] / stage["packets"])
        assert stage["packets_per_call"] == pytest.approx(stage["packets"] / stage["calls"])
    assert stages["receive 0"]["packets_per_call"] <= 32


def test_there_is_one_report_a_second_at_most_for_all_who_ask(packetwarp):
    with seen_l2fwd(packetwarp) as (running, control), Control(control) as one, Control(control) as other:
        # A second may end between the two, but not each time.
        wait_for(lambda: one.report() == other.report(), "two answers of one report")
        running.interrupt()


def test_sessions_and_rules_are_among_it(packetwarp):
    with routed(packetwarp, {**ROUTED, "nat44": NAT44}) as running:
        wait_until(running, lambda: running.json("nat", "stats")["live"] == 64, "a session of each flow")
        with Control(running.control) as asking:
            report = asking.later_report(asking.report())
        stats = running.json("nat", "stats")
        done = running.running.interrupt().result
    assert report["nat"] == stats == done["nat"]
    assert report["nat"]["udp"] == 64 and "rules" not in report and report["control"]["dropped"] is not None


def test_hits_of_rules_are_among_it(packetwarp):
    # More than a slice of them; the first takes all.
    rules = "flow create 0 priority 1 ingress pattern eth / end actions count / port_id id 1 / end\n" + "".join(
        f"flow create 0 priority 9 ingress pattern eth / ipv4 src is 10.0.{n // 250}.{n % 250} / end actions count / drop / end\n"
        for n in range(300))
    with live(packetwarp, with_rules(packetwarp, rules), *RUN_NULLS) as running:
        with Control(running.control) as asking:
            report = asking.later_report(asking.report())
        done = running.running.interrupt().result
    assert len(report["rules"]) == len(done["rules"]) == 301
    assert [rule["number"] for rule in report["rules"]] == list(range(301))
    assert 0 < report["rules"][0]["hits"] < done["rules"][0]["hits"] == done["packets"]["rx"]
    assert all(rule["hits"] == 0 for rule in report["rules"][1:])


def test_rules_may_change_while_it_is_made(packetwarp):
    """The old rules or the new ones, never some of each: the rule that comes and goes is the last."""
    rules = "flow create 0 priority 1 ingress pattern eth / end actions count / port_id id 1 / end\n" + "".join(
        f"flow create 0 priority 9 ingress pattern eth / ipv4 src is 10.0.0.{n} / end actions drop / end\n" for n in range(200))
    with live(packetwarp, with_rules(packetwarp, rules), *RUN_NULLS) as running, Control(running.control) as asking:
        last = asking.report()
        for _ in range(10):
            running.said("flow", "create", "0", "priority", "9", "ingress", "pattern", "eth", "/", "end", "actions", "drop", "/", "end")
            running.said("flow", "destroy", "0", "rule", "201")
            report = asking.report()
            numbers = [rule["number"] for rule in report["rules"]]
            assert numbers == list(range(len(numbers))) and len(numbers) in (201, 202)
        assert asking.later_report(last)["rules"][0]["hits"] > 0
        running.running.interrupt()


def test_l2fwd_knows_no_command_of_a_network(packetwarp):
    with seen_l2fwd(packetwarp) as (running, control):
        with Control(control) as asking:
            assert asking.ask("nat stats")["status"] == 2
            for command in ("nat stats", "flow", "workers", "reload", "drain"):
                answer = asking.ask(command)
                said = f"packetwarp l2fwd that runs there, which has no '{command.split()[0]}': ask a packetwarp run"
                assert answer["status"] == 2 and said in answer["error"] and "version" not in answer["error"], answer
            assert "no such command; is it of another version?" in asking.ask("natter")["error"]
            assert asking.ask("report", of="all")["status"] == 2
            asking.report()
        done = running.interrupt()
    assert done.status == DONE and not control.exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="the folder is another one for who is not root")
def test_its_socket_is_found_by_the_file_prefix(packetwarp):
    prefix = f"pwtest{os.getpid()}"
    path = pathlib.Path("/run/packetwarp") / f"{prefix}.sock"
    eal = ["-l", "0", f"--file-prefix={prefix}", *(f"--vdev={device}" for device in NULLS)]
    with packetwarp.running(eal, ["--control", ""]) as running:
        running.wait_until_forwarding()
        with Control(path) as asking:
            assert asking.report()["command"] == "l2fwd"
        running.interrupt()
    assert not path.exists()
