# SPDX-License-Identifier: Apache-2.0
"""The list of captures to train on: which file, which label, and what it has in common with others."""
from __future__ import annotations

import csv
import dataclasses
import pathlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import yaml

from . import TrainError

NORMAL, ATTACK, MIXED = "normal", "attack", "mixed"
TRAIN, TEST = PARTS = "train", "test"
COMMON = ("group", "tool", "day", "seed", "source")
KEYS = ("file", "label", "family", "labels", "part", *COMMON)
IGNORED = ("packets",)  # python/record_traffic writes it
LABEL = re.compile(r"[A-Za-z0-9_.-]+")
RESERVED = (NORMAL, ATTACK, MIXED)


@dataclass(frozen=True)
class Capture:
    path: pathlib.Path
    label: str  # normal or the family of an attack; of every packet, unless `labels` is a file with a label per packet
    labels: pathlib.Path | None
    common: dict[str, str]  # what the capture has in common with others of the same word
    part: str  # where the list puts it, or empty

    def group(self, by: str) -> str:
        return self.common.get(by) or self.common.get("group") or str(self.path)


def _entries(path: pathlib.Path) -> list[dict[str, Any]]:
    try:
        text = path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise TrainError(f"{path}: the list cannot be read: {error}") from error
    if path.suffix == ".csv":
        return [{key: value for key, value in row.items() if value} for row in csv.DictReader(text.splitlines())]
    try:
        found = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise TrainError(f"{path}: the list is no YAML: {' '.join(str(error).split())}") from error
    if not isinstance(found, list) or not all(isinstance(entry, dict) for entry in found):
        raise TrainError(f"{path}: the list must be a sequence of entries with the keys {', '.join(KEYS)}")
    return found


def _require_label(label: str, where: str) -> None:
    """A packet's label is normal or a family of attacks, whose name is no other spelling of a word with a meaning of its own."""
    if not LABEL.fullmatch(label):
        raise TrainError(f"{where}: a label has letters, digits, '_', '.' and '-', not {label!r}")
    if label != NORMAL and label.lower() in RESERVED:
        raise TrainError(f"{where}: {label} is no family of attacks; a label is {NORMAL}, or a family's name, such as port_scan")


def _captures(entry: dict[str, Any], where: str, folder: pathlib.Path) -> Iterable[Capture]:
    if unknown := set(entry) - set(KEYS) - set(IGNORED):
        raise TrainError(f"{where}: {sorted(map(str, unknown))[0]} is no key; the keys are {', '.join(KEYS)}")
    words = {key: str(value) for key, value in entry.items()}
    if "file" not in words or "label" not in words:
        raise TrainError(f"{where}: an entry needs file and label")
    if words.get("part", "") not in ("", *PARTS):
        raise TrainError(f"{where}: part must be one of {', '.join(PARTS)}, not {words['part']!r}")
    if words["label"] == ATTACK and "family" not in words:
        raise TrainError(f"{where}: the label {ATTACK} needs the key family, such as port_scan")
    if "labels" in words and words["label"] != MIXED:
        raise TrainError(f"{where}: labels is for packets of different labels; give it with label: {MIXED} alone")
    label = words["family"] if words["label"] == ATTACK else words["label"]
    if words["label"] == MIXED:
        label = ""
    else:
        _require_label(label, where)
    pattern = pathlib.Path(words["file"])
    if pattern.is_absolute():
        folder, pattern = pathlib.Path(pattern.anchor), pattern.relative_to(pattern.anchor)
    paths = sorted(path for path in folder.glob(str(pattern)) if path.is_file())
    if not paths:
        raise TrainError(f"{where}: no file is {words['file']}")
    for path in paths:
        beside = folder / words["labels"] if "labels" in words else path.with_suffix(".labels")
        yield Capture(path, label, None if label else beside, {key: words[key] for key in COMMON if key in words},
                      words.get("part", ""))


def require_each_once(captures: Iterable[Capture], where: str) -> None:
    """A file that two entries name, whatever the names, would count twice, or train a model and judge it."""
    seen: dict[tuple[int, int], pathlib.Path] = {}
    for path in (capture.path for capture in captures):
        status = path.stat()
        first = seen.setdefault((status.st_dev, status.st_ino), path)
        if first is not path:
            other_name = f", also as {first}" if first != path else ""
            raise TrainError(f"{where}: {path} is listed twice{other_name}")


def read(path: pathlib.Path) -> list[Capture]:
    captures = []
    for number, entry in enumerate(_entries(path), 1):
        captures += _captures(entry, f"{path}: entry {number}", path.parent)
    require_each_once(captures, str(path))
    if not captures:
        raise TrainError(f"{path}: the list is empty")
    return captures


def read_all(lists: Iterable[pathlib.Path], test: Iterable[pathlib.Path]) -> list[Capture]:
    """The captures of all lists; those of the second ones only judge."""
    captures = [capture for path in lists for capture in read(path)]
    captures += [dataclasses.replace(capture, part=TEST) for path in test for capture in read(path)]
    require_each_once(captures, "the lists")
    return captures


def packet_labels(capture: Capture, packets: int) -> list[str]:
    """The label of each packet of the capture."""
    if capture.labels is None:
        return [capture.label] * packets
    try:
        labels = capture.labels.read_text().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise TrainError(f"{capture.labels}: the labels cannot be read: {error}") from error
    if len(labels) != packets:
        raise TrainError(f"{capture.labels}: {len(labels)} labels for the {packets} packets of {capture.path}")
    for number, text in enumerate(labels, 1):
        _require_label(text, f"{capture.labels}:{number}")
    return labels
