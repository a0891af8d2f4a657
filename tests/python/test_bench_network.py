# SPDX-License-Identifier: Apache-2.0
"""The ports of bench_network.py: whose flows come on which queue, and how many packets there are. Nothing is run."""
from __future__ import annotations

import pathlib

import pytest
import yaml
from network_bed import PACKETS_A_PIPELINE, Bed
from network_flows import FIRST_PORT, Lane
from scapy.layers.inet import IP, UDP
from scapy.utils import rdpcap


def bed(folder: pathlib.Path, ports: str, lcores: int, flows: int, ways: int = 2, sessions: int | None = None, lanes: int = 1) -> Bed:
    return Bed(pathlib.Path("packetwarp"), folder, range(1, 1 + lcores), flows, ways, sessions or flows, ports, lanes=lanes)


def flows_in(capture: str | pathlib.Path) -> list[int]:
    """Their numbers, for frames from inside."""
    return [packet[UDP].sport - FIRST_PORT for packet in rdpcap(str(capture))]


def test_each_port_replays_a_capture_of_all_flows(tmp_path):
    made = bed(tmp_path, "null", lcores=3, flows=4, sessions=40)
    assert made.eal("routed")[-2:] == ["--vdev=net_null0,no-rx=1", "--vdev=net_null1,no-rx=1"]
    assert made.eal("routed", made.peer_device)[-2:] == ["--vdev=net_null0,copy=0,size=60", "--vdev=net_null1,copy=0,size=60"]
    [option, left, again, right] = made.replays("routed")
    assert option == again == "--replay" and left.startswith("0=") and right.startswith("1=")
    assert flows_in(left.removeprefix("0=")) == [0, 10, 20, 30]
    assert made.packets == 6 * PACKETS_A_PIPELINE


def test_one_way_leaves_the_other_port_without_packets(tmp_path):
    made = bed(tmp_path, "null", lcores=1, flows=4, ways=1)
    assert made.eal("translated")[-2:] == ["--vdev=net_null0,no-rx=1", "--vdev=net_null1,no-rx=1"]
    assert made.eal("translated", made.peer_device)[-2:] == ["--vdev=net_null0,copy=0,size=60", "--vdev=net_null1,no-rx=1"]
    assert len(made.replays("translated")) == 2


def test_the_master_has_lcore_0_and_who_forwards_those_that_were_said(tmp_path):
    made = Bed(pathlib.Path("packetwarp"), tmp_path, [2, 4, 7], 4, 2, 4, "null")
    assert made.eal("routed")[:2] == ["-l", "0,2,4,7"]
    assert made.pipelines == 6


@pytest.mark.parametrize(("flows", "wanted"), ((7, [[0, 3, 6], [1, 4], [2, 5]]), (2, [[0], [1], [0]])))
def test_captures_of_net_pcap_are_one_a_queue(tmp_path, flows, wanted):
    made = bed(tmp_path, "pcap", lcores=3, flows=flows)
    name, *words = made.eal("routed")[-2].split(",")
    assert name == "--vdev=net_pcap0" and words.pop() == "infinite_rx=1"
    assert [flows_in(word.removeprefix("rx_pcap=")) for word in words] == wanted
    assert made.replays("routed") == []
    assert made.packets == 6 * PACKETS_A_PIPELINE + 2 * max(flows, 3), "with those that net_pcap keeps"


def test_lanes_have_ports_flows_and_subnets_of_their_own(tmp_path):
    """Inside ports first, then the outside ports: the first of three lcores has the first and fourth of six pipelines."""
    made = bed(tmp_path, "null", lcores=3, flows=10, sessions=20, lanes=3)
    assert [option.split(",")[0] for option in made.eal("routed") if "vdev" in option] == [f"--vdev=net_null{n}" for n in range(6)]
    replayed = dict(word.split("=") for word in made.replays("translated") if word != "--replay")
    inside = [[(packet[IP].src, packet[UDP].sport - FIRST_PORT) for packet in rdpcap(replayed[str(port)])] for port in range(3)]
    assert inside == [[("1.1.1.2", n) for n in (0, 1, 2, 3)], [("1.1.2.2", n) for n in (0, 2, 4)], [("1.1.3.2", n) for n in (0, 2, 4)]]
    outside = [{(packet[IP].src, packet[IP].dst) for packet in rdpcap(replayed[str(port)])} for port in range(3, 6)]
    assert outside == [{("2.2.2.2", "2.2.2.1")}, {("2.2.3.2", "2.2.3.1")}, {("2.2.4.2", "2.2.4.1")}]
    config = yaml.safe_load(made.network("nat44", "cpu", 64).read_text())
    assert [(one["name"], one["port"], one["addresses"]) for one in config["interfaces"]] == [
        (name, port, [address]) for port, (name, address) in enumerate((
            ("left0", "1.1.1.1/24"), ("left1", "1.1.2.1/24"), ("left2", "1.1.3.1/24"),
            ("right0", "2.2.2.1/24"), ("right1", "2.2.3.1/24"), ("right2", "2.2.4.1/24")))]
    assert config["nat44"]["pool"] == ["2.2.2.1", "2.2.3.1", "2.2.4.1"] and config["data_plane"]["pipelines"] == 6
    assert (config["nat44"]["inside"], config["nat44"]["outside"]) == (["left0", "left1", "left2"], ["right0", "right1", "right2"])
    assert "(0,3)(1,4)(2,5)" in made.l2fwd_options("none", 64, 1)


