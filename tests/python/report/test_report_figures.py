# SPDX-License-Identifier: Apache-2.0
"""The pictures of python/report.py, read back before they become pixels."""
from __future__ import annotations

import math
import pathlib

import matplotlib.colors
import pytest

import bench_results as made
from reporting import figures, peers, winners
from reporting.results import read
from reporting.slices import slices
from reporting.style import DARK, LIGHT, MARKERS, themed

ROOT = pathlib.Path(__file__).resolve().parents[3]


def drawn(tmp_path, *cases: made.Json, axes: tuple[str, ...] = ("burst",), theme=LIGHT):
    """The one slice's picture of throughput."""
    (one,) = slices(read(made.write(made.result(list(cases)), tmp_path / "r.json")).cases, axes)
    known = peers.read(ROOT / "benchmarks" / "peers.yaml", one.cases[0].source.machine)
    with themed(theme):
        if len(axes) == 2:
            return winners.winner_map(one, "title", ("footer",), theme)
        return figures.throughput(one, known, "title", "packets a burst", ("footer",), theme)


def test_points_are_medians_whiskers_reach_to_the_ends_and_gaps_stay_open(tmp_path):
    picture = drawn(tmp_path, made.case("cpu", 16, 10.0, 12.0, 13.0), made.without_figure("failed", "no", "cpu", 32),
                    made.case("cpu", 64, 20.0))
    (line, _, (whiskers,)) = picture.axes[0].containers[0]
    first, hole, last = line.get_ydata()
    assert (first, last) == (12.0, 20.0) and math.isnan(hole)
    assert whiskers.get_segments()[0][:, 1].tolist() == [10.0, 13.0]


def test_peers_are_drawn_where_the_results_have_points_and_marked(tmp_path):
    picture = drawn(tmp_path, made.case("cpu", 16, 90.0), made.case("cpu", 24, 90.0), made.case("cpu", 128, 90.0))
    dotted = [line for line in picture.axes[0].lines if line.get_linestyle() == ":"]
    assert [(line.get_xdata().tolist(), line.get_ydata().tolist()) for line in dotted] == [([0, 2], [84, 176])]
    assert "l2fwd-nv cpu †" in [text.get_text() for text in picture.axes[0].texts]


def test_large_differences_get_a_logarithmic_axis_that_says_so(tmp_path):
    near = drawn(tmp_path, made.case("cpu", 16, 90.0), made.case("cpu", 24, 100.0)).axes[0]
    far = drawn(tmp_path, made.case("cpu", 16, 1.0), made.case("cpu", 24, 100.0)).axes[0]
    assert (near.get_yscale(), near.get_ylabel(), near.get_ylim()[0]) == ("linear", "Mpps", 0.0)
    assert (far.get_yscale(), far.get_ylabel()) == ("log", "Mpps, log scale")


def test_the_map_names_what_was_not_measured(tmp_path):
    cases = [made.case("cpu", 16, 10.0), made.case("graph", 16, 30.0), made.case("cpu", 64, 10.0, packet_time_ns=500)]
    texts = [text.get_text() for text in drawn(tmp_path, *cases, axes=("burst", "packet_time_ns")).axes[0].texts]
    assert texts == ["graph\n3.0 x cpu", "not measured", "not measured", "only cpu\n10.0 Mpps"]


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_executors_have_colours_of_their_own_that_can_be_read_on_the_ground(theme):
    assert len(set(theme.executors.values())) == len(MARKERS) == len(set(MARKERS.values()))
    assert set(theme.executors) == set(MARKERS)
    for colour in (*theme.executors.values(), theme.ink, theme.other):
        assert contrast(colour, theme.ground) >= 4  # WCAG asks 3 of graphics and of large text


def contrast(one: str, other: str) -> float:
    def luminance(colour: str) -> float:
        channels = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in matplotlib.colors.to_rgb(colour)]
        return sum(weight * channel for weight, channel in zip((0.2126, 0.7152, 0.0722), channels))

    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)
