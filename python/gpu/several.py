#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The gain of several GPUs: python/gpu/several.py PROGRAM [--gpus 0 1] [--lcores 8] [--json FILE].

Each round runs each function and executor on the first GPU alone with LCORES lcores, and on all GPUs with as many lcores for each,
on the same ports with the same flows (bench_network.py's): "steered" as a NIC gives them that steers by ports, and "mixed", so
that a part of NAT44's packets is handed over from GPU to GPU. A result is the median of its rounds, the spread is from the lowest
to the highest. Exit status 1 if a run failed. Needs only Python and the program."""
from __future__ import annotations

import argparse
import json
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from network_bed import ARRIVALS, Bed  # noqa: E402


def beds_of(chosen: argparse.Namespace, folder: pathlib.Path) -> dict[str, Bed]:
    """By their names: one GPU, and all of them for each order in which flows arrive."""
    def bed(name: str, gpus: list[int], arrival: str) -> Bed:
        (folder / name).mkdir()
        lcores = range(1, 1 + chosen.lcores * len(gpus))
        return Bed(chosen.program.resolve(), folder / name, lcores, chosen.flows, 2, chosen.flows, "null", gpus=gpus, arrival=arrival)
    several = {f"{len(chosen.gpus)} GPUs, {arrival}": bed(arrival, chosen.gpus, arrival) for arrival in ARRIVALS}
    return {"1 GPU": bed("one", chosen.gpus[:1], ARRIVALS[0]), **several}


def measure(beds: dict[str, Bed], function: str, executor: str, burst: int, rounds: int, seconds: float) -> list[dict]:
    saved = {name: (bed.folder / "sessions").read_bytes() for name, bed in beds.items()}
    runs: dict[str, list[dict]] = {name: [] for name in beds}
    for _ in range(rounds):
        for name, bed in beds.items():
            (bed.folder / "sessions").write_bytes(saved[name])  # each run saves its own at the end
            runs[name].append(bed.measure(function, executor, burst, seconds))
    return [{"function": function, "executor": executor, "burst": burst, "on": name, "mpps": [run["mpps"] for run in results],
             "handed_over": [run["handed_over"] / max(run["packets"]["rx"], 1) for run in results],
             "dropped": results[-1]["packets"]["dropped"], "host": results[-1]["host"]} for name, results in runs.items()]


def describe(case: dict, one: float) -> str:
    median = statistics.median(case["mpps"])
    return (f"{case['function']:12} {case['executor']:10} {case['on']:16} {median:7.1f} Mpps ({min(case['mpps']):.1f} to {max(case['mpps']):.1f})"
            f"  {median / one:5.2f} of one  handed over {statistics.median(case['handed_over']):.2f}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--gpus", nargs="+", type=int, default=[0, 1])
    parser.add_argument("--lcores", type=int, default=8, help="for each GPU (default 8)")
    parser.add_argument("--flows", type=int, default=10240, help="a direction (default 10240)")
    parser.add_argument("--functions", nargs="+", default=["router", "rules+router", "nat44", "rules+nat44"])
    parser.add_argument("--executors", nargs="+", default=["persistent", "graph", "kernel"])
    parser.add_argument("--burst", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1, help="of a run (default 1)")
    parser.add_argument("--commit", default="")
    parser.add_argument("--json", type=pathlib.Path)
    chosen = parser.parse_args()
    cases, failed = [], False
    with tempfile.TemporaryDirectory() as folder:
        beds = beds_of(chosen, pathlib.Path(folder))
        for function in chosen.functions:
            for executor in chosen.executors:
                try:
                    measured = measure(beds, function, executor, chosen.burst, chosen.rounds, chosen.seconds)
                except (RuntimeError, subprocess.TimeoutExpired, json.JSONDecodeError) as error:
                    print(f"{function:12} {executor:10} FAILED: {error}", flush=True)
                    failed = True
                    continue
                for case in measured:
                    print(describe(case, statistics.median(measured[0]["mpps"])), flush=True)
                cases += measured
    if chosen.json:
        host = cases[-1]["host"] if cases else {}
        for case in cases:
            case.pop("host")
        chosen.json.write_text(json.dumps({"benchmark": "several_gpus", "commit": chosen.commit, "command": " ".join(["several.py", "PROGRAM", *sys.argv[2:]]),
                                           "lcores": chosen.lcores, "gpus": chosen.gpus, "flows": chosen.flows, "rounds": chosen.rounds,
                                           "seconds": chosen.seconds, "kernel": platform.release(), "host": host, "cases": cases}, indent=1))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
