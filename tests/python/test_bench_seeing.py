# SPDX-License-Identifier: Apache-2.0
"""python/bench_seeing.py: its windows, its pairs, and what their costs are said to be."""
from __future__ import annotations

import argparse
import itertools

import bench_seeing
import pytest
from bench_seeing import Window, median_interval, pairs_of, summary


class Counting:
    """Windows that remember how often they were to be asked."""

    def __init__(self) -> None:
        self.made: list[tuple[float, int]] = []

    def next(self, seconds: float, asks: int) -> Window:
        self.made.append((seconds, asks))
        return Window(packets=len(self.made), seconds=seconds, asked=asks)


def test_a_window_is_what_its_reports_say_and_asks_in_between(monkeypatch):
    monkeypatch.setattr(bench_seeing.time, "sleep", lambda seconds: None)
    reports = iter([{"packets": {"rx": 10}, "seconds": 1.0}, {"packets": {"rx": 4_000_010}, "seconds": 3.0},
                    {"packets": {"rx": 4_000_010}, "seconds": 4.0}, {"packets": {"rx": 4_000_012}, "seconds": 6.0}])
    asked = []
    windows = bench_seeing.Windows(lambda: next(reports), [lambda: asked.append("metrics"), lambda: asked.append("report")])
    first = windows.next(2, 2)
    assert (first.packets, first.seconds, first.mpps) == (4_000_000, 2.0, 2.0)
    assert asked == ["metrics", "report"] * 2
    # Without a packet it is not over yet.
    second = windows.next(1, 0)
    assert (second.packets, second.seconds) == (2, 3.0) and len(asked) == 4


def test_a_machine_that_forwards_nothing_is_said_to(monkeypatch):
    monkeypatch.setattr(bench_seeing.time, "sleep", lambda seconds: None)
    monkeypatch.setattr(bench_seeing, "LONGEST_PAUSE_SECONDS", 0)
    windows = bench_seeing.Windows(lambda: {"packets": {"rx": 10}, "seconds": 1.0}, [])
    with pytest.raises(SystemExit, match="no packet in 0 s"):
        windows.next(1, 0)


def test_pairs_take_turns_at_being_first():
    windows = Counting()
    pairs = pairs_of(windows, argparse.Namespace(window=2.0, asks=1.0, pairs=3))
    assert [asks for _, asks in windows.made[bench_seeing.WARM_UP_WINDOWS:]] == [0, 2, 2, 0, 0, 2]
    assert [(alone.asked, asked.asked) for alone, asked in pairs] == [(0, 2)] * 3
    assert all(alone.packets != asked.packets for alone, asked in pairs)


def test_a_window_is_asked_at_least_once():
    windows = Counting()
    pairs_of(windows, argparse.Namespace(window=0.1, asks=1.0, pairs=1))
    assert {asks for _, asks in windows.made} == {0, 1}


@pytest.mark.parametrize("n, rank", ((1, 1), (5, 1), (6, 1), (20, 6), (40, 14)))
def test_the_interval_is_of_order_statistics(n, rank):
    """Tables of the sign test: 20 values, the 6th and the 15th; 40, the 14th and the 27th."""
    assert median_interval([float(one) for one in reversed(range(1, n + 1))]) == (rank, n + 1 - rank)


def test_costs_are_of_pairs_however_the_rate_wanders():
    wanders = itertools.cycle((100, 50, 200))
    pairs = [(Window(rate * 1000, 1.0, 0), Window(rate * 1980, 2.0, 100)) for rate in itertools.islice(wanders, 30)]
    made = summary("cpu", pairs)
    assert made["cost_percent"] == pytest.approx(1)
    assert made["cost_percent_95"] == [pytest.approx(1), pytest.approx(1)]
    assert made["once_a_second_percent_at_most"] == pytest.approx(1 / 50)
    assert made["asks_per_second"] == 50 and made["pairs"] == 30 and made["alone_mpps"] == pytest.approx(0.1)
