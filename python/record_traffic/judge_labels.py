#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The packets of a capture that a model calls anomalous, by their labels: judge_labels.py PROGRAM MODEL CAPTURE LABELS. LABELS has a
line per packet: normal, or the attack. Exit status 1 if fewer than three quarters of the attacks' packets are found, or if more than one
in a hundred normal packets is called anomalous. Needs only Python and the program."""
from __future__ import annotations

import collections
import pathlib
import re
import subprocess
import sys
from collections.abc import Iterator

LEAST_FOUND, MOST_FALSE = 0.75, 0.01
METADATA, KEY, VALUE = 14, 1, 2  # fields of onnx.proto's ModelProto and StringStringEntryProto


def fields(message: bytes) -> Iterator[tuple[int, bytes]]:
    """The fields of a protobuf message that have a length."""
    at = 0

    def varint() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(message):
        tag = varint()
        if tag & 7 == 0:
            varint()
        elif tag & 7 == 2:
            length = varint()
            yield tag >> 3, message[at:at + length]
            at += length
        else:
            at += 4 if tag & 7 == 5 else 8


def threshold_of(model: pathlib.Path) -> float:
    """In the model's own units."""
    entries = (dict(fields(entry)) for number, entry in fields(model.read_bytes()) if number == METADATA)
    return float(next(entry[VALUE] for entry in entries if entry[KEY] == b"threshold"))


def main(program: str, model: str, capture: str, labels: str) -> int:
    def said(*words: str) -> str:
        return subprocess.run([program, "model", *words], capture_output=True, text=True, check=True).stdout

    found = re.search(r"1 stands for (\S+)", said("check", model))
    assert found, "the program says no unit"
    threshold = threshold_of(pathlib.Path(model)) / float(found[1])
    scores = [int(line.split(",")[0]) for line in said("run", model, "--pcap", capture).splitlines()[1:]]
    names = pathlib.Path(labels).read_text().split()
    if len(scores) != len(names):
        print(f"judge_labels: {capture} has {len(scores)} packets, {labels} has {len(names)}", file=sys.stderr)
        return 1
    packets = collections.Counter(names)
    anomalous = collections.Counter(name for name, score in zip(names, scores) if score > threshold)
    print(f"{'label':12} {'packets':>8} {'anomalous':>10}")
    for name in sorted(packets, key=lambda name: (name != "normal", name)):
        print(f"{name:12} {packets[name]:8} {anomalous[name]:10}")
    attacks = sum(packets.values()) - packets["normal"]
    of_attacks = sum(anomalous.values()) - anomalous["normal"]
    is_good = of_attacks >= LEAST_FOUND * attacks and anomalous["normal"] <= MOST_FALSE * packets["normal"]
    print(f"judge_labels: {'PASS' if is_good else 'FAIL'}: {of_attacks} of {attacks} packets of attacks found, "
          f"{anomalous['normal']} of {packets['normal']} normal packets called anomalous")
    return 0 if is_good else 1


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
