# SPDX-License-Identifier: Apache-2.0
"""Runs the built `packetwarp model` on the written file: what it loads, and whether its classes are those of the training."""
from __future__ import annotations

import csv
import pathlib
import re
import subprocess
import tempfile

import numpy as np

from . import TrainError


def ask(binary: pathlib.Path, *words: str | pathlib.Path) -> str:
    done = subprocess.run([binary, "model", *words], capture_output=True, text=True, check=False, timeout=600)
    if done.returncode != 0:
        raise TrainError(done.stderr.strip() or f"packetwarp model: exit status {done.returncode}")
    return done.stdout


def unit(checked: str) -> float:
    found = re.search(r"1 stands for (\S+)", checked)
    if found is None:
        raise TrainError("packetwarp model check does not say what a score of 1 stands for")
    return float(found[1])


def scores(binary: pathlib.Path, model: pathlib.Path, names: list[str], rows: np.ndarray) -> np.ndarray:
    """The integer scores."""
    with tempfile.TemporaryDirectory(prefix="packetwarp-train-") as folder:
        path = pathlib.Path(folder) / "rows.csv"
        with path.open("w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(names)
            writer.writerows(rows.tolist())
        lines = ask(binary, "run", model, "--rows", path).splitlines()
    return np.array([int(line) for line in lines[1:]], dtype=np.int64)


def float_scores(model: pathlib.Path, rows: np.ndarray) -> np.ndarray | None:
    """ONNX Runtime's, with its own optimisations off, so that every operation is one of the file's; None without the package."""
    try:
        import onnxruntime  # pylint: disable=import-outside-toplevel
    except ImportError:
        return None
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    pieces = [session.run(None, {"row": rows[begin:begin + 4096].astype(np.float32)})[0][:, 0] for begin in range(0, len(rows), 4096)]
    return np.concatenate(pieces)