def test_captures_of_net_pcap_are_one_a_queue_of_each_lane(tmp_path):
    made = bed(tmp_path, "pcap", lcores=4, flows=8, lanes=2)
    sides = [word.removeprefix("--vdev=").split(",") for word in made.eal("routed") if "vdev" in word]
    assert [(name, [flows_in(word.removeprefix("rx_pcap=")) for word in words if "=/" in word]) for name, *words in sides[:2]] == [
        ("net_pcap0", [[0, 2], [1, 3]]), ("net_pcap1", [[0, 2], [1, 3]])]


def test_the_pool_is_as_packetwarp_chooses_unless_net_pcap_or_somebody_says(tmp_path):
    made = bed(tmp_path, "null", lcores=1, flows=1)
    assert "--total-num-mbufs" not in made.l2fwd_options("none", 64, 1)
    assert "packets" not in yaml.safe_load(made.network("router", "cpu", 64).read_text())["data_plane"]
    told = Bed(pathlib.Path("packetwarp"), tmp_path, [1], 1, 2, 1, "null", packets=5000)
    assert yaml.safe_load(told.network("router", "cpu", 64).read_text())["data_plane"]["packets"] == 10000
    assert "packets" in bed(tmp_path, "pcap", lcores=1, flows=1).network("router", "cpu", 64).read_text()


def test_three_cores_share_a_pipeline_of_each_port(tmp_path):
    made = Bed(pathlib.Path("packetwarp"), tmp_path, [1, 2, 3, 5, 6, 7], 4, 2, 4, "null", layout="three-cores")
    master, first, second = yaml.safe_load(made.network("router", "cpu", 64).read_text())["data_plane"]["workers"]
    assert master == {"lcore": 0, "role": "master"} and made.pipelines == 4
    assert [(one["lcore"], one["execute_on"], one["transmit_on"]) for one in (first, second)] == [(1, 2, 3), (5, 6, 7)]
    assert second["ports"] == [{"port": f"{side}0", "rx_queues": [1], "tx_queues": [1]} for side in ("left", "right")]


@pytest.mark.parametrize("number", (0, 15))
def test_sessions_of_a_lane_are_those_its_frames_belong_to(number):
    lane = Lane(number)
    assert [lane.inside_host(1), lane.outside_address(1)] == [f"1.1.{1 + number}.3", f"198.18.{number}.1"]
    [(inside, outside)] = lane.sessions(1)
    [sent] = lane.frames(0, [0], translated=True)
    [back] = lane.frames(1, [0], translated=True)
    assert (inside >> 32, inside >> 16 & 0xffff) == (int.from_bytes(sent[26:30], "big"), int.from_bytes(sent[34:36], "big"))
    assert (outside >> 32, outside >> 16 & 0xffff) == (int.from_bytes(back[30:34], "big"), int.from_bytes(back[36:38], "big"))


@pytest.mark.parametrize("gpus", ((0, 1), (0, 1, 2)))
def test_a_steered_capture_gives_each_queue_flows_of_its_gpu(tmp_path, gpus):
    made = Bed(pathlib.Path("packetwarp"), tmp_path, range(1, 1 + 2 * len(gpus)), 1200, 2, 1200, "null", gpus=gpus, arrival="steered")
    flows = flows_in(made.capture("translated", Lane(0), 0, 0))
    assert len(flows) > 1000 and len(set(flows)) == len(flows)
    for number, flow in enumerate(flows):
        queue = number % made.queues  # src/port/replay deals frames to queues
        assert (FIRST_PORT + flow) // 64 % len(gpus) == queue % len(gpus)  # nat::part, and deal_pipelines()
    assert yaml.safe_load(made.network("nat44", "graph", 64).read_text())["data_plane"]["gpus"] == list(gpus)


def test_a_model_is_made_by_its_size_or_read_from_a_file(tmp_path):
    made = bed(tmp_path, "null", lcores=1, flows=4)
    config = made.network("calm:models/detect.onnx+router", "cpu", 64)
    [judges] = [line for line in config.read_text().splitlines() if line.startswith("detect:")]
    assert f"{{file: {pathlib.Path('models/detect.onnx').resolve()}, threshold: 1000000000.0}}" in judges and "action: count" in judges
