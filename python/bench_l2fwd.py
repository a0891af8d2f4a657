#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs `packetwarp l2fwd` beside DPDK's testpmd and prints how fast each forwards: same EAL options, same two null ports, one
forwarding lcore that receives, swaps and sends. The difference is the program's own cost of a packet.

    packetwarp -w none   beside   testpmd --forward-mode=io         no code changes the packet
    packetwarp -w cpu    beside   testpmd --forward-mode=macswap    the CPU swaps its MAC addresses

The two run alternately, so that any other load of the machine strikes both; medians, spreads and the ratio of the medians go to a
table and to a JSON file. Both measure with clocks of their own, after a warm-up and before they stop."""
from __future__ import annotations

import argparse
import datetime
import itertools
import json
import os
import pathlib
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from typing import Any

import rich.console
import rich.table
from testpmd_peer import memory_options

ROOT = pathlib.Path(__file__).resolve().parent.parent
FORWARD_MODES = {"none": "io", "cpu": "macswap"}
FRAME_BYTES = 60  # a 64-byte frame without its FCS, which no driver delivers
WARM_UP_SECONDS = 0.5
WARM_UP_PACKETS = "10m"
START_LIMIT_SECONDS = 30


class BenchError(Exception):
    """A line for the person at the terminal."""


def eal_options(lcores: str) -> list[str]:
    ports = [f"--vdev=net_null{i},copy=0,size={FRAME_BYTES}" for i in range(2)]
    return ["-l", lcores, *memory_options(), "--no-pci", *ports]


@dataclass
class Side:
    """A program in one case: its command, and the results of its runs."""

    command: list[str]
    mpps: list[float] = field(default_factory=list)

    def summary(self) -> dict[str, Any]:
        return {
            "command": shlex.join(self.command),
            "mpps": self.mpps,
            "median": statistics.median(self.mpps),
            "min": min(self.mpps),
            "max": max(self.mpps),
        }


@dataclass
class Case:
    executor: str
    burst: int
    packetwarp: Side
    testpmd: Side | None

    @property
    def forward_mode(self) -> str:
        return FORWARD_MODES[self.executor]

    def summary(self) -> dict[str, Any]:
        ours = self.packetwarp.summary()
        theirs = self.testpmd.summary() if self.testpmd else None
        return {
            "executor": self.executor,
            "forward_mode": self.forward_mode,
            "burst": self.burst,
            "packetwarp": ours,
            "testpmd": theirs,
            "ratio": ratio(ours, theirs, "median"),
            "ratio_of_best": ratio(ours, theirs, "max"),
        }


def ratio(ours: dict[str, Any], theirs: dict[str, Any] | None, of: str) -> float | None:
    return ours[of] / theirs[of] if theirs and theirs[of] > 0 else None


# --- running the programs ---------------------------------------------------------------------------------------------


def run_packetwarp(command: list[str], seconds: float) -> dict[str, Any]:
    """The run's report."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "report.json"
        full = [*command, "--json", str(path)]
        try:
            done = subprocess.run(full, capture_output=True, text=True, timeout=seconds + START_LIMIT_SECONDS, check=False,
                                  cwd=ROOT)
        except subprocess.TimeoutExpired:
            raise BenchError(f"{shlex.join(full)}: still running {START_LIMIT_SECONDS} s after it should have ended") from None
        if done.returncode != 0 or not path.exists():
            raise BenchError(f"{shlex.join(full)}: exit status {done.returncode}, no report: {complaint(done.stderr)}")
        report = json.loads(path.read_text())
    require_conserved(report)
    return report


def require_conserved(report: dict[str, Any]) -> None:
    packets = report["packets"]
    accounted = packets["tx"] + packets["punted"] + packets["in_flight"] + sum(packets["dropped"].values())
    if packets["rx"] != accounted:
        raise BenchError(f"packetwarp received {packets['rx']} packets and accounts for {accounted}: not a valid run")


