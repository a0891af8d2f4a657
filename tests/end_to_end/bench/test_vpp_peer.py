# SPDX-License-Identifier: Apache-2.0
"""python/vpp_peer.py beside a VPP that these tests play: two small programs, whose answers have the layout of VPP's
documentation. They show that commands, counters and errors are dealt with, and nothing about the real VPP."""
from __future__ import annotations

import dataclasses
import json
import os
import pathlib
import subprocess
import sys
import textwrap
import time

import network_flows
import pytest
import vpp_network
import vpp_peer
from harness import ROOT

PLAYED_VPP = """
    import json, os, pathlib, re, signal, sys, time
    here = pathlib.Path(__file__).parent
    play = json.loads((here / "play.json").read_text())
    startup = pathlib.Path(sys.argv[sys.argv.index("-c") + 1]).read_text()
    (here / "startup.conf").write_text(startup)
    (here / "pid").write_text(str(os.getpid()))
    if "ends" in play:
        sys.exit(play["ends"])
    if play.get("stays"):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    pathlib.Path(re.search("cli-listen ([^ ]+)", startup)[1]).touch()
    while True:
        time.sleep(1)
"""

# Answers come one after the other, the last one for ever. As vppctl does, it ends with 0 whatever VPP says.
PLAYED_VPPCTL = """
    import json, pathlib, sys, time
    here = pathlib.Path(__file__).parent
    play = json.loads((here / "play.json").read_text())
    option, socket, command = sys.argv[1:]
    if option != "-s" or not pathlib.Path(socket).exists():
        sys.exit("connect: No such file or directory")
    if play.get("hangs"):
        time.sleep(600)
    with (here / "commands").open("a") as commands:
        commands.write(command + "\\n")
    asked = (here / "commands").read_text().splitlines().count(command)
    for start, answers in play["answers"].items():
        if command.startswith(start):
            print(answers[min(asked, len(answers)) - 1])
"""

VERSION = "vpp v25.10-release built by root on a machine at 2025-10-29T12:00:00"
ENDS = [vpp_network.End(*names) for names in
        zip(network_flows.OWN, network_flows.HOSTS, network_flows.OWN_MACS, network_flows.HOST_MACS)]


def interfaces(*counts: tuple[int, int]) -> str:
    """The output of `show interface` for pg0, pg1 and so on, each with packets received and sent."""
    lines = ["              Name               Idx    State  MTU (L3/IP4/IP6/MPLS)     Counter          Count     ",
             "local0                            0     down          0/0/0/0       "]
    for number, (rx, tx) in enumerate(counts):
        first = f"pg{number}                               {number + 1}      up          9000/0/0/0     "
        counters = [("rx packets", rx), ("rx bytes", 60 * rx), ("tx packets", tx), ("tx bytes", 60 * tx), ("drops", 7)]
        for name, count in counters:
            lines.append(f"{first or ' ' * 68}{name:16}{count:16}")
            first = ""
    return "\r\n".join(lines)


def summary(sessions: int) -> str:
    return (f"max translations per thread: 65536 fib 0\ntotal sessions: {sessions} (timed out: 0)\ntcp sessions:\n"
            f"    total: 0 (timed out: 0)\nudp sessions:\n    total: {sessions} (timed out: 0)")


GOOD = {"answers": {"show version": [VERSION], "show nat44 summary": [summary(5001)],
                    "show interface": [interfaces((1000, 900), (900, 1000)),
                                       interfaces((20_001_000, 10_000_900), (10_000_900, 20_001_000))]}}


