# SPDX-License-Identifier: Apache-2.0
"""`packetwarp run` with `detect`: a model judges every packet, in front of routes and of NAT44."""
from __future__ import annotations

import pathlib
from typing import Any

import pytest
from harness import ALONE, DONE, WRONG_USAGE, Program, Run
from live import FLOWS, ROUTED, routed, wait_until
from onnx_tree import question
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Dot1Q, Ether
from scapy.packet import Packet
from scapy.utils import wrpcap
from sent_frames import sent_frames

LEFT, RIGHT, NEXT, HOST = "02:00:00:00:00:01", "02:00:00:00:00:02", "02:00:00:00:00:99", "02:00:00:00:00:10"
NETWORK: dict[str, Any] = {
    "interfaces": [{"name": "left", "port": 0, "mac": LEFT, "addresses": ["192.0.2.1/24", "2001:db8:1::1/64"]},
                   {"name": "right", "port": 1, "mac": RIGHT, "addresses": ["198.51.100.1/24", "2001:db8:2::1/64"]}],
    "routes": [{"to": "203.0.113.0/24", "via": "198.51.100.2"}, {"to": "2001:db8:ff::/48", "via": "2001:db8:2::2"}],
    "neighbours": [{"interface": "right", "address": "198.51.100.2", "mac": NEXT},
                   {"interface": "right", "address": "2001:db8:2::2", "mac": NEXT}]}


@pytest.fixture
def models(packetwarp: Program) -> pathlib.Path:
    """Trees that ask one question each; the folder that they are in."""
    for name, made in {"syn": question("syn", 0, threshold="0.5"), "udp": question("udp", 0, threshold="0.5"),
                       "seen": question("flow_packets", 0, threshold="0.5"), "bare": question("syn", 0)}.items():
        (packetwarp.folder / f"{name}.onnx").write_bytes(made)
    return packetwarp.folder


def run(packetwarp: Program, frames: list[Packet], detect: Any, **sections: Any) -> tuple[Run, list[bytes]]:
    """Lets frames come in on the left; returns the frames that leave on the right."""
    folder = packetwarp.folder
    file = packetwarp.write_config({**NETWORK, "detect": detect, **sections})
    wrpcap(str(folder / "in.pcap"), frames)
    wrpcap(str(folder / "none.pcap"), [])
    done = packetwarp.run("run", [*ALONE, "-l", "0", f"--vdev=net_pcap0,rx_pcap={folder}/in.pcap,tx_pcap={folder}/back.pcap",
                                  f"--vdev=net_pcap1,rx_pcap={folder}/none.pcap,tx_pcap={folder}/out.pcap"],
                          ["-c", str(file), "--until-idle", "200ms", "--json", "-"], cwd=folder)
    return done, sent_frames(folder / "out.pcap") if done.status == DONE else []


def segment(port: int, flags: str) -> Packet:
    return Ether(src=HOST, dst=LEFT) / IP(src="192.0.2.9", dst="203.0.113.5", tos=1) / TCP(sport=port, dport=80, flags=flags) / b"data"


def forwarded(frame: Packet, **changes: Any) -> bytes:
    """The router's result for the frame, with changes of its IP header."""
    made = frame.copy()
    made.src, made.dst = RIGHT, NEXT
    if IP in made:
        made[IP].ttl -= 1
        for name, value in changes.items():
            setattr(made[IP], name, value)
        del made[IP].chksum
    else:
        made[IPv6].hlim -= 1
        for name, value in changes.items():
            setattr(made[IPv6], name, value)
    return bytes(made)


FRAMES = [segment(1000 + n, flags) for n, flags in enumerate(("S", "A", "SA", "PA", "R", "FA") * 20)]
WITH_SYN = [frame for frame in FRAMES if "S" in str(frame[TCP].flags)]


def detect_part(done: Run) -> dict[str, Any]:
    return done.result["detect"]


def test_drop_takes_what_is_anomalous_and_nothing_else(packetwarp, models):
    done, left = run(packetwarp, FRAMES, {"models": ["syn.onnx"], "action": "drop"})
    assert done.status == DONE, done
    assert left == [forwarded(frame) for frame in FRAMES if "S" not in str(frame[TCP].flags)]
    packets = done.result["packets"]
    assert packets["dropped"] == {"anomalous": len(WITH_SYN)}
    assert packets["rx"] == packets["tx"] + len(WITH_SYN) == len(FRAMES)
    model, = detect_part(done)["models"]
    assert (model["judged"], model["anomalous"], model["decides"]) == (len(FRAMES), len(WITH_SYN), True)


def test_count_lets_all_go_and_shadow_models_only_count(packetwarp, models):
    frames = [*FRAMES, Ether(src=HOST, dst=LEFT) / IP(src="192.0.2.9", dst="203.0.113.5") / UDP(sport=5, dport=53) / b"x"]
    done, left = run(packetwarp, frames, {"models": ["udp.onnx", "syn.onnx"]})
    assert left == [forwarded(frame) for frame in frames]
    first, second = detect_part(done)["models"]
    assert (first["anomalous"], second["anomalous"]) == (1, len(WITH_SYN))
    assert first["judged"] == second["judged"] == len(frames)


