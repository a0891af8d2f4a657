# SPDX-License-Identifier: Apache-2.0
"""python/train from captures to a file that `packetwarp model` loads, whose scores are those of the training and of ONNX Runtime."""
from __future__ import annotations

import csv
import dataclasses
import pathlib
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="the package onnx is not installed")
ort = pytest.importorskip("onnxruntime", reason="the package onnxruntime is not installed")
pytest.importorskip("sklearn", reason="the package scikit-learn is not installed")
pytest.importorskip("yaml", reason="the package PyYAML is not installed")

from made_traffic import capture  # noqa: E402
from train import leave_out, onnx_file, program, trees  # noqa: E402
from train.rows import Rows, features_of  # noqa: E402

TRAIN = pathlib.Path(__file__).resolve().parents[2] / "python/train/train.py"
USAGE = 2
NAMES = {"network": "network 64-64-32-1, int8", "boosted": "100 boosted trees of depth 6", "forest": "100 trees of a forest of depth 6"}
SEEDS = {"normal": 1000, "scan": 2000, "flood": 3000}


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """Captures of normal traffic, scans and floods, and their lists: those of the floods have a label per packet."""
    folder = tmp_path_factory.mktemp("recorded")
    lines = ["file,label,family,tool"]
    for kind, count in (("normal", 10), ("scan", 6), ("flood", 6)):
        for n in range(count):
            name = f"{kind}{n}.pcap"
            capture(folder / name, kind, SEEDS[kind] + n)
            if kind == "flood":
                (folder / name).with_suffix(".labels").write_text("flood\n" * 600)
            lines.append(f"{name},{'mixed' if kind == 'flood' else 'normal' if kind == 'normal' else 'attack'},{kind},tool{n % 5}")
    (folder / "captures.csv").write_text("\n".join(lines) + "\n")
    return folder


def train(binary: pathlib.Path, *words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, TRAIN, *map(str, words), "--packetwarp", binary], capture_output=True, text=True, check=False, timeout=240)


@pytest.mark.parametrize("kind", ["network", "boosted", "forest"])
def test_a_trained_file_finds_what_it_was_not_trained_on(binary, recorded, tmp_path, kind):
    output = tmp_path / "found.onnx"
    done = train(binary, recorded / "captures.csv", "--output", output, "--kinds", kind, "--false-alarms", "0.01", "--rows", "500", "--epochs", "40", "--folds", "2",
                 "--by", "tool" if kind == "boosted" else "group")
    assert done.returncode == 0, done.stderr
    # The file has the names and the threshold, and its scores are the training's.
    properties = {entry.key: entry.value for entry in onnx.load(output).metadata_props}
    assert len(properties["features"].split(",")) == 64
    assert f"threshold {properties['threshold']}" in done.stdout
    assert re.search(r"packetwarp model run: the same class as in training for (100.000|99.[5-9]\d\d)%", done.stdout)
    assert re.search(r"packetwarp model run: the same class as ONNX Runtime for (100.000|99.[5-9]\d\d)%", done.stdout)
    # Captures that no list has: an attack is found, normal traffic is not.
    unit = program.unit(program.ask(binary, "check", output))
    shares = {}
    for label in ("normal", "scan", "flood"):
        capture(tmp_path / "new.pcap", label, SEEDS[label] + 77)
        scores = program.ask(binary, "run", output, "--pcap", tmp_path / "new.pcap").split()[1:]
        shares[label] = np.mean([int(score) * unit > float(properties["threshold"]) for score in scores])
    assert shares["normal"] < 0.05 and shares["scan"] > 0.8 and shares["flood"] > 0.8
    card = output.with_suffix(".md").read_text()
    assert NAMES[kind] in card and "## What it misses" in card and "| scan |" in card


