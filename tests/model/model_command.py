# SPDX-License-Identifier: Apache-2.0
"""Runs `packetwarp model` on a model that the onnx package made, and reads its answers."""
from __future__ import annotations

import pathlib
import re
import subprocess

import numpy as np
import onnx

FAILED, USAGE = 1, 2


class Command:
    def __init__(self, binary: pathlib.Path, folder: pathlib.Path) -> None:
        self.binary, self.folder = binary, folder
        self.model = folder / "model.onnx"

    def write(self, model: onnx.ModelProto, features: list[str]) -> None:
        onnx.helper.set_model_props(model, {"features": ",".join(features)})
        onnx.save(model, str(self.model))
        self.features = features

    def ask(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([self.binary, "model", *words], capture_output=True, text=True, check=False, timeout=120)

    def check(self) -> str:
        done = self.ask("check", str(self.model))
        assert done.returncode == 0, done.stderr
        return done.stdout

    def refusal(self) -> str:
        """The one line by which the model is refused."""
        done = self.ask("check", str(self.model))
        assert done.returncode == USAGE and done.stdout == "", done.stdout
        assert done.stderr.count("\n") == 1, done.stderr
        return done.stderr

    def unit(self) -> float:
        return float(re.search(r"1 stands for (\S+)", self.check())[1])

    def scores(self, rows: np.ndarray) -> np.ndarray:
        """The scores as they are printed: a line per row, an integer per output."""
        order = np.random.default_rng(len(rows)).permutation(len(self.features))  # columns may come in any order
        lines = [",".join(self.features[i] for i in order), *(",".join(map(str, row)) for row in rows[:, order].tolist())]
        path = self.folder / "rows.csv"
        path.write_text("\n".join(lines) + "\n")
        done = self.ask("run", str(self.model), "--rows", str(path))
        assert done.returncode == 0, done.stderr
        head, *body = done.stdout.splitlines()
        scores = np.array([line.split(",") for line in body]).astype(np.int64)
        assert head == ",".join(f"score_{i}" for i in range(scores.shape[1]))
        assert len(scores) == len(rows)
        return scores


def names(count: int) -> list[str]:
    return [f"feature_{i}" for i in range(count)]


def random_rows(random: np.random.Generator, count: int, width: int) -> np.ndarray:
    rows = random.integers(-128, 128, (count, width), dtype=np.int64)
    rows[0], rows[1] = -128, 127
    return rows.astype(np.int8)