def test_mark_changes_the_dscp_alone(packetwarp, models):
    six = Ether(src=HOST, dst=LEFT) / IPv6(src="2001:db8:1::9", dst="2001:db8:ff::5", tc=1) / TCP(sport=7, dport=80, flags="S") / b"data"
    frames = [*FRAMES, six]
    done, left = run(packetwarp, frames, {"models": ["syn.onnx"], "action": "mark", "dscp": 46})
    marked = [forwarded(frame, **({} if "S" not in str(frame[TCP].flags) else {"tos": 46 << 2 | 1} if IP in frame else {"tc": 46 << 2 | 1}))
              for frame in frames]
    assert left == marked and done.result["packets"]["dropped"] == {}


def test_punt_hands_them_over_by_name(packetwarp, models):
    """These ports have no kernel interface, so what is for it is dropped under its name."""
    done, left = run(packetwarp, FRAMES, {"models": ["syn.onnx"], "action": "punt"})
    assert left == [forwarded(frame) for frame in FRAMES if "S" not in str(frame[TCP].flags)]
    packets = done.result["packets"]
    assert packets["dropped"] == {"no_kernel_interface": len(WITH_SYN)} and packets["rx"] == packets["tx"] + len(WITH_SYN), done


def test_tagged_and_malformed_frames_go_on(packetwarp, models):
    """Nothing but a SYN is one, whatever follows a tag that the router does not take, or is cut off."""
    whole = bytes(segment(1, "S"))
    frames = [Ether(src=HOST, dst=LEFT) / Dot1Q(vlan=5) / segment(2, "S")[IP], *(Ether(whole[:n]) for n in range(14, len(whole), 3))]
    done, _ = run(packetwarp, frames, {"models": ["syn.onnx"], "action": "count"})
    model, = detect_part(done)["models"]
    assert model["judged"] == len(frames) == done.result["packets"]["rx"], done
    assert model["anomalous"] == 1, "a cut packet's flags mean nothing"


def test_in_front_of_nat44(packetwarp, models):
    done, left = run(packetwarp, FRAMES, {"models": ["syn.onnx"], "action": "drop"},
                     nat44={"inside": ["left"], "outside": ["right"], "pool": ["198.51.100.1"]})
    assert done.status == DONE, done
    packets = done.result["packets"]
    assert packets["dropped"]["anomalous"] == len(WITH_SYN)
    assert all(IP(frame[14:]).src == "198.51.100.1" for frame in left)
    assert packets["rx"] == packets["tx"] + packets["punted"] + sum(packets["dropped"].values()), done


@pytest.mark.parametrize("lcores", ("0", "0-1"))
def test_a_model_is_replaced_under_load_and_no_packet_is_lost(packetwarp, models, lcores):
    """Each packet is judged by one of both: together they have judged all of them."""
    def file(model: str, action: str) -> dict[str, Any]:
        return {**ROUTED, "detect": {"models": [str(models / model)], "action": action}}

    with routed(packetwarp, file("syn.onnx", "count"), lcores=lcores) as running:
        for n in range(10):
            running.write(file("syn.onnx" if n % 2 else "udp.onnx", "count" if n % 3 else "mark"))
            assert running.json("reload")["models"] == 1
            running.running.wait_for_statistics(1)
        shown = running.json("show", "detect")
        assert shown["models"][0]["file"].endswith("syn.onnx") and shown["models"][0]["judged"] > FLOWS
        text = running.said("show", "detect")
        assert "syn.onnx" in text and "took the place of idle ones" in text
        done = running.running.interrupt()
    packets = done.packets
    assert packets.dropped == {} and packets.rx == packets.tx > FLOWS
    assert detect_part(done)["models"][0]["judged"] == packets.rx


def test_flows_that_were_there_are_known(packetwarp, models):
    """The same packets again and again: all but those of its first two milliseconds belong to known flows."""
    with routed(packetwarp, {**ROUTED, "detect": {"models": [str(models / "seen.onnx")]}}) as running:
        wait_until(running, lambda: running.json("show", "detect")["models"][0]["anomalous"] > FLOWS, "a packet of a known flow")
        done = running.running.interrupt()
    part = detect_part(done)
    model, = part["models"]
    assert 0 < model["anomalous"] < model["judged"] == done.packets.rx
    assert part["flows"]["inserted"] == FLOWS and part["flows"]["untracked"] == 0, part


