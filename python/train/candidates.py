# SPDX-License-Identifier: Apache-2.0
"""The kinds of models that are trained, and the choice between them by the validation captures."""
from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from . import measure, network, trees
from .network import Network
from .rows import Rows
from .trees import Trees

KINDS = ("network", "boosted", "forest")


@dataclass(frozen=True)
class Settings:
    hidden: list[int]
    epochs: int
    tree_count: int
    tree_depth: int
    false_alarms: float
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


def _trained(kind: str, rows: Rows, settings: Settings, say: Callable[[str], None]) -> Network | Trees:
    values, attack, weights = rows.values, rows.attack, rows.weights()
    if kind == "network":
        return network.train(values, attack, weights, settings.hidden, settings.epochs, settings.seed, say)
    train = trees.boosted if kind == "boosted" else trees.forest
    return train(values, attack, weights, settings.tree_count, settings.tree_depth, settings.seed)


def _named(kind: str, features: int, settings: Settings) -> str:
    if kind == "network":
        return f"network {'-'.join(map(str, [features, *settings.hidden, 1]))}, int8"
    return f"{settings.tree_count} {'boosted trees' if kind == 'boosted' else 'trees of a forest'} of depth {settings.tree_depth}"


def candidate(kind: str, parts: dict[str, Rows], settings: Settings, say: Callable[[str], None]) -> Candidate:
    """Trains a model of this kind, and sets its threshold by the normal validation captures."""
    begin = time.monotonic()
    train, validation = parts["train"], parts["validation"]
    model = _trained(kind, train, settings, say)
    scores = model.scores(validation.values)
    threshold = measure.threshold_for(scores[~validation.attack], settings.false_alarms)
    return Candidate(kind, _named(kind, len(train.names), settings), train.names, model, threshold,
                     measure.figures(validation, scores, threshold), time.monotonic() - begin)


def best(candidates: list[Candidate]) -> Candidate:
    """The one that finds most on validation captures: by the mean over the families of attacks, then by all rows."""
    return max(candidates, key=lambda one: (one.validation.balanced, one.validation.recall))


def most_telling(rows: Rows, count: int, settings: Settings) -> list[str]:
    """The features that boosted trees gain most by, in their usual order."""
    gains = trees.boosted(rows.values, rows.attack, rows.weights(), settings.tree_count, settings.tree_depth, settings.seed).gains(
        len(rows.names))
    return [rows.names[n] for n in sorted(np.argsort(-gains, kind="stable")[:count])]
