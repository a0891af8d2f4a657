# SPDX-License-Identifier: Apache-2.0
"""Results of `packetwarp bench --json`, checked field by field: every value read here is a figure on the page later."""
from __future__ import annotations

import dataclasses
import json
import pathlib
import statistics
from collections.abc import Iterable
from typing import Any

BENCHMARK = "packetwarp_bench"
STATUSES = ("ok", "failed", "unsupported", "pending")


class ReportError(Exception):
    """A line for the person at the terminal."""


@dataclasses.dataclass(frozen=True)
class Spread:
    median: float
    low: float
    high: float


@dataclasses.dataclass(frozen=True)
class Machine:
    cpu: str
    cpus: int | None
    gpu: str | None  # empty without one; nothing if the result does not say

    def __str__(self) -> str:
        cpus = [f"{self.cpus} CPUs"] if self.cpus else []
        gpu = [] if self.gpu is None else [self.gpu or "no GPU"]
        return ", ".join([self.cpu, *cpus, *gpu])


@dataclasses.dataclass(frozen=True)
class Case:
    function: str
    executor: str
    placement: str
    burst: int
    frame_bytes: int
    pipelines: int
    lcores: int
    packet_time_ns: int
    workers: str
    offered_mpps: float | None
    status: str
    reason: str
    mpps: Spread | None
    gbps: Spread | None  # layer 2, with the FCS: what its packets would fill, for the bench has no port with a wire
    latency_us: dict[str, Spread]  # by percentile; empty if none was taken
    runs: int = 1  # that the figures are of
    source: Result | None = dataclasses.field(default=None, repr=False, compare=False)

    @property
    def setting(self) -> tuple[Any, ...]:
        return (self.function, self.executor, self.placement, self.burst, self.frame_bytes, self.pipelines, self.lcores,
                self.packet_time_ns, self.workers, self.offered_mpps)


@dataclasses.dataclass(frozen=True)
class Beside:
    """dpdk-testpmd, run by the same bench on the same machine."""

    mode: str
    burst: int
    frame_bytes: int
    lcores: int
    mpps: Spread | None


@dataclasses.dataclass(frozen=True)
class Result:
    name: str
    version: str
    commit: str
    started: str
    command: str
    machine: Machine
    software: str
    seconds: float
    repeats: int
    notices: tuple[str, ...]
    cases: tuple[Case, ...] = ()
    beside: tuple[Beside, ...] = ()


@dataclasses.dataclass(frozen=True)
class Field:
    """A value of a JSON document, and its place there."""

    value: Any
    where: str

    def __getitem__(self, name: str) -> Field:
        if not isinstance(self.value, dict):
            raise ReportError(f"{self.where}: expected an object, found {shown(self.value)}")
        if name not in self.value:
            raise ReportError(f"{self.where}: has no '{name}'; expected a result of packetwarp bench --json")
        return Field(self.value[name], f"{self.where}: {name}" if self.where.count(": ") == 0 else f"{self.where}.{name}")

    def get(self, name: str) -> Field | None:
        """The field, or nothing if it is absent or null."""
        return self[name] if isinstance(self.value, dict) and self.value.get(name) is not None else None

    def items(self) -> list[Field]:
        if not isinstance(self.value, list):
            raise ReportError(f"{self.where}: expected a list, found {shown(self.value)}")
        return [Field(item, f"{self.where}[{number}]") for number, item in enumerate(self.value)]

    def text(self) -> str:
        if not isinstance(self.value, str):
            raise ReportError(f"{self.where}: expected a text, found {shown(self.value)}")
        return self.value

    def number(self) -> float:
        if isinstance(self.value, bool) or not isinstance(self.value, (int, float)) or not 0 <= self.value < float("inf"):
            raise ReportError(f"{self.where}: expected a number of 0 or more, found {shown(self.value)}")
        return self.value

    def whole(self) -> int:
        if self.number() != int(self.value):
            raise ReportError(f"{self.where}: expected a whole number, found {shown(self.value)}")
        return int(self.value)


