# SPDX-License-Identifier: Apache-2.0
"""The report's sections on models: operations per packet, the roof, the ROC curve."""
from __future__ import annotations

import json
import pathlib

import pytest
from reporting import models
from reporting.results import ReportError
from reporting.style import LIGHT

ROOT = pathlib.Path(__file__).resolve().parents[3]


@pytest.mark.parametrize(("function", "count"), [
    ("detect:36-64-32-1+router", 2 * (36 * 64 + 64 * 32 + 32)), ("detect:100x6+router", 600), ("router", None), ("detect:36-64-32-1+nat44", None)])
def test_operations_are_those_of_the_model_in_front_of_the_router(function, count):
    assert models.operations(function) == count


def test_the_roof_bends_where_arithmetic_takes_longer_than_reading():
    assert models.roof(10_000) == models.HEADER_READS
    assert models.roof(10**8) == pytest.approx(19.79)


def test_each_executor_has_a_line_of_networks_and_one_of_trees():
    document = json.loads((ROOT / "benchmarks/results/h200" / models.FILE).read_text())
    (axes,) = models.by_operations(document, LIGHT).axes
    lines = {line.get_label(): line for line in axes.lines}
    assert set(lines) == {*(f"{name}{trees}" for name in ("cpu", "kernel", "persistent", "graph") for trees in ("", ", trees")), "roof"}
    assert list(lines["graph"].get_xdata()) == [8768, 29440]
    assert max(lines["graph"].get_ydata()) < models.HEADER_READS


def test_a_curve_is_read_and_a_wrong_file_gets_one_line(tmp_path):
    (tmp_path / "models").mkdir()
    curve = tmp_path / "models" / models.CURVE
    curve.write_text("false_alarms,recall\n0.001,0.8\n1,1\n")
    assert models.curve_of(curve) == [(0.001, 0.8), (1, 1)]
    assert [section.name for section in models.sections(tmp_path)] == ["detect_roc"]
    curve.write_text("false_alarms\n0.5\n")
    with pytest.raises(ReportError, match="no ROC curve") as refusal:
        models.curve_of(curve)
    assert "\n" not in str(refusal.value)
