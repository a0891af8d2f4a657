# SPDX-License-Identifier: Apache-2.0
"""`packetwarp model` on an ONNX file that onnx_tree.py writes: scores, facts, and refusals."""
from __future__ import annotations

import os
import pathlib
import re
import signal
import subprocess

import pytest
from harness import DONE, FAILED, WRONG_USAGE
from onnx_tree import question, tree_model
from random_models.random_model import random_model


@pytest.fixture
def ask(binary, tmp_path):
    def run(*words: str | pathlib.Path, model: bytes | None = None, rows: str = "") -> subprocess.CompletedProcess[str]:
        (tmp_path / "model.onnx").write_bytes(tree_model() if model is None else model)
        return subprocess.run([binary, "model", *words], cwd=tmp_path, input=rows, capture_output=True, text=True, check=False, timeout=60)

    return run


def test_scores_are_those_of_the_tree(ask, tmp_path):
    rows = "length,ttl\n9,100\n10,64\n10,65\n-128,127\n127,-128\n"
    (tmp_path / "rows.csv").write_text(rows)
    # The largest sum is 1: a score of 2^30 stands for it.
    step = 1 << 30
    expected = "score_0\n" + "".join(f"{score}\n" for score in (step // 4, -step // 2, step, step // 4, -step // 2))
    for words in (("--rows", "rows.csv"), ("--rows", "-")):
        done = ask("run", "model.onnx", *words, rows=rows)
        assert (done.returncode, done.stdout, done.stderr) == (DONE, expected, "")


def test_check_tells_layers_features_and_speed(ask):
    done = ask("check", "model.onnx")
    assert done.returncode == DONE and done.stderr == ""
    assert done.stdout.splitlines()[1].split() == ["forest", "1", "trees", "2", "1", "2", "80"]
    for words in ("features    2: ttl, length\n", "scores      1 per row; 1 stands for 9.31322575e-10\n",
                  "operations  2 per row (comparisons at most)\n", "rows/s, measured now on one CPU core by scalar code\n",
                  "packets     not judged: 'packetwarp features' computes other features than the model's\n"):
        assert words in done.stdout
    assert "threshold" not in done.stdout


def test_check_tells_the_packets_and_the_memory_of_a_model_for_packets(ask):
    done = ask("check", "model.onnx", model=tree_model(features="window,length"))
    assert done.returncode == DONE and done.stderr == ""
    rate = re.search(r"^cpu         ([\d.]+) [kM]?pps, features and scores, measured now on one CPU core; 4,096 flows$", done.stdout, re.M)
    assert rate and float(rate[1]) > 0
    assert re.search(r"^gpu         judged by every GPU executor; (no GPU here|[0-9.]+ [MG]pps, features and scores, measured now on .+)$", done.stdout, re.M)
    assert "state       37.4 MiB per pipeline: 131,072 flows, 32,768 hosts\n" in done.stdout


def test_check_tells_what_a_model_too_wide_for_a_gpu_needs(ask):
    done = ask("check", "model.onnx", model=random_model("2-129-1", ["window", "length"]))
    assert done.returncode == DONE and done.stderr == ""
    assert re.search(r"^gpu         judged for packets that a smaller model leaves \(detect\.large\), by executors graph and kernel: "
                     r"for all packets the model has 129 outputs in layer 1 of 2: 128 at most on a GPU; ", done.stdout, re.M), done.stdout
    assert re.search(r"^cpu         [\d.]+ [kM]?pps, ", done.stdout, re.M)


def test_check_tells_the_threshold(ask):
    done = ask("check", "model.onnx", model=question("syn", 0, threshold="0.5"))
    assert done.returncode == DONE and done.stderr == ""
    assert re.search(r"^threshold   0\.5: a score above \d+ is anomalous$", done.stdout, re.M), done.stdout


def test_check_tells_what_the_threshold_of_several_scores_is_compared_with(ask):
    done = ask("check", "model.onnx", model=random_model("2-3", ["window", "length"]))
    assert done.returncode == DONE and done.stderr == ""
    assert "threshold   0: the largest score but the first, less score_0, above 0 is anomalous\n" in done.stdout, done.stdout


@pytest.mark.parametrize("threshold", ("0,5", "", "x", "nan", "inf", "0.5 ", "1e999", "0.5\0"))
def test_check_refuses_a_threshold_that_is_no_number(ask, threshold):
    done = ask("check", "model.onnx", model=question("syn", 0, threshold=threshold))
    assert (done.returncode, done.stdout) == (WRONG_USAGE, "")
    assert done.stderr == "packetwarp: error: model.onnx: the 'threshold' in its metadata_props is no number\n"


@pytest.mark.parametrize("number", (signal.SIGTERM, signal.SIGINT))
@pytest.mark.parametrize("rows", ("-", "pipe"))
def test_the_first_signal_ends_the_wait_for_rows(binary, tmp_path, rows, number):
    """The writer has sent as many rows as are evaluated at once, and is silent then."""
    at_once = 1024
    (tmp_path / "model.onnx").write_bytes(tree_model())
    os.mkfifo(tmp_path / "pipe")
    with subprocess.Popen([binary, "model", "run", "model.onnx", "--rows", rows], cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as process:
        try:
            with process.stdin if rows == "-" else open(tmp_path / "pipe", "w", encoding="ascii") as writer:
                writer.write("ttl,length\n" + "1,2\n" * at_once)
                writer.flush()
                scores = [process.stdout.readline() for _ in range(1 + at_once)]
                process.send_signal(number)
                status = process.wait(30)
        finally:
            process.kill()
        said = process.stderr.read()
    assert scores[0] == "score_0\n" and scores[1] == scores[-1] != ""
    assert (status, said) == (FAILED, "packetwarp: error: interrupted before every row was evaluated\n")


def test_scores_that_cannot_be_written_are_a_failure(binary, tmp_path):
    (tmp_path / "model.onnx").write_bytes(tree_model())
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run([binary, "model", "run", "model.onnx", "--rows", "-"], cwd=tmp_path, input="ttl,length\n1,2\n", stdout=full,
                              stderr=subprocess.PIPE, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (FAILED, "packetwarp: error: writing to standard output failed: No space left on device\n")


@pytest.mark.parametrize(("words", "model", "rows", "line"), [
    (("check", "model.onnx"), tree_model("Scaler"), "", "model.onnx: node 'forest' (Scaler): is not supported: rows are int8"),
    (("check", "model.onnx"), tree_model(features="ttl"), "", "model.onnx: its input 'x' has 2 values, but metadata_props names 1"),
    (("check", "model.onnx"), tree_model()[:100], "", "model.onnx: is no ONNX model: it ends in the middle of a field"),
    (("check", "none.onnx"), None, "", "none.onnx: cannot be read: No such file or directory"),
    (("run", "model.onnx", "--rows", "none.csv"), None, "", "--rows none.csv: cannot be read: No such file or directory"),
    (("run", "model.onnx", "--rows", "."), None, "", "--rows .: is a directory; give a CSV file"),
    (("run", "model.onnx", "--rows", "-"), None, "ttl,length\n1,2\n1,200\n", "-:3: '200' is no integer from -128 to 127"),
    (("run", "model.onnx", "--rows", "-"), None, "ttl,size\n", "-:1: the model has no feature 'size'"),
    (("run", "model.onnx", "--rows", "-", "--pcap", "a.pcap"), None, "", "model run: give either the rows, --rows CSV"),
    (("run", "model.onnx"), None, "", "model run: give either the rows, --rows CSV"),
    (("train", "model.onnx"), None, "", "model 'train': give check or run"),
])
def test_wrong_input_is_refused_in_a_line(ask, words, model, rows, line):
    done = ask(*words, model=model, rows=rows)
    assert done.returncode == WRONG_USAGE
    assert done.stderr.startswith(f"packetwarp: error: {line}") and done.stderr.count("\n") == 1
