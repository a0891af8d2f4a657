# SPDX-License-Identifier: Apache-2.0
"""models/detect.onnx, the model that ships: it loads, takes packetwarp's own features, and tells attacks from normal traffic."""
from __future__ import annotations

import itertools
import pathlib
import re
import struct
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
    # The flood lasts for 0.2 s: by themselves its SYNs look like those of new clients.
    assert shares["normal"] < 0.02 and shares["syn_scan"] > 0.7 and shares["syn_flood"] > 0.5


SYN, SYN_ACK = 0x02, 0x12
OPTIONS = (0, 4, 8, 12, 20, 24, 40)
WINDOWS = (128, 360, 512, 1024, 1460, 2144, 4096, 5840, 8192, 16384, 29200, 64240, 65535)
CLIENT_PORTS, SERVICES = (1024, 40000, 60000), (22, 80, 443, 502, 1883, 8883, 9100, 50000)
APART = 10  # seconds


def strangers(path: pathlib.Path, flags: int, options: int) -> None:
    """Packets of hosts of which nothing was seen before, as any stack and any health check sends them."""
    looks = list(itertools.product(WINDOWS, CLIENT_PORTS, SERVICES))
    with path.open("wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
        for number, (window, *ports) in enumerate(looks):
            source, target = ports if flags == SYN else reversed(ports)
            segment = struct.pack("!HHIIBBHHH", source, target, 1, flags == SYN_ACK, (20 + options) // 4 << 4, flags, window, 0, 0) + b"\1" * options
            header = struct.pack("!BBHHHBBHII", 0x45, 0, 20 + len(segment), 1, 0x4000, 64, 6, 0, (10 << 24) + 2 * number, (10 << 24) + 2 * number + 1)
            frame = (bytes(12) + b"\x08\0" + header + segment).ljust(60, b"\0")
            file.write(struct.pack("<IIII", APART * number, 0, len(frame), len(frame)) + frame)


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("flags", [SYN, SYN_ACK], ids=["syn", "syn_ack"])
def test_the_first_packet_of_a_strange_host_is_normal_whatever_its_stack(ask, tmp_path, flags, options):
    """An earlier model took each SYN without options for an attack."""
    strangers(tmp_path / "strangers.pcap", flags, options)
    found = alarms(ask, tmp_path / "strangers.pcap")
    assert len(found) == len(WINDOWS) * len(CLIENT_PORTS) * len(SERVICES) and share(found) <= 0.01