def run_testpmd(command: list[str], mode: str, seconds: float) -> str:
    """All its output, with its statistics shown at both ends of the stretch."""
    # Into a pipe it would print in blocks, which would hide its start.
    with subprocess.Popen(["stdbuf", "-oL", *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, cwd=ROOT) as testpmd:
        limit = threading.Timer(seconds + START_LIMIT_SECONDS, testpmd.kill)
        limit.start()
        try:
            require_start(testpmd, mode)
            time.sleep(WARM_UP_SECONDS)
            say(testpmd, "show port stats all")
            time.sleep(seconds)
            say(testpmd, "show port stats all", "stop", "quit")
            testpmd.stdin.close()
            return testpmd.stdout.read()
        except BrokenPipeError:
            raise BenchError(f"{shlex.join(command)}: ended by itself") from None
        finally:
            limit.cancel()
            testpmd.kill()  # has no effect once it has quit


def require_start(testpmd: subprocess.Popen[str], mode: str) -> None:
    """Waits until it forwards; it must have the mode, the ports and the one core asked for, not a fallback."""
    said = []
    for line in testpmd.stdout:
        said.append(line)
        if "packet forwarding - ports=" in line:
            if not line.startswith(f"{mode} packet forwarding - ports=2 - cores=1 "):
                raise BenchError(f"testpmd does not do what it was asked for: {line.strip()}")
            return
    raise BenchError(f"{shlex.join(testpmd.args)}: did not start: {complaint(''.join(said))}")


def say(testpmd: subprocess.Popen[str], *lines: str) -> None:
    testpmd.stdin.write("".join(f"{line}\n" for line in lines))
    testpmd.stdin.flush()


def sent_mpps(output: str) -> float:
    """Sum over both ports of the last statistics shown, whose rates are since the statistics before."""
    rates = [int(rate) for rate in re.findall(r"Tx-pps:\s+(\d+)", output)]
    if len(rates) != 4:
        raise BenchError(f"testpmd showed {len(rates)} rates and not 4 (two ports, twice): {complaint(output)}")
    return sum(rates[2:]) / 1e6


def complaint(output: str) -> str:
    """The line that says what went wrong: usage texts and clean-up come after it."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    telling = (line for line in lines if re.search(r"error|cause:|invalid|cannot|unavailable", line, re.IGNORECASE))
    return next(telling, lines[-1] if lines else "it said nothing")


# --- what it was measured on ------------------------------------------------------------------------------------------


def git(*arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def commit() -> str:
    """The commit of the sources; unknown if they came without their repository."""
    dirty = "-dirty" if git("status", "--porcelain", "--untracked-files=no") else ""
    return (git("rev-parse", "HEAD") or "unknown") + dirty


def results_folder(cpuinfo: str) -> pathlib.Path:
    """Results of different machines do not mix: benchmarks/results/amd-epyc-2-cpus."""
    model = re.search(r"^model name\s*: (.*)$", cpuinfo, re.MULTILINE)
    cpus = len(re.findall(r"^processor\s*:", cpuinfo, re.MULTILINE))
    words = f"{model[1] if model else 'unknown'} {cpus} cpus".lower()
    return ROOT / "benchmarks" / "results" / re.sub(r"[^a-z0-9]+", "-", words).strip("-")


def from_root(path: pathlib.Path) -> str:
    """A path in the form of results, and of calls: within the repository, relative to its root."""
    absolute = path.absolute()
    return str(absolute.relative_to(ROOT) if absolute.is_relative_to(ROOT) else absolute)


def disturbances(testpmd: str | None) -> list[str]:
    notices = []
    load, cpus = os.getloadavg()[0], os.cpu_count() or 1
    if load > 0.5:
        notices.append(f"the machine was not idle: load average {load:.1f} on {cpus} CPUs")
    if testpmd is None:
        notices.append("dpdk-testpmd is not installed (ci/setup.sh installs it): packetwarp ran alone")
    return notices


# --- all of it --------------------------------------------------------------------------------------------------------


def make_cases(options: argparse.Namespace, testpmd: str | None) -> list[Case]:
    eal = eal_options(options.lcores)
    cases = []
    for executor, burst in itertools.product(FORWARD_MODES, options.bursts):
        ours = [from_root(options.packetwarp), "l2fwd", *eal, "--", "-w", executor, "-b", str(burst),
                "--warmup", WARM_UP_PACKETS, "--duration", f"{options.seconds:g}s", "--stats-period", "0"]
        theirs = [testpmd, *eal, "--", "-i", f"--forward-mode={FORWARD_MODES[executor]}", f"--burst={burst}",
                  "--nb-cores=1", "--no-lsc-interrupt", "--auto-start"] if testpmd else None
        cases.append(Case(executor, burst, Side(ours), Side(theirs) if theirs else None))
    return cases


def measure(cases: list[Case], options: argparse.Namespace, console: rich.console.Console) -> dict[str, Any]:
    """Runs everything; returns the host as packetwarp describes it."""
    report: dict[str, Any] = {}
    for repeat in range(options.repeats):
        for case in cases:
            console.print(f"run {repeat + 1} of {options.repeats}: {case.executor}, bursts of {case.burst}")
            if case.testpmd:
                case.testpmd.mpps.append(sent_mpps(run_testpmd(case.testpmd.command, case.forward_mode, options.seconds)))
            report = run_packetwarp(case.packetwarp.command, options.seconds)
            case.packetwarp.mpps.append(report["mpps"])
    return report["host"]


def table_of(cases: list[dict[str, Any]]) -> rich.table.Table:
    table = rich.table.Table(title="l2fwd beside testpmd: Mpps sent, median (lowest to highest)")
    for heading in ("executor", "testpmd mode"):
        table.add_column(heading)
    for heading in ("burst", "packetwarp", "testpmd", "ratio", "of best"):
        table.add_column(heading, justify="right", no_wrap=True)
    for case in cases:
        rates = [f"{side['median']:.1f} ({side['min']:.1f} to {side['max']:.1f})" if side else "-"
                 for side in (case["packetwarp"], case["testpmd"])]
        ratios = [f"{case[which]:.2f}" if case[which] else "-" for which in ("ratio", "ratio_of_best")]
        table.add_row(case["executor"], case["forward_mode"], str(case["burst"]), *rates, *ratios)
    return table


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=3, help="measured in each run (default 3)")
    parser.add_argument("--repeats", type=int, default=5, help="runs of each program in each case (default 5)")
    parser.add_argument("--bursts", type=int, nargs="+", default=[32, 64], help="packets a burst (default 32 64)")
    parser.add_argument("--lcores", default="0-1", help="main and forwarding lcore, as EAL's -l (default 0-1)")
    parser.add_argument("--packetwarp", type=pathlib.Path, default=ROOT / "build/release/src/cli/packetwarp")
    parser.add_argument("--testpmd", default="dpdk-testpmd", help="name or path (default dpdk-testpmd)")
    parser.add_argument("--output", type=pathlib.Path,
                        default=results_folder(pathlib.Path("/proc/cpuinfo").read_text()) / "l2fwd_vs_testpmd.json",
                        help="default %(default)s")
    parser.add_argument("--commit", default=commit(), help="that the programs were built from (default: this tree's)")
    parser.add_argument("--print-folder", action="store_true", help="print where this machine's results go, and end")
    options = parser.parse_args()
    if options.seconds <= 0 or options.repeats < 1 or any(burst < 1 for burst in options.bursts):
        parser.error("--seconds, --repeats and --bursts must be more than 0")
    return options


def main() -> None:
    options = parse_options()
    if options.print_folder:
        print(options.output.parent)
        return
    console = rich.console.Console(highlight=False, width=None if sys.stdout.isatty() else 100)
    if not options.packetwarp.exists():
        raise BenchError(f"{options.packetwarp} does not exist: build it first ('make build')")
    # Called by its name if that is on the path: results need not say where this machine keeps it.
    found = shutil.which(options.testpmd)
    testpmd = found and (from_root(pathlib.Path(found)) if "/" in options.testpmd else options.testpmd)
    notices = disturbances(testpmd)
    for notice in notices:
        console.print(f"note: {notice}")
    started = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
    cases = make_cases(options, testpmd)
    host = measure(cases, options, console)
    result = {
        "benchmark": "l2fwd_vs_testpmd",
        "started": started,
        "commit": options.commit,
        "host": host,
        "seconds": options.seconds,
        "repeats": options.repeats,
        "frame_bytes_with_fcs": FRAME_BYTES + 4,
        "notices": notices,
        "cases": [case.summary() for case in cases],
    }
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps(result, indent=2) + "\n")
    console.print(table_of(result["cases"]))
    console.print(f"{host['cpu_model']}, {host['dpdk']}, kernel {host['kernel']}; written to {from_root(options.output)}")


if __name__ == "__main__":
    try:
        main()
    except BenchError as error:
        sys.exit(f"bench: error: {error}")
