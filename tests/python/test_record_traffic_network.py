# SPDX-License-Identifier: Apache-2.0
"""python/record_traffic as a user runs it: errors in one line, and small recordings between namespaces, which need root."""
from __future__ import annotations

import contextlib
import csv
import os
import pathlib
import signal
import subprocess
import sys

import pytest
from namespaces import need_root_and_tools, run, wait_for
from scapy.layers.inet import IP
from scapy.utils import PcapReader

from record_traffic import record as command
from record_traffic.network import INTERFACE, Network
from record_traffic.recording import PROGRAM, record
from record_traffic.scenarios import Scenario

SCRIPT = [sys.executable, str(pathlib.Path(command.__file__))]
# Programs that all other tests in namespaces need as well.
MIXED = Scenario("test", (("ping",),), ("icmp_flood",))
NEEDS = need_root_and_tools("ip", "tcpdump", "ethtool", "ping", "nft")
in_namespaces = pytest.mark.skipif(bool(NEEDS), reason=NEEDS)


def namespaces_of(pid):
    return [line.split()[0] for line in run("ip", "netns", "list").stdout.splitlines() if line.startswith(f"pw-traffic-{pid}-")]


@pytest.mark.parametrize(("words", "message"), (
    ([], "give the folder of the captures: --out DIR"),
    (["--out", "x", "--seeds", "3-1"], "\"3-1\": give numbers and ranges such as 1-3,9"),
    (["--out", "x", "--seeds", "one"], "\"one\": give numbers and ranges"),
    (["--out", "x", "--seeds", "1-1000"], "100 seeds at most"),
    (["--out", "x", "--scenarios", "ping,pong"], "\"pong\": no such scenario"),
    (["--out", "x", "--packets", "7"], "\"7\": give a number from 200 to 200000"),
    (["--out", "x", "--packets", "-1"], "--packets"),
    (["--out", "x", "--tools", "none"], "--tools"),
))
def test_a_wrong_option_is_one_line(words, message, tmp_path):
    ended = run(*SCRIPT, *words, check=False, cwd=tmp_path)
    assert ended.returncode == 2 and ended.stdout == ""
    assert ended.stderr.startswith("record_traffic: error: ") and ended.stderr.count("\n") == 1 and message in ended.stderr
    assert not list(tmp_path.iterdir())


def test_seeds_are_numbers_and_ranges():
    assert command.seeds_of("1-3,9,2") == [1, 2, 3, 9]


