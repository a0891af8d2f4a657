# SPDX-License-Identifier: Apache-2.0
"""Judges device types by captures held out: each capture is judged once per seed, by a model of scikit-learn that has not seen it."""
from __future__ import annotations

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from .device_rows import Devices, accuracy, folds_of, known, table_of

INNER_FOLDS = 3
COLUMNS = 0.4  # share of the columns that a split of a tree chooses from: few columns tell twins apart


def model_of(method: str, trees: int, seed: int):
    if method == "extra_trees":
        return ExtraTreesClassifier(trees, max_features=COLUMNS, random_state=seed)
    if method == "random_forest":
        return RandomForestClassifier(trees, max_features=COLUMNS, random_state=seed)
    return make_pipeline(StandardScaler(), LogisticRegression(C=0.02, max_iter=300))


class Judge:
    def __init__(self, devices: Devices, most: int, trees: int):
        self.devices, self.most, self.trees, self.kinds = devices, most, trees, devices.type
        self.table = table_of(devices, most)

    def _shares(self, model, train: np.ndarray, rows: np.ndarray, others: np.ndarray) -> np.ndarray:
        model.fit(rows, train)
        shares = np.zeros((len(others), len(self.devices.types)))
        shares[:, model.classes_] = model.predict_proba(others)
        return shares

    def _by_packets(self, train: np.ndarray, test: np.ndarray, seed: int) -> np.ndarray:
        """A forest of a tenth of the trees judges each packet, by all features; the mean of a capture's packets decides."""
        packets = [one[:self.most or None] for one in self.devices.packets]
        rows = np.concatenate([packets[n] for n in train])
        kinds = np.repeat(self.kinds[train], [len(packets[n]) for n in train])
        weights = np.concatenate([np.full(len(packets[n]), 1 / len(packets[n])) for n in train])
        model = ExtraTreesClassifier(max(1, self.trees // 10), min_samples_leaf=3, random_state=seed).fit(rows, kinds, sample_weight=weights)
        shares = np.zeros((len(test), len(self.devices.types)))
        for row, n in zip(shares, test):
            row[model.classes_] = model.predict_proba(packets[n]).mean(axis=0)
        return shares

    def shares(self, method: str, train: np.ndarray, test: np.ndarray, seed: int) -> np.ndarray:
        """How likely each of the captures `test` is of each type, by a model of the captures `train`."""
        if method == "packets":
            return self._by_packets(train, test, seed)
        if method == "votes":
            return sum(self.shares(one, train, test, seed) for one in ("extra_trees", "random_forest", "logistic")) / 3
        columns = known(self.table[train])
        model = model_of(method, self.trees, seed)
        return self._shares(model, self.kinds[train], self.table[train][:, columns], self.table[test][:, columns])

    def found(self, method: str, among: np.ndarray, folds: int, seed: int) -> np.ndarray:
        """The type of each of the captures `among`, by a model of the other folds."""
        fold, kinds = folds_of(self.kinds[among], folds, seed), np.zeros(len(among), np.int64)
        for n in range(folds):
            if (fold == n).any():
                kinds[fold == n] = self.shares(method, among[fold != n], among[fold == n], seed).argmax(axis=1)
        return kinds

    def chosen(self, methods: list[str], folds: int, seed: int) -> tuple[np.ndarray, list[str]]:
        """The type of each capture, by the method that is best on inner folds of the other captures; the methods of the folds."""
        everyone, kinds, taken = np.arange(len(self.kinds)), np.zeros(len(self.kinds), np.int64), []
        fold = folds_of(self.kinds, folds, seed)
        for n in range(folds):
            train, test = everyone[fold != n], everyone[fold == n]
            right = {one: accuracy(self.kinds[train], self.found(one, train, INNER_FOLDS, seed)) for one in methods}
            taken.append(max(methods, key=right.__getitem__))
            kinds[test] = self.shares(taken[-1], train, test, seed).argmax(axis=1)
        return kinds, taken
