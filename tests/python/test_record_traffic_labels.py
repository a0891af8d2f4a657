# SPDX-License-Identifier: Apache-2.0
"""The labels of python/record_traffic: by the prefix at the other end of the victim's wire, of frames that scapy makes."""
from __future__ import annotations

import csv
import ipaddress
import pathlib
import subprocess
import sys

import pytest
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.inet6 import ICMPv6DestUnreach, ICMPv6ND_NS, IPv6
from scapy.layers.l2 import ARP, Ether
from scapy.packet import Raw
from scapy.utils import PcapReader, wrpcap

from record_traffic import judge_labels, recording
from record_traffic.labels import Origins, Row, add_rows, labelled, rate_of, read_capture
from record_traffic.scenarios import listed

SHIPPED = pathlib.Path(__file__).resolve().parents[1] / "data" / "detect"

PLAN = listed()["mixed_flood"].plan(1, "usual", 20_000)
VICTIM, CLIENT, ATTACKER = PLAN.victim, PLAN.clients[0], PLAN.attackers[0]
AT, FROM, FORGED = str(VICTIM.address), str(CLIENT.address), str(ATTACKER.prefix[77])
HOSTILE = str(ATTACKER.address)

# With both addresses: scapy would ask the machine's network for missing ones.
WIRE = Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02")
CASES = {
    "a client's request": (IP(src=FROM, dst=AT) / TCP(), "normal"),
    "the answer to it": (IP(src=AT, dst=FROM) / TCP(flags="SA"), "normal"),
    "an attacker's packet": (IP(src=HOSTILE, dst=AT) / TCP(), "syn_flood"),
    "an answer to an attacker": (IP(src=AT, dst=HOSTILE) / TCP(flags="RA"), "syn_flood"),
    "a forged source of its prefix": (IP(src=FORGED, dst=AT) / UDP(), "syn_flood"),
    "the victim's error about it": (IP(src=AT, dst=FORGED) / ICMP(type=3, code=3) / IP(src=FORGED, dst=AT) / UDP(), "syn_flood"),
    "the gateway's error about the answer": (IP(src=str(VICTIM.gateway), dst=AT) / ICMP(type=3, code=1) / IP(src=AT, dst=FORGED) / UDP(), "syn_flood"),
    "the gateway's error about a client": (IP(src=str(VICTIM.gateway), dst=AT) / ICMP(type=11) / IP(src=AT, dst=FROM) / UDP(), "normal"),
    "an echo with any bytes": (IP(src=str(VICTIM.gateway), dst=AT) / ICMP() / Raw(b"\x45" + bytes(40)), "normal"),
    "a later fragment": (IP(src=HOSTILE, dst=AT, frag=100, proto=17) / Raw(b"x" * 30), "syn_flood"),
    "another attacker's packet": (IP(src=str(PLAN.attackers[1].address), dst=AT) / UDP(), "udp_flood"),
    "a client by IPv6": (IPv6(src=str(CLIENT.address6), dst=str(VICTIM.address6)) / TCP(), "normal"),
    "an attacker by IPv6": (IPv6(src=str(ATTACKER.address6), dst=str(VICTIM.address6)) / TCP(), "syn_flood"),
    "an error by IPv6": (IPv6(src=str(VICTIM.gateway6), dst=str(VICTIM.address6)) / ICMPv6DestUnreach()
                         / IPv6(src=str(VICTIM.address6), dst=str(ATTACKER.address6)) / UDP(), "syn_flood"),
    "neighbour discovery": (IPv6(src="fe80::1", dst="ff02::1") / ICMPv6ND_NS(), "normal"),
    "ARP": (ARP(psrc=str(VICTIM.gateway), pdst=AT), "normal"),
    "a frame that is no packet": (Raw(b"\x45"), "normal"),
}


@pytest.mark.parametrize("name", CASES)
def test_a_packet_has_the_label_of_the_namespace_at_its_other_end(name):
    packet, label = CASES[name]
    assert Origins(PLAN.outside).of_frame(bytes(WIRE / packet)) == label


@pytest.fixture
def raw(tmp_path):
    wrpcap(str(tmp_path / "raw.pcap"), [WIRE / packet for packet, _ in CASES.values()])
    return tmp_path / "raw.pcap"


def test_a_mixed_capture_has_a_label_for_each_packet_in_order(raw, tmp_path):
    counts = labelled(raw, Origins(PLAN.outside), tmp_path / "x.pcap", None)
    wanted = [label for _, label in CASES.values()]
    assert (tmp_path / "x.labels").read_text().splitlines() == wanted
    assert (tmp_path / "x.pcap").read_bytes() == raw.read_bytes()
    assert counts == {label: wanted.count(label) for label in set(wanted)}


