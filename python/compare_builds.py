#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether one build of packetwarp is slower than another: python/compare_builds.py BEFORE AFTER [--json FILE].

Both programs route, translate and apply rules on the same ports with the same flows (bench_network.py's), alternately: each round
runs each case once with either program, and the first program changes from round to round. A result is the median of its rounds,
the spread is from the lowest to the highest, and the ratio is the median of the rounds' own ratios: a round's two runs are
seconds apart, so that both meet the same neighbours on a shared host. Needs only Python and the programs."""
from __future__ import annotations

import argparse
import json
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile

from bench_network import lcores_of
from network_bed import Bed

SIDES = ("before", "after")


def measure(bed: Bed, sessions: bytes, program: pathlib.Path, case: tuple[str, str, int], seconds: float) -> dict:
    """Restores the bed's file of sessions: a program saves its own at the end, which the other may not be able to read."""
    function, executor, burst = case
    bed.program = program
    (bed.folder / "sessions").write_bytes(sessions)
    return bed.measure(function, executor, burst, seconds)


def compare(bed: Bed, sessions: bytes, programs: dict[str, pathlib.Path], case: tuple[str, str, int], rounds: int,
            seconds: float) -> dict:
    """All rounds of one case. A run that fails ends it: a median of the other runs would hide the failure."""
    mpps: dict[str, list[float]] = {side: [] for side in SIDES}
    dropped: dict[str, dict] = {}
    host: dict = {}
    for number in range(rounds):
        for side in SIDES if number % 2 == 0 else reversed(SIDES):
            result = measure(bed, sessions, programs[side], case, seconds)
            mpps[side].append(result["mpps"])
            dropped[side] = result["packets"]["dropped"]
            host = result["host"]
    ratios = [after / before for before, after in zip(mpps["before"], mpps["after"])]
    function, executor, burst = case
    return {"function": function, "executor": executor, "burst": burst, "mpps": mpps, "ratio": statistics.median(ratios),
            "ratios": ratios, "dropped": dropped, "host": host}


def describe(case: dict) -> str:
    columns = "".join(f"  {side} {statistics.median(case['mpps'][side]):7.1f} ({min(case['mpps'][side]):.1f} to "
                      f"{max(case['mpps'][side]):.1f})" for side in SIDES)
    return (f"{case['function']:12} {case['executor']:10} burst {case['burst']:4}{columns} Mpps   ratio {case['ratio']:.3f} "
            f"({min(case['ratios']):.3f} to {max(case['ratios']):.3f})")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("before", type=pathlib.Path)
    parser.add_argument("after", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1, help="of a run (default 1)")
    parser.add_argument("--lcores", type=int, default=1, help="that forward (default 1)")
    parser.add_argument("--lcore-list", help="which ones, such as 2,4,6, or quietest (default: from 1 on)")
    parser.add_argument("--flows", type=int, default=5001, help="a direction (default 5001)")
    parser.add_argument("--functions", default="router:cpu,nat44:cpu,rules:cpu", help="function:executor, ...")
    parser.add_argument("--bursts", default="64")
    parser.add_argument("--commits", default=",", help="BEFORE,AFTER: what the programs were built from")
    parser.add_argument("--json", type=pathlib.Path)
    chosen = parser.parse_args()
    if chosen.rounds < 1:
        parser.error("--rounds: from 1 on")
    programs = {"before": chosen.before.resolve(), "after": chosen.after.resolve()}
    lcores = lcores_of(chosen.lcore_list, chosen.lcores)
    cases, failed = [], False
    with tempfile.TemporaryDirectory() as folder:
        bed = Bed(programs["before"], pathlib.Path(folder), lcores, chosen.flows, 2, chosen.flows, "null")
        sessions = (bed.folder / "sessions").read_bytes()
        for burst in map(int, chosen.bursts.split(",")):
            for function, executor in (pair.rsplit(":", 1) for pair in chosen.functions.split(",")):
                try:
                    case = compare(bed, sessions, programs, (function, executor, burst), chosen.rounds, chosen.seconds)
                except (RuntimeError, subprocess.TimeoutExpired, json.JSONDecodeError) as error:
                    print(f"{function:12} {executor:10} burst {burst:4}  FAILED: {error}", flush=True)
                    failed = True
                    continue
                cases.append(case)
                print(describe(case), flush=True)
    if chosen.json:
        host = cases[0]["host"] if cases else {}
        for case in cases:
            case.pop("host")
        command = " ".join(["compare_builds.py", "BEFORE", "AFTER", *sys.argv[3:]])
        chosen.json.write_text(json.dumps({"benchmark": "compare_builds", "command": command,
                                           "commits": dict(zip(SIDES, chosen.commits.split(","))), "lcores": lcores,
                                           "flows": chosen.flows, "rounds": chosen.rounds, "seconds": chosen.seconds,
                                           "kernel": platform.release(), "host": host, "cases": cases}, indent=1))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
