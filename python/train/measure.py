# SPDX-License-Identifier: Apache-2.0
"""How good a model is: the threshold for an asked rate of false alarms, and what it finds in captures it has not seen."""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .capture_list import NORMAL
from .rows import Rows


def threshold_for(normal: np.ndarray, rate: float) -> float:
    """At most this share of the scores of normal traffic are above the threshold, which is halfway between two scores."""
    rising, counts = np.unique(normal, return_counts=True)
    falling, above = rising[::-1], np.cumsum(counts[::-1]) - counts[::-1]
    allowed = np.flatnonzero(above <= rate * len(normal))
    place = int(allowed[-1])
    if place == 0:  # no false alarm is allowed: a little above the highest
        return float(falling[0] + max(1e-3, 0.01 * (falling[0] - falling[-1])))
    return float(falling[place] + falling[place - 1]) / 2


@dataclass(frozen=True)
class Label:
    name: str
    captures: int
    rows: int
    share: float  # of the rows that are above the threshold
    mean: float  # of the captures' shares
    worst: tuple[str, float]  # a capture, and its share


@dataclass(frozen=True)
class Figures:
    labels: list[Label]
    false_alarms: float  # share of normal rows
    recall: float  # share of rows of attacks
    balanced: float  # mean of the families' recalls
    f1: float  # of rows
    area: float  # under the ROC curve


def area_under_curve(scores: np.ndarray, attack: np.ndarray) -> float:
    """The chance that an attack's row has a higher score than a normal one; a half for equal scores."""
    _, place, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = np.cumsum(counts) - (counts - 1) / 2
    attacks = int(attack.sum())
    normals = len(attack) - attacks
    return float((ranks[place[attack]].sum() - attacks * (attacks + 1) / 2) / max(1, attacks * normals))


def curve(scores: np.ndarray, attack: np.ndarray, most: int = 300) -> list[tuple[float, float]]:
    """Points of the ROC curve, rising: the share of normal rows and of attacks' above a threshold; `most` of them at most."""
    falling = np.sort(scores[~attack])[::-1]
    places = np.unique(np.concatenate([np.geomspace(1, len(falling), most).astype(int) - 1, [0]]))
    above = [(scores > falling[place]) for place in places]
    points = {(float(found[~attack].mean()), float(found[attack].mean())) for found in above}
    return sorted(points | {(1.0, 1.0)})


def figures(rows: Rows, scores: np.ndarray, threshold: float) -> Figures:
    alarm, attack = scores > threshold, rows.attack
    labels = []
    for number, name in enumerate(rows.labels):
        mine = rows.label == number
        if not mine.any():
            continue
        captures, place = np.unique(rows.capture[mine], return_inverse=True)
        shares = np.bincount(place, alarm[mine]) / np.bincount(place)
        worst = int(shares.argmax() if name == NORMAL else shares.argmin())
        labels.append(Label(name, len(captures), int(mine.sum()), float(alarm[mine].mean()), float(shares.mean()),
                            (rows.captures[captures[worst]].name, float(shares[worst]))))
    right, wrong = int((alarm & attack).sum()), int((alarm & ~attack).sum())
    return Figures(labels, wrong / max(1, int((~attack).sum())), right / max(1, int(attack.sum())),
                   float(np.mean([label.share for label in labels if label.name != NORMAL] or [0])),
                   2 * right / max(1, right + wrong + int(attack.sum())), area_under_curve(scores, attack))


def of_families(rows: Rows, scores: np.ndarray, threshold: float, families: set[str]) -> Figures:
    """Without the rows of other attacks."""
    kept = np.isin(rows.label, [number for number, name in enumerate(rows.labels) if name in families or name == NORMAL])
    return figures(rows.taken(kept), scores[kept], threshold)


def table(found: Figures) -> list[str]:
    """Lines of a Markdown table, a label each: normal first."""
    lines = ["| label | captures | rows | alarms | mean of captures | worst capture |", "| --- | ---: | ---: | ---: | ---: | --- |"]
    for label in sorted(found.labels, key=lambda one: (one.name != NORMAL, one.name)):
        digits = 3 if label.name == NORMAL else 1
        lines.append(f"| {label.name} | {label.captures} | {label.rows:,} | {label.share:.{digits}%} | {label.mean:.{digits}%} "
                     f"| {label.worst[0]}: {label.worst[1]:.1%} |")
    return lines
