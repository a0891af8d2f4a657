# SPDX-License-Identifier: Apache-2.0
"""A training from the lists to the files: rows, parts, candidates, the choice, the comparison with the data path's arithmetic."""
from __future__ import annotations

import os
import pathlib
import tempfile
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from . import TrainError, capture_list, card, console, leave_out, measure, onnx_file, program
from .candidates import KINDS, Candidate, Settings, best, candidate, most_telling
from .capture_list import TEST, TRAIN
from .rows import Rows, gather
from .split import split

COMPARED = 20_000  # rows, with both programs


@dataclass(frozen=True)
class Options:
    lists: list[pathlib.Path]
    test: list[pathlib.Path]
    output: pathlib.Path
    false_alarms: float
    by: str
    leave_out: str
    kinds: str
    features: str
    without: str
    hidden: list[int]
    epochs: int
    trees: int
    depth: int
    rows: int
    folds: int
    blur: float
    looks: float
    beginnings: float
    seed: int
    title: str
    about: pathlib.Path | None
    packetwarp: pathlib.Path


def sources_of(captures: list[capture_list.Capture], key: str) -> list[str]:
    """The word that each capture has for the key that says which of them are left out together."""
    if lacking := [capture.path for capture in captures if key not in capture.common]:
        raise TrainError(f"{lacking[0]} has no {key} in its list: --leave-out {key} needs one for each capture")
    return [capture.common[key] for capture in captures]


def kinds_of(options: Options) -> list[str]:
    kinds = options.kinds.split(",")
    if wrong := [kind for kind in kinds if kind not in KINDS]:
        raise TrainError(f"{wrong[0]} is no kind of model; the kinds are {', '.join(KINDS)}")
    return kinds


def chosen_features(options: Options, train: Rows, settings: Settings) -> list[str]:
    without = [name for name in options.without.split(",") if name]
    train.with_features(without)  # refuses a wrong name
    named = options.features.split(",") if options.features and not options.features.isdigit() else list(train.names)
    if both := [name for name in without if options.features and not options.features.isdigit() and name in named]:
        raise TrainError(f"--features and --without both name {both[0]}; leave it out of one")
    kept = [name for name in named if name not in without]
    if not kept:
        raise TrainError("--without names all features; leave some for the model")
    if options.features.isdigit():
        return most_telling(train.with_features(kept), int(options.features), settings)
    return kept


def require_output(output: pathlib.Path) -> None:
    """Refuses, before anything is trained, a file that could not be written afterwards."""
    if output.is_dir():
        raise TrainError(f"--output {output}: is a folder; give the name of an ONNX file")
    if output.suffix == ".md":
        raise TrainError(f"--output {output}: is the card's name; give the ONNX file's, such as {output.with_suffix('.onnx')}")
    if not output.parent.is_dir():
        raise TrainError(f"--output {output}: there is no folder {output.parent}; make it, or give another one")
    if not os.access(output.parent, os.W_OK | os.X_OK):
        raise TrainError(f"--output {output}: no file can be made in {output.parent}; give another folder")


def require_apart(options: Options, captures: list[capture_list.Capture]) -> None:
    """Refuses to write over a file that is read."""
    written = {options.output.with_suffix(end).resolve() for end in (".md", ".roc.csv")} | {options.output.resolve()}
    read = [*options.lists, *options.test, *(one.path for one in captures), *(one.labels for one in captures if one.labels)]
    for path in [*read, *([options.about] if options.about else [])]:
        if path.resolve() in written:
            raise TrainError(f"--output {options.output}: {path} would be read and written; give another name")