def test_more_flows_than_there_is_room_for_are_counted_and_all_packets_judged(packetwarp, models):
    with routed(packetwarp, {**ROUTED, "detect": {"models": [str(models / "seen.onnx")], "flows": 64}}, count=4096) as running:
        wait_until(running, lambda: running.json("show", "detect")["models"][0]["judged"] > 4096, "a packet of each flow")
        done = running.running.interrupt()
    part = detect_part(done)
    assert part["flows"]["inserted"] == 64 and part["flows"]["replaced"] + part["flows"]["untracked"] > 0, part
    assert part["models"][0]["judged"] == done.packets.rx == done.packets.tx, done


REFUSED = [
    ({"models": ["none.onnx"]}, "detect.models[0]: none.onnx: cannot be read: No such file or directory"),
    ({"models": ["bare.onnx"]}, "detect.models[0]: bare.onnx does not say above which score a packet is anomalous"),
    ({"models": [{"file": "bare.onnx", "threshold": "high"}]}, "detect.models[0].threshold: 'high' is no number"),
    ({"models": [{"file": "bare.onnx", "threshold": 1e30}], "action": "mark"},
     "detect.models[0].threshold: no score of bare.onnx is above the threshold 1e+30, so 'action: mark' would never happen"),
    ({"models": [{"file": "bare.onnx", "threshold": "nan"}]}, "detect.models[0].threshold: 'nan' is no number"),
    ({"models": [{"file": "comma.onnx"}]}, "detect.models[0].file: comma.onnx: the 'threshold' in its metadata_props is no number"),
    ({"models": ["comma.onnx"]}, "detect.models[0]: comma.onnx: the 'threshold' in its metadata_props is no number"),
    ({"models": [{"file": "syn.onnx", "limit": 1}]}, "detect.models[0]"),
    ({"models": []}, "detect.models: 0 models; 1 to 4 judge a packet side by side"),
    ({"models": ["syn.onnx"] * 5}, "detect.models: 5 models; 1 to 4 judge a packet side by side"),
    ({"action": "drop"}, "detect: "),
    ({"models": ["syn.onnx"], "action": "kill"}, "detect.action: 'kill' is none of count, mark, punt, drop, mirror, answer, answer-all"),
    ({"models": ["syn.onnx"], "action": "mark", "dscp": 64}, "detect.dscp: "),
    ({"models": ["syn.onnx"], "dscp": 8}, "detect.dscp: only 'action: mark' writes a DSCP"),
    ({"models": ["syn.onnx"], "flows": 1}, "detect.flows: "),
    ({"models": ["syn.onnx"], "events": "."}, "detect.events: '.' is a folder; give a file"),
    ({"models": ["strange.onnx"]}, "detect.models[0]: strange.onnx: "),
    ({"models": ["cut.onnx"]}, "detect.models[0]: cut.onnx: is no ONNX model"),
]


@pytest.mark.parametrize(("section", "line"), REFUSED, ids=[line[:60] for _, line in REFUSED])
def test_a_wrong_section_is_refused_in_a_line(packetwarp, models, section, line):
    (models / "strange.onnx").write_bytes(question("colour", 1, threshold="0"))
    (models / "comma.onnx").write_bytes(question("syn", 1, threshold="0,5"))
    (models / "cut.onnx").write_bytes((models / "syn.onnx").read_bytes()[:90])
    done, _ = run(packetwarp, FRAMES[:1], section)
    assert done.status == WRONG_USAGE and len(done.errors) == 1, done
    assert f"{packetwarp.folder / 'network.yaml'}:" in done.errors[0] and line in done.errors[0], done.errors
    assert done.errors[0].count("network.yaml:") == 1, done.errors


def test_a_reload_that_is_refused_changes_nothing(packetwarp, models):
    with routed(packetwarp, {**ROUTED, "detect": {"models": [str(models / "syn.onnx")]}}) as running:
        running.write({**ROUTED, "detect": {"models": [str(models / "none.onnx")]}})
        done = running.ask("reload")
        assert done.status == WRONG_USAGE and "none.onnx: cannot be read" in done.errors[0], done
        assert running.json("show", "detect")["models"][0]["file"].endswith("syn.onnx")
        running.write({**ROUTED, "detect": {"models": [str(models / "syn.onnx")], "flows": 4096}})
        done = running.ask("reload")
        assert done.status == WRONG_USAGE and "detect.flows" in done.errors[0], done


def test_plan_tells_of_the_models(packetwarp, models):
    file = packetwarp.write_config({**NETWORK, "detect": {"models": ["syn.onnx", {"file": "bare.onnx", "threshold": 0.25}], "action": "drop"}})
    done = packetwarp.run("plan", [*ALONE, "-l", "0", "--vdev=net_null0", "--vdev=net_null1"], ["-c", str(file)], cwd=packetwarp.folder)
    assert done.status == DONE, done
    for words in ("131072 flows per pipeline and 32768 hosts per pipeline; action drop", "model syn.onnx: 1 features, anomalous above 0.5, decides",
                  "model bare.onnx: 1 features, anomalous above 0.25, counted only"):
        assert words in done.stdout, done
