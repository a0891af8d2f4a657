# SPDX-License-Identifier: Apache-2.0
"""`packetwarp features` prints the numbers that a program written from docs/features.md computes: every one of them."""
from __future__ import annotations

import pathlib
import subprocess

import pytest

import made_capture
import oracle

ROOT = pathlib.Path(__file__).resolve().parents[2]


def printed_rows(binary: pathlib.Path, capture: pathlib.Path) -> list[list[int]]:
    done = subprocess.run([binary, "features", "--pcap", capture], capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    head, *lines = done.stdout.splitlines()
    assert head.split(",") == oracle.NAMES
    return [[int(number) for number in line.split(",")] for line in lines]


def must_agree(binary: pathlib.Path, capture: pathlib.Path) -> list[list[int]]:
    rows, wanted = printed_rows(binary, capture), oracle.rows_of(capture)
    assert len(rows) == len(wanted)
    for number, (row, want) in enumerate(zip(rows, wanted)):
        other = [(name, has, wants) for name, has, wants in zip(oracle.NAMES, row, want) if has != wants]
        assert not other, f"packet {number} of {capture}: (feature, printed, by the oracle) {other}"
    return rows


def test_a_recorded_capture_has_the_oracles_rows(binary):
    must_agree(binary, ROOT / "tests/captures/mixed.pcap")


@pytest.mark.parametrize("seed", range(2))
def test_a_capture_of_all_kinds_of_frames_has_the_oracles_rows(binary, tmp_path, seed):
    capture = tmp_path / "made.pcap"
    made_capture.write_capture(capture, seed, 3000)
    rows = must_agree(binary, capture)
    constant = [name for place, name in enumerate(oracle.NAMES) if len({row[place] for row in rows}) < 2]
    assert not constant, f"the capture does not test {constant}"
