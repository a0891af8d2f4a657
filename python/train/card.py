# SPDX-License-Identifier: Apache-2.0
"""The model card: what a model was trained on, how it was judged, what it finds and what it misses, as Markdown."""
from __future__ import annotations

from collections import Counter

from . import leave_out, measure
from .candidates import Candidate
from .capture_list import NORMAL, PARTS, TEST, TRAIN
from .rows import Rows

WEAK = 0.5  # a family of which less is found is named as missed


def _part(name: str, rows: Rows) -> str:
    groups = {rows.groups[capture] for capture in set(rows.capture.tolist())}
    counts = Counter(rows.labels[number] for number in rows.label.tolist())
    normal = counts.pop(NORMAL, 0)
    families = ", ".join(f"{label} {count:,}" for label, count in sorted(counts.items()))
    return f"| {name} | {len(set(rows.capture.tolist()))} | {len(groups)} | {normal:,} | {sum(counts.values()):,} | {families} |"


def _missed(found: measure.Figures, trained: set[str]) -> list[str]:
    lines = [f"- {label.name}: {label.share:.1%} of its packets are found"
             + ("" if label.name in trained else "; the model was not trained on this family") + "."
             for label in found.labels if label.name != NORMAL and label.share < WEAK]
    return lines or [f"No family of the test captures is found at less than {WEAK:.0%}."]


def _left_out(left: list[leave_out.Left]) -> list[str]:
    return ["## Each source left out", "", "Each row is of another model of the same kind, with a threshold of its own: all captures but the source's were trained on. "
            "The figures say what to expect of traffic from an origin that no capture has.", "", *leave_out.table(left, WEAK), ""] if left else []


def text(title: str, chosen: Candidate, others: list[tuple[Candidate, measure.Figures]], parts: dict[str, Rows],
         found: measure.Figures, notes: dict[str, str], about: str, left: list[leave_out.Left]) -> str:
    """`others`: all candidates with their figures on the test captures; `notes`: further rows of the first table; `about`: Markdown on
    the captures; `left`: sources that other models judged, if any."""
    trained = {parts[TRAIN].labels[number] for number in set(parts[TRAIN].label.tolist())}
    known = measure.of_families(parts[TEST], chosen.scores(parts[TEST]), chosen.threshold, trained)
    facts = {"model": chosen.name, "threshold": f"{chosen.threshold:.9g}; a packet with a higher score is anomalous", **notes}
    lines = [f"# {title}", "", "| | |", "| --- | --- |", *(f"| {key} | {value} |" for key, value in facts.items()), "",
             "## Data", "", f"{parts['train'].packets:,} packets in all captures; of each capture and label a sample counts. "
             "A group of captures is in one part as a whole.", "",
             "| part | captures | groups | normal rows | attack rows | of them |", "| --- | ---: | ---: | ---: | ---: | --- |",
             *(_part(part, parts[part]) for part in PARTS), "", *([about.strip(), ""] if about else []),
             "## On the test captures", "",
             f"F1 {found.f1:.3f}, recall {found.recall:.1%} (mean of the families {found.balanced:.1%}), false alarms "
             f"{found.false_alarms:.3%} of normal packets, area under the ROC curve {found.area:.4f}. For the families that it was trained "
             f"on: F1 {known.f1:.3f}, recall {known.recall:.1%} (mean {known.balanced:.1%}), area {known.area:.4f}.", "",
             *measure.table(found), "", *_left_out(left),
             "## What it misses", "", *_missed(found, trained), "",
             "Families that are not in the list were not tried. The first packets of an attack look like the first packets of anything: hosts and "
             "flows need a few milliseconds to stand out. Normal traffic of another network can raise more false alarms than these captures did: "
             "judge the model by captures of that network before its verdicts drop packets.", "",
             "## The models tried", "", "| model | F1 | recall | mean of families | false alarms | area | training |",
             "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"]
    for other, figures in others:
        lines.append(f"| {other.name}{' (chosen)' if other is chosen else ''} | {figures.f1:.3f} | {figures.recall:.1%} | {figures.balanced:.1%} "
                     f"| {figures.false_alarms:.3%} | {figures.area:.4f} | {other.seconds:.0f} s |")
    lines += ["", "Figures are of the test captures. The choice, and each threshold, were made by validation: groups of the captures to train on were "
              "scored by models that were trained without them.", "", "## Features", "",
              f"{len(chosen.features)}: {', '.join(chosen.features)}.", ""]
    return "\n".join(lines)
