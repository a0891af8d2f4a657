# SPDX-License-Identifier: Apache-2.0
"""Rows that keep a model from judging a packet by its sender's stack, or by its having no history.

Recorded attacks come of tools whose SYN has few TCP options, and recorded clients of kernels whose SYN has all of them: a model would
take an old stack or a health check for an attack by its first packet. So options and window of packets with SYN are drawn anew, from
the same looks for normal traffic and attacks. And any packet can be the first one that a data path sees of its hosts."""
from __future__ import annotations

import dataclasses

import numpy as np

from .blur import VERSION
from .rows import Rows

# Bytes of a SYN's options: none; MSS; MSS and another one; Windows; timestamps; Linux; as many as there is room for.
OPTIONS = (0, 4, 8, 12, 16, 20, 24, 40)
OFTEN = (0.28, 0.2, 0.08, 0.14, 0.06, 0.16, 0.04, 0.04)
WINDOWS = (8192, 14600, 29200, 64240, 65535)  # of most hosts; the others have any from LEAST_WINDOW on, evenly over the magnitudes
LEAST_WINDOW, MOST_WINDOW, USUAL = 128, 65535, 0.4
HEADERS, HEADERS6 = 14 + 20 + 20, 14 + 40 + 20  # bytes of Ethernet, IP and TCP
LEAST_FRAME = 60
ODD = ("fin", "rst", "urg")  # with SYN: no stack's packet
PORTS = ("source_port", "destination_port")


def level(counts: np.ndarray) -> np.ndarray:
    """The scale of docs/features.md, of counts from 1 on."""
    bits = np.floor(np.log2(counts)).astype(np.int64)
    return np.minimum(1 + 4 * bits + ((counts << 2 >> bits) & 3), 127)


def with_drawn_looks(rows: Rows, share: float, seed: int) -> Rows:
    """The rows, in which a share of the packets with SYN has other options, another window, and the length that this makes."""
    column = {name: n for n, name in enumerate(rows.names)}
    if share == 0 or "syn" not in column:
        return rows
    random = np.random.default_rng(seed)
    begins = rows.values[:, column["syn"]] > 0
    for name in ODD:
        if name in column:
            begins &= rows.values[:, column[name]] == 0
    which = np.flatnonzero(begins & (random.random(len(begins)) < share))
    values, count = rows.values.copy(), len(which)
    options = random.choice(OPTIONS, count, p=OFTEN)
    windows = np.exp(random.uniform(np.log(LEAST_WINDOW), np.log(MOST_WINDOW), count)).astype(np.int64)
    windows = np.where(random.random(count) < USUAL, random.choice(WINDOWS, count), windows)
    if "tcp_options" in column:
        values[which, column["tcp_options"]] = options
    if "window" in column:
        values[which, column["window"]] = level(windows)
    if "length" in column and "payload" in column:
        is_v6 = values[which, column[VERSION]] > 0 if VERSION in column else np.zeros(count, bool)
        lengths = np.where(is_v6, HEADERS6, HEADERS) + options
        # Half of the frames have the padding of a cable, which frames in namespaces lack.
        lengths = np.where(random.random(count) < 0.5, np.maximum(lengths, LEAST_FRAME), lengths)
        empty = values[which, column["payload"]] == 0
        values[which[empty], column["length"]] = level(lengths[empty])
    return dataclasses.replace(rows, values=values)


def with_beginnings(rows: Rows, share: float, seed: int) -> Rows:
    """The rows, and a share of the normal ones once more without the history of their flows and hosts."""
    normal = np.flatnonzero(~rows.attack)
    chosen = normal[np.random.default_rng(seed).random(len(normal)) < share]
    both = rows.taken(np.concatenate([np.arange(len(rows.label)), chosen]))
    history = [n for n, name in enumerate(rows.names) if name.startswith(("flow_", "source_", "destination_")) and name not in PORTS]
    both.values[len(rows.label):, history] = 0
    return both
