# SPDX-License-Identifier: Apache-2.0
"""`packetwarp features` and `packetwarp model run --pcap` on captures that this test writes: rows, scores, and refusals. The
numbers of rows have a test of their own: tests/feature/test_features_oracle.py."""
from __future__ import annotations

import pathlib
import struct
import subprocess

import pytest
from harness import DONE, FAILED, ROOT, WRONG_USAGE
from onnx_tree import tree_model
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.l2 import ARP, Ether

STEP = 1 << 30  # the score of the tree's largest leaf, 1


def write_capture(path: pathlib.Path, frames: list[bytes], link_type: int = 1) -> None:
    """A frame every two milliseconds."""
    data = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, link_type)
    for number, frame in enumerate(frames):
        data += struct.pack("<IIII", 1000, 2000 * number, len(frame), len(frame)) + frame
    path.write_bytes(data)


def frames() -> list[bytes]:
    ethernet = Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02")
    there = ethernet / IP(src="10.0.0.1", dst="10.0.0.2")
    back = ethernet / IP(src="10.0.0.2", dst="10.0.0.1")
    return [bytes(frame) for frame in (there / TCP(sport=50000, dport=80, flags="S"), back / TCP(sport=80, dport=50000, flags="SA"),
                                       there / TCP(sport=50000, dport=80, flags="A"), there / UDP(sport=50001, dport=53) / b"x", ethernet / ARP())]


@pytest.fixture
def ask(binary, tmp_path):
    write_capture(tmp_path / "five.pcap", frames())
    write_capture(tmp_path / "cut.pcap", frames())
    with open(tmp_path / "cut.pcap", "rb+") as file:
        file.truncate((tmp_path / "cut.pcap").stat().st_size - 20)
    write_capture(tmp_path / "raw.pcap", frames(), link_type=101)
    write_capture(tmp_path / "none.pcap", [])
    (tmp_path / "text.pcap").write_text("no capture at all, but a text\n")
    (tmp_path / "model.onnx").write_bytes(tree_model(features="tcp,flow_packets"))

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([binary, *words], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)

    return run


def column(printed: str, name: str) -> list[str]:
    head, *lines = printed.splitlines()
    return [line.split(",")[head.split(",").index(name)] for line in lines]


def test_each_packet_has_a_row(ask):
    done = ask("features", "--pcap", "five.pcap")
    assert (done.returncode, done.stderr) == (DONE, "")
    assert column(done.stdout, "tcp") == ["64", "64", "64", "0", "0"]
    assert column(done.stdout, "syn") == ["64", "64", "0", "0", "0"]
    assert column(done.stdout, "destination_port") == ["32", "96", "32", "32", "0"]
    assert column(done.stdout, "flow_packets") == ["0", "0", "1", "0", "0"]
    assert column(done.stdout, "flow_packets_back") == ["0", "1", "1", "0", "0"]
    assert column(done.stdout, "source_packets") == ["0", "0", "1", "5", "0"]


def test_a_label_is_the_last_column_and_the_rows_go_to_a_file(ask, tmp_path):
    plain = ask("features", "--pcap", "five.pcap")
    done = ask("features", "--pcap", "five.pcap", "--label", "scan-1", "--out", "rows.csv")
    assert (done.returncode, done.stdout, done.stderr) == (DONE, "", "")
    head, *lines = plain.stdout.splitlines()
    assert (tmp_path / "rows.csv").read_text() == "\n".join([f"{head},label", *(f"{line},scan-1" for line in lines)]) + "\n"
    assert not list(tmp_path.glob("*.partial"))


def test_a_capture_without_packets_has_no_rows(ask):
    done = ask("features", "--pcap", "none.pcap")
    assert (done.returncode, done.stderr) == (DONE, "") and done.stdout.count("\n") == 1


def test_the_scores_of_a_capture_are_those_of_its_rows(ask, tmp_path):
    printed = ask("features", "--pcap", str(ROOT / "tests/captures/mixed.pcap")).stdout
    pairs = zip(column(printed, "tcp"), column(printed, "flow_packets"))
    (tmp_path / "rows.csv").write_text("tcp,flow_packets\n" + "".join(f"{tcp},{packets}\n" for tcp, packets in pairs))
    by_rows = ask("model", "run", "model.onnx", "--rows", "rows.csv")
    by_capture = ask("model", "run", "model.onnx", "--pcap", str(ROOT / "tests/captures/mixed.pcap"))
    assert (by_capture.returncode, by_capture.stderr) == (DONE, "")
    assert by_capture.stdout == by_rows.stdout and by_capture.stdout.count("\n") == 1355
    assert len(set(by_capture.stdout.split())) > 2, "the tree takes more than one way"


