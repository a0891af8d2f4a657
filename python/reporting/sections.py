# SPDX-License-Identifier: Apache-2.0
"""The parts of the page, in its order: each section shows one slice, its conclusions, and its gaps."""
from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from matplotlib.figure import Figure

from . import figures, findings, tables, words, winners
from .gathering import Gathered
from .peers import Known
from .results import Result
from .slices import Slice, only, slices, varied
from .style import Theme

Draw = Callable[[Theme], Figure]
MOST_PANELS = 3
DAGGER = "† was measured on another machine, and is no measure of this one:"


@dataclasses.dataclass(frozen=True)
class Section:
    name: str  # of its picture's file
    title: str
    shows: str
    setting: str = ""
    findings: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()
    tables: tuple[tuple[str, tables.Table], ...] = ()  # each under its heading
    draw: Draw | None = None
    provenance: tuple[str, ...] = ()
    others: int = 0  # settings that were measured along the same axes, and have no picture


def absent(name: str, title: str, lacking: str) -> Section:
    return Section(name, title, f"Not shown: {lacking}.")


def sources_of(parts: list[Slice]) -> list[Result]:
    found = {case.source.name: case.source for one in parts for case in one.cases if case.source}
    return sorted(found.values(), key=lambda result: result.started)


def provenance(parts: list[Slice]) -> tuple[str, ...]:
    """Machine, commit, command, repeats: of every file that the section has cases from."""
    results = sources_of(parts)
    lines = [str(results[0].machine)]
    for result in results:
        runs = words.value_of("runs", result.repeats)
        dirty = "-dirty" if result.commit.endswith("-dirty") else ""
        lines.append(f"packetwarp {result.version} at {result.commit[:12]}{dirty}, {result.started[:10]}, "
                     f"{runs} of {result.seconds:g} s: {words.without_folders(result.command)}")
    return tuple(lines)


def shared(parts: list[Slice]) -> dict[str, Any]:
    """The settings that all have; panels name the others."""
    return {name: value for name, value in parts[0].fixed.items() if all(one.fixed.get(name) == value for one in parts)}


def footer(parts: list[Slice], *notes: str) -> tuple[str, ...]:
    """A picture's footer, wherever the picture is shown."""
    setting = words.values_of(shared(parts))
    return (f"{setting}. Medians; whiskers from the lowest to the highest run.", *notes, *provenance(parts))


def throughput(one: Slice, known: Known, title: str, x_label: str, tick: Callable[[Any], str] = str) -> Draw:
    elsewhere = sorted({f"{peer.name} on {peer.machine.words}" for peer in known.foreign(one)})
    notes = [f"{DAGGER} {'; '.join(elsewhere)}."] if elsewhere else []
    return lambda theme: figures.throughput(one, known, title, x_label, footer([one], *notes), theme, tick)


def by_burst(data: Gathered, known: Known) -> list[Section]:
    found = varied(slices(only(data.cases, lambda case: case.offered_mpps is None), ("burst",)), "burst")
    title = "Throughput by burst and executor"
    if not found:
        return [absent("throughput_by_burst", title, "no setting was measured with two bursts or more")]
    plain = [one for one in found if not one.fixed["packet_time_ns"]] or found
    first = plain[0]
    said = (*findings.highest_rates(first), *findings.against_peers(first, known), *findings.against_limits(first, known),
            *findings.overtaking(first, "burst"))
    listed = tuple((words.values_of(one.fixed), tables.by_executor(one, known)) for one in plain)
    shows = ("Packets forwarded a second against the largest number of packets a burst. The first table of l2fwd-nv, of this "
             "machine, without its Gb/s: no port here has a wire.")
    return [Section("throughput_by_burst", title, shows, words.values_of(first.fixed), said, gaps_of(plain), listed,
                    throughput(first, known, title, "packets a burst"), provenance(plain), len(found) - 1)]


def gaps_of(parts: list[Slice]) -> tuple[str, ...]:
    if len(parts) == 1:
        return tuple(parts[0].gaps())
    return tuple(f"{words.values_of(one.fixed)}: {gap}" for one in parts for gap in one.gaps())


def by_size(data: Gathered, known: Known) -> list[Section]:
    at_full_rate = only(data.cases, lambda case: case.offered_mpps is None and not case.packet_time_ns)
    found = slices(at_full_rate, ("frame_bytes", "placement"))
    found = [one for one in found if len({one.point(case) for case in one.measured}) > 1]
    title = "Throughput by packet size and placement"
    if not found:
        return [absent("throughput_by_size", title, "nothing was measured in two packet sizes or placements")]
    first = found[0]
    panels = [one for one in slices(first.cases, ("frame_bytes",)) if one.measured][:MOST_PANELS]
    panels.sort(key=lambda one: first.values("placement").index(one.fixed["placement"]))
    listed = tuple((f"{executor}, {words.values_of(first.fixed)}", tables.by_placement(first, executor, known))
                   for executor in first.executors)
    said = tuple(findings.highest_rates(first))
    shows = ("The second table of l2fwd-nv, of this machine: how the rate depends on the packets' size and on the memory they "
             "lie in. A table an executor; l2fwd-nv published its own for none. Its Gb/s are left "
             "out: no port here has a wire.")
    return [Section("throughput_by_size", title, shows, words.values_of(first.fixed), said, tuple(first.gaps()), listed,
                    lambda theme: figures.by_placement(panels, known, title, footer(panels), theme),
                    provenance([first]), len(found) - 1)]


