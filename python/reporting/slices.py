# SPDX-License-Identifier: Apache-2.0
"""A slice: the cases that differ in the executor and in what a picture has on its axes, in nothing else."""
from __future__ import annotations

import collections
import dataclasses
from collections.abc import Callable, Iterable
from typing import Any

from . import words
from .results import Case

EXECUTORS = ("none", "cpu", "kernel", "persistent", "graph")
PLACEMENTS = ("host", "device", "split")
SETTINGS = ("function", "placement", "burst", "frame_bytes", "pipelines", "lcores", "packet_time_ns", "workers", "offered_mpps")

Point = tuple[Any, ...]  # values along the slice's axes


def executor_order(name: str) -> tuple[int, str]:
    return (EXECUTORS.index(name) if name in EXECUTORS else len(EXECUTORS), name)


@dataclasses.dataclass(frozen=True)
class Slice:
    axes: tuple[str, ...]
    fixed: dict[str, Any]
    cases: tuple[Case, ...]

    @property
    def executors(self) -> list[str]:
        return sorted({case.executor for case in self.cases}, key=executor_order)

    def values(self, axis: str) -> list[Any]:
        found = {getattr(case, axis) for case in self.cases}
        return [p for p in PLACEMENTS if p in found] if axis == "placement" else sorted(found)

    def point(self, case: Case) -> Point:
        return tuple(getattr(case, axis) for axis in self.axes)

    def at(self, executor: str, *point: Any) -> Case | None:
        """The largest number of lcores, if they are not fixed and several exist."""
        here = [case for case in self.cases if case.executor == executor and self.point(case) == point]
        return max(here, key=lambda case: (case.mpps is not None, case.lcores), default=None)

    def of(self, executor: str) -> list[tuple[Point, Case | None]]:
        """Along every axis, with nothing for a missing figure."""
        cases = ((point, self.at(executor, *point)) for point in self.points())
        return [(point, case if case and case.mpps else None) for point, case in cases]

    def points(self) -> list[Point]:
        points: list[Point] = [()]
        for axis in self.axes:
            points = [(*point, value) for point in points for value in self.values(axis)]
        return points

    @property
    def measured(self) -> list[Case]:
        return [case for case in self.cases if case.mpps]

    @property
    def polling_lcores(self) -> int:
        """The main lcore watches, if more than one exists."""
        return max(max(case.lcores for case in self.cases) - 1, 1)

    def gaps(self) -> list[str]:
        """Every point that an executor lacks, with the reason. An executor without any case is not here, and lacks nothing."""
        lacking: dict[tuple[str, str], list[str]] = collections.defaultdict(list)
        for executor in self.executors:
            for point in self.points():
                case = self.at(executor, *point)
                if case and case.mpps or case is None and not makes_sense(executor, dict(zip(self.axes, point))):
                    continue
                why = "not measured" if case is None else f"{case.status}{': ' + case.reason if case.reason else ''}"
                lacking[executor, why].append(words.values_of(dict(zip(self.axes, point))))
        return [f"{executor} at {words.listed(points)}: {why}" for (executor, why), points in lacking.items()]


def makes_sense(executor: str, point: dict[str, Any]) -> bool:
    """`none` does no work and takes no time, and the CPU works in host memory only: bench has no other cases."""
    if executor == "none" and point.get("packet_time_ns"):
        return False
    return not (executor == "cpu" and point.get("placement", "host") != "host")


def slices(cases: Iterable[Case], axes: tuple[str, ...], free: tuple[str, ...] = ()) -> list[Slice]:
    """All slices, the fullest first. `free` may differ too, without being shown on an axis."""
    held = [name for name in SETTINGS if name not in axes + free]
    groups: dict[Point, list[Case]] = collections.defaultdict(list)
    for case in cases:
        groups[tuple(getattr(case, name) for name in held)].append(case)
    found = [Slice(axes, dict(zip(held, key)), tuple(group)) for key, group in groups.items()]
    return sorted(found, key=fullness, reverse=True)


def fullness(one: Slice) -> tuple[Any, ...]:
    """Most cases first, so that one that fails does not move the picture elsewhere; among equals the one that peers are measured
    in: small frames, host memory, all lcores."""
    fixed = one.fixed
    return (bool(one.measured), len(one.cases), fixed.get("frame_bytes", 64) == 64, fixed.get("placement", "host") == "host",
            fixed.get("burst", 64) == 64, fixed.get("pipelines", 0))


def varied(found: list[Slice], axis: str) -> list[Slice]:
    """The slices with measurements at two places of the axis or more: one point is no line."""
    return [one for one in found if len({getattr(case, axis) for case in one.measured}) > 1]


def only(cases: Iterable[Case], wanted: Callable[[Case], bool]) -> list[Case]:
    return [case for case in cases if wanted(case)]
