#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The stage `detect` on one core beside ONNX Runtime on the same core, in turn:
benchmarks/function/detect_peer.py [--json FILE] NAME=BENCH...

Each BENCH is a build of detect_bench: its `executor` is everything that an lcore does with a packet in bursts of 64 (features, evaluation,
verdict), its `scores` the evaluation alone. ONNX Runtime has one thread and the rows ready in memory. Only time counts in which a program
has the core. Needs the packages of python/train/requirements.txt. Pin it to a core: taskset -c 1."""
from __future__ import annotations

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "python/gpu")]
from detect_latency import onnx_runtime_mpps  # noqa: E402
from random_models.random_model import random_model  # noqa: E402

# The networks of detect_bench, by their number there.
MODELS = ("36-64-32-1", "50-128-64-2", "100x6")
BATCHES = (64, 1024)
FLOWS = 10_000


def of_bench(bench: pathlib.Path, seconds: float) -> dict[str, float]:
    """Millions of packets per second by the benchmark's name."""
    asked = [bench, f"--benchmark_min_time={seconds}", "--benchmark_format=json", "--benchmark_filter=^(scores|executor)/"]
    said = subprocess.run(asked, capture_output=True, text=True, check=True, timeout=600)
    return {one["name"]: one["items_per_second"] / 1e6 for one in json.loads(said.stdout)["benchmarks"]}


def of_peer(folder: pathlib.Path, seconds: float) -> dict[str, float]:
    found = {}
    for model in MODELS:
        path, inputs = folder / f"{model}.onnx", int(model.split("-")[0]) if "-" in model else 50
        if not path.exists():
            path.write_bytes(random_model(model, [f"feature_{n}" for n in range(50)]))
        for batch in BATCHES:
            found[f"ONNX Runtime {model} batch {batch}"] = onnx_runtime_mpps(path, inputs, batch, seconds, time.process_time)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("benches", nargs="+", metavar="NAME=BENCH")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.3)
    parser.add_argument("--json", type=pathlib.Path)
    chosen = parser.parse_args()
    rates: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(chosen.turns):
            for named in chosen.benches:
                name, _, bench = named.partition("=")
                for case, rate in of_bench(pathlib.Path(bench), chosen.seconds).items():
                    rates.setdefault(f"{name} {case}", []).append(rate)
            for case, rate in of_peer(pathlib.Path(folder), chosen.seconds).items():
                rates.setdefault(case, []).append(rate)
    for case, all_of in sorted(rates.items()):
        print(f"{case:45} {statistics.median(all_of):7.2f} M/s ({min(all_of):.2f} to {max(all_of):.2f})", flush=True)
    if chosen.json:
        chosen.json.write_text(json.dumps({"benchmark": "detect_peer", "turns": chosen.turns, "mpps": rates}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
