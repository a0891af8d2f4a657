# SPDX-License-Identifier: Apache-2.0
"""The result files of one page: the files of one machine, each setting by its newest measurement."""
from __future__ import annotations

import collections
import dataclasses
import pathlib

from . import words
from .results import Beside, Case, Machine, ReportError, Result, is_bench_result, parse, read, result_from


@dataclasses.dataclass(frozen=True)
class Gathered:
    machine: Machine
    results: tuple[Result, ...]  # oldest first
    cases: tuple[Case, ...]
    beside: tuple[Beside, ...]
    replaced: int  # cases that a newer file measured again
    absent: tuple[str, ...]  # executors without a single figure: they are left out everywhere, and why


def one_machine(results: list[Result]) -> Machine:
    first = results[0]
    for other in results:
        if other.machine != first.machine:
            raise ReportError(f"{first.name} is of '{first.machine}', {other.name} of '{other.machine}': results of different "
                              "machines do not share a page; give those of one")
    return first.machine


def newest(cases: list[Case]) -> list[Case]:
    """A setting's last figure; without one, the last that gives a reason."""
    kept: dict[tuple[object, ...], Case] = {}
    for case in cases:
        before = kept.get(case.setting)
        if before is None or case.mpps or not before.mpps:
            kept[case.setting] = case
    return list(kept.values())


def gather(results: list[Result]) -> Gathered:
    if not any(result.cases for result in results):
        raise ReportError(f"{', '.join(result.name for result in results)}: there is no case in it")
    machine = one_machine(results)
    ordered = sorted(results, key=lambda result: result.started)
    every = [case for result in ordered for case in result.cases]
    kept = newest(every)
    measured = {case.executor for case in kept if case.mpps}
    beside = {(b.mode, b.burst, b.frame_bytes, b.lcores): b for result in ordered for b in result.beside if b.mpps}
    absent = without_figure([case for case in kept if case.executor not in measured])
    return Gathered(machine, tuple(ordered), tuple(case for case in kept if case.executor in measured), tuple(beside.values()),
                    len(every) - len(kept), absent)


def without_figure(cases: list[Case]) -> tuple[str, ...]:
    counts = collections.Counter((case.executor, case.status, case.reason) for case in cases)
    return tuple(f"no figure of {executor}: {words.value_of('cases', count)} {status}{f': {reason}' if reason else ''}"
                 for (executor, status, reason), count in counts.items())


def results_of_folder(folder: pathlib.Path) -> list[Result]:
    """Other benchmarks' files lie in the same folder."""
    documents = [document for path in sorted(folder.glob("*.json")) if is_bench_result(document := parse(path))]
    return [result_from(document) for document in documents]


def results_at(paths: list[pathlib.Path]) -> list[Result]:
    found = []
    for path in paths:
        of_folder = results_of_folder(path) if path.is_dir() else [read(path)]
        if not of_folder:
            raise ReportError(f"{path}: no result of packetwarp bench in it")
        found += of_folder
    return found


def newest_machine(root: pathlib.Path) -> list[Result]:
    """All results of the machine that was measured last, among the folders below, one per machine."""
    folders = [found for folder in sorted(root.glob("*/")) if (found := results_of_folder(folder))]
    if not folders:
        raise ReportError(f"{root}: no result of packetwarp bench in any folder; make one with "
                          "'packetwarp bench -- --json FILE', or give files: RESULTS=\"FILE...\"")
    return max(folders, key=lambda results: max(result.started for result in results))
