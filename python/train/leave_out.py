# SPDX-License-Identifier: Apache-2.0
"""Each source of traffic in turn is judged by a model that was trained without it: what a model of these captures does on traffic of
an origin that it has never seen."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from . import TrainError, measure
from .candidates import Settings, candidate
from .rows import Rows


@dataclass(frozen=True)
class Left:
    """A source, and what a model that was trained on all others says of it."""

    source: str
    captures: int
    normal: int  # rows
    attacks: int
    found: measure.Figures | None
    why_not: str  # if there is no such model


def _judged(kind: str, source: str, mine: Rows, others: Rows, settings: Settings, say: Callable[[str], None]) -> Left:
    captures, attacks = len(set(mine.capture.tolist())), int(mine.attack.sum())
    normal = len(mine.label) - attacks
    if not others.attack.any() or others.attack.all():
        return Left(source, captures, normal, attacks, None, "no other source has " + ("normal traffic" if others.attack.any() else "attacks"))
    try:
        model = candidate(kind, others, settings, say)
    except TrainError as error:
        return Left(source, captures, normal, attacks, None, str(error))
    return Left(source, captures, normal, attacks, measure.figures(mine, model.scores(mine), model.threshold), "")


def each_left_out(kind: str, rows: Rows, source_of_capture: list[str], settings: Settings, say: Callable[[str], None]) -> list[Left]:
    """A model per source, with a threshold of its own: the source left out has no part in either. source_of_capture: by the
    capture's number."""
    of_row, judged = np.array(source_of_capture)[rows.capture], []
    for source in sorted(set(of_row.tolist())):
        mine = of_row == source
        left = _judged(kind, source, rows.taken(mine), rows.taken(~mine), settings, say)
        say(f"without {source}: {left.why_not or said(left)}")
        judged.append(left)
    return judged


def said(left: Left) -> str:
    """In words."""
    assert left.found is not None
    parts = [f"false alarms {left.found.false_alarms:.3%} of {left.normal:,} normal rows"] if left.normal else []
    parts += [f"recall {left.found.recall:.1%} of {left.attacks:,} rows of attacks"] if left.attacks else []
    return ", ".join(parts)


def table(judged: list[Left], weak: float) -> list[str]:
    """Lines of a Markdown table, a source each. weak: families of which less is found are named."""
    lines = ["| source left out | captures | normal rows | false alarms | attack rows | recall | families found least |",
             "| --- | ---: | ---: | ---: | ---: | ---: | --- |"]
    for left in judged:
        head = f"| {left.source} | {left.captures} | {left.normal:,}"
        if left.found is None:
            lines.append(f"{head} | not judged | {left.attacks:,} | not judged | {left.why_not} |")
            continue
        families = sorted((one for one in left.found.labels if one.name != measure.NORMAL and one.share < weak), key=lambda one: one.share)
        lines.append(f"{head} | {f'{left.found.false_alarms:.3%}' if left.normal else '-'} | {left.attacks:,} "
                     f"| {f'{left.found.recall:.1%}' if left.attacks else '-'} "
                     f"| {', '.join(f'{one.name} {one.share:.1%}' for one in families) or '-'} |")
    return lines
