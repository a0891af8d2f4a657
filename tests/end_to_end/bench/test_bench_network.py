# SPDX-License-Identifier: Apache-2.0
"""python/bench_network.py with packetwarp itself: what it sends belongs to flows and sessions that are there."""
from __future__ import annotations

import json
import subprocess
import sys

import pytest
from harness import DONE, FAILED, ROOT, WRONG_USAGE


def bench(binary, *options):
    return subprocess.run([sys.executable, ROOT / "python/bench_network.py", binary, "--testpmd", "none", "--vpp", "none", *options],
                          capture_output=True, text=True, timeout=200, check=False)


@pytest.mark.parametrize(("flows", "sessions", "ways", "ports"), ((1, None, 1, None), (3, 70000, 2, "null"), (3, None, 1, "pcap")))
def test_every_packet_finds_its_session(binary, tmp_path, flows, sessions, ways, ports):
    file = tmp_path / "result.json"
    more = ["--sessions", str(sessions)] if sessions else []
    more += ["--ports", ports] if ports else []
    done = bench(binary, "--functions", "router:cpu,nat44:cpu", "--flows", str(flows), "--ways", str(ways), *more,
                 "--seconds", "0.2", "--json", file)
    assert done.returncode == DONE, done
    result = json.loads(file.read_text())
    assert (result["flows"], result["sessions"], result["ways"], result["ports"]) == (flows, sessions or flows, ways, ports or "null")
    assert [(case["function"], case["dropped"]) for case in result["cases"]] == [("router", {}), ("nat44", {})], done
    assert all(case["mpps"] > 0 for case in result["cases"])


def test_lanes_forward_what_they_receive(binary, tmp_path):
    """Each packet finds its session and its host: none is dropped."""
    file = tmp_path / "result.json"
    done = bench(binary, "--functions", "l2fwd:none,router:cpu,nat44:cpu", "--lanes", "2", "--lcore-list", "quietest", "--flows", "7", "--seconds", "0.2", "--json", file)
    assert done.returncode == DONE, done
    result = json.loads(file.read_text())
    assert [(case["function"], case["dropped"]) for case in result["cases"]] == [("l2fwd", {}), ("router", {}), ("nat44", {})], done
    assert result["lanes"] == 2 and all(case["mpps"] > 0 for case in result["cases"])


@pytest.mark.parametrize("ports", ("null", "pcap"))
def test_each_function_has_the_packets_that_it_works_on(binary, tmp_path, ports):
    """A rule for each flow: packets that match none are dropped, and none is."""
    file = tmp_path / "result.json"
    done = bench(binary, "--functions", "l2fwd:none,rules:cpu", "--flows", "5", "--ports", ports, "--seconds", "0.2", "--json", file)
    assert done.returncode == DONE, done
    cases = json.loads(file.read_text())["cases"]
    assert [(case["function"], case["dropped"]) for case in cases] == [("l2fwd", {}), ("rules", {})], done
    assert all(case["mpps"] > 0 for case in cases)


def test_a_case_that_fails_is_told_and_the_others_are_kept(binary, tmp_path):
    file = tmp_path / "result.json"
    done = bench(binary, "--functions", "router:cpu,nat44:abacus", "--flows", "1", "--seconds", "0.1", "--json", file)
    assert done.returncode == FAILED and "nat44                    abacus     burst   64  FAILED: " in done.stdout, done
    assert [case["function"] for case in json.loads(file.read_text())["cases"]] == ["router"]


@pytest.mark.parametrize(("options", "said"), (
    (["--flows", "0"], "from 1 on"), (["--flows", "9", "--sessions", "8"], "no fewer sessions than flows"),
    (["--flows", "16200000"], "at most"), (["--flows", "70000"], "rules for 64512 flows at most"), (["--lcores", "17", "--ports", "pcap"], "with --ports pcap 16 at most"),
    (["--lcores", "0"], "--lcores: from 1 on"), (["--lcore-list", "0"], "--lcore-list: 1 different numbers"),
    (["--lcores", "2", "--lcore-list", "3,3"], "--lcore-list: 2 different numbers"), (["--lcores", "2", "--lcore-list", "3,x"], "--lcore-list: 2"),
    (["--lcores", "500", "--lcore-list", "quietest"], "as many CPUs"), (["--lanes", "3", "--lcores", "2"], "--lanes: from 1 to 16"), (["--lanes", "17", "--lcores", "17"], "--lanes: from 1 to 16"),
    (["--lanes", "2", "--flows", "1"], "for each lane"), (["--lanes", "2", "--functions", "rules:cpu"], "on one lane"), (["--packets", "0"], "--packets: from 1 on"), (["--ports", "tap"], "--ports")))
def test_what_cannot_be_is_refused(binary, options, said):
    done = bench(binary, *options)
    assert done.returncode == WRONG_USAGE and said in done.stderr.splitlines()[-1], done
