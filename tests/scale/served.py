# SPDX-License-Identifier: Apache-2.0
"""Reports of the scale-out test's hosts: which replica serves each, and whose connections have gone on."""
from __future__ import annotations

import time
from collections import Counter
from typing import Any

from bed import Bed, replica_of
from namespaces import wait_for


def wait_for_all(bed: Bed) -> dict[str, Any]:
    """Until every active host has had an answer and an echo after this call. By host: what has happened since the last report."""
    total = bed.report()
    heard: dict[str, set[str]] = {}

    def is_served() -> bool:
        for host, said in bed.report().items():
            heard.setdefault(host, set()).update((["udp"] if said["udp"] else []) + (["tcp"] if said["tcp"] else []))
            add(total[host], said)
        return all(len(ways) == 2 for ways in heard.values())

    wait_for(is_served, f"all hosts to be served, of which {sum(len(one) < 2 for one in heard.values())} are not", 40, 0.5)
    return total


def add(total: dict[str, Any], said: dict[str, Any]) -> None:
    """The later report of a host to an earlier one."""
    for name, value in said.items():
        if isinstance(value, bool):
            total[name] = value
        else:
            total[name] += value


def places(report: dict[str, Any]) -> dict[str, int]:
    """The replica that serves each host: one, for UDP and TCP."""
    found = {}
    for host, said in report.items():
        by = {replica_of(address) for address in said["udp"] + said["tcp"]}
        assert len(by) == 1, f"{host} is served by {by}"
        found[host] = by.pop()
    return found


def now_at(bed: Bed, seconds: float = 1.5) -> dict[str, int]:
    bed.report()
    time.sleep(seconds)
    return places(bed.report())


def expect_untouched(report: dict[str, Any], before: dict[str, int], hosts: set[str]) -> None:
    """The connections of these hosts go on, at the replica of before."""
    assert {host: report[host]["broken"] for host in hosts if report[host]["broken"]} == {}
    assert {host for host in hosts if not report[host]["connected"] or not report[host]["echoes"]} == set()
    moved = {host: report[host]["udp"] for host in hosts if {replica_of(one) for one in report[host]["udp"] + report[host]["tcp"]} != {before[host]}}
    assert moved == {}


def retries(report: dict[str, Any], hosts: set[str]) -> int:
    return sum(report[host]["retries"] for host in hosts)


def counts(at: dict[str, int]) -> str:
    return ", ".join(f"{count} at replica {n}" for n, count in sorted(Counter(at.values()).items()))