def test_the_packets_before_a_cut_have_rows_and_scores(ask, tmp_path):
    done = ask("features", "--pcap", "cut.pcap", "--out", "rows.csv")
    assert done.returncode == FAILED and done.stderr.count("\n") == 1
    assert done.stderr.startswith("packetwarp: error: cut.pcap: after packet 4: ")
    assert (tmp_path / "rows.csv").read_text() == "".join(ask("features", "--pcap", "five.pcap").stdout.splitlines(True)[:5])
    done = ask("model", "run", "model.onnx", "--pcap", "cut.pcap")
    assert done.returncode == FAILED and done.stderr.startswith("packetwarp: error: cut.pcap: after packet 4: ")
    assert done.stdout.splitlines() == ["score_0", *([f"{STEP // 4}"] * 4)]


def test_nothing_is_read_after_a_damaged_record(ask, tmp_path):
    write_capture(tmp_path / "one.pcap", frames()[:1])
    write_capture(tmp_path / "damaged.pcap", frames())
    # A good record, a header whose captured length is damaged, then five good records.
    rest = (tmp_path / "damaged.pcap").read_bytes()[24:]
    (tmp_path / "damaged.pcap").write_bytes((tmp_path / "one.pcap").read_bytes() + struct.pack("<IIII", 1000, 0, 0xFFFFFFFF, 64) + rest)
    done = ask("features", "--pcap", "damaged.pcap", "--out", "rows.csv")
    assert done.returncode == FAILED and done.stderr.count("\n") == 1
    assert done.stderr.startswith("packetwarp: error: damaged.pcap: after packet 1: ") and "4294967295" in done.stderr
    assert (tmp_path / "rows.csv").read_text() == ask("features", "--pcap", "one.pcap").stdout
    done = ask("model", "run", "model.onnx", "--pcap", "damaged.pcap")
    assert done.returncode == FAILED and done.stderr.count("\n") == 1
    assert done.stderr.startswith("packetwarp: error: damaged.pcap: after packet 1: ") and "4294967295" in done.stderr
    assert done.stdout.splitlines() == ["score_0", f"{STEP // 4}"]


@pytest.mark.parametrize(("words", "status", "line"), [
    ((), WRONG_USAGE, "features: give the capture: --pcap FILE"),
    (("--pcap", "absent.pcap"), WRONG_USAGE, "absent.pcap: cannot be read: No such file or directory"),
    (("--pcap", "five.pcap", "--label", "a,b"), WRONG_USAGE, "--label 'a,b': give 1 to 64 letters, digits, '_', '.' and '-'"),
    (("--pcap", "five.pcap", "--nonsense"), WRONG_USAGE, "--nonsense: no such option; 'packetwarp features --help' lists them"),
    (("--pcap", "text.pcap"), FAILED, "text.pcap: not a pcap or pcapng capture: "),
    (("--pcap", "raw.pcap"), FAILED, "raw.pcap: link type is RAW, must be EN10MB (Ethernet)"),
    (("--pcap", "five.pcap", "--out", "."), FAILED, "--out: . cannot be written: it is a directory"),
    (("--pcap", "five.pcap", "--out", "/dev/full"), FAILED, "--out: writing /dev/full failed: No space left on device"),
])
def test_wrong_words_and_files_are_refused_in_a_line(ask, words, status, line):
    done = ask("features", *words)
    assert (done.returncode, done.stdout) == (status, "")
    assert done.stderr.startswith(f"packetwarp: error: {line}") and done.stderr.count("\n") == 1


def test_a_model_of_other_features_takes_no_capture(ask, tmp_path):
    (tmp_path / "other.onnx").write_bytes(tree_model(features="ttl,length"))
    done = ask("model", "run", "other.onnx", "--pcap", "five.pcap")
    assert done.returncode == WRONG_USAGE and done.stdout == ""
    assert done.stderr.startswith("packetwarp: error: other.onnx: the feature 'ttl' is not known; there are length, ipv6, ")
