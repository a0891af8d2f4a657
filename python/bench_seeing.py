#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The cost of being watched: packetwarp l2fwd over endless ports at full rate, asked and not asked, alternately.

    python/bench_seeing.py --packetwarp build/packetwarp --cores 1,2 --json seeing.json

A run per workload; its time is cut into windows, in pairs of one without any request and one with all requests: a scrape of
/metrics, /packetwarp/info, workers and ports by DPDK's telemetry socket, and `report` by the control socket. The cost is the
median over all pairs of the difference between a pair's two windows, with the interval that holds the median at 95 %: a machine
whose rate wanders moves both windows of a pair. Rates are packets and seconds of the run's own reports, which are made between
windows and so cost both the same. Needs Python 3 and the binary, nothing else. --cores: the master's CPU, and the worker's; this
program keeps off the worker's. --asks 50 measures the cost of fifty such requests per second, each with a report of its own
(--report-age); one request costs a fiftieth."""
from __future__ import annotations

import argparse
import dataclasses
import json
import math
import os
import pathlib
import platform
import re
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable
from typing import Any

WARM_UP_WINDOWS = 2
LONGEST_PAUSE_SECONDS = 30  # of a worker
ASKED_OF_TELEMETRY = ("/packetwarp/info", "/packetwarp/workers", "/packetwarp/ports")


def scrape(url: str) -> int:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(url, timeout=10) as page:
        return len(page.read())


def ask_control(path: pathlib.Path) -> dict[str, Any]:
    with socket.socket(socket.AF_UNIX) as one:
        one.settimeout(10)
        one.connect(str(path))
        one.sendall(b'{"command":"report"}\n')
        answer = json.loads(one.makefile().readline())
    assert answer["status"] == 0, answer
    return answer["result"]


def telemetry_socket(prefix: str) -> pathlib.Path:
    """The socket's path in DPDK."""
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


@dataclasses.dataclass
class Window:
    """The data of one running l2fwd: its reports at both ends, and the number of requests between them."""
    packets: int
    seconds: float
    asked: int

    @property
    def mpps(self) -> float:
        return self.packets / self.seconds / 1e6


class Windows:
    """Cuts a run's time into windows, each beginning where the last one ended."""

    def __init__(self, report: Callable[[], dict[str, Any]], asks: list[Callable[[], Any]]) -> None:
        self._report, self._asks = report, asks
        self._last = report()

    def next(self, seconds: float, asks: int) -> Window:
        """A window of this many seconds, with all requests spread over it this many times."""
        began = time.monotonic()
        for n in range(asks):
            self._sleep_until(began + seconds * (n + 0.5) / asks)
            for ask in self._asks:
                ask()
        self._sleep_until(began + seconds)
        before, self._last = self._last, self._later_report(time.monotonic() + LONGEST_PAUSE_SECONDS)
        return Window(self._last["packets"]["rx"] - before["packets"]["rx"], self._last["seconds"] - before["seconds"], asks)

    def _later_report(self, until: float) -> dict[str, Any]:
        """A window without one packet is as long as it takes: on a machine with other work a worker may not be scheduled for it all."""
        while (report := self._report())["packets"]["rx"] == self._last["packets"]["rx"]:
            if time.monotonic() > until:
                raise SystemExit(f"bench_seeing: error: no packet in {LONGEST_PAUSE_SECONDS} s: another program has its CPUs; "
                                 "run it on a machine with no other work")
            time.sleep(0.05)
        return report

    @staticmethod
    def _sleep_until(when: float) -> None:
        time.sleep(max(0.0, when - time.monotonic()))


def pairs_of(windows: Windows, options: argparse.Namespace) -> list[tuple[Window, Window]]:
    """(alone, asked), in every other pair the asked window first, so that a drift favours neither."""
    asks = max(1, round(options.asks * options.window))
    for _ in range(WARM_UP_WINDOWS):
        windows.next(options.window, asks)
    made = []
    for n in range(options.pairs):
        counts = (0, asks) if n % 2 == 0 else (asks, 0)
        first, second = windows.next(options.window, counts[0]), windows.next(options.window, counts[1])
        made.append((first, second) if n % 2 == 0 else (second, first))
    return made


def median_interval(values: list[float]) -> tuple[float, float]:
    """The interval that holds the median at 95 % or more: order statistics, by the binomial distribution; the extremes of few
    values."""
    ordered, n = sorted(values), len(values)
    outside, rank = 0.0, 0
    while rank < n // 2 and (outside := outside + math.comb(n, rank) * 0.5 ** n) <= 0.025:
        rank += 1
    rank = max(rank, 1)
    return ordered[rank - 1], ordered[n - rank]


def summary(workload: str, pairs: list[tuple[Window, Window]]) -> dict[str, Any]:
    # The number that was reached: answers take their time.
    asks = sum(asked.asked for _, asked in pairs) / sum(asked.seconds for _, asked in pairs)
    costs = [100 * (1 - asked.mpps / alone.mpps) for alone, asked in pairs]
    least, most = median_interval(costs)
    return {"workload": workload, "pairs": len(pairs), "asks_per_second": asks,
            "alone_mpps": statistics.median(alone.mpps for alone, _ in pairs),
            "asked_mpps": statistics.median(asked.mpps for _, asked in pairs),
            "cost_percent": statistics.median(costs), "cost_percent_95": [least, most],
            "once_a_second_percent_at_most": most / asks}


