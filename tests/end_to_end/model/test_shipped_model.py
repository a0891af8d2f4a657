# SPDX-License-Identifier: Apache-2.0
"""models/detect.onnx, the model that ships: it loads, takes packetwarp's own features, and tells attacks from normal traffic."""
from __future__ import annotations

import pathlib
import re
import subprocess
import sys

import pytest
from harness import DONE, ROOT

sys.path.append(str(ROOT / "tests/model"))
from made_traffic import capture  # noqa: E402

MODEL = ROOT / "models/detect.onnx"
MOST_BYTES = 100_000


@pytest.fixture
def ask(binary):
    def run(*words: str | pathlib.Path) -> str:
        done = subprocess.run([binary, *words], capture_output=True, text=True, check=False, timeout=60)
        assert done.returncode == DONE, done.stderr
        return done.stdout

    return run


def threshold() -> float:
    """The metadata's number, whose text is in the file as it is."""
    return float(re.search(rb"threshold\x12.(-?[0-9.]+)", MODEL.read_bytes(), re.DOTALL)[1])


def test_it_is_small_and_takes_features_that_packetwarp_computes(ask):
    assert MODEL.stat().st_size < MOST_BYTES and MODEL.with_suffix(".md").is_file()
    features = re.search(r"^features +\d+: (.+)$", ask("model", "check", MODEL), re.MULTILINE)[1].split(", ")
    offered = ask("features", "--pcap", ROOT / "tests/captures/mixed.pcap").split("\n", 1)[0].split(",")
    assert set(features) <= set(offered)
    assert f"threshold | {threshold():.9g};" in MODEL.with_suffix(".md").read_text()


def test_check_tells_the_last_score_that_is_normal(ask):
    told = ask("model", "check", MODEL)
    unit = float(re.search(r"1 stands for (\S+)", told)[1])
    line = re.search(r"^threshold +(\S+): a score above (-?\d+) is anomalous$", told, re.MULTILINE)
    assert float(line[1]) == float(f"{threshold():.9g}")
    last = int(line[2])
    assert last * unit <= threshold() < (last + 1) * unit


def alarms(ask, path: pathlib.Path) -> list[bool]:
    unit = float(re.search(r"1 stands for (\S+)", ask("model", "check", MODEL))[1])
    return [int(score) * unit > threshold() for score in ask("model", "run", MODEL, "--pcap", path).split()[1:]]


def share(of: list[bool]) -> float:
    return sum(of) / len(of)


@pytest.mark.parametrize(("kind", "least", "most"), [("normal", 0, 0.01), ("scan", 0.8, 1), ("flood", 0.8, 1)])
def test_it_finds_scans_and_floods_in_traffic_that_is_made_anew(ask, tmp_path, kind, least, most):
    """These captures' generator had no part in the training."""
    capture(tmp_path / "new.pcap", kind, 7)
    assert least <= share(alarms(ask, tmp_path / "new.pcap")) <= most


def test_it_leaves_the_recorded_traffic_of_kernels_alone(ask):
    assert share(alarms(ask, ROOT / "tests/captures/mixed.pcap")) < 0.01


def test_it_tells_the_labels_of_the_small_recording(ask):
    found = alarms(ask, ROOT / "tests/data/detect/demo.pcap")
    labels = (ROOT / "tests/data/detect/demo.labels").read_text().split()
    shares = {label: share([alarm for alarm, name in zip(found, labels, strict=True) if name == label]) for label in set(labels)}
    assert shares["normal"] < 0.02 and shares["syn_scan"] > 0.7 and shares["syn_flood"] > 0.7
