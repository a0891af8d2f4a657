#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains the network of python/train on NSL-KDD and prints its figures, for comparison with those in publications.

    python/train/nsl_kdd.py KDDTrain+_20Percent.txt KDDTest+.txt

NSL-KDD has connections, not packets, so the result is no model for packetwarp: the network, its rounding to 8 bits and the number of
inputs are those of packetwarp's models. The threshold is set by the training file alone. Exit status: 0 done; 2 the command line or
a file is wrong."""
from __future__ import annotations

import argparse
import csv
import os
import pathlib
import sys
from dataclasses import dataclass

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import numpy as np  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from train import TrainError, measure, network  # noqa: E402
from train.arguments import Parser, natural, positive  # noqa: E402

COLUMNS = 43  # 41 features, the attack's name, a difficulty
PROTOCOL, SERVICE, FLAG, ATTACK = 1, 2, 3, 41
PROTOCOLS = ("tcp", "udp", "icmp")
FLAGS = ("SF", "S0", "REJ", "RSTR", "RSTO", "SH", "S1", "S2", "S3", "RSTOS0", "OTH")
SERVICES = ("http", "private", "domain_u", "smtp", "ftp_data", "eco_i", "other", "ecr_i", "telnet", "finger", "ftp", "auth")
SHARES = (6, 11, 13, 20, 21, *range(24, 31), *range(33, 41))  # columns from 0 to 1
NUMBERS = tuple(n for n in range(ATTACK) if n not in (PROTOCOL, SERVICE, FLAG))
NORMAL = "normal"
FOLDS, HIDDEN = 5, [64, 32]


@dataclass(frozen=True)
class Connections:
    values: np.ndarray  # int8
    names: np.ndarray  # of the attack, or "normal"

    @property
    def attack(self) -> np.ndarray:
        return self.names != NORMAL


def values_of(lines: list[list[str]]) -> np.ndarray:
    """A share is 0 to 64; another number is its logarithm, four steps per doubling, as packetwarp's levels; a word is 64 in its column.
    The twelve services with the most connections of the training file have a column each: a model of 64 inputs has no place for all 70."""
    numbers = np.array([[float(line[n]) for n in NUMBERS] for line in lines])
    is_share = np.isin(NUMBERS, SHARES)
    levels = np.where(is_share, 64 * numbers, np.minimum(127, 4 * np.log2(1 + numbers)))
    columns = ((PROTOCOL, PROTOCOLS), (FLAG, FLAGS), (SERVICE, SERVICES))
    words = [[64 * (line[column] == word) for column, known in columns for word in known] for line in lines]
    return np.concatenate([np.rint(levels), np.array(words)], axis=1).astype(np.int8)


def read(path: pathlib.Path) -> Connections:
    try:
        lines = list(csv.reader(path.read_text().splitlines()))
        if not lines or any(len(line) != COLUMNS for line in lines):
            raise TrainError(f"{path}: not a file of NSL-KDD: each line has {COLUMNS} columns")
        return Connections(values_of(lines), np.array([line[ATTACK] for line in lines]))
    except (OSError, ValueError) as error:
        raise TrainError(f"{path}: not a file of NSL-KDD: {error}") from error


def weights_of(attack: np.ndarray) -> np.ndarray:
    share = attack.mean()
    return np.where(attack, 0.5 / share, 0.5 / (1 - share)).astype(np.float32)


def trained(some: Connections, epochs: int, seed: int) -> network.Network:
    return network.train(some.values, some.attack, weights_of(some.attack), HIDDEN, epochs, seed)


def folds_of(train: Connections, random: np.random.Generator) -> np.ndarray:
    """Attacks by their names, because the test file has names that the training file lacks; normal connections by lot."""
    names = sorted(set(train.names.tolist()) - {NORMAL})
    random.shuffle(names)
    fold = {name: n % FOLDS for n, name in enumerate(names)}
    drawn = random.integers(0, FOLDS, len(train.names))
    return np.array([fold.get(name, lot) for name, lot in zip(train.names.tolist(), drawn.tolist())])


def f1(alarm: np.ndarray, attack: np.ndarray, weight: np.ndarray) -> float:
    right = weight[alarm & attack].sum()
    return float(2 * right / max(1e-12, 2 * right + weight[alarm & ~attack].sum() + weight[~alarm & attack].sum()))


def best_threshold(scores: np.ndarray, train: Connections) -> float:
    """For the highest F1 on attacks whose names were held out. Each name counts alike, as much as all normal connections together."""
    names, place, counts = np.unique(train.names, return_inverse=True, return_counts=True)
    attacks = len(names) - 1
    weight = np.where(train.attack, 1 / (attacks * counts[place]), 1 / max(1, int((~train.attack).sum())))
    candidates = np.quantile(scores[~train.attack], np.linspace(0.5, 0.999, 200))
    return max(candidates.tolist(), key=lambda one: f1(scores > one, train.attack, weight))


def main() -> int:
    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("train", type=pathlib.Path, help="such as KDDTrain+_20Percent.txt")
    parser.add_argument("test", type=pathlib.Path, nargs="+", help="such as KDDTest+.txt")
    parser.add_argument("--epochs", type=positive, default=15, metavar="N", help="of the network's training [15]")
    parser.add_argument("--seed", type=natural, default=1, metavar="N", help="of all random choices [1]")
    options = parser.parse_args()
    try:
        train, tests = read(options.train), [(path, read(path)) for path in options.test]
    except TrainError as error:
        print(f"nsl_kdd: error: {error}", file=sys.stderr)
        return 2
    fold, scores = folds_of(train, np.random.default_rng(options.seed)), np.zeros(len(train.names))
    for n in range(FOLDS):
        left = Connections(train.values[fold != n], train.names[fold != n])
        scores[fold == n] = trained(left, options.epochs, options.seed).scores(train.values[fold == n])
    threshold = best_threshold(scores, train)
    model = trained(train, options.epochs, options.seed)
    print(f"network {'-'.join(map(str, [train.values.shape[1], *HIDDEN, 1]))}, int8, threshold {threshold:.4g}")
    print("| file | connections | F1 | recall | false alarms | area |\n| --- | ---: | ---: | ---: | ---: | ---: |")
    for path, test in tests:
        found = model.scores(test.values)
        alarm, attack = found > threshold, test.attack
        print(f"| {path.name} | {len(attack):,} | {f1(alarm, attack, np.ones(len(attack))):.3f} | {alarm[attack].mean():.1%} "
              f"| {alarm[~attack].mean():.1%} | {measure.area_under_curve(found, attack):.3f} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
