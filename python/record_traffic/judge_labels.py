#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The packets of a capture that a model calls anomalous, by their labels: judge_labels.py PROGRAM MODEL CAPTURE LABELS. LABELS has a
line per packet: normal, or the attack. A model with several scores is compared with its threshold as detect does: the largest score but the
first, less the first. Exit status 1 if fewer than three quarters of the attacks' packets are found, or if more than one in a hundred normal
packets is called anomalous; 2 if LABELS cannot be read, has a line that is no label (as generate's --labelled judges it: docs/generate.md),
or has not a line for each packet, or if the program, the model or the capture cannot be read. Needs only Python and the program."""
from __future__ import annotations

import collections
import pathlib
import re
import subprocess
import sys
from collections.abc import Iterator

LEAST_FOUND, MOST_FALSE = 0.75, 0.01
NORMAL, LONGEST = "normal", 64
METADATA, KEY, VALUE = 14, 1, 2  # fields of onnx.proto's ModelProto and StringStringEntryProto


class WrongInput(ValueError):
    """A line for the user: what is wrong with the labels or the model, where, and what is allowed."""


def why_no_label(line: bytes) -> str:
    """Empty for a label. The rules of src/cli/generate/questions.cpp."""
    if not line:
        return "is empty"
    if line.endswith(b"\r"):
        return "ends in a carriage return"
    if len(line) > LONGEST:
        return "is too long"
    if not all(0x20 < byte <= 0x7E and byte != ord(",") for byte in line):
        return "has another character"
    if line != NORMAL.encode() and line.lower() == NORMAL.encode():
        return f"differs from '{NORMAL}' in capital letters"
    return ""


def read_labels(path: pathlib.Path) -> list[str]:
    """A label per packet. Raises WrongInput."""
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError as error:
        raise WrongInput(f"{path}: the labels cannot be read: {error.strerror}; give a file with a line per packet, '{NORMAL}' or the attack") from error
    if not lines[-1]:
        lines.pop()
    for number, line in enumerate(lines, 1):
        if why := why_no_label(line):
            shown = "".join(chr(byte) if 0x20 <= byte <= 0x7E else "?" for byte in line[:100]) + ("..." if len(line) > 100 else "")
            raise WrongInput(f"{path}:{number}: '{shown}' {why}; a line is '{NORMAL}' or the name of an attack, 1 to {LONGEST} printable "
                              "ASCII characters without spaces and commas")
    return [line.decode("ascii") for line in lines]


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
    """In the model's own units, of a file that the program has taken. Raises WrongInput if it has none."""
    entries = (dict(fields(entry)) for number, entry in fields(model.read_bytes()) if number == METADATA)
    for entry in entries:
        if entry.get(KEY) == b"threshold":
            return float(entry[VALUE])
    raise WrongInput(f"{model}: has no threshold; set the key 'threshold' in its metadata_props to a number (docs/training.md)")


def margin(line: str) -> int:
    """The number that detect compares with the threshold (src/function/detect/models.h)."""
    first, *others = map(int, line.split(","))
    return max(others) - first if others else first


def main(program: str, model: str, capture: str, labels: str) -> int:
    def said(*words: str) -> str:
        done = subprocess.run([program, "model", *words], capture_output=True, text=True, check=False)
        if done.returncode:
            raise WrongInput(" ".join(done.stderr.split()) or f"{program} model {' '.join(words)}: exit status {done.returncode}")
        return done.stdout

    names = read_labels(pathlib.Path(labels))
    found = re.search(r"1 stands for (\S+)", said("check", model))
    if not found:
        raise WrongInput(f"{program}: 'model check' does not say what a score of 1 stands for; give packetwarp")
    threshold = threshold_of(pathlib.Path(model)) / float(found[1])
    scores = [margin(line) for line in said("run", model, "--pcap", capture).splitlines()[1:]]
    if len(scores) != len(names):
        raise WrongInput(f"{labels}: has {len(names)} lines for the {len(scores)} packets of {capture}; each packet must have a line")
    packets = collections.Counter(names)
    anomalous = collections.Counter(name for name, score in zip(names, scores) if score > threshold)
    print(f"{'label':12} {'packets':>8} {'anomalous':>10}")
    for name in sorted(packets, key=lambda name: (name != NORMAL, name)):
        print(f"{name:12} {packets[name]:8} {anomalous[name]:10}")
    attacks = sum(packets.values()) - packets[NORMAL]
    of_attacks = sum(anomalous.values()) - anomalous[NORMAL]
    is_good = of_attacks >= LEAST_FOUND * attacks and anomalous[NORMAL] <= MOST_FALSE * packets[NORMAL]
    print(f"judge_labels: {'PASS' if is_good else 'FAIL'}: {of_attacks} of {attacks} packets of attacks found, "
          f"{anomalous[NORMAL]} of {packets[NORMAL]} normal packets called anomalous")
    return 0 if is_good else 1


if __name__ == "__main__":
    if len(sys.argv) != 5:
        print(f"judge_labels: {len(sys.argv) - 1} words; give four: PROGRAM MODEL CAPTURE LABELS", file=sys.stderr)
        sys.exit(2)
    try:
        sys.exit(main(*sys.argv[1:]))
    except WrongInput as wrong:
        print(f"judge_labels: {wrong}", file=sys.stderr)
    except OSError as error:
        print(f"judge_labels: {error.filename}: {error.strerror}", file=sys.stderr)
    sys.exit(2)
