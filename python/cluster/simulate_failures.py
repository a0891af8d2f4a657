#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Simulates that one of 10 to 1,000 replicas fails and comes back: how many hosts move, and which sessions are lost with it.

A session is lost when its host's packets come to another replica, for each replica has addresses of its own. The time without
service is that of the scale-out test's own run."""
from __future__ import annotations

import argparse
import json
import pathlib
import re
import sys
from typing import Any

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from cluster.hashing import SCHEMES, hashes_of  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
MEASURED = ROOT / "benchmarks/results/cluster/scale.txt"
REPLICAS = (10, 20, 50, 100, 200, 500, 1000)
HOSTS_EACH, RUNS = 100, 5


def outage_of(path: pathlib.Path) -> float:
    """Seconds until all hosts of a killed replica were served again."""
    found = re.search(r"^all of them are served again after: ([\d.]+) s$", path.read_text(encoding="utf-8"), re.MULTILINE)
    if not found:
        raise SystemExit(f"simulate_failures.py: error: {path} has no line 'all of them are served again after: N s'; make scale-test writes it")
    return float(found[1])


def simulate(scheme: str, replicas: int, runs: int = RUNS, hosts_each: int = HOSTS_EACH) -> dict[str, Any]:
    """Means over the runs, in the hosts of one replica."""
    on_failure = on_return = others = 0.0
    for run in range(runs):
        failed = (run * 37 + replicas // 3) % replicas
        seen = SCHEMES[scheme](hashes_of(replicas * hosts_each, run), replicas, failed)
        moved = seen.before != seen.failed
        on_failure += float(moved.sum())
        others += float((moved & (seen.before != failed)).sum())
        on_return += float((seen.failed != seen.back).sum())
    each = runs * hosts_each
    return {"scheme": scheme, "replicas": replicas, "moved_by_failure": on_failure / each, "of_them_hosts_of_others": others / each,
            "moved_by_return": on_return / each}


def draw(cases: list[dict[str, Any]], outage: float, folder: pathlib.Path) -> None:
    from reporting.style import THEMES, Labels, sheet, themed

    colours = dict(zip(SCHEMES, ("none", "kernel", "cpu", "graph", "persistent")))
    footer = (f"Simulated by python/cluster/simulate_failures.py: {HOSTS_EACH} active hosts per replica, mean of {RUNS} runs; Maglev with 65,537 places, "
              f"resilient groups with 16,384 buckets. A host that moves loses its sessions. Hosts of the failed replica are without service for {outage:.1f} s "
              "(measured: benchmarks/results/cluster/scale.txt).",)
    for theme in THEMES:
        with themed(theme):
            figure, axes = sheet("Sessions lost when one of N replicas fails, by the router's hashing", footer, theme, 2)
            for one, (title, keys) in zip(axes, (("it fails", ("moved_by_failure",)), ("it fails and comes back", ("moved_by_failure", "moved_by_return")))):
                labels = Labels(one)
                for scheme, colour in colours.items():
                    points = [(case["replicas"], sum(case[key] for key in keys)) for case in cases if case["scheme"] == scheme]
                    one.plot(*zip(*points), color=theme.colour(colour), marker="o", markersize=4, linewidth=1.8)
                    labels.add(points[-1][1], scheme.replace(" ", "\n"), theme.colour(colour))
                one.set(xscale="log", yscale="log", xlim=(9, 1100), ylim=(0.7, 3000), xlabel="replicas, log scale")
                one.set_title(title, fontsize=10)
                labels.place()
            axes[0].set_ylabel("in the sessions of one replica, log scale")
            figure.savefig(folder / f"replica_failures{'' if theme.name == 'light' else '-dark'}.png")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--measured", type=pathlib.Path, default=MEASURED, help="output of make scale-test (default: the committed one)")
    parser.add_argument("--json", type=pathlib.Path, help="file for the figures")
    parser.add_argument("--pictures", type=pathlib.Path, help="folder for the pictures")
    given = parser.parse_args()
    outage = outage_of(given.measured)
    cases = [simulate(scheme, replicas) for scheme in SCHEMES for replicas in REPLICAS]
    for case in cases:
        print(f"{case['scheme']:>14}  {case['replicas']:>5} replicas: {case['moved_by_failure']:8.2f} by the failure, {case['moved_by_return']:8.2f} by the return")
    if given.json:
        given.json.write_text(json.dumps({"outage_seconds": outage, "hosts_per_replica": HOSTS_EACH, "runs": RUNS, "cases": cases}, indent=1) + "\n", encoding="utf-8")
    if given.pictures:
        draw(cases, outage, given.pictures)


if __name__ == "__main__":
    main()
