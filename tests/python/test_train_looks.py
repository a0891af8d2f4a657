# SPDX-License-Identifier: Apache-2.0
"""Drawn options and windows of packets with SYN say nothing of the label, and beginnings are normal rows without history."""
from __future__ import annotations

import dataclasses
import pathlib

import pytest

np = pytest.importorskip("numpy", reason="the package numpy is not installed")
pytest.importorskip("yaml", reason="the package PyYAML is not installed")

from train.looks import OPTIONS, level, with_beginnings, with_drawn_looks  # noqa: E402
from train.rows import Rows  # noqa: E402

LOOKS = ["length", "tcp", "fin", "syn", "rst", "ack", "urg", "payload", "window", "tcp_options", "ipv6", "source_port", "destination_port", "source_syn", "flow_age"]
NO_OPTIONS, ALL_OPTIONS = [23, 64, 0, 64, 0, 0, 0, 0, 37, 0, 0, 64, 32, 30, 0], [25, 64, 0, 64, 0, 0, 0, 0, 64, 20, 0, 64, 32, 9, 5]


def looking_rows(count: int = 4000) -> Rows:
    """A scan whose SYN has no options, clients whose SYN has all of them."""
    number = np.repeat(np.arange(2), count)
    values = np.array([ALL_OPTIONS] * count + [NO_OPTIONS] * count, np.int8)
    return Rows(LOOKS, ["normal", "scan"], ["a", "b"], [pathlib.Path("a.pcap"), pathlib.Path("b.pcap")], ["", ""], values, number, number, 2 * count)


def test_the_scale_of_drawn_looks_is_that_of_the_features():
    assert level(np.array([1, 2, 3, 64, 1500, 65535])).tolist() == [1, 5, 7, 25, 42, 64]


def test_drawn_looks_say_nothing_of_the_label():
    rows = looking_rows()
    drawn = with_drawn_looks(rows, 1, 1)
    looks = [LOOKS.index(name) for name in ("length", "window", "tcp_options")]
    same = [n for n in range(len(LOOKS)) if n not in looks]
    assert (drawn.values[:, same] == rows.values[:, same]).all() and (drawn.label == rows.label).all()
    normal, scan = drawn.values[:4000], drawn.values[4000:]
    for column in looks:
        for value in np.unique(drawn.values[:, column]):
            assert abs((normal[:, column] == value).mean() - (scan[:, column] == value).mean()) < 0.04
    options = drawn.values[:, LOOKS.index("tcp_options")]
    assert set(options.tolist()) == set(OPTIONS)
    assert set(drawn.values[options == 0, 0].tolist()) == {level(np.array([54]))[0], level(np.array([60]))[0]}


def test_drawn_looks_leave_packets_without_syn_and_odd_ones_alone():
    rows = looking_rows(100)
    for name, value in (("syn", 0), ("fin", 64), ("rst", 64), ("urg", 64)):
        odd = dataclasses.replace(rows, values=rows.values.copy())
        odd.values[:, LOOKS.index(name)] = value
        assert (with_drawn_looks(odd, 1, 1).values == odd.values).all()
    assert with_drawn_looks(rows, 0, 1) is rows
    some = (with_drawn_looks(looking_rows(), 0.5, 1).values != looking_rows().values).any(axis=1).mean()
    assert 0.4 < some < 0.55
    without = rows.with_features(["length", "tcp"])
    assert with_drawn_looks(without, 1, 1) is without


def test_beginnings_are_normal_rows_without_history():
    rows = looking_rows()
    more = with_beginnings(rows, 0.1, 1)
    added = more.values[len(rows.label):]
    assert (more.values[:len(rows.label)] == rows.values).all() and 300 < len(added) < 500 and not more.attack[len(rows.label):].any()
    history = [LOOKS.index(name) for name in ("source_syn", "flow_age")]
    assert (added[:, history] == 0).all() and (added[:, :13] == np.array(ALL_OPTIONS[:13])).all()