def test_the_choice_is_the_best_by_validation(binary, recorded, tmp_path):
    output = tmp_path / "best.onnx"
    done = train(binary, recorded / "captures.csv", "--output", output, "--rows", "300", "--epochs", "10", "--folds", "2", "--features", "12", "--trees", "20", "--depth", "4")
    assert done.returncode == 0, done.stderr
    validated = {name: float(recall) for name, recall in re.findall(r"train: (.+): by validation F1 \S+ mean recall of families (\S+)%", done.stdout)}
    chosen = re.search(r"written: (.+), threshold", done.stdout)[1]
    assert len(validated) == 3 and validated[chosen] == max(validated.values())
    names = {entry.key: entry.value for entry in onnx.load(output).metadata_props}["features"].split(",")
    assert len(names) == 12


def test_each_source_is_judged_by_a_model_that_never_saw_it(monkeypatch):
    """A row's feature says which capture it is of, and the model scores what it was trained on as no attack."""
    sources, labels = ["home", "home", "lab", "lab", "street"], ["normal", "scan", "normal", "flood", "normal"]
    numbers = np.repeat(np.arange(5), 20)
    names = sorted({*labels} - {"normal"})
    rows = Rows(["feature"], ["normal", *names], sources, [pathlib.Path(f"{n}.pcap") for n in range(5)], [""] * 5,
                numbers[:, None].astype(np.int8), np.array([["normal", *names].index(labels[n]) for n in numbers]), numbers, 100)

    @dataclasses.dataclass
    class Remembers:
        seen: set[int]
        threshold: float = 0.5

        def scores(self, some: Rows) -> np.ndarray:
            return np.array([0.0 if capture in self.seen else 1.0 for capture in some.capture.tolist()])

    monkeypatch.setattr(leave_out, "candidate", lambda kind, some, settings, say: Remembers(set(some.capture.tolist())))
    home, lab, street = leave_out.each_left_out("network", rows, sources, None, lambda text: None)
    for left, counts in ((home, (2, 20, 20)), (lab, (2, 20, 20)), (street, (1, 20, 0))):
        assert (left.captures, left.normal, left.attacks) == counts
        assert left.found.false_alarms == 1 and left.found.recall == (1 if left.attacks else 0)
    # Without the only attacks there is no model.
    quiet = rows.taken(numbers != 3)
    assert "no other source has attacks" in leave_out.each_left_out("network", quiet, sources, None, lambda text: None)[0].why_not


def test_a_card_has_the_figures_of_sources_left_out(binary, recorded, tmp_path):
    output = tmp_path / "left.onnx"
    done = train(binary, recorded / "captures.csv", "--output", output, "--kinds", "network", "--rows", "200", "--epochs", "5", "--folds", "2", "--leave-out", "tool")
    assert done.returncode == 0, done.stderr
    card = output.with_suffix(".md").read_text()
    assert "## Each source left out" in card
    assert all(re.search(rf"\| {tool} \| \d+ \| [\d,]+ \| \d+\.\d+% ", card) for tool in (f"tool{n}" for n in range(5))), card
    refused = train(binary, recorded / "captures.csv", "--output", tmp_path / "no.onnx", "--leave-out", "day")
    assert refused.returncode == USAGE and "has no day in its list" in refused.stderr and refused.stderr.count("\n") == 1


def test_trees_score_as_scikit_learn_does(binary, tmp_path):
    from sklearn.ensemble import HistGradientBoostingClassifier

    random = np.random.default_rng(5)
    rows = random.integers(0, 128, (4000, 6)).astype(np.int8)
    attack = rows[:, 0].astype(int) + rows[:, 1] > 128 + random.normal(0, 9, 4000)
    weights = random.uniform(0.5, 2, 4000).astype(np.float32)
    theirs = HistGradientBoostingClassifier(max_iter=20, max_depth=4, max_leaf_nodes=16, learning_rate=0.1, min_samples_leaf=40,
                                            l2_regularization=1.0, early_stopping=False, random_state=1)
    theirs.fit(rows.astype(np.float32), attack, sample_weight=weights)
    mine = trees.boosted(rows, attack, weights, 20, 4, 1)
    np.testing.assert_allclose(mine.scores(rows), theirs.decision_function(rows.astype(np.float32)), atol=1e-5)
    names = [f"feature_{n}" for n in range(6)]
    for model in (mine, trees.forest(rows, attack, weights, 20, 4, 1)):
        path = tmp_path / "trees.onnx"
        onnx_file.write(path, model, names, 0.5)
        unit = program.unit(program.ask(binary, "check", path))
        np.testing.assert_allclose(program.scores(binary, path, names, rows) * unit, model.scores(rows), atol=1e-5)
        np.testing.assert_allclose(program.float_scores(path, rows), model.scores(rows), atol=1e-5)


