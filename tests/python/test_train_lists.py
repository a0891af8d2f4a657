# SPDX-License-Identifier: Apache-2.0
"""The lists of captures to train on: labels, files and lists that are refused, and captures in several lists."""
from __future__ import annotations

import pathlib

import pytest

pytest.importorskip("yaml", reason="the package PyYAML is not installed")

from train import TrainError, capture_list  # noqa: E402


def list_of(folder: pathlib.Path, text: str, name: str = "captures.yaml") -> list[capture_list.Capture]:
    (folder / name).write_text(text)
    return capture_list.read(folder / name)


@pytest.fixture
def folder(tmp_path) -> pathlib.Path:
    for name in ("a.pcap", "b.pcap", "scan.pcap", "mixed.pcap"):
        (tmp_path / name).touch()
    return tmp_path


@pytest.mark.parametrize(("entry", "wrong"), (("label: Normal", "Normal is no family"), ("label: NORMAL", "NORMAL is no family"),
                                              ("label: attack", "needs the key family"), ("label: attack, family: attack", "attack is no family"),
                                              ("label: attack, family: Mixed", "Mixed is no family"), ("label: attack, family: mixed", "mixed is no family")))
def test_a_label_that_is_another_spelling_of_a_word_is_refused(folder, entry, wrong):
    with pytest.raises(TrainError, match=wrong):
        list_of(folder, f"- {{file: a.pcap, {entry}}}\n")


@pytest.mark.parametrize("label", ("Normal", "attack", "mixed"))
def test_a_packets_label_that_is_no_family_is_refused(folder, label):
    (folder / "mixed.labels").write_text(f"normal\n{label}\n")
    with pytest.raises(TrainError, match=f"mixed.labels:2: {label} is no family"):
        capture_list.packet_labels(list_of(folder, "- {file: mixed.pcap, label: mixed}\n")[0], 2)


def test_a_pattern_stands_for_its_files_each_in_a_group_of_its_own(folder):
    captures = list_of(folder, "- {file: '[ab].pcap', label: normal}\n- {file: scan.pcap, label: attack, family: syn_scan, tool: nmap}\n")
    assert [(one.path.name, one.label) for one in captures] == [("a.pcap", "normal"), ("b.pcap", "normal"), ("scan.pcap", "syn_scan")]
    assert captures[0].group("group") != captures[1].group("group")
    assert captures[2].group("tool") == "nmap" and captures[0].group("tool") == str(folder / "a.pcap")


def test_the_list_of_recorded_traffic_is_read_as_it_is(folder):
    (folder / "mixed.labels").write_text("normal\nscan\nnormal\n")
    captures = list_of(folder, "file,label,family,tool,seed,packets\na.pcap,normal,browse,curl,1,7\nmixed.pcap,mixed,scan,nmap,2,3\n", "labels.csv")
    assert captures[0].label == "normal" and captures[1].group("seed") == "2"
    assert capture_list.packet_labels(captures[0], 2) == ["normal", "normal"]
    assert capture_list.packet_labels(captures[1], 3) == ["normal", "scan", "normal"]
    with pytest.raises(TrainError, match="3 labels for the 4 packets"):
        capture_list.packet_labels(captures[1], 4)
    (folder / "mixed.labels").write_text("normal\nscan normal\nscan\n")
    with pytest.raises(TrainError, match="mixed.labels:2: a label has letters.* not 'scan normal'"):
        capture_list.packet_labels(captures[1], 3)


@pytest.mark.parametrize(("text", "wrong"), [
    ("- {file: none.pcap, label: normal}", "no file is none.pcap"),
    ("- {file: a.pcap}", "an entry needs file and label"),
    ("- {file: a.pcap, label: 'a b'}", "a label has letters"),
    ("- {file: a.pcap, label: normal, color: red}", "color is no key"),
    ("- {file: a.pcap, label: normal, part: exam}", "part must be one of"),
    ("- {file: a.pcap, label: normal}\n- {file: '*.pcap', label: normal}", "a.pcap is listed twice"),
    ("- {file: a.pcap, label: normal}\n- {file: ./sub/../a.pcap, label: normal}", "a.pcap is listed twice, also as .*a.pcap"),
    ("- {file: a.pcap, label: normal, labels: a.labels}", "entry 1: labels is for packets of different labels"),
    ("- {file: a.pcap, label: attack, family: scan, labels: a.labels}", "entry 1: labels is for packets of different"),
    ("[", "the list is no YAML"),
    ("a: b", "must be a sequence"),
    ("[]", "the list is empty"),
])
def test_a_wrong_list_gets_one_line(folder, text, wrong):
    (folder / "sub").mkdir()
    with pytest.raises(TrainError, match=wrong) as refusal:
        list_of(folder, text)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("name", ("a.pcap", "./sub/../a.pcap", "symbolic.pcap", "hard.pcap"))
@pytest.mark.parametrize(("lists", "test"), ((["one.yaml"], ["two.yaml"]), (["one.yaml", "two.yaml"], []),
                                             (["one.yaml"], ["one.yaml"])))
def test_no_capture_trains_and_judges_whatever_its_names_and_lists(folder, name, lists, test):
    (folder / "sub").mkdir()
    (folder / "symbolic.pcap").symlink_to("a.pcap")
    (folder / "hard.pcap").hardlink_to(folder / "a.pcap")
    (folder / "one.yaml").write_text("- {file: a.pcap, label: normal}\n- {file: scan.pcap, label: scan}\n")
    (folder / "two.yaml").write_text(f"- {{file: {name}, label: normal}}\n")
    with pytest.raises(TrainError, match="^the lists: [^\n]*.pcap is listed twice"):
        capture_list.read_all([folder / one for one in lists], [folder / one for one in test])
    (folder / "two.yaml").write_text("- {file: b.pcap, label: normal}\n")
    captures = capture_list.read_all([folder / "one.yaml"], [folder / "two.yaml"])
    assert [(one.path.name, one.part) for one in captures] == [("a.pcap", ""), ("scan.pcap", ""), ("b.pcap", "test")]
