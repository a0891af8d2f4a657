#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""RDMA writes of each size, posted by a CPU and by a GPU: python/gpu/write_sizes.py PROGRAM [--target-gpu N [--nvshmem PEER]] --json FILE.

`packetwarp rdma-bw` with each initiator and engine of one process, and stores without an engine beside it, in turn. Without a GPU
the cases that need one are left out, and the file says so. Needs only Python and the program, so that it runs on a machine that the program
was carried to. `make report` draws the file (benchmarks/results/MACHINE/rdma_write_sizes.json).

--target-gpu N: the writes go into another GPU's memory (rdma_second_gpu_sizes.json). --nvshmem PEER: nvshmem_puts, which
benchmarks/rdma/peers/build.sh builds, measures NVSHMEM's puts and a copy over the link after these."""
from __future__ import annotations

import argparse
import json
import os
import pathlib
import platform
import re
import statistics
import subprocess
import sys
import time
from typing import Any

# The initiator of the writes, and what moves the bytes.
CASES = (("cpu", "host"), ("gpu", "host"), ("cpu", "gpu"), ("gpu", "gpu"), ("gpu", "store"))
INTO_A_SECOND_GPU = CASES[2:]
PEER = "nvshmem"
CANNOT = 2  # exit status if the machine lacks something: a GPU, or one that runs all these queues at a time
MOST_QUEUES = 128
Key = tuple[str, str, int, int]  # initiator, transport, queues, bytes


def measure(program: pathlib.Path, case: tuple[str, str], queues: int, iterations: int, target: list[str]) -> dict[int, dict[str, float]] | str:
    """By bytes of a write; or the reason why the machine cannot."""
    command = [str(program), "rdma-bw", "--initiator", case[0], "--transport", case[1], "-q", str(queues), "-n", str(iterations), *target, "--json", "-"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    said = done.stderr.strip().splitlines()
    if done.returncode == CANNOT and said and case != CASES[0]:
        return said[-1].removeprefix("packetwarp: error: ")
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command[1:])}: exit status {done.returncode}: {said[-1] if said else 'nothing said'}")
    return {one["bytes"]: {"mib": one["average_bytes_per_second"] / 2**20, "mps": one["messages_per_second"] / 1e6} for one in json.loads(done.stdout)["results"]}


def peer_rates(program: pathlib.Path) -> dict[str, Any]:
    """NVSHMEM's rates by (queues, bytes), the better of a thread and a warp for each put, and that of a copy over the link: MiB/s."""
    done = subprocess.run([str(program), "sizes"], capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        raise RuntimeError(f"{program.name} sizes: exit status {done.returncode}: {done.stderr.strip()[-300:]}")
    said = json.loads(done.stdout.splitlines()[-1])
    by_place: dict[tuple[int, int], list[list[float]]] = {}
    for one in said["puts"]:
        by_place.setdefault((one["blocks"], one["bytes"]), []).append(one["mib"])
    return {"puts": {place: max(found, key=statistics.median) for place, found in by_place.items()}, "link": said["link_mib"]}


def machine() -> dict[str, Any]:
    model = re.search(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    try:
        listed = subprocess.run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"], capture_output=True, text=True, check=True).stdout
        gpus = listed.strip().splitlines()
    except (OSError, subprocess.CalledProcessError):
        gpus = []
    return {"cpu_model": model[1] if model else platform.processor(), "cpus": os.cpu_count(), "kernel": platform.release(), "gpus": gpus}


def spread(values: list[float]) -> dict[str, float]:
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}


def results_of(found: dict[Key, list[dict[str, float]]]) -> list[dict[str, Any]]:
    return [{"initiator": initiator, "transport": transport, "queues": queues, "bytes": size, "runs": len(runs),
             **{name: spread([run[name] for run in runs]) for name in ("mib", "mps")}}
            for (initiator, transport, queues, size), runs in found.items()]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--queues", type=int, nargs="+", default=[1, 64])
    parser.add_argument("--iterations", type=int, default=800, help="of 512 writes, over all queues (default 800)")
    parser.add_argument("--times", type=int, default=5, help="that each case runs (default 5)")
    parser.add_argument("--json", type=pathlib.Path, required=True)
    parser.add_argument("--target-gpu", type=int, help="the writes go into this GPU's memory")
    parser.add_argument("--nvshmem", type=pathlib.Path, metavar="PEER", help="nvshmem_puts; with --target-gpu")
    options = parser.parse_args()
    if options.nvshmem and options.target_gpu is None:
        parser.error("--nvshmem goes with --target-gpu: NVSHMEM's puts go into a second GPU")
    target = [] if options.target_gpu is None else ["--target-gpu", str(options.target_gpu)]
    if any(not 1 <= queues <= MOST_QUEUES for queues in options.queues):
        parser.error(f"--queues: {options.queues}; a number is 1 to {MOST_QUEUES}")
    began, load = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), os.getloadavg()[0]
    found: dict[Key, list[dict[str, float]]] = {}
    lacking: dict[str, str] = {}
    for _ in range(options.times):
        for queues in options.queues:
            for initiator, transport in INTO_A_SECOND_GPU if target else CASES:
                name = f"{initiator}, {transport}, {queues} queue{'s' if queues != 1 else ''}"
                if name in lacking:
                    continue
                try:
                    made = measure(options.program.resolve(), (initiator, transport), queues, max(options.iterations // queues, 4), target)
                except (OSError, RuntimeError, subprocess.TimeoutExpired, ValueError) as error:
                    print(f"write_sizes: {error}", file=sys.stderr)
                    return 1
                if isinstance(made, str):
                    lacking[name] = made
                    continue
                for size, rates in made.items():
                    found.setdefault((initiator, transport, queues, size), []).append(rates)
    limits: list[dict[str, Any]] = []
    if options.nvshmem:
        try:
            peer = peer_rates(options.nvshmem.resolve())
        except (OSError, RuntimeError, subprocess.TimeoutExpired, ValueError, KeyError) as error:
            print(f"write_sizes: {error}", file=sys.stderr)
            return 1
        for (queues, size), rates in peer["puts"].items():
            if queues in options.queues:
                found[PEER, PEER, queues, size] = [{"mib": rate, "mps": rate * 2**20 / size / 1e6} for rate in rates]
        limits.append({"name": "a copy by CUDA over the link", "mib": spread(peer["link"])})
    results = results_of(found)
    if not results:
        print(f"write_sizes: nothing was measured: {next(iter(lacking.values()))}", file=sys.stderr)
        return 1
    for one in results:
        print(f"{one['initiator']} posts, {one['transport']:5} {one['queues']:3} queues {one['bytes']:5} B: {one['mib']['median']:10.1f} MiB/s "
              f"({one['mib']['min']:.1f} to {one['mib']['max']:.1f}), {one['mps']['median']:9.2f} M messages/s")
    for limit in limits:
        print(f"{limit['name']}: {limit['mib']['median']:.1f} MiB/s ({limit['mib']['min']:.1f} to {limit['mib']['max']:.1f})")
    for case, why in lacking.items():
        print(f"not measured: {case}: {why}")
    command = " ".join(["write_sizes.py", *(word if word.startswith("-") or "/" not in word else pathlib.Path(word).name for word in sys.argv[1:])])
    options.json.write_text(json.dumps({"benchmark": "rdma_write_sizes", "command": command, "started": began, "host": machine(), "load_before": load,
                                        "not_measured": lacking, "limits": limits, "results": results}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