@pytest.mark.parametrize(("words", "wrong"), [
    (("--kinds", "network,oracle"), "oracle is no kind of model"),
    (("--features", "length,colour"), "colour is no feature"),
    (("--test", "none.csv"), "none.csv: the list cannot be read"),
    (("--about", "none.md"), "--about none.md: cannot be read: No such file or directory"),
    (("--output", "nowhere/m.onnx"), "--output nowhere/m.onnx: there is no folder nowhere"),
    (("--output", "detect.md"), "--output detect.md: is the card's name; give the ONNX file's, such as detect.onnx"),
    (("--output", "."), "--output .: is a folder"),
])
def test_a_wrong_word_gets_one_line(binary, recorded, tmp_path, words, wrong):
    done = train(binary, recorded / "captures.csv", "--output", tmp_path / "no.onnx", *words)
    assert done.returncode == USAGE and wrong in done.stderr and done.stderr.count("\n") == 1
    assert not (tmp_path / "no.onnx").exists()


@pytest.mark.parametrize("name", ("scan0.pcap", "captures.csv"))
def test_a_file_that_is_read_is_not_written(binary, recorded, tmp_path, name):
    for file in recorded.iterdir():
        shutil.copy(file, tmp_path)
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    done = train(binary, tmp_path / "captures.csv", "--output", tmp_path / name)
    assert done.returncode == USAGE and f"{tmp_path / name} would be read and written" in done.stderr and done.stderr.count("\n") == 1
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_a_feature_that_is_named_and_left_out_is_refused(binary, recorded, tmp_path):
    done = train(binary, recorded / "captures.csv", "--output", tmp_path / "no.onnx", "--features", "length,tcp,syn", "--without", "length")
    assert done.returncode == USAGE and "--features and --without both name length" in done.stderr and done.stderr.count("\n") == 1


def test_a_training_without_any_feature_is_refused(binary, recorded, tmp_path):
    names, _ = features_of(binary, recorded / "scan0.pcap")
    done = train(binary, recorded / "captures.csv", "--output", tmp_path / "no.onnx", "--without", ",".join(names))
    assert done.returncode == USAGE and "--without names all features" in done.stderr and done.stderr.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_an_earlier_model_stays_if_the_new_one_is_refused(binary, recorded, tmp_path):
    """By a program that takes no model."""
    refuses, output = tmp_path / "refuses", tmp_path / "out" / "m.onnx"
    refuses.write_text(f"#!/bin/sh\nif [ $1 = model ]; then echo 'packetwarp: error: takes none' >&2; exit 2; fi\nexec {binary} \"$@\"\n")
    refuses.chmod(0o755)
    output.parent.mkdir()
    output.write_text("earlier")
    words = (recorded / "captures.csv", "--output", output, "--kinds", "network", "--rows", "100", "--epochs", "1", "--folds", "2")
    done = train(refuses, *words)
    assert done.returncode == USAGE and done.stderr == "train: error: packetwarp: error: takes none\n"
    assert [(file, file.read_text()) for file in output.parent.iterdir()] == [(output, "earlier")]
    done = train(binary, *words)
    assert done.returncode == 0, done.stderr
    assert sorted(file.name for file in output.parent.iterdir()) == ["m.md", "m.onnx", "m.roc.csv"]


def test_a_file_that_is_no_capture_is_named(binary, tmp_path):
    (tmp_path / "bad.pcap").write_text("no capture")
    with (tmp_path / "list.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["file", "label"], ["bad.pcap", "normal"]])
    done = train(binary, tmp_path / "list.csv", "--output", tmp_path / "no.onnx")
    assert done.returncode == USAGE and "bad.pcap" in done.stderr and done.stderr.count("\n") == 1