def test_a_capture_of_one_label_has_no_other_packets(raw, tmp_path):
    counts = labelled(raw, Origins(PLAN.outside), tmp_path / "x.pcap", "syn_flood")
    wanted = [bytes(WIRE / packet) for packet, label in CASES.values() if label == "syn_flood"]
    with PcapReader(str(tmp_path / "x.pcap")) as frames:
        assert [bytes(frame) for frame in frames] == wanted
    assert counts == {"syn_flood": len(wanted)} and not (tmp_path / "x.labels").exists()


def test_a_capture_that_ends_within_a_record_has_the_records_before(raw, tmp_path):
    cut = tmp_path / "cut.pcap"
    cut.write_bytes(raw.read_bytes()[:-1])
    assert len(list(read_capture(cut)[1])) == len(CASES) - 1


def test_the_rate_of_a_capture(tmp_path):
    packets = [WIRE / IP(src=HOSTILE, dst=AT) / UDP() for _ in range(101)]
    for number, packet in enumerate(packets):
        packet.time = 1000 + number / 50
    wrpcap(str(tmp_path / "x.pcap"), packets)
    assert rate_of(tmp_path / "x.pcap") == pytest.approx(50.5)
    wrpcap(str(tmp_path / "empty.pcap"), [])
    assert rate_of(tmp_path / "empty.pcap") == 0


def test_a_file_that_is_no_capture_is_refused(tmp_path):
    (tmp_path / "x").write_text("no capture, but text that is long enough")
    with pytest.raises(ValueError, match="no capture"):
        read_capture(tmp_path / "x")


def test_the_list_has_a_row_per_file_and_new_rows_replace_old_ones(tmp_path):
    path = tmp_path / "labels.csv"
    add_rows(path, [Row("b.pcap", "attack", "syn_scan", "nmap", 1, 10)])
    add_rows(path, [Row("a.pcap", "normal", "ping", "ping", 2, 20), Row("b.pcap", "attack", "syn_scan", "nmap", 3, 30)])
    assert path.read_text() == "file,label,family,tool,seed,packets\na.pcap,normal,ping,ping,2,20\nb.pcap,attack,syn_scan,nmap,3,30\n"


def test_an_earlier_list_stays_until_the_new_one_is_complete(tmp_path):
    path = tmp_path / "labels.csv"
    add_rows(path, [Row("b.pcap", "attack", "syn_scan", "nmap", 1, 10)])
    before = path.read_text()

    class Fails:
        def __str__(self) -> str:
            raise OSError("no space")

    with pytest.raises(OSError, match="no space"):
        add_rows(path, [Row("c.pcap", "attack", Fails(), "nmap", 1, 10)])
    assert path.read_text() == before and list(tmp_path.iterdir()) == [path]


def test_an_earlier_recording_stays_until_the_new_one_is_complete(tmp_path, monkeypatch):
    work, folder = tmp_path / "work", tmp_path / "out"
    new, old = {"a.labels": "new labels", "a.pcap": "new packets"}, {"a.labels": "old labels", "a.pcap": "old packets"}
    for place, files in ((work, new), (folder, old)):
        place.mkdir()
        for name, text in files.items():
            (place / name).write_text(text)

    def found() -> dict[str, str]:
        return {file.name: file.read_text() for file in folder.iterdir()}

    def cut(source, destination):
        """The copy of the capture ends in the middle, as on a full disk."""
        pathlib.Path(destination).write_text(pathlib.Path(source).read_text()[:5])
        if pathlib.Path(source).suffix == ".pcap":
            raise OSError("no space")

    with monkeypatch.context() as patched:
        patched.setattr("shutil.copyfile", cut)
        with pytest.raises(OSError, match="no space"):
            recording.put([work / name for name in new], folder)
    assert found() == old
    recording.put([work / name for name in new], folder)
    assert found() == new


