# SPDX-License-Identifier: Apache-2.0
"""A large model of `detect`: it judges packets of flows of which the first model is not sure, at the flows' milestones."""
from __future__ import annotations

import json
import pathlib
import re
import urllib.request
from typing import Any

import pytest
from harness import ALONE, DONE, WRONG_USAGE, Program
from live import FLOWS, ROUTED, Live, routed, wait_until
from onnx_tree import question
from random_models.random_model import random_model
from scapy.utils import wrpcap
from test_run_detect import FRAMES, NETWORK, run



@pytest.fixture
def models(packetwarp: Program) -> pathlib.Path:
    """Trees that ask one question each; the folder that they are in."""
    for name, made in {"syn": question("syn", 0, threshold="0.5"), "udp": question("udp", 0, threshold="0.5"),
                       "tcp": question("tcp", 0, threshold="0.5"), "bare": question("syn", 0)}.items():
        (packetwarp.folder / f"{name}.onnx").write_bytes(made)
    return packetwarp.folder


def section(models: pathlib.Path, large: Any, **more: Any) -> dict[str, Any]:
    return {**ROUTED, "detect": {"models": [str(models / "syn.onnx")], "large": large, **more}}


def features(packetwarp: Program) -> list[str]:
    """The names of all features."""
    wrpcap(str(packetwarp.folder / "one.pcap"), FRAMES[:1])
    done = packetwarp.run("features", ["--pcap", str(packetwarp.folder / "one.pcap")])
    assert done.status == DONE, done
    return done.stdout.splitlines()[0].split(",")


def large_of(running: Live) -> dict[str, Any]:
    return running.json("show", "detect")["large"]


def test_all_flows_are_judged_once_they_have_had_enough_packets_and_keep_the_verdict(packetwarp, models):
    large = {"file": str(models / "udp.onnx"), "milestones": [8, 32], "band": [0, 0.5], "rate": 1000000}
    with routed(packetwarp, section(models, large, action="drop", events=str(models / "eve.json"))) as running:
        wait_until(running, lambda: large_of(running)["followed"] > 4 * FLOWS, "packets with their flow's verdict")
        text = running.said("show", "detect")
        assert "udp.onnx" in text and "more by their flow" in text, text
        done = running.running.interrupt()
    counts, first = done.result["detect"]["large"], done.result["detect"]["models"][0]
    assert counts["judged"] == counts["anomalous"] >= 2 * FLOWS, counts
    assert done.packets.dropped == {"anomalous": counts["judged"] + counts["followed"]}, done
    assert (first["judged"], first["anomalous"]) == (done.packets.rx, 0), "the first model's counts are its own"
    assert done.packets.tx >= 8 * FLOWS, "the first eight packets of each flow have gone on"
    events = [json.loads(line)["anomaly"] for line in (models / "eve.json").read_text().splitlines()]
    assert len(events) == FLOWS
    assert events[0] == {"type": "model", "event": "large_model", "model": str(models / "syn.onnx"), "score": 0.0, "threshold": 0.5,
                         "action": "drop", "large": str(models / "udp.onnx")}


def test_packets_beyond_the_rate_keep_the_first_models_verdict_and_are_counted(packetwarp, models):
    large = {"file": str(models / "udp.onnx"), "milestones": [8], "rate": 0}
    with routed(packetwarp, section(models, large, action="drop")) as running:
        wait_until(running, lambda: large_of(running)["limited"] >= FLOWS, "a packet per flow beyond the rate")
        done = running.running.interrupt()
    counts = done.result["detect"]["large"]
    assert counts["judged"] == counts["followed"] == 0 and done.packets.dropped == {}, done


def test_packets_of_which_the_first_model_is_sure_are_not_judged(packetwarp, models):
    large = {"file": str(models / "udp.onnx"), "milestones": [1], "band": [0.25, 0.5]}
    with routed(packetwarp, section(models, large, action="drop")) as running:
        wait_until(running, lambda: running.json("show", "detect")["models"][0]["judged"] >= FLOWS, "the first model's verdicts")
        done = running.running.interrupt()
    assert done.result["detect"]["large"]["judged"] == 0 and done.packets.dropped == {}, done


def test_another_large_model_takes_over_under_load(packetwarp, models):
    with routed(packetwarp, section(models, {"file": str(models / "tcp.onnx"), "milestones": [8]})) as running:
        wait_until(running, lambda: large_of(running)["judged"] >= FLOWS, "the first large model's verdicts")
        running.write(section(models, {"file": str(models / "udp.onnx"), "milestones": [8, 1000]}))
        assert running.json("reload")["models"] == 1
        wait_until(running, lambda: large_of(running)["anomalous"] >= FLOWS, "the second one's verdicts")
        assert large_of(running)["file"].endswith("udp.onnx")
        running.write({**ROUTED, "detect": {"models": [str(models / "syn.onnx")]}})
        assert running.json("reload")["models"] == 1
        assert "large" not in running.json("show", "detect")
        done = running.running.interrupt()
    assert done.packets.dropped == {} and done.packets.rx == done.packets.tx, done


