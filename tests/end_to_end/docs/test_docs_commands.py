# SPDX-License-Identifier: Apache-2.0
"""Every fenced command of docs/ that needs two CPUs and nothing else runs as it stands there, only shorter; every other one says
what it needs. A page is one shell session, beside a run of packetwarp where its commands ask one."""
from __future__ import annotations

import os
import pathlib
import re
import shutil
import textwrap

import pytest
import test_readme
from alone import alone
from doc_pages import BY_NAME, OTHER_PAGES, PAGES, Command, commands_of, hidden_commands, without_comment
from harness import DONE, FAILED, ROOT
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.l2 import Ether
from scapy.utils import wrpcap
from test_examples import MARK, run_shell, workspace

COMMANDS = [command for page in PAGES for command in commands_of(page)]
OTHERS = [command for page in OTHER_PAGES for command in commands_of(page)]
RUNNABLE = [command for command in COMMANDS if command.need is None]
CPUS = len(os.sched_getaffinity(0))
# Programs that may be run: the repository's, and programs that only read. No other is tried.
PROGRAMS = re.compile(r"(packetwarp|(\.venv/bin/)?python3?|python/\w+\.py|grep|cat|ls(cpu|pci)|ip -br)\b")
# Programs of other packages, which a machine may lack.
TOOLS = ("tshark", "lspci", "lscpu")
# Commands that may end so beside with 0: the page says when.
STATUSES = {r"bench -- --advise": (DONE, FAILED), r"packetwarp doctor": (DONE, FAILED)}

# Shorter times and fewer cases: `bench` with its defaults measures for minutes.
SHORTER = ((r"--duration \d+m?s", "--duration 300ms"), (r"--trial \d+s", "--trial 50ms --resolution 50"), (r"--warmup 10m", "--warmup 10k"),
           (r"^(packetwarp l2fwd (?!.*(--duration|--until-idle)).*)", r"\1 --duration 300ms"),
           (r"^(packetwarp bench (?!.*(--ndr|--resume|--from)).*)", r"\1 --seconds 0.05 --repeats 1"),
           (r"^(packetwarp bench (?!.*(--ndr|--resume|--from|--advise)).*)", r"\1 --testpmd none"),
           (r"^(packetwarp bench (?!.*(--executors|--resume|--from)).*)", r"\1 --executors cpu"),
           (r"^(packetwarp bench (?!.*(--bursts|--resume|--from)).*)", r"\1 --bursts 32"),
           (r"^packetwarp capture (?!.*(--packets|--duration))", "packetwarp capture --duration 300ms "),
           (r"^packetwarp top(?!.*--once)", "timeout --signal=INT --preserve-status 3 packetwarp top"))

# Pages whose commands ask a running packetwarp.
ROUTER = """\
eal: [-l, "0", --no-pci, --in-memory, "--vdev=net_pcap0,rx_pcap=inside.pcap,infinite_rx=1", "--vdev=net_pcap1,rx_pcap=outside.pcap,infinite_rx=1"]
data_plane: {poll_sleep: 200us}
interfaces:
  - {name: lan, port: 0, mac: "02:00:00:00:00:01", addresses: [10.0.0.1/24]}
  - {name: wan, port: 1, mac: "02:00:00:00:00:02", addresses: [198.51.100.1/24]}
routes: [{to: 203.0.113.0/24, via: 198.51.100.2}]
neighbours:
  - {interface: lan, address: 10.0.0.2, mac: "02:00:00:00:01:01"}
  - {interface: wan, address: 198.51.100.2, mac: "02:00:00:00:02:02"}
nat44: {inside: lan, outside: wan, pool: [198.51.100.1]}
"""
RULES = """\
eal: [-l, "0", --no-pci, --in-memory, "--vdev=net_null0", "--vdev=net_null1"]
data_plane: {poll_sleep: 200us}
interfaces: [{name: lan, port: 0}, {name: wan, port: 1}]
rules: {file: flows.txt, receive_queues: 3}
"""
RULED_ROUTER = ROUTER + "rules: {file: flows.txt, receive_queues: 3}\n"
# A single pipeline on an lcore of its own, and no loop iteration that counts as long, on a busy machine too.
WORKERS = ROUTER.replace('-l, "0"', '-l, 0-1').replace("200us}", "200us, pipelines: 1, big_loop: 0, big_loop_master: 10s, message_timeout: 10s}")
BESIDE = {"docs/flow.md": RULES, "docs/functions/nat44.md": ROUTER, "docs/functions/router.md": ROUTER, "docs/capture.md": ROUTER, "docs/drops.md": ROUTER, "docs/show.md": RULED_ROUTER, "docs/top.md": ROUTER, "docs/workers.md": WORKERS}


