# SPDX-License-Identifier: Apache-2.0
"""The kinds of models that are trained, and the choice between them by validation."""
from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from . import measure, network, trees
from .blur import blurred
from .looks import with_beginnings, with_drawn_looks
from .network import Network
from .rows import Rows
from .split import folds
from .trees import Trees

KINDS = ("network", "boosted", "forest")


@dataclass(frozen=True)
class Settings:
    hidden: list[int]
    epochs: int
    tree_count: int
    tree_depth: int
    false_alarms: float
    folds: int
    blur: float
    looks: float
    beginnings: float
    seed: int


@dataclass(frozen=True)
class Candidate:
    kind: str
    name: str  # in words
    features: list[str]
    model: Network | Trees
    threshold: float
    validation: measure.Figures
    seconds: float

    def scores(self, rows: Rows) -> np.ndarray:
        return self.model.scores(rows.with_features(self.features).values)


def _trained(kind: str, rows: Rows, settings: Settings) -> Network | Trees:
    rows = with_beginnings(with_drawn_looks(rows, settings.looks, settings.seed), settings.beginnings, settings.seed)
    rows = blurred(rows, settings.blur, settings.seed)
    values, attack, weights = rows.values, rows.attack, rows.weights()
    if kind == "network":
        return network.train(values, attack, weights, settings.hidden, settings.epochs, settings.seed)
    train = trees.boosted if kind == "boosted" else trees.forest
    return train(values, attack, weights, settings.tree_count, settings.tree_depth, settings.seed)


def _named(kind: str, features: int, settings: Settings) -> str:
    if kind == "network":
        return f"network {'-'.join(map(str, [features, *settings.hidden, 1]))}, int8"
    return f"{settings.tree_count} {'boosted trees' if kind == 'boosted' else 'trees of a forest'} of depth {settings.tree_depth}"


def candidate(kind: str, rows: Rows, settings: Settings, say: Callable[[str], None]) -> Candidate:
    """Trains a model of this kind. A model per fold, trained without it, scores the fold's captures: by these scores the threshold is
    set and kinds are compared. The model itself is trained on all rows."""
    begin = time.monotonic()
    fold, scores = folds(rows, settings.folds, settings.seed), np.zeros(len(rows.label))
    for n in range(settings.folds):
        held_out = fold == n
        if held_out.any():
            scores[held_out] = _trained(kind, rows.taken(~held_out), settings).scores(rows.values[held_out])
        say(f"{kind}: fold {n + 1} of {settings.folds}, {time.monotonic() - begin:.0f} s")
    threshold = measure.threshold_for(scores[~rows.attack], settings.false_alarms)
    model = _trained(kind, rows, settings)
    return Candidate(kind, _named(kind, len(rows.names), settings), rows.names, model, threshold,
                     measure.figures(rows, scores, threshold), time.monotonic() - begin)


def best(candidates: list[Candidate]) -> Candidate:
    """The one that finds most by validation: by the mean over the families of attacks, then by all rows."""
    return max(candidates, key=lambda one: (one.validation.balanced, one.validation.recall))


def most_telling(rows: Rows, count: int, settings: Settings) -> list[str]:
    """The features that boosted trees gain most by, in their usual order."""
    model = _trained("boosted", rows, settings)
    assert isinstance(model, Trees)
    gains = model.gains(len(rows.names))
    return [rows.names[n] for n in sorted(np.argsort(-gains, kind="stable")[:count])]