def test_a_network_wider_than_a_gpus_warp_takes_judges_in_front_of_nat44(packetwarp, models):
    (models / "wide.onnx").write_bytes(random_model("50-512-512-256-1", features(packetwarp)))
    file = section(models, str(models / "wide.onnx"), events_rate=0)
    file["metrics"] = 0
    file["nat44"] = {"inside": "left", "outside": "right", "pool": ["198.51.100.1"]}
    with routed(packetwarp, file) as running:
        wait_until(running, lambda: large_of(running)["judged"] >= FLOWS, "a verdict per flow")
        running.running.wait_for_log("metrics: http://")
        url = re.search(r"metrics: (http://\S+)/metrics", running.running.stderr())[1]
        with urllib.request.urlopen(f"{url}/metrics", timeout=30) as answer:
            judged = re.search(r"^packetwarp_detect_large_judged_total\{model=.*\} (\d+)$", answer.read().decode(), re.M)
        done = running.running.interrupt()
    counts = done.result["detect"]["large"]
    assert judged and FLOWS <= int(judged[1]) <= counts["judged"]
    assert counts["anomalous"] <= counts["judged"]


REFUSED = [
    ({"large": "none.onnx"}, "detect.large: none.onnx: cannot be read: No such file or directory"),
    ({"large": "bare.onnx"}, "detect.large: bare.onnx does not say above which score a packet is anomalous"),
    ({"large": {"file": "udp.onnx", "milestones": []}}, "detect.large.milestones: 0 milestones; 1 to 4 are allowed"),
    ({"large": {"file": "udp.onnx", "milestones": [1, 2, 3, 4, 5]}}, "detect.large.milestones: 5 milestones; 1 to 4 are allowed"),
    ({"large": {"file": "udp.onnx", "milestones": [8, 8]}}, "detect.large.milestones[1]: milestones rise: [8, 32]"),
    ({"large": {"file": "udp.onnx", "milestones": [0]}}, "detect.large.milestones[0]"),
    ({"large": {"file": "udp.onnx", "band": [1]}}, "detect.large.band: a band has two numbers"),
    ({"large": {"file": "udp.onnx", "band": [1, 0]}}, "detect.large.band: the band's first number is above the second one"),
    ({"large": {"file": "udp.onnx", "band": ["low", 1]}}, "detect.large.band[0]: 'low' is no number"),
    ({"large": {"file": "udp.onnx", "threshold": 1e30}, "action": "drop"}, "detect.large.threshold: no score of udp.onnx is above the threshold 1e+30, so 'action: drop' would never happen; give one below "),
    ({"large": {"file": "udp.onnx", "limits": 1}}, "detect.large"),
    ({"large": {"file": "udp.onnx", "rate": 1000001}}, "detect.large.rate"),
    ({"large": "udp.onnx", "action": "answer"}, "detect.large: answers tell the first model's score"),
]


@pytest.mark.parametrize(("keys", "line"), REFUSED, ids=[line[:60] for _, line in REFUSED])
def test_a_wrong_large_model_is_refused_in_a_line(packetwarp, models, keys, line):
    done, _ = run(packetwarp, FRAMES[:1], {"models": ["syn.onnx"], **keys})
    assert done.status == WRONG_USAGE and len(done.errors) == 1, done
    assert f"{packetwarp.folder / 'network.yaml'}:" in done.errors[0] and line in done.errors[0], done.errors


def test_plan_tells_of_the_large_model(packetwarp, models):
    file = packetwarp.write_config({**NETWORK, "detect": {"models": ["syn.onnx"], "large": "udp.onnx"}})
    done = packetwarp.run("plan", [*ALONE, "-l", "0", "--vdev=net_null0", "--vdev=net_null1"], ["-c", str(file)], cwd=packetwarp.folder)
    assert done.status == DONE and "large udp.onnx: anomalous above 0.5, after 8, 32 packets of a flow" in done.stdout, done


@pytest.mark.parametrize("command", ("plan", "run"))
def test_is_refused_with_an_executor_that_does_not_launch_its_kernels(packetwarp, models, command):
    if command == "run" and not pathlib.Path("/dev/nvidiactl").exists():
        pytest.skip("a run asks for the GPU first")
    file = packetwarp.write_config({**NETWORK, "detect": {"models": ["syn.onnx"], "large": "udp.onnx"}, "data_plane": {"executor": "persistent"}})
    done = packetwarp.run(command, [*ALONE, "-l", "0", "--vdev=net_null0", "--vdev=net_null1"], ["-c", str(file)], cwd=packetwarp.folder)
    assert done.status == WRONG_USAGE and done.stdout == "" and len(done.errors) == 1, done
    assert f"{file}:" in done.errors[0] and "detect.large: udp.onnx needs CUDA kernels of its own" in done.errors[0], done