class Clock:
    """Time passes by the slept amounts, so that a rate is a number; a little of it in truth, for the programs to get on."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        time.sleep(min(seconds, 0.02))
        self.now += seconds


@dataclasses.dataclass
class Played:
    """A folder with a played VPP in it."""

    folder: pathlib.Path

    @property
    def program(self) -> str:
        return str(self.folder / "vpp")

    def plays(self, **play: object) -> None:
        (self.folder / "play.json").write_text(json.dumps(play))

    def forward(self, mode: str, workers: int = 1, flows: int = 5001, ways: int = 2, seconds: float = 2) -> tuple[str, float]:
        return vpp_peer.forward(self.program, mode, ENDS, workers, flows, ways, seconds)

    @property
    def commands(self) -> list[str]:
        return (self.folder / "commands").read_text().splitlines()

    @property
    def startup(self) -> str:
        return (self.folder / "startup.conf").read_text()

    def assert_gone(self) -> None:
        with pytest.raises(ProcessLookupError):
            os.kill(int((self.folder / "pid").read_text()), 0)
        cli = self.startup.split("cli-listen ")[1].split()[0]
        assert not pathlib.Path(cli).parent.exists()


@pytest.fixture
def vpp(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Played:
    for name, source in (("vpp", PLAYED_VPP), ("vppctl", PLAYED_VPPCTL)):
        (tmp_path / name).write_text(f"#!{sys.executable} -IS\n{textwrap.dedent(source)}")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setattr(vpp_peer, "time", Clock())
    played = Played(tmp_path)
    played.plays(**GOOD)
    return played


def test_the_rate_is_what_both_sides_sent_between_two_looks(vpp: Played):
    assert vpp.forward("routing", seconds=2) == ("v25.10-release", pytest.approx(15))
    vpp.assert_gone()


def test_one_way_counts_what_left_to_the_outside(vpp: Played):
    assert vpp.forward("routing", ways=1, seconds=4) == ("v25.10-release", pytest.approx(5))
    assert not any("way1" in command for command in vpp.commands)


def test_routing_has_the_network_and_the_flows_of_the_bench(vpp: Played):
    vpp.forward("routing")
    assert not any("nat44" in command for command in vpp.commands)
    for command in (
            "create packet-generator interface pg0 hw-addr 4a:ac:4f:29:87:80", "set interface ip address pg0 1.1.1.1/24",
            "set interface ip address pg1 2.2.2.1/24", "set interface state pg1 up",
            "set ip neighbor pg1 2.2.2.2 ec:0d:9a:8a:28:3a static",
            "packet-generator new { name way0_0 source pg0 node ethernet-input worker 0 size 60-60 data { "
            "IP4: ec:0d:9a:8a:27:ba -> 4a:ac:4f:29:87:80 UDP: 1.1.1.2 -> 2.2.2.2 UDP: 1025-6025 -> 53 length 26 checksum 0 "
            "incrementing 18 } }"):
        assert command in vpp.commands
    [back] = [command for command in vpp.commands if "name way1_0" in command]
    assert "source pg1" in back and "UDP: 2.2.2.2 -> 1.1.1.2 UDP: 1025-6025 -> 53" in back


def test_nat_answers_come_once_all_sessions_are_there_and_to_the_ports_that_flows_left_with(vpp: Played):
    assert vpp.forward("nat44-ed", seconds=1) == ("v25.10-release", pytest.approx(30))
    told = vpp.commands
    for command in ("nat44 plugin enable sessions 65536", "nat44 add address 2.2.2.1", "set interface nat44 in pg0 out pg1"):
        assert told.index(command) < told.index("packet-generator enable-stream way0_0")
    assert (told.index("packet-generator enable-stream way0_0") < told.index("show nat44 summary")
            < told.index("packet-generator enable-stream way1_0") < told.index("show interface"))
    [back] = [command for command in told if "name way1_0" in command]
    assert "UDP: 2.2.2.2 -> 2.2.2.1 UDP: 53 -> 1025-6025" in back


def test_it_is_started_by_itself_and_on_the_lcores_of_packetwarp(vpp: Played):
    vpp.plays(answers={**GOOD["answers"], "show interface": [interfaces(*[(0, 0)] * 6), interfaces(*[(9, 9)] * 6)]})
    vpp.forward("routing", workers=3)
    folder = vpp.startup.split("runtime-dir ")[1].split()[0]
    assert f"cli-listen {folder}/cli.sock" in vpp.startup and f"socket-name {folder}/stats.sock" in vpp.startup
    assert f"api-segment {{ prefix {pathlib.Path(folder).name} }}" in vpp.startup
    assert "nodaemon" in vpp.startup and " gid " not in vpp.startup
    assert "cpu { main-core 0 corelist-workers 1,2,3 }" in vpp.startup
    assert "plugin default { disable } plugin nat_plugin.so { enable }" in vpp.startup


@pytest.mark.parametrize("workers", [1, 2, 3, 5, 6, 7, 8, 12, 16])
def test_workers_share_the_flows_and_each_has_hosts_and_ports_that_are_its_own(workers: int):
    lanes = vpp_network.lanes_of(ENDS, workers, 5001)
    ports = [tuple(map(int, lane.ports.split("-"))) for lane in lanes]
    assert sum(last - first + 1 for first, last in ports) == 5001
    share = 64511 // workers
    for worker, (lane, (first, last)) in enumerate(zip(lanes, ports)):
        # As VPP's sources have it: which worker an inside host is for, and whose ports are kept.
        assert 1024 + worker * share < first <= last <= 1024 + (worker + 1) * share
        a, b, c, d = map(int, lane.hosts[0].split("."))
        word = a | b << 8 | c << 16 | d << 24
        assert (word + (word >> 8) + (word >> 16) + (word >> 24)) % 2**32 % workers == worker
        assert lane.hosts[0].rsplit(".", 1)[0] == lane.own[0].rsplit(".", 1)[0] and lane.hosts[0] != lane.own[0]
    assert len({lane.own for lane in lanes}) == workers
    assert (lanes[0].own, lanes[0].hosts) == (network_flows.OWN, network_flows.HOSTS) or workers > 1


def test_more_flows_than_ports_are_refused():
    with pytest.raises(vpp_peer.PeerError, match="64512 flows cannot be dealt to 1 workers with 64511 ports each"):
        vpp_network.lanes_of(ENDS, 1, 64512)


@pytest.mark.parametrize(("changed", "said"), [
    ({"ends": "vpp[7]: cpu core 1 is not there\nvpp[7]: main: unknown input `corelist-workers'"},
     r"vpp ended by itself: vpp\[7\]: main: unknown input `corelist-workers'$"),
    ({"ends": 3}, "vpp ended by itself: it said nothing$"),
    ({"nat44 plugin": ["nat44: unknown input 'plugin enable sessions 65536'"]},
     "vpp: 'nat44 plugin enable sessions 65536': nat44: unknown input 'plugin enable sessions 65536'$"),
    ({"create packet-generator": ["create packet-generator interface: unknown input `hw-addr'"]}, "unknown input `hw-addr'$"),
    ({"show nat44 summary": [summary(4999)]}, "vpp has 4999 NAT44 sessions and not 5001$"),
    ({"show nat44 summary": [summary(5001), summary(5001), summary(5002)]}, "vpp has 5002 NAT44 sessions and not 5001$"),
    ({"show nat44 summary": ["show nat44: plugin disabled"]}, "vpp has no number of NAT44 sessions and not 5001$"),
    ({"show interface": [interfaces((0, 0), (0, 0))]}, "vpp sent 0 of 0 packets that came from inside"),
    ({"show interface": [interfaces((0, 0), (0, 0)), interfaces((5000, 4000), (4000, 4900))]},
     "vpp sent 4900 of 5000 packets that came from inside"),
    ({"show interface": [interfaces((0, 0), (0, 0)), interfaces((5000, 0), (5000, 5000))]},
     "vpp sent 0 of 5000 packets that came from outside"),
    ({"show interface": ["unknown"]}, "vpp sent 0 of 0 packets"),
    ({"show version": ["the programmer's version"]}, "vpp does not say its version: the programmer's version$"),
])
def test_what_is_not_as_it_should_be_is_one_line_and_no_rate(vpp: Played, changed: dict, said: str):
    answers = {name: answer for name, answer in changed.items() if name != "ends"}
    ends = {"ends": changed["ends"]} if "ends" in changed else {}
    vpp.plays(answers={**GOOD["answers"], **answers}, **ends)
    with pytest.raises(vpp_peer.PeerError, match=said) as error:
        vpp.forward("nat44-ed")
    assert "\n" not in str(error.value)
    vpp.assert_gone()


def test_a_vppctl_that_does_not_come_back_is_given_up(vpp: Played, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(vpp_peer, "ANSWER_SECONDS", 1)
    vpp.plays(**GOOD, hangs=True)
    with pytest.raises(vpp_peer.PeerError, match="vpp did not answer 'show version' in 1.0 s"):
        vpp.forward("routing")
    vpp.assert_gone()


def test_a_vpp_that_never_opens_its_socket_is_given_up(vpp: Played, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(vpp_peer, "LIMIT_SECONDS", 1)
    source = pathlib.Path(vpp.program).read_text()
    pathlib.Path(vpp.program).write_text(source.replace(".touch()", ""))
    with pytest.raises(vpp_peer.PeerError, match="vpp did not (start: connect: No such file or directory|answer 'show version')"):
        vpp.forward("routing")
    vpp.assert_gone()


def test_a_vpp_that_stays_is_killed(vpp: Played, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(vpp_peer, "END_SECONDS", 0.1)
    vpp.plays(**GOOD, stays=True)
    assert vpp.forward("routing") == ("v25.10-release", pytest.approx(15))
    vpp.assert_gone()


def test_without_a_program_there_is_a_line_about_it(vpp: Played, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(vpp_peer.PeerError, match="there is no program /no/vpp$"):
        vpp_peer.forward("/no/vpp", "routing", ENDS, 1, 10, 2, 1)
    (vpp.folder / "vppctl").unlink()
    with pytest.raises(vpp_peer.PeerError, match="there is no vppctl beside"):
        vpp.forward("routing")


def bench(binary: pathlib.Path, folder: pathlib.Path, *options: str, path: str = "") -> tuple[list[str], dict]:
    """Lines and result of the whole bench, for a moment, with few flows."""
    if not {0, 1} <= os.sched_getaffinity(0):
        pytest.skip("the bench needs CPUs 0 and 1")
    result = folder / "result.json"
    done = subprocess.run(
        [sys.executable, ROOT / "python/bench_network.py", binary, "--flows", "101", "--functions", "router:cpu,nat44:cpu",
         "--seconds", "0.2", "--testpmd", "none", "--json", result, *options],
        capture_output=True, text=True, timeout=200, env={**os.environ, "PATH": path})
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines(), json.loads(result.read_text())


def test_the_bench_goes_on_where_vpp_is_not_installed(binary: pathlib.Path, tmp_path: pathlib.Path):
    lines, result = bench(binary, tmp_path)
    assert [line.split() for line in lines if line.startswith("vpp")] == [
        "vpp is not installed (--vpp PATH): it is not run beside".split()]
    assert result["peers"] == [] and [case["function"] for case in result["cases"]] == ["router", "nat44"]


def test_the_bench_writes_down_what_vpp_reached_and_what_failed(binary: pathlib.Path, vpp: Played):
    vpp.plays(answers={**GOOD["answers"], "show nat44 summary": [summary(100)]})
    lines, result = bench(binary, vpp.folder, "--vpp", vpp.program)
    told = [line.split(maxsplit=2) for line in lines if line.startswith("vpp")]
    assert [name for _, name, _ in told] == ["routing", "nat44-ed"]
    assert told[0][2].endswith(" Mpps") and told[1][2] == "FAILED: vpp has 100 NAT44 sessions and not 101"
    [peer] = result["peers"]
    assert (peer["program"], peer["version"], peer["mode"]) == ("vpp", "v25.10-release", "routing") and peer["mpps"] > 0
    assert [case["function"] for case in result["cases"]] == ["router", "nat44"]
