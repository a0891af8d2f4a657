# SPDX-License-Identifier: Apache-2.0
"""Replicas of a NAT44 that BGP announces: more and fewer of them, and one that is killed and comes back."""
from __future__ import annotations

import time

from bed import HOSTS, PER_NETWORK, Bed, replica_of
from figures import Figures
from served import counts, expect_untouched, now_at, retries, wait_for_all

SERVED_WITHIN = 5.0  # seconds: what issue and docs promise after a replica is killed


def test_each_host_is_at_one_of_two_replicas(bed: Bed, figures: Figures) -> None:
    at = now_at(bed)
    assert len(at) == len(HOSTS) * PER_NETWORK and set(at.values()) == {0, 1}
    figures.add("hosts", counts(at))


def test_a_third_replica_gets_idle_hosts_and_no_other(bed: Bed, figures: Figures) -> None:
    before = now_at(bed)
    steady, changing = ({host for host in before if host.startswith(network + ".")} for network in HOSTS.values())
    bed.hosts["changing"].ask("quiet")
    began = time.monotonic()
    bed.replicas[2].start()
    bed.wait_for_group({0, 1, 2})
    figures.add("the third is a next hop after", time.monotonic() - began)
    time.sleep(8)  # two idle times and more: idle buckets move
    expect_untouched(bed.report(), before, steady)
    bed.hosts["changing"].ask("active")
    wait_for_all(bed)
    after = now_at(bed)
    assert {host: after[host] for host in steady} == {host: before[host] for host in steady}
    assert 2 in {after[host] for host in changing}
    figures.add("hosts", counts(after))
    figures.add("connections of active hosts broken", 0)


def test_a_killed_replicas_hosts_are_served_by_others_in_time(bed: Bed, figures: Figures) -> None:
    before = now_at(bed)
    lost = {host for host, n in before.items() if n == 0}
    assert lost
    killed = time.monotonic()
    bed.replicas[0].kill()
    bed.wait_for_group({1, 2})
    figures.add("SIGKILL of replica 0: routes are gone after", time.monotonic() - killed)
    time.sleep(max(0.0, killed + SERVED_WITHIN + 1 - time.monotonic()))
    report = bed.report()
    served = {host: min((gap["to"] - killed for gap in report[host]["gaps"] if gap["to"] > killed and replica_of(gap["by"]) != 0), default=None)
              for host in lost}
    assert None not in served.values(), served
    figures.add("hosts of it", len(lost))
    figures.add("all of them are served again after", max(served.values()))
    figures.add("requests repeated until then", retries(report, lost))
    figures.add("requests repeated by hosts of others", retries(report, set(before) - lost))
    expect_untouched(report, before, set(before) - lost)
    assert max(served.values()) < SERVED_WITHIN
    wait_for_all(bed)
    figures.add("hosts", counts(now_at(bed)))


def test_a_replica_that_comes_back_takes_no_active_host(bed: Bed, figures: Figures) -> None:
    before = now_at(bed)
    began = time.monotonic()
    bed.replicas[0].start()
    bed.wait_for_group({0, 1, 2})
    figures.add("replica 0 is a next hop again after", time.monotonic() - began)
    time.sleep(8)
    report = bed.report()
    expect_untouched(report, before, set(before))
    figures.add("connections broken, of all hosts", 0)
    figures.add("requests repeated", retries(report, set(before)))


def test_a_drained_replica_ends_when_its_hosts_have_gone(bed: Bed, figures: Figures) -> None:
    before = now_at(bed)
    lost = {host for host, n in before.items() if n == 2}
    began = time.monotonic()
    bed.replicas[2].ask("drain", "--within", "20s")
    bed.wait_for_group({0, 1})
    figures.add("drain of replica 2: its route is gone after", time.monotonic() - began)
    result = bed.replicas[2].result()
    figures.add("it has ended after", time.monotonic() - began)
    assert result["ended_by"] == "finished" and result["packets"]["in_flight"] == 0
    figures.add("hosts of it", len(lost))
    figures.add("packets dropped as draining", result["packets"]["dropped"].get("draining", 0))
    report = bed.report()
    expect_untouched(report, before, set(before) - lost)
    wait_for_all(bed)
    after = now_at(bed)
    assert set(after.values()) == {0, 1}
    figures.add("hosts", counts(after))
