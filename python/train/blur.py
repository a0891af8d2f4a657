# SPDX-License-Identifier: Apache-2.0
"""Rows that differ a little from the recorded ones: other speeds and other sizes, so that a model does not learn one tool's."""
from __future__ import annotations

import dataclasses

import numpy as np

from .rows import Rows

SIZES = ("length", "payload", "window", "flow_mean", "flow_min", "flow_max")
VERSION, ICMP, FLAG = "ipv6", "icmp", 64
PORTS = ("source_port", "destination_port")
SETS = ("_ports", "_peers")
OWN = 1 / 3  # of the change that all speeds of a row have in common, each of them changes by itself


def _speeds(names: list[str]) -> list[int]:
    return [n for n, name in enumerate(names)
            if name.startswith(("flow_", "source_", "destination_")) and name not in SIZES + PORTS and not name.endswith(SETS)]


def _moved(values: np.ndarray, columns: list[int], change: np.ndarray) -> None:
    """A level that is 0 stays 0: what has not happened has no speed."""
    old = values[:, columns]
    values[:, columns] = np.where(old > 0, np.clip(np.rint(old + change), 1, 127), old)


def blurred(rows: Rows, amount: float, seed: int) -> Rows:
    """The rows and as many changed ones. `amount` is the change's standard deviation in levels: 4 is a factor of two. Half of the
    changed rows are of the other IP version, except ICMP's, which differs between both: most recorded attacks are IPv4's, and a model
    must not learn that."""
    if amount == 0:
        return rows
    random = np.random.default_rng(seed)
    values = rows.values.astype(np.int16)
    count = len(values)
    speeds = _speeds(rows.names)
    _moved(values, speeds, random.normal(0, amount, (count, 1)) + random.normal(0, amount * OWN, (count, len(speeds))))
    sizes = [rows.names.index(name) for name in SIZES if name in rows.names]
    _moved(values, sizes, random.normal(0, amount * OWN, (count, 1)) + random.normal(0, amount * OWN, (count, len(sizes))))
    if VERSION in rows.names:
        column = rows.names.index(VERSION)
        other = random.random(count) < 0.5
        if ICMP in rows.names:
            other &= values[:, rows.names.index(ICMP)] == 0
        values[:, column] = np.where(other, FLAG - values[:, column], values[:, column])
    twice = rows.taken(np.tile(np.arange(count), 2))
    return dataclasses.replace(twice, values=np.concatenate([rows.values, values.astype(np.int8)]))
