# SPDX-License-Identifier: Apache-2.0
"""The sections on models that judge packets: the rate against the model's operations per packet, and the shipped model's ROC curve."""
from __future__ import annotations

import csv
import itertools
import json
import math
import pathlib
import re
from typing import Any

from matplotlib.figure import Figure

from .results import ReportError
from .sections import Section
from .style import MARKERS, Theme, sheet

STAGE = re.compile(r"detect:(?:(\d+(?:-\d+)+)|(\d+)x(\d+))\+router")
FILE, CURVE = "detect_10000.json", "detect.roc.csv"
# An H200's: 8-bit integers without sparsity by NVIDIA's data sheet; reads of headers as in benchmarks/peers.yaml.
PEAK_OPERATIONS, HEADER_READS = 1979e12, 800.0


def operations(function: str) -> int | None:
    """Per packet: a network's multiplications and additions, or a visit per level of each tree; None for another function."""
    found = STAGE.fullmatch(function)
    if found is None:
        return None
    if found[1] is None:
        return int(found[2]) * int(found[3])
    widths = [int(word) for word in found[1].split("-")]
    return sum(2 * first * second for first, second in itertools.pairwise(widths))


def roof(count: int) -> float:
    """Mpps that an H200 cannot exceed."""
    return min(HEADER_READS, PEAK_OPERATIONS / count / 1e6)


def by_operations(document: dict[str, Any], theme: Theme) -> Figure:
    host = document["host"]
    footer = (f"{host['gpus'][0]['name']}, {host['cpu_model']}, {host['cpus']} CPUs; packetwarp at {document['commit']}; {document['lcores']} lcores, "
              f"bursts of 64, 64-byte frames in host memory, {document['flows']:,} flows; detect in front of the router; one run per point. "
              "A multiplication, an addition, and a visit to a node of a tree are an operation each.",
              "Roof: 800 Mpps that a GPU reads headers at, then 1,979 TOPS of 8-bit integers (NVIDIA's data sheet).")
    figure, (axes,) = sheet("Throughput by the model's operations per packet", footer, theme)
    for executor in MARKERS:
        of_executor = [(operations(case["function"]), case) for case in document["cases"] if case["executor"] == executor]
        for is_tree, line in ((False, "-"), (True, ":")):
            points = sorted((count, case["mpps"]) for count, case in of_executor if count is not None and ("x" in case["function"]) == is_tree)
            if points:
                colour = theme.colour(executor)
                axes.plot(*zip(*points), color=colour, marker=MARKERS[executor], linestyle=line, linewidth=1.8, markersize=5,
                          markerfacecolor="none" if is_tree else colour, label=f"{executor}, trees" if is_tree else executor)
    counts = [10 ** (exponent / 10) for exponent in range(20, 80)]
    axes.plot(counts, [roof(max(1, math.ceil(count))) for count in counts], color=theme.faint, linestyle="--", linewidth=1, label="roof")
    axes.set(xscale="log", yscale="log", xlim=(80, 1e8), ylim=(1, 2000), xlabel="operations per packet, log scale", ylabel="Mpps, log scale")
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=8)
    return figure


def curve_of(path: pathlib.Path) -> list[tuple[float, float]]:
    try:
        lines = list(csv.DictReader(path.read_text().splitlines()))
        return [(float(line["false_alarms"]), float(line["recall"])) for line in lines]
    except (KeyError, ValueError) as error:
        raise ReportError(f"{path}: no ROC curve: a line has false_alarms,recall: {error}") from error


def roc(points: list[tuple[float, float]], theme: Theme) -> Figure:
    """The false alarms on a log scale: the part below one in a hundred is the part that matters."""
    footer = ("models/detect.onnx on its test captures, of the families that it was trained on: models/detect.md. One point per threshold.",)
    figure, (axes,) = sheet("ROC curve of the shipped model", footer, theme)
    shown = [(alarms, recall) for alarms, recall in points if alarms > 0]
    axes.plot(*zip(*shown), color=theme.colour("persistent"), linewidth=1.8)
    axes.axvline(0.001, color=theme.faint, linewidth=0.9, linestyle=(0, (6, 3)))
    axes.set(xscale="log", xlim=(1e-4, 1), ylim=(0, 1.02), xlabel="share of normal packets with an alarm, log scale", ylabel="share of attack packets found")
    return figure


def sections(root: pathlib.Path) -> list[Section]:
    """The committed results, as far as they are there."""
    found = []
    results, curve = root / "benchmarks/results/h200" / FILE, root / "models" / CURVE
    if results.is_file():
        document = json.loads(results.read_text())
        found.append(Section("detect_by_operations", "Throughput by the model's operations per packet",
                             "The stage detect judges every packet in front of the router. Left of the roof's bend, the GPU's arithmetic is no limit.",
                             draw=lambda theme: by_operations(document, theme), provenance=(f"{FILE}: {document['command']}",)))
    if curve.is_file():
        points = curve_of(curve)
        found.append(Section("detect_roc", "ROC curve of the shipped model", "What the model finds, against its false alarms, as its threshold changes.",
                             draw=lambda theme: roc(points, theme), provenance=("models/detect.roc.csv: the shipped model on its test captures with mended labels, up to 1,000 rows per capture and label",)))
    return found