def write_files(folder: pathlib.Path) -> None:
    """The files that the pages' commands name, and the captures that the run beside them receives."""
    for name in ("in.pcap", "left.pcap", "right.pcap"):
        (folder / name).symlink_to(ROOT / "tests/captures/mixed.pcap")
    (folder / "a.json").symlink_to(ROOT / "benchmarks/results/h200/burst.json")
    inside, outside = Ether(src="02:00:00:00:01:01", dst="02:00:00:00:00:01"), Ether(src="02:00:00:00:02:02", dst="02:00:00:00:00:02")
    there, back = IP(src="10.0.0.2", dst="203.0.113.9"), IP(src="203.0.113.9", dst="198.51.100.1")
    wrpcap(str(folder / "inside.pcap"), [inside / there / UDP(sport=4000, dport=53) / b"x", inside / there / TCP(sport=51234, dport=80, flags="S"),
                                         inside / there / TCP(sport=51234, dport=80, flags="A"),
                                         inside / IP(src="10.0.0.2", dst="192.0.2.1") / UDP(dport=9) / b"no route"])
    wrpcap(str(folder / "outside.pcap"), [outside / back / UDP(sport=53, dport=4000) / b"x", outside / back / TCP(sport=80, dport=51234, flags="SA"),
                                          outside / back / TCP(sport=80, dport=51234, flags="A")])
    rules = next(text for text in re.findall(r"^```text\n(.*?)^```$", (ROOT / "docs/flow.md").read_text(), re.MULTILINE | re.DOTALL) if text.startswith("flow create"))
    (folder / "flows.txt").write_text(rules)


def shorter(words: str) -> str:
    for pattern, fewer in SHORTER:
        words = re.sub(pattern, fewer, words)
    return words


def script_of(commands: list[Command], beside: str | None) -> str:
    """Each command's output, then its status after a mark."""
    lines = ["PATH=$PWD/build:$PATH", "set -o pipefail"]
    if beside:
        lines += ["packetwarp run -c network.yaml >run.log 2>&1 &", "for _ in $(seq 300); do packetwarp workers >ready.log 2>&1 && break; sleep 0.1; done"]
        lines += ["for _ in $(seq 100); do packetwarp nat stats 2>/dev/null | grep -q 'tcp 1' && break; sleep 0.1; done"] if "nat44" in beside else []
    for command in commands:
        lines.append(f"{{ {shorter(command.words)}; }} </dev/null; printf '\\n%s %s\\n' '{MARK}' $?")
    return "\n".join(lines + (["kill -INT %1", "wait %1"] if beside else [])) + "\n"


def shape(text: str) -> list[str]:
    """Lines without figures: a number, an address, a time and nothing (`-`) are alike."""
    def of(line: str) -> str:
        line = re.sub(r"\b\d[\d.,:]*( ?(ns|us|ms|s)\b|[kMG]\b)?", "0", line)
        return " ".join("0" + word[1:] if word in ("-", "-,") else word for word in line.split())
    return [of(line) for line in text.splitlines() if line.strip()]


def assert_as_shown(command: Command, got: str) -> None:
    shown, printed = shape("\n".join(command.output or ())), shape(got)
    for line in shown:
        assert line in printed, f"{command}\nthe page shows a line like\n{line}\nit printed\n{got}"
    for line in printed:
        assert line in shown, f"{command}\nit printed a line like\n{line}\nwhich the page does not show"


def missing_tools(command: Command) -> list[str]:
    return [tool for tool in TOOLS if re.search(rf"\b{tool}\b", command.words) and not shutil.which(tool)]


