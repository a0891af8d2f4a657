# SPDX-License-Identifier: Apache-2.0
"""Results as `packetwarp bench --json` writes them, made of the rates that a test gives. None was measured."""
from __future__ import annotations

import itertools
import json
import pathlib
import statistics
from typing import Any

Json = dict[str, Any]
HOST = {"cpu_model": "A Processor", "cpus": 16, "dpdk": "DPDK 22.11.7", "kernel": "6.1.0", "gpus": [{"name": "A GPU"}]}


def spread(values: list[float]) -> Json:
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}


def case(executor: str, burst: int, *rates: float, latency: float | None = None, **setting: Any) -> Json:
    """A case that went well, in several runs; `latency` is its median in microseconds."""
    rates = rates if len(rates) > 1 else rates * 2
    made = {"function": "forward", "executor": executor, "placement": "host", "burst": burst, "frame_bytes": 64, "pipelines": 8,
            "lcores": 9, "packet_time_ns": 0, "workers": "run-to-completion", "offered_mpps": None, "status": "ok",
            "reason": None, "command": "packetwarp l2fwd", **setting}
    us = None if latency is None else {"p50": latency, "p99": latency * 3, "p999": latency * 9}
    bits = made["frame_bytes"] * 8 / 1e3
    made["runs"] = [{"mpps": rate, "gbps_l1": rate * (bits + 0.16), "gbps_l2": rate * bits, "latency_us": us} for rate in rates]
    made |= {name: spread([run[name] for run in made["runs"]]) for name in ("mpps", "gbps_l1", "gbps_l2")}
    return {**made, "latency_us": us, "beside": {}}


def of_one_run(measured: Json) -> Json:
    return {**measured, "runs": measured["runs"][:1]}


def without_figure(status: str, reason: str | None, executor: str, burst: int, **setting: Any) -> Json:
    return {**case(executor, burst, 1.0, **setting), "status": status, "reason": reason, "runs": [], "mpps": None,
            "gbps_l1": None, "gbps_l2": None, "latency_us": None}


def testpmd(mode: str, burst: int, *rates: float) -> Json:
    return {"program": "dpdk-testpmd", "mode": mode, "burst": burst, "frame_bytes": 64, "pipelines": 8, "lcores": 9,
            "status": "ok", "reason": None, "mpps": spread(list(rates)), "command": "dpdk-testpmd"}


def result(cases: list[Json], **changed: Any) -> Json:
    return {"benchmark": "packetwarp_bench", "version": "0.1.0", "commit": "0123456789abcdef0123", "host": HOST,
            "started": "2026-11-21T10:00:00+00:00", "command": "packetwarp bench -- --bursts 16,64", "seconds": 2.0,
            "repeats": 3, "notices": [], "cases": cases, "peers": [], **changed}


def everything() -> Json:
    """A case for every picture: bursts, sizes, placements, work, pipelines and an offered rate."""
    rates = {"none": 400.0, "cpu": 210.0, "persistent": 260.0}
    cases = []
    for (executor, rate), burst in itertools.product(rates.items(), (16, 64)):
        for work in (0, 100, 500) if executor != "none" else (0,):
            left = rate / (1 + work / 20) if executor == "cpu" else rate * burst / 64
            cases.append(case(executor, burst, left * 0.98, left, left * 1.01, latency=burst / 8, packet_time_ns=work))
        cases.append(case(executor, burst, 1.0, 1.0, 1.0, latency=burst / 10, offered_mpps=1.0))
    for placement, size in (("host", 1024), ("device", 64), ("device", 1024)):
        cases.append(case("persistent", 64, 240.0, 250.0, 251.0, frame_bytes=size, placement=placement))
    cases += [case("persistent", 64, 33.0, 34.0, 35.0, pipelines=1, lcores=2), case("cpu", 64, 26.0, 27.0, 28.0, pipelines=1, lcores=2)]
    return result(cases, peers=[testpmd("io", 16, 320.0, 330.0, 340.0), testpmd("io", 64, 350.0, 360.0, 370.0)])


def write(document: Any, path: pathlib.Path) -> pathlib.Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(document if isinstance(document, str) else json.dumps(document))
    return path
