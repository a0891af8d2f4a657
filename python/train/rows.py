# SPDX-License-Identifier: Apache-2.0
"""The rows of captures, as `packetwarp features` computes them: a bounded number per capture and label, with a weight each."""
from __future__ import annotations

import pathlib
import subprocess
import zlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from . import TrainError
from .capture_list import NORMAL, Capture, packet_labels

# A capture with fewer packets than this counts less than others: one odd packet of two should not decide.
FULL_WEIGHT = 100


@dataclass(frozen=True)
class Rows:
    names: list[str]  # of the features
    labels: list[str]  # by number
    groups: list[str]  # by number of the capture
    captures: list[pathlib.Path]  # by number
    parts: list[str]  # by number of the capture, as the list says
    values: np.ndarray  # int8, a row per packet
    label: np.ndarray  # number
    capture: np.ndarray  # number
    packets: int  # of all captures: most of them are not in `values`

    @property
    def attack(self) -> np.ndarray:
        return self.label != self.labels.index(NORMAL)

    def taken(self, which: np.ndarray) -> Rows:
        return Rows(self.names, self.labels, self.groups, self.captures, self.parts, self.values[which],
                    self.label[which], self.capture[which], self.packets)

    def with_features(self, names: list[str]) -> Rows:
        if missing := [name for name in names if name not in self.names]:
            raise TrainError(f"{missing[0]} is no feature; the features are {', '.join(self.names)}")
        return Rows(names, self.labels, self.groups, self.captures, self.parts,
                    self.values[:, [self.names.index(name) for name in names]], self.label, self.capture, self.packets)

    def weights(self) -> np.ndarray:
        """Each capture counts alike within normal traffic and within attacks, and both count alike; the mean is 1."""
        attack = self.attack
        piece = self.capture * 2 + attack
        counts = np.bincount(piece)
        weights = np.minimum(counts, FULL_WEIGHT)[piece] / FULL_WEIGHT / counts[piece]
        for kind in (attack, ~attack):
            weights[kind] /= max(weights[kind].sum(), 1e-12)
        return (weights / weights.mean()).astype(np.float32)


def features_of(binary: pathlib.Path, capture: pathlib.Path) -> tuple[list[str], np.ndarray]:
    """The names of the features, and a row per packet."""
    done = subprocess.run([binary, "features", "--pcap", capture], capture_output=True, check=False, timeout=600)
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip() or f"exit status {done.returncode}"
        raise TrainError(f"{capture}: {said}")
    head, _, body = done.stdout.partition(b"\n")
    names = head.decode().split(",")
    numbers = np.fromstring(body.replace(b"\n", b",").rstrip(b",").decode(), dtype=np.int16, sep=",")
    return names, numbers.astype(np.int8).reshape(-1, len(names))


def _sample(labels: np.ndarray, most: int, seed: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    kept = []
    for label in np.unique(labels):
        places = np.flatnonzero(labels == label)
        kept.append(places if len(places) <= most else random.choice(places, most, replace=False))
    return np.sort(np.concatenate(kept)) if kept else np.zeros(0, np.int64)


def gather(captures: list[Capture], binary: pathlib.Path, most: int, by: str, seed: int,
           say: Callable[[str], None]) -> Rows:
    """At most `most` rows per capture and label, drawn evenly; `by` says what a group of captures has in common."""
    names: list[str] = []
    values, label, number, labels, packets = [], [], [], [NORMAL], 0
    for n, capture in enumerate(captures):
        found, rows = features_of(binary, capture.path)
        if names and found != names:
            raise TrainError(f"{capture.path}: other features than those of {captures[0].path}")
        names = found
        packets += len(rows)
        words = packet_labels(capture, len(rows))
        labels += sorted(set(words) - set(labels))
        numbers = np.array([labels.index(word) for word in words], np.int16)
        kept = _sample(numbers, most, seed ^ zlib.crc32(str(capture.path.name).encode()))
        values.append(rows[kept])
        label.append(numbers[kept])
        number.append(np.full(len(kept), n, np.int32))
        if (n + 1) % 50 == 0:
            say(f"{n + 1} of {len(captures)} captures, {packets:,} packets")
    rows = Rows(names, labels, [capture.group(by) for capture in captures], [capture.path for capture in captures],
                [capture.part for capture in captures], np.concatenate(values), np.concatenate(label),
                np.concatenate(number), packets)
    if not rows.attack.any() or rows.attack.all():
        raise TrainError(f"the captures must have packets with the label {NORMAL} and packets with others")
    return rows
