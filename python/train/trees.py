# SPDX-License-Identifier: Apache-2.0
"""Ensembles of decision trees, trained by scikit-learn: a forest, and boosted trees."""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier


@dataclass(frozen=True)
class Tree:
    feature: np.ndarray  # of each node; -1: a leaf
    threshold: np.ndarray  # float32: the way is left if the feature is at most this
    left: np.ndarray
    right: np.ndarray
    value: np.ndarray  # float32, of a leaf
    gain: np.ndarray  # of a split: how much better its sides are known


@dataclass(frozen=True)
class Trees:
    trees: list[Tree]
    base: float

    def scores(self, rows: np.ndarray) -> np.ndarray:
        total = np.full(len(rows), self.base, np.float64)
        everyone = np.arange(len(rows))
        for tree in self.trees:
            node = np.zeros(len(rows), np.int64)
            while (inner := tree.feature[node] >= 0).any():
                at = node[inner]
                low = rows[everyone[inner], tree.feature[at]] <= tree.threshold[at]
                node[inner] = np.where(low, tree.left[at], tree.right[at])
            total += tree.value[node]
        return total

    def gains(self, features: int) -> np.ndarray:
        """The contribution of each feature to the trees."""
        total = np.zeros(features)
        for tree in self.trees:
            inner = tree.feature >= 0
            np.add.at(total, tree.feature[inner], tree.gain[inner])
        return total


def boosted(rows: np.ndarray, attack: np.ndarray, weights: np.ndarray, count: int, depth: int, seed: int) -> Trees:
    """The score is the logarithm of the odds."""
    model = HistGradientBoostingClassifier(max_iter=count, max_depth=depth, max_leaf_nodes=2 ** depth, learning_rate=0.1,
                                           min_samples_leaf=40, l2_regularization=1.0, early_stopping=False, random_state=seed)
    model.fit(rows.astype(np.float32), attack, sample_weight=weights)
    trees = []
    for (predictor,) in model._predictors:  # pylint: disable=protected-access  # scikit-learn shows its nodes nowhere else
        nodes = predictor.nodes
        leaf = nodes["is_leaf"].astype(bool)
        trees.append(Tree(np.where(leaf, -1, nodes["feature_idx"]).astype(np.int64), nodes["num_threshold"].astype(np.float32),
                          nodes["left"].astype(np.int64), nodes["right"].astype(np.int64), nodes["value"].astype(np.float32),
                          np.where(leaf, 0, nodes["gain"]).astype(np.float64)))
    return Trees(trees, float(np.ravel(model._baseline_prediction)[0]))  # pylint: disable=protected-access


def forest(rows: np.ndarray, attack: np.ndarray, weights: np.ndarray, count: int, depth: int, seed: int) -> Trees:
    """The score is a probability: the mean of the trees'."""
    model = RandomForestClassifier(count, max_depth=depth, min_samples_leaf=40, max_samples=min(1.0, 60_000 / len(rows)),
                                   random_state=seed, n_jobs=1)
    model.fit(rows.astype(np.float32), attack, sample_weight=weights)
    trees = []
    for estimator in model.estimators_:
        tree = estimator.tree_
        leaf = tree.children_left < 0
        share = tree.value[:, 0, 1] / tree.value[:, 0, :].sum(axis=1)
        size = tree.weighted_n_node_samples
        below = np.where(leaf, 0, (size * tree.impurity)[tree.children_left] + (size * tree.impurity)[tree.children_right])
        trees.append(Tree(np.where(leaf, -1, tree.feature).astype(np.int64), tree.threshold.astype(np.float32),
                          tree.children_left.astype(np.int64), tree.children_right.astype(np.int64),
                          (share / count).astype(np.float32), np.where(leaf, 0, size * tree.impurity - below)))
    return Trees(trees, 0.0)
