# SPDX-License-Identifier: Apache-2.0
"""`packetwarp generate` asks a packetwarp that answers whether packets are anomalous: two processes, joined by memif."""
from __future__ import annotations

import contextlib
import json
import pathlib
import tempfile
from collections.abc import Iterator
from typing import Any

import pytest
from harness import ALONE, DONE, FAILED, WRONG_USAGE, Program, Run
from live import Live
from onnx_tree import question
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import ARP, Ether
from scapy.packet import Packet, Raw
from scapy.utils import wrpcap

# Four lcores on whatever there is of two CPUs.
FOUR = "(0-3)@(0-1)"
HOST, OTHER = "02:00:00:00:00:10", "02:00:00:00:00:01"
NETWORK: dict[str, Any] = {"interfaces": [{"name": "asked", "port": 0, "addresses": ["192.0.2.1/24"]}]}
RUN_TO_COMPLETION: list[dict[str, Any]] = [{"lcore": 0, "role": "master"},
                                           {"lcore": 1, "role": "forwarding", "ports": [{"port": "asked", "rx_queues": [0], "tx_queues": [0]}]}]
THREE_CORES = [RUN_TO_COMPLETION[0], {**RUN_TO_COMPLETION[1], "execute_on": 2, "transmit_on": 3}]
TWO_CORES = [RUN_TO_COMPLETION[0], {**RUN_TO_COMPLETION[1], "execute_on": 2}]


@contextlib.contextmanager
def asked(packetwarp: Program, action: str = "answer-all", feature: str = "syn", **plane: Any) -> Iterator[tuple[Live, str]]:
    """A packetwarp that calls each packet with the feature anomalous, and the option for the other end of its wire."""
    model = packetwarp.folder / "model.onnx"
    model.write_bytes(question(feature, 0, threshold="0.5"))
    with tempfile.TemporaryDirectory(prefix="pw") as folder:
        wire = f"socket={folder}/wire,socket-abstract=no"
        file = {**NETWORK, "detect": {"models": [str(model)], "action": action}, **({"data_plane": plane} if plane else {})}
        config, control = packetwarp.write_config(file), pathlib.Path(folder) / "control"
        with packetwarp.running(["--lcores", FOUR if plane else "0", f"--vdev=net_memif0,role=server,{wire}"],
                                ["-c", str(config), "--control", str(control)], command="run") as running:
            running.wait_until_forwarding()
            yield Live(packetwarp, running, config, control), f"--vdev=net_memif0,role=client,{wire}"


def ask(packetwarp: Program, wire: str, *options: str) -> Run:
    return packetwarp.run("generate", [*ALONE, "-l", "0", wire], [*options, "--linger", "2s", "--json", "-"])


def result_of(done: Run) -> dict[str, Any]:
    assert done.status == DONE, done
    return json.loads(done.stdout)


def segment(port: int, flags: str) -> Packet:
    return Ether(src=HOST, dst=OTHER) / IP(src="192.0.2.9", dst="203.0.113.5") / TCP(sport=port, dport=80, flags=flags) / Raw(b"data")


def datagram(port: int, size: int = 40) -> Packet:
    return Ether(src=HOST, dst=OTHER) / IP(src="192.0.2.9", dst="203.0.113.5") / UDP(sport=port, dport=53) / Raw(size * b"q")


def six(port: int, flags: str) -> Packet:
    return Ether(src=HOST, dst=OTHER) / IPv6(src="2001:db8::9", dst="2001:db8::1") / TCP(sport=port, dport=80, flags=flags)


BENIGN = [*(segment(1000 + n, "A") for n in range(50)), *(datagram(2000 + n) for n in range(50)), *(six(3000 + n, "A") for n in range(20)), segment(4000, "S")]
ATTACK = [*(segment(5000 + n, "S") for n in range(80)), *(six(6000 + n, "S") for n in range(15)), segment(7000, "A"), datagram(7001, 4)]


