# SPDX-License-Identifier: Apache-2.0
"""Splits captures into those to train on, to choose by, and to judge by: a group of captures is in one part as a whole."""
from __future__ import annotations

import numpy as np

from . import TrainError
from .capture_list import PARTS
from .rows import Rows

# Of the groups of each label.
SHARES = {"train": 0.6, "validation": 0.2, "test": 0.2}


def _labels_of_groups(rows: Rows) -> dict[str, set[int]]:
    pairs = np.unique(np.stack([rows.capture, rows.label]), axis=1)
    labels: dict[str, set[int]] = {}
    for capture, label in pairs.T:
        labels.setdefault(rows.groups[capture], set()).add(int(label))
    return labels


def _wanted(count: int) -> dict[str, int]:
    """How many of a label's groups each part gets: a label with one group is trained on, one with two is judged, too."""
    test = round(count * SHARES["test"]) or (1 if count >= 2 else 0)
    validation = round(count * SHARES["validation"]) or (1 if count >= 3 else 0)
    return {"train": count - validation - test, "validation": validation, "test": test}


def parts_of_groups(rows: Rows, seed: int) -> dict[str, str]:
    """The part of each group. The list's own word comes first; the others are drawn, label by label, the rarest first."""
    parts: dict[str, str] = {}
    for group, part in zip(rows.groups, rows.parts):
        if part and parts.setdefault(group, part) != part:
            raise TrainError(f"the list puts captures of the group {group} into {parts[group]} and into {part}")
    labels = _labels_of_groups(rows)
    random = np.random.default_rng(seed)
    by_label = {label: sorted(group for group, found in labels.items() if label in found) for label in range(len(rows.labels))}
    for _, groups in sorted(by_label.items(), key=lambda item: (len(item[1]), item[0])):
        wanted = _wanted(len(groups))
        for group in groups:
            if group in parts:
                wanted[parts[group]] -= 1
        open_groups = [group for group in groups if group not in parts]
        random.shuffle(open_groups)
        for group in open_groups:
            part = max(PARTS, key=lambda name: wanted[name])
            wanted[part] -= 1
            parts[group] = part
    return parts


def split(rows: Rows, seed: int) -> dict[str, Rows]:
    parts = parts_of_groups(rows, seed)
    number = np.array([PARTS.index(parts.get(group, "train")) for group in rows.groups])[rows.capture]
    found = {part: rows.taken(number == n) for n, part in enumerate(PARTS)}
    for part, some in found.items():
        if not some.attack.any() or some.attack.all():
            raise TrainError(f"the part {part} lacks normal traffic or attacks: give more captures, or other groups")
    return found
