# SPDX-License-Identifier: Apache-2.0
"""Captures of known device types as rows, one per capture: how often each value of a feature, and each combination of some, occurs in it."""
from __future__ import annotations

import pathlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from . import TrainError
from .rows import features_of

# Features of packets and flows, without those of hosts: hosts' rates say more of a network's other devices than of this one.
FIRST_OF_HOSTS = "source_packets"
SIZES = ("length", "tcp", "udp", "icmp", "to_service", "source_port", "destination_port")
HEADERS = (*SIZES, "ipv6", "other_protocol", "fin", "syn", "rst", "psh", "fragment")
COMBINATIONS = (SIZES, HEADERS, (*HEADERS, "ack", "payload", "window", "tcp_options"))


@dataclass(frozen=True)
class Devices:
    names: list[str]  # of the features
    types: list[str]  # by number
    type: np.ndarray  # number, of each capture
    packets: list[np.ndarray]  # int8, of each capture: a row per packet


def captures_of(folder: pathlib.Path) -> dict[str, list[pathlib.Path]]:
    """The captures of each type, which is the name of their folder. A folder without captures is no type."""
    if not folder.is_dir():
        raise TrainError(f"{folder}: no such folder")
    found = {one.name: sorted(path for path in one.iterdir() if path.suffix in (".pcap", ".pcapng")) for one in sorted(folder.iterdir()) if one.is_dir()}
    found = {name: paths for name, paths in found.items() if paths}
    if len(found) < 2:
        raise TrainError(f"{folder}: give a folder with a folder of captures (.pcap or .pcapng) for each of two or more types")
    for name, paths in found.items():
        if len(paths) < 2:
            raise TrainError(f"{folder / name}: a type needs two captures or more, one to train on and one to judge by")
    return found


def read(folder: pathlib.Path, binary: pathlib.Path, say: Callable[[str], None]) -> Devices:
    captures = captures_of(folder)
    types, names, packets = list(captures), [], []
    paths = [(number, path) for number, name in enumerate(types) for path in captures[name]]
    for _, path in paths:
        names, values = features_of(binary, path)
        if not len(values):
            raise TrainError(f"{path}: the capture has no packet")
        packets.append(values)
        if len(packets) % 50 == 0:
            say(f"{len(packets)} of {len(paths)} captures")
    return Devices(names, types, np.array([number for number, _ in paths]), packets)


def counts_of(names: list[str], packets: np.ndarray) -> Counter:
    """How many packets have each value of each feature of packets and flows, and each combination of COMBINATIONS."""
    alone = [(name,) for name in names[:names.index(FIRST_OF_HOSTS)]]
    counts: Counter = Counter()
    for features in (*alone, *COMBINATIONS):
        values, times = np.unique(packets[:, [names.index(name) for name in features]], axis=0, return_counts=True)
        counts.update({(features, *value): count for value, count in zip(values.tolist(), times.tolist())})
    return counts


def table_of(devices: Devices, most: int) -> np.ndarray:
    """A row per capture, of its first `most` packets (0: of all); a column per value or combination that any capture has: the logarithm
    of how often the capture has it. Columns that only judging captures have are dropped by known()."""
    counts = [counts_of(devices.names, packets[:most or None]) for packets in devices.packets]
    place = {word: n for n, word in enumerate(sorted(set().union(*counts), key=repr))}
    table = np.zeros((len(counts), len(place)), np.float32)
    for row, found in zip(table, counts):
        row[[place[word] for word in found]] = np.log1p(list(found.values()))
    return table


def known(training: np.ndarray) -> np.ndarray:
    """The columns that two captures or more of those to train on have."""
    return (training > 0).sum(axis=0) >= 2


def folds_of(kinds: np.ndarray, count: int, seed: int) -> np.ndarray:
    """The fold of each capture: captures of each type are dealt out like cards, the next type from the next fold on."""
    random, fold, dealt = np.random.default_rng(seed), np.zeros(len(kinds), np.int64), 0
    for kind in random.permutation(np.unique(kinds)):
        mine = random.permutation(np.flatnonzero(kinds == kind))
        fold[mine] = (dealt + np.arange(len(mine))) % count
        dealt += len(mine)
    return fold


def accuracy(truth: np.ndarray, found: np.ndarray) -> float:
    return float((truth == found).mean())


def macro_f1(truth: np.ndarray, found: np.ndarray) -> float:
    """The mean of the types' F1: each type counts alike."""
    right = [((truth == kind) & (found == kind)).sum() for kind in np.unique(truth)]
    both = [(truth == kind).sum() + (found == kind).sum() for kind in np.unique(truth)]
    return float(np.mean(2 * np.array(right) / np.array(both)))


def joined(types: list[str], twins: list[list[str]]) -> np.ndarray:
    """By number of a type: the number that it has when the types of each list count as one."""
    number = np.arange(len(types))
    for names in twins:
        if missing := [name for name in names if name not in types]:
            raise TrainError(f"{missing[0]} is no type; the types are {', '.join(types)}")
        number[[types.index(name) for name in names]] = types.index(names[0])
    return number