def latency(data: Gathered, known: Known) -> list[Section]:
    title = "Latency by burst"
    found = varied(slices(only(data.cases, lambda case: bool(case.latency_us)), ("burst",)), "burst")
    if not found:
        return [absent("latency_by_burst", title, "no setting has latency at two bursts or more")]
    plain = [one for one in found if not one.fixed["packet_time_ns"]] or found
    panels = {one.fixed["offered_mpps"]: one for one in reversed(plain)}  # the fullest of each load
    loads = sorted(panels, key=lambda load: (load is None, load))[:MOST_PANELS]
    # Cases without latency are gaps here, not absent.
    parts = [complete(panels[load], data) for load in loads]
    said = tuple(sentence for one in parts for sentence in findings.lowest_latency(one))
    shows = ("From the moment a packet is received to when it is ready to send; median solid, 99th percentile dashed. At full "
             "rate it is mostly waiting in a full ring; at an offered rate it is what a packet meets.")
    return [Section("latency_by_burst", title, shows, words.values_of(shared(parts)), said,
                    gaps_of(parts), (), lambda theme: figures.latency(parts, known, title, footer(parts), theme),
                    provenance(parts), len(found) - len(parts))]


def complete(one: Slice, data: Gathered) -> Slice:
    """With the cases of the same setting that have no figure."""
    same = only(data.cases, lambda case: all(getattr(case, name) == value for name, value in one.fixed.items()))
    return dataclasses.replace(one, cases=tuple(same))


def winner_map(data: Gathered, known: Known) -> list[Section]:
    title = "Which executor wins"
    competing = only(data.cases, lambda case: case.offered_mpps is None and case.executor != winners.IDLE)
    found = [one for one in slices(competing, ("burst", "packet_time_ns"))
             if len({one.point(case) for case in one.measured}) > 1 and len({case.executor for case in one.measured}) > 1]
    if not found:
        return [absent("winners", title, "no setting was measured with two executors that work, at two places or more")]
    first = found[0]
    shows = ("At each burst and work per packet, the executor with the highest median, and by how much it leads the next. Pale, "
             "with two names: their runs overlap, or are too few to tell. none is left out: it does not do the work.")
    return [Section("winners", title, shows, words.values_of(first.fixed), tuple(findings.winners(first)), tuple(first.gaps()),
                    (), lambda theme: winners.winner_map(first, title, footer([first]), theme),
                    provenance([first]), len(found) - 1)]


def by_work(data: Gathered, known: Known) -> list[Section]:
    title = "Throughput by work per packet"
    found = varied(slices(only(data.cases, lambda case: case.offered_mpps is None), ("packet_time_ns",)), "packet_time_ns")
    if not found:
        return [absent("throughput_by_work", title, "no setting was measured with two amounts of work")]
    first = found[0]
    said = (*findings.effect_of_work(first), *findings.overtaking(first, "packet_time_ns"))
    shows = "Each packet takes this much longer to process. none does no work; it has the port's own rate."
    return [Section("throughput_by_work", title, shows, words.values_of(first.fixed), said, tuple(first.gaps()), (),
                    throughput(first, known, title, "work a packet", lambda time: words.duration(time) if time else "0"),
                    provenance([first]), len(found) - 1)]


def by_pipelines(data: Gathered, known: Known) -> list[Section]:
    title = "Scaling with pipelines"
    at_full_rate = only(data.cases, lambda case: case.offered_mpps is None)
    found = varied(slices(at_full_rate, ("pipelines",), free=("lcores",)), "pipelines")
    if not found:
        return [absent("scaling", title, "no setting was measured with two numbers of pipelines")]
    first = next((one for one in found if not one.fixed["packet_time_ns"]), found[0])
    shows = "A pipeline is a receive queue, an executor's ring and a transmit queue; lcores rise with them."
    return [Section("scaling", title, shows, words.values_of(first.fixed), tuple(findings.scaling(first)), tuple(first.gaps()),
                    (), throughput(first, known, title, "pipelines"), provenance([first]), len(found) - 1)]


def sections(data: Gathered, known: Known) -> list[Section]:
    makers = (by_burst, by_size, latency, winner_map, by_work, by_pipelines)
    return [section for make in makers for section in make(data, known)]
