# SPDX-License-Identifier: Apache-2.0
"""Models that scikit-learn, XGBoost, LightGBM and PyTorch exported (tests/data/models), against ONNX Runtime's outputs for some rows."""
from __future__ import annotations

import csv
import pathlib
import re
import subprocess

import pytest
from harness import DONE

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "data" / "models"
MODELS = sorted(path.stem for path in FOLDER.glob("*.onnx"))


@pytest.fixture
def ask(binary):
    def run(*words: str, rows: str = "") -> str:
        done = subprocess.run([binary, "model", *words], input=rows, capture_output=True, text=True, check=False, timeout=60)
        assert (done.returncode, done.stderr) == (DONE, "")
        return done.stdout

    return run


def scores_and_outputs(ask, name: str) -> tuple[list[list[float]], list[list[float]]]:
    """Scores in the model's own units, and ONNX Runtime's outputs."""
    head, *lines = csv.reader((FOLDER / f"{name}.csv").read_text().splitlines())
    features = sum(one.startswith("f") for one in head)
    rows = "\n".join(",".join(line[:features]) for line in (head, *lines)) + "\n"
    unit = float(re.search(r"1 stands for (\S+)", ask("check", str(FOLDER / f"{name}.onnx")))[1])
    scores = ask("run", str(FOLDER / f"{name}.onnx"), "--rows", "-", rows=rows).splitlines()[1:]
    assert len(scores) == len(lines)
    return [[int(score) * unit for score in line.split(",")] for line in scores], [[float(cell) for cell in line[features:]] for line in lines]


def test_there_are_models_of_each_tool():
    assert {name.split("_")[0] for name in MODELS} == {"lightgbm", "pytorch", "sklearn", "xgboost"}
    assert all((FOLDER / f"{name}.onnx").stat().st_size < 20_000 for name in MODELS)


@pytest.mark.parametrize("name", [name for name in MODELS if not name.startswith("pytorch")])
def test_trees_have_the_outputs_of_onnx_runtime(ask, name):
    # A file of two classes has the weights of the second one alone.
    for scores, outputs in zip(*scores_and_outputs(ask, name)):
        assert scores == pytest.approx(outputs[-len(scores):], abs=1e-5)


@pytest.mark.parametrize("name", [name for name in MODELS if name.startswith("pytorch")])
def test_networks_are_near_the_outputs_of_onnx_runtime(ask, name):
    """ONNX Runtime rounds the outputs to steps of int8, and bounds them; scores are finer."""
    scores, outputs = scores_and_outputs(ask, name)
    least, most = min(map(min, outputs)), max(map(max, outputs))
    errors = [abs(min(max(score, least), most) - output) for row, of_row in zip(scores, outputs) for score, output in zip(row, of_row)]
    assert sum(errors) / len(errors) < 0.01 * (most - least) and max(errors) < 0.05 * (most - least)
    for row, of_row in zip(scores, outputs):
        if abs(of_row[0] - of_row[1]) > 0.1 * (most - least):
            assert (row[0] > row[1]) == (of_row[0] > of_row[1])