def wait_for_address(process: subprocess.Popen[str], errors: pathlib.Path) -> str:
    while process.poll() is None:
        time.sleep(0.05)
        if found := re.search(r"metrics: (http://\S+)", errors.read_text()):
            return found[1]
    sys.exit(f"bench_seeing: packetwarp ended at once:\n{errors.read_text()}")


def wait_for_control(process: subprocess.Popen[str], path: pathlib.Path, errors: pathlib.Path) -> None:
    """The metrics are announced first, and a socket has its name a moment before it listens."""
    while process.poll() is None:
        try:
            ask_control(path)
            return
        except (ConnectionRefusedError, FileNotFoundError):
            time.sleep(0.05)
    sys.exit(f"bench_seeing: packetwarp ended at once:\n{errors.read_text()}")


def measure(options: argparse.Namespace, workload: str, folder: pathlib.Path) -> tuple[list[tuple[Window, Window]], dict[str, Any]]:
    """The pairs of one run, and its result."""
    prefix, control, result, errors = f"pwseeing{os.getpid()}", folder / "s", folder / "result.json", folder / "err"
    lcores = ",".join(f"{n}@{cpu}" for n, cpu in enumerate(options.cores.split(",")))
    words = [str(options.packetwarp), "l2fwd", "--lcores", lcores, "--in-memory", "--no-pci", f"--file-prefix={prefix}",
             "--vdev=net_null0,copy=0,size=60", "--vdev=net_null1,copy=0,size=60", "--", "-w", workload, "-b", str(options.burst),
             "--control", str(control), "--metrics", "0", "--report-age", f"{400 / max(options.asks, 1):g}ms", "--json", str(result)]
    with errors.open("w") as stderr:
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=stderr, text=True)
    try:
        url = wait_for_address(process, errors)
        wait_for_control(process, control, errors)
        asks = [lambda: scrape(url), lambda: ask_telemetry(telemetry_socket(prefix)), lambda: ask_control(control)]
        pairs = pairs_of(Windows(lambda: ask_control(control), asks), options)
        process.send_signal(signal.SIGINT)
        process.wait(60)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
    if process.returncode != 0:
        sys.exit(f"bench_seeing: packetwarp failed:\n{errors.read_text()}")
    return pairs, json.loads(result.read_text())


def keep_off(cpus: set[int]) -> None:
    """This program's requests cost other CPUs' time."""
    if others := os.sched_getaffinity(0) - cpus:
        os.sched_setaffinity(0, others)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--packetwarp", type=pathlib.Path, default="build/packetwarp", help="the binary (default: build/packetwarp)")
    parser.add_argument("--cores", default="0,1", help="CPUs of the master and of the worker (default: 0,1)")
    parser.add_argument("--workloads", default="none,cpu", help="l2fwd's -w, separated by commas (default: none,cpu)")
    parser.add_argument("--burst", type=int, default=64, help="l2fwd's -b (default: 64)")
    parser.add_argument("--pairs", type=int, default=40, help="of windows, of each workload (default: 40)")
    parser.add_argument("--window", type=float, default=1, help="seconds (default: 1)")
    parser.add_argument("--asks", type=float, default=1, help="times a second that all is asked, at least once a window (default: 1)")
    parser.add_argument("--json", type=pathlib.Path, help="write all windows and the summary to this file")
    options = parser.parse_args()
    options.packetwarp = options.packetwarp.absolute()
    return options


def main() -> int:
    options = parse()
    keep_off({int(cpu) for cpu in options.cores.split(",")[1:]})
    summaries, runs = [], []
    print(f"{'':8}{'alone':>10}{'asked':>10}   {'times a second':<17}{'cost':<11}95 % interval         once a second, at most "
          f"  (Mpps; {options.pairs} pairs)")
    with tempfile.TemporaryDirectory(prefix="pw") as folder:
        for workload in options.workloads.split(","):
            pairs, result = measure(options, workload, pathlib.Path(folder))
            summaries.append(one := summary(workload, pairs))
            runs.append({"workload": workload, "pairs": [[dataclasses.asdict(window) for window in pair] for pair in pairs]})
            print(f"{workload:<8}{one['alone_mpps']:10.2f}{one['asked_mpps']:10.2f}   {one['asks_per_second']:<17.1f}{one['cost_percent']:.3f} %   "
                  f"{one['cost_percent_95'][0]:7.3f} to {one['cost_percent_95'][1]:.3f} %   {one['once_a_second_percent_at_most']:.3f} %", flush=True)
    if options.json:
        options.json.write_text(json.dumps(
            {"command": " ".join([pathlib.Path(sys.argv[0]).name, *sys.argv[1:]]), "version": result["version"],
             "host": result["host"], "python": platform.python_version(), "summary": summaries, "runs": runs}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
