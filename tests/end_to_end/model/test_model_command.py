# SPDX-License-Identifier: Apache-2.0
"""`packetwarp model` on an ONNX file that this test writes by itself, field by field: scores, facts, and refusals."""
from __future__ import annotations

import pathlib
import struct
import subprocess

import pytest
from harness import DONE, FAILED, WRONG_USAGE

FLOAT, INTEGERS, TEXTS, FLOATS = 1, 7, 8, 6  # AttributeProto's types


def varint(value: int) -> bytes:
    made = bytearray()
    while value > 0x7F:
        made.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*made, value])


def integer(field: int, value: int) -> bytes:
    return varint(field << 3) + varint(value)


def piece(field: int, value: bytes | str) -> bytes:
    value = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(value)) + value


def attribute(name: str, values: list[int] | list[float] | list[str]) -> bytes:
    if isinstance(values[0], str):
        return piece(5, piece(1, name) + b"".join(piece(9, one) for one in values) + integer(20, TEXTS))
    if isinstance(values[0], float):
        return piece(5, piece(1, name) + piece(7, struct.pack(f"<{len(values)}f", *values)) + integer(20, FLOATS))
    return piece(5, piece(1, name) + b"".join(integer(8, one) for one in values) + integer(20, INTEGERS))


def tree_model(operation: str = "TreeEnsembleRegressor", features: str = "ttl,length") -> bytes:
    """length <= 9.5 ? 0.25 : (ttl > 64 ? 1 : -0.5)."""
    lists = {"nodes_treeids": [0] * 5, "nodes_nodeids": [0, 1, 2, 3, 4], "nodes_featureids": [1, 0, 0, 0, 0],
             "nodes_modes": ["BRANCH_LEQ", "LEAF", "BRANCH_GT", "LEAF", "LEAF"], "nodes_values": [9.5, 0.0, 64.0, 0.0, 0.0],
             "nodes_truenodeids": [1, 0, 3, 0, 0], "nodes_falsenodeids": [2, 0, 4, 0, 0], "target_treeids": [0, 0, 0],
             "target_nodeids": [1, 3, 4], "target_ids": [0, 0, 0], "target_weights": [0.25, 1.0, -0.5]}
    node = piece(1, "x") + piece(2, "y") + piece(3, "forest") + piece(4, operation) + piece(7, "ai.onnx.ml")
    node += b"".join(attribute(name, values) for name, values in lists.items())
    shape = piece(2, piece(1, integer(1, FLOAT) + piece(2, piece(1, piece(2, "N")) + piece(1, integer(1, 2)))))
    graph = piece(1, node) + piece(2, "g") + piece(11, piece(1, "x") + shape) + piece(12, piece(1, "y"))
    return integer(1, 8) + piece(7, graph) + piece(14, piece(1, "features") + piece(2, features))


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
                  "operations  2 per row (comparisons at most)\n", "rows/s, measured now on one CPU core by scalar code\n"):
        assert words in done.stdout


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
    (("run", "model.onnx"), None, "", "model run: give the rows"),
    (("train", "model.onnx"), None, "", "model 'train': give check or run"),
])
def test_wrong_input_is_refused_in_a_line(ask, words, model, rows, line):
    done = ask(*words, model=model, rows=rows)
    assert done.returncode == WRONG_USAGE
    assert done.stderr.startswith(f"packetwarp: error: {line}") and done.stderr.count("\n") == 1