def about_of(options: Options) -> str:
    if options.about is None:
        return ""
    try:
        return options.about.read_text(encoding="utf-8")
    except OSError as error:
        raise TrainError(f"--about {options.about}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise TrainError(f"--about {options.about}: is no text in UTF-8; give Markdown") from error


def compare(options: Options, model: pathlib.Path, chosen: Candidate, test: Rows, say: Callable[[str], None]) -> dict[str, str]:
    """Rows of the test captures by the data path's integers, and by ONNX Runtime's floats."""
    checked = program.ask(options.packetwarp, "check", model)
    unit = program.unit(checked)
    which = np.sort(np.random.default_rng(options.seed).permutation(len(test.label))[:COMPARED])
    some = test.taken(which).with_features(chosen.features)
    integers = program.scores(options.packetwarp, model, chosen.features, some.values) * unit
    mine = chosen.model.scores(some.values)
    same = float(((integers > chosen.threshold) == (mine > chosen.threshold)).mean())
    say(f"packetwarp model run: the same class as in training for {same:.3%} of {len(which):,} test rows")
    notes = {"a score of 1 stands for": f"{unit:.9g}", "class of `packetwarp model run`": f"as in training for {same:.3%} of {len(which):,} test rows"}
    floats = program.float_scores(model, some.values)
    if floats is not None:
        agreed = float(((integers > chosen.threshold) == (floats > chosen.threshold)).mean())
        say(f"packetwarp model run: the same class as ONNX Runtime for {agreed:.3%}")
        notes["class of ONNX Runtime, in floats"] = f"as `packetwarp model run` for {agreed:.3%}"
    return notes


def write_curve(path: pathlib.Path, chosen: Candidate, train: Rows, test: Rows) -> None:
    """The ROC curve for the families that the model was trained on."""
    trained = {train.labels[number] for number in set(train.label.tolist())}
    known = test.taken(np.isin(test.label, [number for number, name in enumerate(test.labels) if name in trained]))
    lines = (f"{alarms:.6f},{recall:.6f}\n" for alarms, recall in measure.curve(chosen.scores(known), known.attack))
    path.write_text("false_alarms,recall\n" + "".join(lines))


def run(options: Options, say: Callable[[str], None]) -> None:
    settings = Settings(options.hidden, options.epochs, options.trees, options.depth, options.false_alarms, options.folds, options.blur,
                        options.looks, options.beginnings, options.seed)
    kinds = kinds_of(options)
    require_output(options.output)
    about = about_of(options)
    if not options.packetwarp.is_file():
        raise TrainError(f"{options.packetwarp} is not there: build it (make build), or say which with --packetwarp FILE")
    captures = capture_list.read_all(options.lists, options.test)
    require_apart(options, captures)
    sources = sources_of(captures, options.leave_out) if options.leave_out else []
    say(f"{len(captures)} captures")
    rows = gather(captures, options.packetwarp, options.rows, options.by, options.seed, say)
    parts = split(rows, options.seed)
    features = chosen_features(options, parts[TRAIN], settings)
    parts = {part: some.with_features(features) for part, some in parts.items()}
    say(", ".join(f"{part} {len(some.label):,} rows" for part, some in parts.items()) + f", {len(features)} features")
    candidates = []
    for kind in kinds:
        candidates.append(candidate(kind, parts[TRAIN], settings, say))
        say(f"{candidates[-1].name}: by validation F1 {candidates[-1].validation.f1:.3f}, mean recall of families "
            f"{candidates[-1].validation.balanced:.1%}, in {candidates[-1].seconds:.0f} s")
    chosen = best(candidates)
    left = leave_out.each_left_out(chosen.kind, rows.with_features(features), sources, settings, say) if sources else []
    test = parts[TEST]
    judged = [(one, measure.figures(test, one.scores(test), one.threshold)) for one in candidates]
    found = next(figures for one, figures in judged if one is chosen)
    # An earlier model stays until the new one has been checked and all files are complete; its card comes before it.
    with tempfile.TemporaryDirectory(prefix=f".{options.output.name}.", dir=options.output.parent) as folder:
        model = pathlib.Path(folder) / options.output.name
        onnx_file.write(model, chosen.model, chosen.features, chosen.threshold)
        notes = {"false alarms asked for": f"{options.false_alarms:.3%} of normal packets, by validation in {options.folds} folds"}
        notes |= compare(options, model, chosen, test, say)
        title = options.title or options.output.stem
        model.with_suffix(".md").write_text(card.text(title, chosen, judged, parts, found, notes, about, left))
        write_curve(model.with_suffix(".roc.csv"), chosen, parts[TRAIN], test)
        for file in (model.with_suffix(".roc.csv"), model.with_suffix(".md"), model):
            os.replace(file, options.output.with_name(file.name))
    for one, figures in judged:
        say(f"{one.name}: on test F1 {figures.f1:.3f}, recall {figures.recall:.1%}, mean of families {figures.balanced:.1%}, false alarms "
            f"{figures.false_alarms:.3%}")
    console.write("\n".join(measure.table(found)))
    say(f"{options.output} and {options.output.with_suffix('.md')} written: {chosen.name}, threshold {chosen.threshold:.9g}")