@pytest.fixture
def captures(packetwarp: Program) -> pathlib.Path:
    """Benign traffic with a SYN among it, and an attack with two packets that look benign."""
    folder = packetwarp.folder
    for name, frames in (("benign", BENIGN), ("attack", ATTACK)):
        for n, frame in enumerate(frames):
            frame.time = 1_700_000_000 + n / 1000
        wrpcap(str(folder / f"{name}.pcap"), frames)
    both = [*BENIGN, *ATTACK]
    wrpcap(str(folder / "both.pcap"), both)
    (folder / "both.labels").write_text("normal\n" * len(BENIGN) + "syn_flood\n" * len(ATTACK))
    return folder


def table(answers: dict[str, Any]) -> tuple[int, ...]:
    return tuple(answers[known][count] for known in ("normal", "anomalous") for count in ("sent", "called_normal", "called_anomalous", "missing"))


EXPECTED = (len(BENIGN), len(BENIGN) - 1, 1, 0, len(ATTACK), 2, len(ATTACK) - 2, 0)


@pytest.mark.parametrize("options", (("--benign", "benign.pcap", "--attack", "attack.pcap"), ("--labelled", "both.pcap"),
                                     ("--labelled", "both.pcap", "--rate", "20kpps")), ids=("two", "labelled", "rate"))
def test_right_and_wrong_answers_are_counted_by_class(packetwarp, captures, options):
    words = [str(captures / word) if word.endswith(".pcap") else word for word in options]
    with asked(packetwarp) as (running, wire):
        report = result_of(ask(packetwarp, wire, *words))
        shown = running.json("show", "detect")["models"][0]
        done = running.running.interrupt()
    answers = report["answers"]
    assert table(answers) == EXPECTED, report
    assert (answers["right"], answers["wrong"], answers["missing"]) == (len(BENIGN) + len(ATTACK) - 3, 3, 0)
    assert report["verification"] == "answers" and report["flawless"] and report["unknown"] == 0, report
    assert all(0 < answers[known]["latency_us"]["p50"] <= answers[known]["latency_us"]["p999"] for known in ("normal", "anomalous"))
    assert shown["judged"] == len(BENIGN) + len(ATTACK) == done.packets.rx == done.packets.tx, done
    assert shown["anomalous"] == answers["normal"]["called_anomalous"] + answers["anomalous"]["called_anomalous"]


@pytest.mark.parametrize("workers", (RUN_TO_COMPLETION, TWO_CORES, THREE_CORES), ids=("one", "two", "three"))
def test_layouts_of_workers_give_the_same_answers(packetwarp, captures, workers):
    with asked(packetwarp, workers=workers) as (running, wire):
        report = result_of(ask(packetwarp, wire, "--labelled", str(captures / "both.pcap"), "--rate", "20kpps", "--loop", "5"))
        done = running.running.interrupt()
    assert table(report["answers"]) == tuple(5 * count for count in EXPECTED), report
    jobs = [worker["jobs"] for worker in done.result["workers"] if worker["jobs"]]
    assert len(jobs) == {id(RUN_TO_COMPLETION): 1, id(TWO_CORES): 2, id(THREE_CORES): 3}[id(workers)], jobs


def test_a_device_that_does_not_answer_all_leaves_packets_missing(packetwarp, captures):
    with asked(packetwarp, action="answer") as (running, wire):
        done = ask(packetwarp, wire, "--labelled", str(captures / "both.pcap"))
        running.running.interrupt()
    assert done.status == FAILED, done
    answers = json.loads(done.stdout)["answers"]
    assert table(answers) == (len(BENIGN), 0, 1, len(BENIGN) - 1, len(ATTACK), 0, len(ATTACK) - 2, 2)


def test_the_table_is_printed_and_packets_that_are_never_answered_are_left_out(packetwarp, captures):
    arp = Ether(src=HOST, dst="ff:ff:ff:ff:ff:ff") / ARP(psrc="192.0.2.9", pdst="192.0.2.1")
    wrpcap(str(captures / "more.pcap"), [arp, *BENIGN, arp])
    with asked(packetwarp) as (running, wire):
        done = packetwarp.run("generate", [*ALONE, "-l", "0", wire], ["--benign", str(captures / "more.pcap"), "--linger", "2s"])
        running.running.interrupt()
    assert done.status == DONE, done
    assert "2 packets are left out" in done.stderr
    assert f"answers   right {len(BENIGN) - 1}   wrong 1   missing 0" in done.stdout, done
    assert f"generate: {len(BENIGN)} packets: {len(BENIGN)} normal, 0 anomalous, at the recorded times" in done.stdout, done