def runnable_here(page: pathlib.Path) -> list[Command]:
    found = [command for command in commands_of(page) if command.need is None and PROGRAMS.match(command.words)
             and command.cpus <= CPUS and not missing_tools(command) and (os.geteuid() == 0 or "/run/packetwarp" not in command.words)]
    return sorted(found, key=lambda command: "--resume" in command.words)  # of a file that another command of the page writes


@pytest.mark.skipif(CPUS < 2, reason="one CPU; the pages ask for two")
@pytest.mark.parametrize("page", [page for page in PAGES if runnable_here(page)], ids=lambda page: page.stem)
def test_what_needs_nothing_runs_as_it_stands(binary, tmp_path, page):
    commands, beside = runnable_here(page), BESIDE.get(str(page.relative_to(ROOT)))
    folder = workspace(binary, tmp_path)
    write_files(folder)
    if beside:
        (folder / "network.yaml").write_text(textwrap.dedent(beside))
    stdout, stderr = run_shell(script_of(commands, beside), folder, alone() or ["bash"])
    parts = re.split(rf"^{MARK} (\d+)\n", stdout, flags=re.MULTILINE)
    assert len(parts) == 2 * len(commands) + 1, f"{stdout}\n{stderr}"
    for command, got, status in zip(commands, parts[::2], parts[1::2]):
        allowed = next((statuses for pattern, statuses in STATUSES.items() if re.search(pattern, command.words)), (DONE,))
        log = (folder / "run.log").read_text() if beside else ""
        assert int(status) in allowed, f"{command}\nexit status {status}\n{got}\n{stderr}\n{log}"
        if command.output is not None:
            assert_as_shown(command, got)


def test_every_command_runs_or_says_what_it_needs():
    """A new command is run; one of a program that is not ours is classified first."""
    assert len(RUNNABLE) >= 30 and len(COMMANDS) > len(RUNNABLE)
    unknown = [str(command) for command in RUNNABLE if not PROGRAMS.match(command.words)]
    assert not unknown, "say what these need (NEEDS or BY_NAME of doc_pages.py), or that they may be run (PROGRAMS here):\n" + "\n".join(unknown)


def test_a_command_of_the_readme_is_run_or_says_what_it_needs():
    assert len(OTHERS) >= 15
    unknown = [str(command) for command in OTHERS if command.need is None and command.words not in map(without_comment, (*test_readme.COMMANDS, *test_readme.ROUTER))]
    assert not unknown, "\n".join(unknown)


def test_what_lacks_a_tool_is_skipped_by_name():
    if lacking := [f"{command} (needs {', '.join(missing_tools(command))})" for command in RUNNABLE if missing_tools(command)]:
        pytest.skip("; ".join(lacking))


def test_what_stands_by_name_is_there():
    assert set(BY_NAME) <= {command.words for command in (*COMMANDS, *OTHERS)}, "a command that no page has any more"


def test_no_command_hides_in_a_fence_that_holds_none():
    assert not [line for page in PAGES for line in hidden_commands(page)]


@pytest.mark.parametrize(("words", "need"), (
    ("packetwarp l2fwd -l 1-3 -a 0000:b5:00.0 -- -p 2", "a NIC"), ("sudo packetwarp doctor", "a change of the machine"),
    ("packetwarp l2fwd -l 0-1 --vdev=net_null0 -- -w persistent", "a GPU"), ("make lint", "a stage of the project itself"),
    ("packetwarp plan -l 0-8 --vdev=net_null0", None), ("packetwarp flow list 0", None)))
def test_a_need_follows_from_the_words(words, need):
    assert Command("docs/new.md", 1, words, None).need == need


def test_a_page_that_shows_something_else_is_noticed():
    shown = Command("docs/new.md", 1, "packetwarp nat stats", ("sessions  2 of 65536: udp 1", "made 2   ended 0"))
    assert_as_shown(shown, "sessions  17 of 4096: udp 9\nmade 1,000   ended -\n")
    for wrong in ("sessions  2 of 65536: udp 1\n", "sessions  2 of 65536: udp 1\nmade 2   gone 0\n", "sessions  2 of 9: udp 1\nmade 2   ended 0\nmore\n"):
        with pytest.raises(AssertionError):
            assert_as_shown(shown, wrong)
