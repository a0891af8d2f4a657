# SPDX-License-Identifier: Apache-2.0
"""A command whose standard output is full has failed: one line says so, and the exit status is 1. A refusal keeps its own status."""
from __future__ import annotations

import pathlib
import subprocess

import pytest
from harness import ALONE, DONE, FAILED, WRONG_USAGE
from onnx_tree import tree_model

PORT = (*ALONE, "-l", "0", "--vdev=net_null0")
CALLS = [("--version",), ("--help",), ("plan", "--help"), ("plan", *PORT), ("doctor", "--only", "tsc"), ("bench", "--", "--list", "--executors", "cpu"),
         ("inspect", "check", "a.rules"), ("model", "check", "model.onnx"), ("model", "run", "model.onnx", "--rows", "none.csv")]


@pytest.fixture
def folder(tmp_path) -> pathlib.Path:
    (tmp_path / "a.rules").write_text('alert udp any any -> any 53 (msg:"name"; content:"example"; sid:2;)\n')
    (tmp_path / "model.onnx").write_bytes(tree_model())
    (tmp_path / "none.csv").write_text("length,ttl\n")
    return tmp_path


def said_with(binary: pathlib.Path, folder: pathlib.Path, words: tuple[str, ...], output: str) -> subprocess.CompletedProcess[str]:
    with open(output, "w", encoding="utf-8") as out:
        return subprocess.run([binary, *words], cwd=folder, stdout=out, stderr=subprocess.PIPE, text=True, check=False, timeout=120)


@pytest.mark.parametrize("words", CALLS, ids=" ".join)
def test_a_result_that_standard_output_does_not_take_is_a_failure(binary, folder, words):
    assert said_with(binary, folder, words, "/dev/null").returncode == DONE
    done = said_with(binary, folder, words, "/dev/full")
    assert done.returncode == FAILED, done
    assert done.stderr.splitlines()[-1] == "packetwarp: error: standard output: No space left on device; the result is lost there", done


RUNS = {"l2fwd": ("l2fwd", *PORT, "--vdev=net_null1", "--"), "run": ("run", *PORT, "--", "-c", "n.yaml"),
        "generate": ("generate", *ALONE, "-l", "0-1", "--vdev=net_null0", "--", "--rate", "1kpps")}


@pytest.mark.parametrize("words", RUNS.values(), ids=RUNS)
def test_a_file_that_takes_no_result_costs_standard_output_nothing(binary, folder, words):
    (folder / "n.yaml").write_text("interfaces:\n  - {name: a, port: 0, mac: 02:00:00:00:00:01, addresses: [192.0.2.1/24]}\n")
    limits = ("--duration", "300ms", "--json", "/dev/full")
    done = subprocess.run([binary, *words, *limits], cwd=folder, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == FAILED, done
    assert "--json: writing /dev/full failed: No space left on device" in done.stderr, done
    assert "packets" in done.stdout, done


def test_a_refusal_is_told_alone(binary, folder):
    done = said_with(binary, folder, ("plan", *PORT, "--", "-b", "0"), "/dev/full")
    assert done.returncode == WRONG_USAGE and done.stderr.count("\n") == 1 and "standard output" not in done.stderr, done