def shown(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 40 else text[:37] + "..."


# --- one file ---------------------------------------------------------------------------------------------------------


def spread_from(field: Field) -> Spread:
    spread = Spread(field["median"].number(), field["min"].number(), field["max"].number())
    if not spread.low <= spread.median <= spread.high:
        raise ReportError(f"{field.where}: the median {spread.median:g} is not between min and max")
    return spread


def spread_of(values: Iterable[float]) -> Spread:
    ordered = sorted(values)
    return Spread(statistics.median(ordered), ordered[0], ordered[-1])


def latency_from(case: Field) -> dict[str, Spread]:
    """The given medians, with the lowest and highest run beside them."""
    given = case.get("latency_us")
    if given is None:
        return {}
    found = {}
    for name in ("p50", "p99", "p999"):
        median = given[name].number()
        runs = [latency[name].number() for run in case["runs"].items() if (latency := run.get("latency_us"))]
        found[name] = Spread(median, min([median, *runs]), max([median, *runs]))
    return found


def gbps_from(case: Field) -> Spread | None:
    if given := case.get("gbps_l2"):
        return spread_from(given)
    runs = [rate.number() for run in case["runs"].items() if (rate := run.get("gbps_l2"))]
    return spread_of(runs) if runs else None


def case_from(field: Field) -> Case:
    status = field["status"].text()
    if status not in STATUSES:
        raise ReportError(f"{field['status'].where}: '{status}' is none of {', '.join(STATUSES)}")
    measured = status == "ok"
    whole = {name: field[name].whole() for name in
             ("burst", "frame_bytes", "pipelines", "lcores", "packet_time_ns")}
    texts = {name: field[name].text() for name in ("function", "executor", "placement", "workers")}
    offered, reason = field.get("offered_mpps"), field.get("reason")
    # The value of a case that did not end well is no figure.
    return Case(**texts, **whole, offered_mpps=offered.number() if offered else None, status=status,
                reason=reason.text() if reason else "", mpps=spread_from(field["mpps"]) if measured else None,
                gbps=gbps_from(field) if measured else None, latency_us=latency_from(field) if measured else {},
                runs=len(field["runs"].items()) if measured else 0)


def beside_from(field: Field) -> Beside:
    mpps = field.get("mpps")
    return Beside(field["mode"].text(), field["burst"].whole(), field["frame_bytes"].whole(), field["lcores"].whole(),
                  spread_from(mpps) if mpps else None)


def gpu_of(value: Any) -> str:
    """A name, an object with a name, or a list of either."""
    if isinstance(value, list):
        names = [name for name in map(gpu_of, value) if name]
        return f"{len(names)} x {names[0]}" if len(names) > 1 else "".join(names)
    if isinstance(value, dict):
        return gpu_of(value.get("name"))
    return value if isinstance(value, str) else ""


def result_from(root: Field) -> Result:
    host = root["host"]
    cpus = host.get("cpus")
    machine = Machine(host["cpu_model"].text(), cpus.whole() if cpus else None,
                      gpu_of(host.value["gpus"]) if "gpus" in host.value else None)
    result = Result(
        root.where, root["version"].text(), root["commit"].text(), root["started"].text(), root["command"].text(), machine,
        f"{host['dpdk'].text()}, kernel {host['kernel'].text()}", root["seconds"].number(), root["repeats"].whole(),
        tuple(notice.text() for notice in root["notices"].items()),
        beside=tuple(map(beside_from, root["peers"].items())))
    cases = tuple(dataclasses.replace(case_from(case), source=result) for case in root["cases"].items())
    return dataclasses.replace(result, cases=cases)


def parse(path: pathlib.Path) -> Field:
    try:
        return Field(json.loads(path.read_text()), path.name)
    except OSError as error:
        raise ReportError(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise ReportError(f"{path}: is no JSON: {error}") from None


def is_bench_result(document: Field) -> bool:
    return isinstance(document.value, dict) and document.value.get("benchmark") == BENCHMARK


def read(path: pathlib.Path) -> Result:
    document = parse(path)
    if not is_bench_result(document):
        raise ReportError(f"{path}: is no result of packetwarp bench: its \"benchmark\" is not \"{BENCHMARK}\"")
    return result_from(document)
