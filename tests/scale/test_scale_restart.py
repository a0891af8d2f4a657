# SPDX-License-Identifier: Apache-2.0
"""Planned restarts of replicas: their hosts keep their connections, and the routers their routes."""
from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest
from bed import EXAMPLE, Bed, Replica
from figures import Figures
from namespaces import wait_for
from served import expect_untouched, now_at, retries, wait_for_all

TWINS = ("inside.kni", "outside.kni")


def sessions(bed: Bed, ordinal: int | None = None) -> dict[str, Any]:
    """By address: the routers' BGP sessions with a replica, or with all."""
    return {address: said for router in bed.routers for address, said in router.show("bgp", "neighbors").items()
            if ordinal is None or address.endswith(f".{11 + ordinal}")}


def sessions_lost(bed: Bed) -> dict[str, int]:
    """By address: how often a router has lost the BGP session with it."""
    return {address: said["connectionsDropped"] for address, said in sessions(bed).items()}


def multipliers(bed: Bed, ordinal: int) -> set[int]:
    """The detection multipliers of BFD that the routers have heard from a replica."""
    return {said["remote-detect-multiplier"] for router in bed.routers for said in router.show("bfd", "peers") if said["peer"].endswith(f".{11 + ordinal}")}


def longest_gap(report: dict[str, Any], hosts: set[str]) -> float:
    return max((gap["to"] - gap["from"] for host in hosts for gap in report[host]["gaps"]), default=0.0)


def restart_packetwarp(bed: Bed, replica: Replica) -> None:
    """As its operator does it, beside whatever supervises it, which starts it again. FRR goes on."""
    assert replica.frr
    lost = sessions_lost(bed)
    script = subprocess.Popen([sys.executable, str(EXAMPLE / "planned_restart.py"), replica.control, str(replica.frr.folder), "--packetwarp", str(bed.program)],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        wait_for(lambda: replica.running.poll() is not None or script.poll() is not None, "its end", 60)
        drained = replica.result()
        assert drained["ended_by"] == "finished" and drained["packets"]["in_flight"] == 0
        assert multipliers(bed, replica.ordinal) == {120}
        replica.start()
        said, _ = script.communicate(timeout=60)
    finally:
        script.kill()
    assert script.returncode == 0 and said.splitlines()[-1] == "BFD has its times back", said
    assert sessions_lost(bed) == lost
    wait_for(lambda: multipliers(bed, replica.ordinal) == {5}, "the routers to hear of BFD's usual times")


def restart_pod(bed: Bed, replica: Replica) -> None:
    """packetwarp and FRR end and start again, and nothing of the kernel's stays."""
    assert replica.frr
    lost = sessions_lost(bed)
    replica.namespace.run(sys.executable, str(EXAMPLE / "before_pod_restart.py"), str(replica.frr.folder))
    replica.frr.stop("bgpd")
    replica.ask("drain", "--within", "1ms", "--keep-routes")
    replica.result()
    for name in ("bfdd", "zebra"):
        replica.frr.stop(name)
    for twin in TWINS:
        replica.namespace.ip("link", "delete", twin)
    replica.start()
    for name in ("zebra", "bfdd", "bgpd"):
        replica.frr.start(name)
    wait_for(lambda: all(said["bgpState"] == "Established" for said in sessions(bed, replica.ordinal).values()), "its BGP sessions")
    assert {address for address, count in sessions_lost(bed).items() if count != lost[address]} == set(sessions(bed, replica.ordinal))


@pytest.mark.parametrize("restart", (restart_packetwarp, restart_pod), ids=("packetwarp", "pod"))
def test_restarts_of_all_replicas_in_turn_break_no_connection(bed: Bed, figures: Figures, restart: Callable[[Bed, Replica], None]) -> None:
    before, changes = now_at(bed), bed.group_changes()
    for replica in bed.replicas[:2]:
        its = {host for host, n in before.items() if n == replica.ordinal}
        assert its
        began, resumed = time.monotonic(), replica.log().count("sessions go on")
        restart(bed, replica)
        assert replica.log().count("sessions go on") == resumed + 1
        figures.add(f"{restart.__name__.replace('_', ' of ')} {replica.ordinal}, planned: took", time.monotonic() - began)
        report = wait_for_all(bed)
        expect_untouched(report, before, set(before))
        figures.add("hosts of it", len(its))
        figures.add("longest time without an answer", longest_gap(report, its))
        figures.add("connections broken, of all hosts", 0)
        figures.add("requests repeated by its hosts", retries(report, its))
        figures.add("requests repeated by hosts of others", retries(report, set(before) - its))
    assert bed.group_changes() == changes


def test_a_restarted_replica_makes_new_sessions(bed: Bed) -> None:
    before = now_at(bed)
    for network in bed.hosts.values():
        network.ask("quiet")
    wait_for(lambda: not any(said["connected"] for said in bed.report().values()), "the connections' ends")
    for network in bed.hosts.values():
        network.ask("active")
    expect_untouched(wait_for_all(bed), before, set(before))