def test_without_root_it_says_so(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(sys, "argv", ["record.py", "--out", str(tmp_path / "x")])
    assert command.main() == 1
    assert capsys.readouterr().err == "record_traffic: error: needs root, to make network namespaces\n"
    assert not list(tmp_path.iterdir())


def test_a_missing_tool_is_named_with_its_package():
    assert command.missing_tools(frozenset()) == ""
    assert command.missing_tools(frozenset({"sh"})) == ""
    command_that_is_missing = "no-such-tool-of-anyone"
    assert command.missing_tools(frozenset({"sh", command_that_is_missing})) == (
        f"{command_that_is_missing} not installed: apt-get install {command_that_is_missing}")


def test_scenarios_of_missing_tools_are_skipped_by_name(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(command, "missing_tools", lambda tools: "nmap not installed: apt-get install nmap")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(sys, "argv", ["record.py", "--out", str(tmp_path), "--scenarios", "syn_scan", "--seeds", "1-2"])
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    assert command.main() == 1
    printed = capsys.readouterr()
    assert printed.out.splitlines() == [f"skipped syn_scan, seed {seed}: nmap not installed: apt-get install nmap" for seed in (1, 2)]
    assert printed.err == "record_traffic: error: every scenario was skipped\n"


def test_every_scenario_is_listed():
    listed = run(*SCRIPT, "--list").stdout.splitlines()
    assert [line.split()[0] for line in listed] == list(command.listed())


# --- in namespaces ------------------------------------------------------------------------------------------------------


@in_namespaces
def test_a_mixed_recording_has_a_label_for_each_packet(tmp_path):
    plan = MIXED.plan(4, "other", 1500)
    row = record(MIXED, plan, tmp_path)
    assert (row.file, row.label, row.family, row.tool) == ("test-4-other.pcap", "mixed", "icmp_flood", "ping")
    labels = (tmp_path / "test-4-other.labels").read_text().splitlines()
    with PcapReader(str(tmp_path / row.file)) as frames:
        packets = list(frames)
    assert len(packets) == len(labels) == row.packets <= 1500
    assert set(labels) == {"normal", "icmp_flood"}
    # As scapy reads it, all but the client's packets is the flood's, which forged addresses of this seed may send.
    benign = {str(plan.clients[0].address)}
    for packet, label in zip(packets, labels, strict=True):
        if IP in packet:
            assert label == ("normal" if benign & {packet[IP].src, packet[IP].dst} else "icmp_flood")
    assert not namespaces_of(os.getpid())


@in_namespaces
def test_a_namespace_cannot_send_with_the_source_of_another(tmp_path):
    """The labels rely on it."""
    plans = (MIXED.plan(seed, "other", 1500) for seed in range(100))
    plan = next(plan for plan in plans if not plan.forged_sources(plan.attackers[0]))
    client, attacker = plan.clients[0], plan.attackers[0]
    ping = ["ping", "-n", "-q", "-c", "3", "-i", "0.1", "-W", "1"]
    with Network(plan, tmp_path, PROGRAM) as network:
        space, at = network.of[attacker.name], str(plan.victim.address)
        received = ["sh", "-c", f"cat /sys/class/net/{INTERFACE}/statistics/rx_packets"]
        wait_for(lambda: space.run(*ping, at, check=False).returncode == 0, "the attacker's own ping")
        space.address(INTERFACE, f"{client.address}/32")
        # The victim answers no ping of the client's address from here, and answers the client itself.
        before = int(network.of["victim"].run(*received).stdout)
        assert " 0 received" in space.run(*ping, "-I", str(client.address), at, check=False).stdout
        assert int(network.of["victim"].run(*received).stdout) - before < 3
        assert network.of[client.name].run(*ping, at, check=False).returncode == 0
    assert not namespaces_of(os.getpid())


@in_namespaces
def test_an_interrupted_recording_leaves_nothing(tmp_path):
    process = subprocess.Popen([*SCRIPT, "--out", str(tmp_path), "--scenarios", "ping", "--seeds", "1"], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    try:
        client = wait_for(lambda: [name for name in namespaces_of(process.pid) if name.endswith("client1")], "the namespaces")[0]
        pids = wait_for(lambda: run("ip", "netns", "pids", client, check=False).stdout.split(), "a client's ping")
        process.send_signal(signal.SIGINT)
        output, error = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130 and output == ""
    assert error == "record_traffic: interrupted; the captures so far are complete\n"
    assert not namespaces_of(process.pid) and not list(tmp_path.iterdir())
    for pid in pids:
        with contextlib.suppress(FileNotFoundError):
            assert client not in pathlib.Path(f"/proc/{pid}/cmdline").read_text()


@in_namespaces
def test_the_list_of_captures_names_the_recording(tmp_path):
    ended = run(*SCRIPT, "--out", str(tmp_path), "--scenarios", "icmp_flood", "--tools", "other", "--packets", "400", "--seeds", "5", timeout=120)
    assert ended.stdout.startswith("icmp_flood-5-other.pcap: ") and "attack, icmp_flood by ping" in ended.stdout
    with open(tmp_path / "labels.csv", newline="") as text:
        row, = csv.DictReader(text)
    with PcapReader(str(tmp_path / "icmp_flood-5-other.pcap")) as frames:
        assert sum(1 for _ in frames) == int(row["packets"]) > 100
    assert {**row, "packets": ""} == {"file": "icmp_flood-5-other.pcap", "label": "attack", "family": "icmp_flood", "tool": "ping", "seed": "5",
                                      "packets": ""}
