#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What it costs to be looked at: packetwarp l2fwd over endless ports at full rate, asked and not asked, in turns.

    python/bench_seeing.py --packetwarp build/packetwarp --cores 1,2 --json seeing.json

Asked is: each second a scrape of /metrics, /packetwarp/info, workers and ports by DPDK's telemetry socket, and `report`
by the control socket. Each round measures every workload once in each way, beginning with another way each time. Needs
Python 3 and the binary, nothing else. --cores: the master's CPU, and the worker's; both ways have them.
"""
from __future__ import annotations

import argparse
import contextlib
import json
import os
import pathlib
import platform
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable
from typing import Any

WAYS = ("alone", "seen")
PERIOD = 1.0
ASKED_OF_TELEMETRY = ("/packetwarp/info", "/packetwarp/workers", "/packetwarp/ports")


def scrape(url: str) -> int:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(url, timeout=10) as page:
        return len(page.read())


def ask_control(path: pathlib.Path) -> int:
    with socket.socket(socket.AF_UNIX) as one:
        one.settimeout(10)
        one.connect(str(path))
        one.sendall(b'{"command":"report"}\n')
        line = one.makefile().readline()
    assert json.loads(line)["status"] == 0, line
    return len(line)


def telemetry_socket(prefix: str) -> pathlib.Path:
    """Where DPDK has it."""
    if not (run := os.environ.get("RUNTIME_DIRECTORY")):
        run = "/var/run" if os.geteuid() == 0 else os.environ.get("XDG_RUNTIME_DIR", "/tmp")
    return pathlib.Path(run) / "dpdk" / prefix / "dpdk_telemetry.v2"


def ask_telemetry(path: pathlib.Path) -> int:
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as one:
        one.settimeout(10)
        one.connect(str(path))
        size = json.loads(one.recv(1024))["max_output_len"]
        total = 0
        for command in ASKED_OF_TELEMETRY:
            one.send(command.encode())
            answer = one.recv(size)
            assert json.loads(answer)[command], answer
            total += len(answer)
    return total


class Looker:
    """Asks each second, in a thread, until it is left."""

    def __init__(self, asks: dict[str, Callable[[], int]]) -> None:
        self._asks, self._stop = asks, threading.Event()
        self.counts = dict.fromkeys(asks, 0)
        self.bytes = dict.fromkeys(asks, 0)
        self.failed: list[str] = []
        self._thread = threading.Thread(target=self._work)

    def __enter__(self) -> Looker:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _work(self) -> None:
        while not self._stop.wait(PERIOD):
            for name, ask in self._asks.items():
                try:
                    self.bytes[name] = ask()
                    self.counts[name] += 1
                except Exception as wrong:  # the run may have ended meanwhile; judged by the counts
                    self.failed.append(f"{name}: {wrong}")


def measure(options: argparse.Namespace, workload: str, way: str, folder: pathlib.Path) -> dict[str, Any]:
    prefix, control, result = f"pwseeing{os.getpid()}", folder / "s", folder / "result.json"
    lcores = ",".join(f"{n}@{cpu}" for n, cpu in enumerate(options.cores.split(",")))
    words = [str(options.packetwarp), "l2fwd", "--lcores", lcores, "--in-memory", "--no-pci", f"--file-prefix={prefix}",
             "--vdev=net_null0,copy=0,size=60", "--vdev=net_null1,copy=0,size=60", "--", "-w", workload, "-b", str(options.burst),
             "--control", str(control), "--metrics", "0", "--warmup", "1m", "--duration", f"{options.seconds}s", "--json", str(result)]
    with (folder / "err").open("w+") as errors:
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=errors, text=True)
        try:
            url = None
            while url is None and process.poll() is None:
                time.sleep(0.05)
                found = re.search(r"metrics: (http://\S+)", (folder / "err").read_text())
                url = found and found[1]
            if url is None:
                sys.exit(f"bench_seeing: packetwarp ended at once:\n{(folder / 'err').read_text()}")
            asks = {"metrics": lambda: scrape(url), "telemetry": lambda: ask_telemetry(telemetry_socket(prefix)),
                    "report": lambda: ask_control(control)}
            with Looker(asks) if way == "seen" else contextlib.nullcontext() as looker:
                process.wait(options.seconds + 60)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
    if process.returncode != 0:
        sys.exit(f"bench_seeing: packetwarp failed:\n{(folder / 'err').read_text()}")
    report = json.loads(result.read_text())
    made = {"workload": workload, "way": way, "mpps": report["mpps"], "seconds": report["seconds"], "host": report["host"],
            "version": report["version"], "p50_us": report["latency_us"]["p50"], "p99_us": report["latency_us"]["p99"],
            "busy": max(worker["busy"] for worker in report["workers"])}
    if looker:
        made |= {"asked": looker.counts, "bytes": looker.bytes}
        if short := [name for name, count in looker.counts.items() if count == 0]:
            sys.exit(f"bench_seeing: nothing was answered by {', '.join(short)}: {looker.failed[:3]}")
    return made


def summary(runs: list[dict[str, Any]], workload: str) -> dict[str, Any]:
    made: dict[str, Any] = {"workload": workload}
    for way in WAYS:
        rates = sorted(run["mpps"] for run in runs if (run["workload"], run["way"]) == (workload, way))
        made[way] = {"median_mpps": statistics.median(rates), "least_mpps": rates[0], "most_mpps": rates[-1], "runs": len(rates),
                     "spread_percent": (rates[-1] - rates[0]) / statistics.median(rates) * 100}
    made["ratio"] = made["seen"]["median_mpps"] / made["alone"]["median_mpps"]
    return made


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--packetwarp", type=pathlib.Path, default="build/packetwarp", help="the binary (default: build/packetwarp)")
    parser.add_argument("--cores", default="0,1", help="CPUs of the master and of workers (default: 0,1)")
    parser.add_argument("--workloads", default="none,cpu", help="l2fwd's -w, separated by commas (default: none,cpu)")
    parser.add_argument("--burst", type=int, default=64, help="l2fwd's -b (default: 64)")
    parser.add_argument("--rounds", type=int, default=7, help="runs of each workload in each way (default: 7)")
    parser.add_argument("--seconds", type=int, default=10, help="of each run (default: 10)")
    parser.add_argument("--json", type=pathlib.Path, help="write all runs and the summary to this file")
    options = parser.parse_args()
    options.packetwarp = options.packetwarp.absolute()
    runs: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(prefix="pw") as folder:
        for n in range(options.rounds):
            for workload in options.workloads.split(","):
                for way in WAYS if n % 2 == 0 else reversed(WAYS):
                    runs.append(measure(options, workload, way, pathlib.Path(folder)))
                    print(f"round {n + 1}  {workload:<6}{way:<6}{runs[-1]['mpps']:9.2f} Mpps", flush=True)
    summaries = [summary(runs, workload) for workload in options.workloads.split(",")]
    print(f"\n{'':8}{'alone':>10}{'spread':>9}{'seen':>10}{'spread':>9}{'ratio':>8}   Mpps, medians of {options.rounds}")
    for one in summaries:
        alone, seen = one["alone"], one["seen"]
        print(f"{one['workload']:<8}{alone['median_mpps']:10.2f}{alone['spread_percent']:8.1f}%{seen['median_mpps']:10.2f}"
              f"{seen['spread_percent']:8.1f}%{one['ratio']:8.4f}")
    if options.json:
        host = runs[0]["host"]
        for run in runs:
            del run["host"]
        options.json.write_text(json.dumps(
            {"command": " ".join([pathlib.Path(sys.argv[0]).name, *sys.argv[1:]]), "version": runs[0]["version"], "host": host,
             "python": platform.python_version(), "period_seconds": PERIOD, "summary": summaries, "runs": runs}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
