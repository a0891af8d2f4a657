# SPDX-License-Identifier: Apache-2.0
"""The conclusions from a slice, in sentences. Every figure in them was measured; nothing is interpolated."""
from __future__ import annotations

import itertools
from typing import Any

from . import words
from .figures import GPU_EXECUTORS, limits_of
from .peers import Known, Peer
from .results import Case
from .slices import Slice
from .winners import IDLE, LEAST_RUNS, Win, is_clearly_faster, win_at


def best(one: Slice, executor: str) -> Case | None:
    cases = [case for _, case in one.of(executor) if case]
    return max(cases, key=lambda case: case.mpps.median, default=None)


def place(one: Slice, case: Case) -> str:
    return words.values_of(dict(zip(one.axes, one.point(case))))


def highest_rates(one: Slice) -> list[str]:
    cases = [case for executor in one.executors if (case := best(one, executor))]
    parts = [f"{case.executor} {words.figure(case.mpps.median)} Mpps ({place(one, case)})" for case in cases]
    return [f"Highest median of each: {words.listed(parts)}."] if parts else []


def against_peers(one: Slice, known: Known) -> list[str]:
    """The range of the ratios of peer and executor, at the places where both have figures."""
    found = []
    for peer in known.series(one, "Mpps"):
        for executor, rates in peer.rates.items():
            ratios = [case.mpps.median / rates[point[0]] for point, case in one.of(executor) if case and point[0] in rates]
            if ratios:
                span = words.listed_range(words.times(min(ratios)), words.times(max(ratios)))
                found.append(f"{executor}: {span} {peer.name} ({lcores_of(one, peer)}"
                             f"{'' if known.is_here(peer.machine) else '; † another machine'}).")
    return found


def lcores_of(one: Slice, peer: Peer) -> str:
    ours, theirs = (words.value_of("polling lcores", lcores) for lcores in (one.polling_lcores, peer.lcores))
    return f"both on {ours}" if ours == theirs else f"on {ours}, beside {theirs}"


def against_limits(one: Slice, known: Known) -> list[str]:
    found = []
    for limit, rates in limits_of(one, known):
        if isinstance(rates, dict) or limit.machine is None:
            continue
        tops = [case for executor in one.executors if executor in GPU_EXECUTORS and (case := best(one, executor))]
        if tops:
            top = max(tops, key=lambda case: case.mpps.median)
            shares = [words.percent(top.mpps.median / rate) for rate in sorted(set(rates), reverse=True)]
            found.append(f"{top.executor} at its best is at {' to '.join(shares)} of what '{limit.name}' allows.")
    return found


def overtaking(one: Slice, along: str) -> list[str]:
    """Which executor is faster than which along the slice's axis, among executors whose runs do not overlap."""
    executors = [executor for executor in one.executors if executor != IDLE]
    always: dict[str, list[str]] = {executor: [] for executor in executors}
    found = []
    for behind, ahead in itertools.combinations(executors, 2):
        order = clear_order(one, ahead, behind)
        firsts = {ahead if faster else behind for _, faster in order}
        if len(firsts) == 1:
            first = firsts.pop()
            always[first].append(behind if first == ahead else ahead)
        for (value, was), (next_value, now) in itertools.pairwise(order):
            if was != now:
                first, last = (ahead, behind) if now else (behind, ahead)
                found.append(f"{first} overtakes {last} between {words.value_of(along, value)} and"
                             f" {words.value_of(along, next_value)}.")
    return found + [f"{first} is faster than {words.listed(others)} wherever they can be told apart."
                    for first, others in always.items() if others]


def clear_order(one: Slice, ahead: str, behind: str) -> list[tuple[Any, bool]]:
    """Along the axis, whether the first is the faster one."""
    both = [(point[0], a, b) for (point, a), (_, b) in zip(one.of(ahead), one.of(behind)) if a and b]
    return [(value, is_clearly_faster(a, b)) for value, a, b in both if is_clearly_faster(a, b) or is_clearly_faster(b, a)]


def lowest_latency(one: Slice) -> list[str]:
    load = words.value_of("offered_mpps", one.fixed["offered_mpps"])
    found = []
    for name in ("p50", "p99"):
        cases = [case for case in one.measured if name in case.latency_us]
        if cases:
            case = min(cases, key=lambda case: case.latency_us[name].median)
            found.append(f"{words.figure(case.latency_us[name].median)} us {name} ({case.executor}, {place(one, case)})")
    return [f"Lowest {load}: {words.listed(found)}."] if found else []


def winners(one: Slice) -> list[str]:
    """For each executor, the number of places it wins; for each burst, the work from which on an executor is ahead."""
    wins = {point: win for point in one.points() if (win := win_at(one, *point))}
    clear = [win for win in wins.values() if win.second and not win.level]
    counts = {executor: sum(win.first.executor == executor for win in clear) for executor in one.executors}
    parts = [f"{executor} in {count}" for executor, count in counts.items() if count]
    found = [f"Of {len(wins)} measured places, clearly ahead: {words.listed(parts)}."] if parts else []
    once = sum(win.is_of_one_run for win in wins.values())
    if once:
        found.append(f"No winner is named at {once} of {len(wins)} places: a figure there is of fewer than {LEAST_RUNS} runs, which "
                     "says nothing of the spread.")
    level = [words.values_of(dict(zip(one.axes, point))) for point, win in wins.items() if win.level and not win.is_of_one_run]
    if level:
        found.append(f"Not to be told apart, since the runs of the first two overlap: {'; '.join(level)}.")
    for burst in one.values("burst"):
        found += changes_of_winner(burst, [(time, wins.get((burst, time))) for time in one.values("packet_time_ns")])
    return found


def changes_of_winner(burst: int, column: list[tuple[int, Win | None]]) -> list[str]:
    clear = [(time, win) for time, win in column if win and win.second and not win.level]
    return [f"{win.first.executor} overtakes {before.first.executor} from {words.duration(time)} of work a packet"
            f" at bursts of {burst} (at {words.duration(earlier)}, {before.first.executor} is ahead)."
            for (earlier, before), (time, win) in zip(clear, clear[1:]) if win.first.executor != before.first.executor]


def effect_of_work(one: Slice) -> list[str]:
    found = []
    for executor in one.executors:
        cases = [(point[0], case.mpps.median) for point, case in one.of(executor) if case]
        if len(cases) > 1 and cases[0][1]:
            (first, full), (last, left) = cases[0], cases[-1]
            found.append(f"{executor} keeps {words.percent(left / full)} of its rate from {words.duration(first)} to"
                         f" {words.duration(last)} of work a packet.")
    return found


def scaling(one: Slice) -> list[str]:
    found = []
    for executor in one.executors:
        cases = [(point[0], case.mpps.median) for point, case in one.of(executor) if case]
        if len(cases) > 1 and cases[0][1]:
            (few, low), (many, high) = cases[0], cases[-1]
            found.append(f"{executor}: {words.times(high / low)} the rate with {words.value_of('pipelines', many)}"
                         f" instead of {few}.")
    return found
