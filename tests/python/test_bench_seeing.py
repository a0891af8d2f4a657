# SPDX-License-Identifier: Apache-2.0
"""python/bench_seeing.py: its medians, and what it asks a running l2fwd."""
from __future__ import annotations

import bench_seeing
import pytest


def runs(way: str, *rates: float) -> list[dict]:
    return [{"workload": "cpu", "way": way, "mpps": rate} for rate in rates]


def test_the_summary_has_medians_and_their_spread():
    made = bench_seeing.summary([*runs("alone", 100, 104, 102), *runs("seen", 99, 51, 103), {"workload": "none", "way": "seen", "mpps": 7}], "cpu")
    assert made["alone"] == {"median_mpps": 102, "least_mpps": 100, "most_mpps": 104, "runs": 3, "spread_percent": pytest.approx(4 / 102 * 100)}
    assert made["seen"]["median_mpps"] == 99 and made["seen"]["least_mpps"] == 51
    assert made["ratio"] == pytest.approx(99 / 102)


def test_who_looks_counts_what_was_answered_and_what_was_not(monkeypatch):
    monkeypatch.setattr(bench_seeing, "PERIOD", 0.001)

    def fails() -> int:
        raise OSError("gone")
    answers = iter(range(1000000))
    with bench_seeing.Looker({"good": lambda: next(answers), "bad": fails}) as looker:
        while not looker.failed:
            pass
    assert looker.counts["good"] > 0 and looker.counts["bad"] == 0 and looker.failed[0] == "bad: gone"