def test_the_recorded_times_are_kept(packetwarp, captures):
    """The last packet of these comes half a second after the first."""
    frames = [segment(1, "A"), segment(2, "A")]
    frames[0].time, frames[1].time = 1_700_000_000.0, 1_700_000_000.5
    wrpcap(str(captures / "slow.pcap"), frames)
    with asked(packetwarp) as (running, wire):
        report = result_of(ask(packetwarp, wire, "--benign", str(captures / "slow.pcap")))
        running.running.interrupt()
    assert report["sent"]["seconds"] >= 0.5, report


REFUSED = [
    (["--benign", "none.pcap"], "none.pcap"),
    (["--labelled", "benign.pcap"], "benign.labels, cannot be read: No such file or directory"),
    (["--labelled", "short.pcap"], "has 1 lines for 2 packets"),
    (["--benign", "arp.pcap"], "no packet of the captures can be answered"),
    (["--benign", "benign.pcap", "--replay", "benign.pcap"], "--replay: --benign, --attack and --labelled"),
    (["--attack", "benign.pcap", "--through", "-w cpu"], "--through: --benign, --attack and --labelled"),
    (["--attack", "benign.pcap", "--expect", "as-sent"], "--expect: --benign, --attack and --labelled"),
]


@pytest.mark.parametrize(("options", "line"), REFUSED, ids=[line[:40] for _, line in REFUSED])
def test_a_wrong_request_is_refused_in_a_line(packetwarp, captures, options, line):
    wrpcap(str(captures / "short.pcap"), BENIGN[:2])
    (captures / "short.labels").write_text("normal\n")
    wrpcap(str(captures / "arp.pcap"), [Ether(src=HOST) / ARP()])
    done = packetwarp.run("generate", [*ALONE, "-l", "0", "--vdev=net_ring0"], options, cwd=captures)
    assert done.status == WRONG_USAGE and len(done.errors) == 1 and line in done.errors[0], done


@pytest.mark.parametrize(("line", "why"), (
    (b"normal\r", "'normal?' ends in a carriage return"), (b"", "'' is empty"), (b"Normal", "'Normal' differs from 'normal' in capital letters"),
    (b"NORMAL", "'NORMAL' differs from 'normal' in capital letters"), (b"normal ", "'normal ' has another character"), (b" normal", "' normal' has another character"),
    (b"normal,1", "'normal,1' has another character"), (b"normal\t", "'normal?' has another character"),
    (b"\xef\xbb\xbfnormal", "'???normal' has another character"), (b"normal\xc2\xa0", "'normal??' has another character"),
    (b"normal\0", "'normal?' has another character"), (65 * b"x", f"'{65 * 'x'}' is too long")))
def test_a_line_that_is_no_label_is_refused_with_its_place(packetwarp, captures, line, why):
    (captures / "both.labels").write_bytes(b"normal\n" + line + b"\n" + (len(BENIGN) + len(ATTACK) - 2) * b"normal\n")
    done = packetwarp.run("generate", [*ALONE, "-l", "0", "--vdev=net_ring0"], ["--labelled", "both.pcap"], cwd=captures)
    assert done.status == WRONG_USAGE and len(done.errors) == 1, done
    assert f"both.labels:2: {why}; a line is 'normal' or the name of an attack, 1 to 64 printable ASCII characters" in done.errors[0], done


def test_other_names_are_attacks(packetwarp, captures):
    names = ["normal", "syn_flood", "abnormal", "normal-2", "http.get/slow", 64 * "x", "Normally"]
    frames = [segment(1000 + n, "S") for n in range(len(names))]
    wrpcap(str(captures / "named.pcap"), frames)
    (captures / "named.labels").write_text("\n".join(names))
    with asked(packetwarp) as (running, wire):
        answers = result_of(ask(packetwarp, wire, "--labelled", str(captures / "named.pcap"), "--rate", "20kpps"))["answers"]
        running.running.interrupt()
    assert (answers["normal"]["sent"], answers["anomalous"]["sent"]) == (1, len(names) - 1), answers
