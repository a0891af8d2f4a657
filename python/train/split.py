# SPDX-License-Identifier: Apache-2.0
"""Splits captures into those to train on and those to judge by, and the first ones into folds for validation: a group of captures is
in one part, and in one fold, as a whole."""
from __future__ import annotations

import numpy as np

from . import TrainError
from .capture_list import TEST, TRAIN
from .rows import Rows

TEST_SHARE = 0.2  # of the groups of each label
# A part judges, and each fold leaves some out.
ENOUGH = "list at least three captures, or groups of them, with normal traffic and three of one family of attacks"


def _groups_of_labels(rows: Rows) -> list[list[str]]:
    """The groups of each label, the label with the fewest groups first."""
    pairs = np.unique(np.stack([rows.capture, rows.label]), axis=1)
    groups: dict[int, set[str]] = {}
    for capture, label in pairs.T:
        groups.setdefault(int(label), set()).add(rows.groups[capture])
    return [sorted(groups[label]) for label in sorted(groups, key=lambda label: (len(groups[label]), label))]


def parts_of_groups(rows: Rows, seed: int) -> dict[str, str]:
    """The part of each group. The list's own word comes first; the others are drawn, label by label. A label with one group is
    trained on, one with two is judged, too."""
    parts: dict[str, str] = {}
    for group, part in zip(rows.groups, rows.parts):
        if part and parts.setdefault(group, part) != part:
            raise TrainError(f"the list puts captures of the group {group} into {parts[group]} and into {part}")
    random = np.random.default_rng(seed)
    for groups in _groups_of_labels(rows):
        wanted = round(len(groups) * TEST_SHARE) or (1 if len(groups) > 1 else 0)
        wanted -= sum(parts.get(group) == TEST for group in groups)
        free = [group for group in groups if group not in parts]
        random.shuffle(free)
        for n, group in enumerate(free):
            parts[group] = TEST if n < wanted else TRAIN
    return parts


def split(rows: Rows, seed: int) -> dict[str, Rows]:
    parts = parts_of_groups(rows, seed)
    judging = np.array([parts.get(group) == TEST for group in rows.groups])[rows.capture]
    found = {TRAIN: rows.taken(~judging), TEST: rows.taken(judging)}
    for part, some in found.items():
        if not some.attack.any() or some.attack.all():
            kind = "normal traffic" if some.attack.any() else "attacks"
            raise TrainError(f"the part {part} has no {kind}: {ENOUGH}")
    return found


def folds(rows: Rows, count: int, seed: int) -> np.ndarray:
    """The fold of each row, from 0: the groups of each label are dealt out like cards."""
    fold: dict[str, int] = {}
    random = np.random.default_rng(seed)
    for groups in _groups_of_labels(rows):
        free = [group for group in groups if group not in fold]
        random.shuffle(free)
        dealt = [0] * count
        for group in groups:
            if group in fold:
                dealt[fold[group]] += 1
        for group in free:
            fold[group] = int(np.argmin(dealt))
            dealt[fold[group]] += 1
    found = np.array([fold.get(group, 0) for group in rows.groups])[rows.capture]
    for n in range(count):
        for kind in (rows.attack, ~rows.attack):
            if not kind[found != n].any():
                raise TrainError(f"the captures to train on do not suffice for {count} folds: {ENOUGH}")
    return found