def test_the_recording_of_the_demonstration_is_whole():
    with open(SHIPPED / "labels.csv", newline="") as text:
        rows = list(csv.DictReader(text))
    assert [row["file"] for row in rows] == ["demo.pcap"]
    labels = (SHIPPED / "demo.labels").read_text().splitlines()
    with PcapReader(str(SHIPPED / "demo.pcap")) as frames:
        packets = list(frames)
    assert len(packets) == len(labels) == int(rows[0]["packets"])
    # Both benign packets and the scan's go to the victim; outside its prefix, each label has addresses of its own.
    ends: dict[str, set[str]] = {label: set() for label in labels}
    for packet, label in zip(packets, labels, strict=True):
        if IP in packet:
            ends[label] |= {packet[IP].src, packet[IP].dst}
    assert set(ends) == {"normal", "syn_scan", "syn_flood"}
    victim = ipaddress.ip_network(f"{(ends['normal'] & ends['syn_scan']).pop()}/24", strict=False)
    outside = {label: {address for address in found if ipaddress.ip_address(address) not in victim} for label, found in ends.items()}
    assert all(outside.values()) and sum(map(len, outside.values())) == len(set.union(*outside.values()))
    assert sum(file.stat().st_size for file in SHIPPED.iterdir()) < 300_000


def judged(folder: pathlib.Path, run: str, check: str = "echo 1 stands for 1", metadata: bytes = b"\x72\x0e\x0a\x09threshold\x12\x011"):
    """By a program whose `model run` and `model check` are these, and a model of this metadata."""
    program = folder / "program"
    (folder / "model").write_bytes(metadata)
    program.write_text(f"#!/bin/sh\nif [ $2 = check ]; then {check}; else {run}; fi\n")
    program.chmod(0o755)
    return subprocess.run([sys.executable, judge_labels.__file__, program, folder / "model", "c.pcap", folder / "a.labels"],
                          capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize(("words", "said"), [
    ({"run": "true", "check": "echo 'packetwarp: error: m.onnx: is no ONNX model' >&2; exit 2"}, "packetwarp: error: m.onnx: is no ONNX model"),
    ({"run": "echo score_0; echo 'packetwarp: error: c.pcap: after packet 7: cut' >&2; exit 1"}, "packetwarp: error: c.pcap: after packet 7: cut"),
    ({"run": "true", "check": "kill -9 $$"}, "exit status -9"),
    ({"run": "true", "check": "echo hello"}, "does not say what a score of 1 stands for"),
    ({"run": "true", "metadata": b""}, "model: has no threshold; set the key 'threshold' in its metadata_props"),
    ({"run": "true", "check": "rm $3; echo 1 stands for 1"}, "model: No such file or directory"),
])
def test_a_model_or_capture_that_cannot_be_read_gets_one_line(tmp_path, words, said):
    (tmp_path / "a.labels").write_text("normal\n")
    done = judged(tmp_path, **words)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1), done
    assert done.stderr.startswith("judge_labels: ") and said in done.stderr, done


def test_a_model_of_several_scores_is_judged_as_detect_judges_it(tmp_path):
    """score_0 is the normal class's: the other ones, less it, are compared with the threshold of 1."""
    (tmp_path / "a.labels").write_text("normal\nflood\nscan\n")
    done = judged(tmp_path, "printf 'score_0,score_1,score_2\\n9,8,10\\n1,9,0\\n-7,-9,-5\\n'")
    assert (done.returncode, done.stderr) == (0, ""), done
    assert done.stdout.endswith("PASS: 2 of 2 packets of attacks found, 0 of 1 normal packets called anomalous\n"), done


@pytest.mark.parametrize(("content", "said"), [
    (b"normal\n\nnormal\n", ":2: '' is empty"),
    (b"normal\r\n", ":1: 'normal?' ends in a carriage return"),
    (b"normal\nsyn flood\n", ":2: 'syn flood' has another character"),
    (b"a,b\n", ":1: 'a,b' has another character"),
    (b"normal\n\xff\x00\x1b\n", ":2: '???' has another character"),
    (b"Normal\n", ":1: 'Normal' differs from 'normal' in capital letters"),
    (b"x" * 65 + b"\n", " is too long"),
    (b"normal\n", ": has 1 lines for the 2 packets of "),
    (b"", ": has 0 lines for the 2 packets of "),
    (None, ": the labels cannot be read: "),
])
def test_labels_that_are_none_are_refused_in_a_line(tmp_path, content, said):
    """By their place, as generate does."""
    labels = tmp_path / "a.labels"
    if content is not None:
        labels.write_bytes(content)
    done = judged(tmp_path, "printf 'score\\n0\\n0\\n'")
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1), done
    assert done.stderr.startswith(f"judge_labels: {labels}") and said in done.stderr, done
    if content and "lines" not in said:
        assert "1 to 64 printable ASCII characters" in done.stderr, done


def test_labels_are_read_as_they_are(tmp_path):
    path = tmp_path / "a.labels"
    path.write_bytes(b"normal\nsyn_flood\n" + b"y" * 64)
    assert judge_labels.read_labels(path) == ["normal", "syn_flood", "y" * 64]
