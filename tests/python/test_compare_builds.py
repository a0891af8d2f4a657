# SPDX-License-Identifier: Apache-2.0
"""compare_builds.py: two programs in turn, and what is said of their rates. Nothing is run."""
from __future__ import annotations

import pathlib

import pytest
from compare_builds import SIDES, compare, describe

PROGRAMS = {side: pathlib.Path(side) for side in SIDES}
CASE = ("nat44", "cpu", 64)


class PlayedBed:
    """A bed whose programs reach the rates that are given, one after the other."""

    def __init__(self, folder: pathlib.Path, rates: dict[str, list[float]]) -> None:
        self.rates, self.program, self.order = {side: iter(given) for side, given in rates.items()}, pathlib.Path(), []
        self.folder = folder
        (folder / "sessions").write_text("as the bed wrote it")

    def measure(self, function: str, executor: str, burst: int, seconds: float) -> dict:
        assert (function, executor, burst, seconds) == (*CASE, 1.0)
        assert (self.folder / "sessions").read_text() == "as the bed wrote it"
        (self.folder / "sessions").write_text("as a program saved it")
        self.order.append(self.program.name)
        return {"mpps": next(self.rates[self.program.name]), "packets": {"dropped": {}}, "host": {"cpu": "played"}}


def test_the_program_that_comes_first_changes_from_round_to_round(tmp_path):
    bed = PlayedBed(tmp_path, {"before": [10, 10, 10], "after": [10, 10, 10]})
    compare(bed, b"as the bed wrote it", PROGRAMS, CASE, rounds=3, seconds=1.0)
    assert bed.order == ["before", "after", "after", "before", "before", "after"]


def test_the_ratio_is_the_median_of_the_rounds_own_ratios(tmp_path):
    """A host that becomes slow for a whole round changes both rates and not the ratio."""
    bed = PlayedBed(tmp_path, {"before": [100, 50, 80], "after": [90, 45, 88]})
    case = compare(bed, b"as the bed wrote it", PROGRAMS, CASE, rounds=3, seconds=1.0)
    assert case["ratios"] == pytest.approx([0.9, 0.9, 1.1])
    assert case["ratio"] == pytest.approx(0.9)
    assert case["mpps"] == {"before": [100, 50, 80], "after": [90, 45, 88]}
    assert "before    80.0 (50.0 to 100.0)  after    88.0 (45.0 to 90.0) Mpps   ratio 0.900 (0.900 to 1.100)" in describe(case)
