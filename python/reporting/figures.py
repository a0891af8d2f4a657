# SPDX-License-Identifier: Apache-2.0
"""The pictures: one line per executor, medians with whiskers from the lowest to the highest run, gaps for missing figures."""
from __future__ import annotations

import math
import textwrap
from collections.abc import Callable
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from . import words
from .peers import Known, Limit
from .results import Case, Spread
from .slices import Slice
from .style import MARKERS, Labels, Theme, sheet

LOG_FROM = 12  # times between the largest and the smallest value, from which on a linear axis hides the small ones
BEYOND = 3  # times the measured values: a limit above it is not drawn
GPU_EXECUTORS = ("kernel", "persistent", "graph")

Pick = Callable[[Case], Spread | None]


def mpps(case: Case) -> Spread | None:
    return case.mpps


def percentile(name: str) -> Pick:
    return lambda case: case.latency_us.get(name)


class Plot:
    """A pair of axes, with every value drawn on it noted, so that the scale can be chosen last."""

    def __init__(self, axes: Axes, one: Slice, theme: Theme) -> None:
        self.axes, self.slice, self.theme = axes, one, theme
        self.labels = Labels(axes)
        self.values: list[float] = []
        self.positions = {value: number for number, value in enumerate(one.values(one.axes[0]))}

    def line(self, executor: str, pick: Pick, style: str = "-") -> None:
        """A dashed one is the solid one's companion, and has no label of its own."""
        colour = self.theme.colour(executor)
        spreads = [pick(case) if case else None for _, case in self.slice.of(executor)]
        xs = range(len(spreads))
        # A value that is none leaves a hole in the line.
        ys = [spread.median if spread else math.nan for spread in spreads]
        whiskers = [[s.median - s.low if s else 0 for s in spreads], [s.high - s.median if s else 0 for s in spreads]]
        self.axes.errorbar(xs, ys, yerr=whiskers, color=colour, linestyle=style, linewidth=1.8, markersize=5, capsize=3,
                           elinewidth=1, marker=MARKERS.get(executor, "o"), markerfacecolor=colour if style == "-" else "none")
        found = [y for y in ys if not math.isnan(y)]
        self.values += [s.low for s in spreads if s] + [s.high for s in spreads if s]
        if found and style == "-":
            self.labels.add(found[-1], executor, colour)

    def peer(self, rates: dict[int, float], colour: str, name: str) -> None:
        """Only where the slice has a point too: the axis is that of the results."""
        points = sorted((self.positions[x], y) for x, y in rates.items() if x in self.positions)
        if not points:
            return
        xs, ys = zip(*points)
        self.axes.plot(xs, ys, color=colour, linestyle=":", linewidth=1.2, marker=".", markersize=4, zorder=1)
        self.values += ys
        if name:
            self.labels.add(ys[-1], name, colour, 7.5)

    def level(self, low: float, high: float, name: str) -> None:
        if high > low:
            self.axes.axhspan(low, high, color=self.theme.faint, alpha=0.15, linewidth=0)
        for y in {low, high}:
            self.axes.axhline(y, color=self.theme.faint, linewidth=0.9, linestyle=(0, (6, 3)), zorder=0)
        self.values += [low, high]
        if name:
            self.labels.add(low, name, self.theme.faint, 7.5)

    def finish(self, x_label: str, y_label: str, tick: Callable[[Any], str] = str) -> None:
        positive = [value for value in self.values if value > 0]
        log = bool(positive) and max(positive) / min(positive) > LOG_FROM and len(positive) == len(self.values)
        if log:
            self.axes.set_yscale("log")
            self.axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            self.axes.set_ylim(min(positive) / 1.4, max(positive) * 1.4)
        else:
            self.axes.set_ylim(0, max(positive, default=1) * 1.1)
        self.axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:g}"))
        self.axes.yaxis.set_minor_locator(NullLocator())
        self.axes.set_xticks(list(self.positions.values()), [tick(value) for value in self.positions])
        self.axes.set_xlim(-0.3, len(self.positions) - 0.85)
        self.axes.set_xlabel(x_label)
        self.axes.set_ylabel(f"{y_label}, log scale" if log and y_label else y_label)
        self.labels.place()


def marked(name: str, here: bool) -> str:
    """The dagger is explained beside the picture."""
    return name if here else f"{name} †"


def limits_of(one: Slice, known: Known) -> list[tuple[Limit, Any]]:
    """A limit is its machine's. A limit far beyond the measured values would press the lines flat: it is listed, not drawn."""
    highest = max((case.mpps.high for case in one.measured if case.mpps), default=0)

    def lowest(rates: Any) -> float:
        return min(rates.values()) if isinstance(rates, dict) else rates[0]

    limits = known.rate_limits(one.fixed["placement"], one.fixed["frame_bytes"])
    return [(limit, rates) for limit, rates in limits if known.is_here(limit.machine) and lowest(rates) <= highest * BEYOND]


def draw_peers(plot: Plot, known: Known, unit: str) -> None:
    for peer in known.series(plot.slice, unit):
        here = known.is_here(peer.machine)
        for executor, rates in peer.rates.items():
            if executor in plot.slice.executors:
                name = f"{peer.name} {executor}" if len(peer.rates) > 1 else peer.name
                plot.peer(rates, plot.theme.colour(executor), marked(name, here))
        if peer.rate is not None:
            plot.level(peer.rate, peer.rate, marked(f"{peer.name}, {words.value_of('lcores', peer.lcores)}", here))


def draw_limits(plot: Plot, known: Known) -> None:
    for limit, rates in limits_of(plot.slice, known):
        name = folded(limit.name)
        if isinstance(rates, dict):
            plot.peer(rates, plot.theme.faint, name)
        else:
            plot.level(*rates, name)


def throughput(one: Slice, known: Known, title: str, x_label: str, footer: tuple[str, ...], theme: Theme,
               tick: Callable[[Any], str] = str) -> Figure:
    """Along the slice's axis, with peers under the same conditions and limits."""
    figure, (axes,) = sheet(title, footer, theme)
    plot = Plot(axes, one, theme)
    for executor in one.executors:
        plot.line(executor, mpps)
    draw_peers(plot, known, "Mpps")
    draw_limits(plot, known)
    plot.finish(x_label, "Mpps", tick)
    return figure


def latency(panels: list[Slice], known: Known, title: str, footer: tuple[str, ...], theme: Theme) -> Figure:
    """A panel per load: the median solid, the 99th percentile dashed."""
    figure, every = sheet(title, footer, theme, len(panels))
    plots = [Plot(axes, one, theme) for one, axes in zip(panels, every)]
    for plot in plots:
        for executor in plot.slice.executors:
            plot.line(executor, percentile("p50"))
            plot.line(executor, percentile("p99"), "--")
        on_gpu = any(executor in GPU_EXECUTORS for executor in plot.slice.executors)
        for limit in known.latency_limits():
            if known.is_here(limit.machine) and on_gpu:
                plot.level(limit.value, limit.value, folded(limit.name) if plot is plots[-1] else "")
        plot.axes.set_title(words.value_of("offered_mpps", plot.slice.fixed["offered_mpps"]), fontsize=10)
    finish_alike(plots, "packets a burst", "us, p50 solid, p99 dashed")
    return figure


def by_placement(panels: list[Slice], known: Known, title: str, footer: tuple[str, ...], theme: Theme) -> Figure:
    """A panel per placement: throughput against the frames' size, which wires limit."""
    figure, every = sheet(title, footer, theme, len(panels))
    plots = [Plot(axes, one, theme) for one, axes in zip(panels, every)]
    for plot in plots:
        for executor in plot.slice.executors:
            plot.line(executor, mpps)
        for limit in known.limits:
            if limit.machine is None:
                rates = {size: rate[0] for size in plot.positions if (rate := limit.mpps(size))}
                plot.peer(rates, theme.faint, folded(limit.name) if plot is plots[-1] else "")
        plot.axes.set_title(words.value_of("placement", plot.slice.fixed["placement"]), fontsize=10)
    finish_alike(plots, "bytes a frame", "Mpps")
    return figure


def folded(name: str) -> str:
    return "\n".join(textwrap.wrap(name, 22))


def finish_alike(plots: list[Plot], x_label: str, y_label: str) -> None:
    """On one scale, said once."""
    every = [value for plot in plots for value in plot.values]
    for plot in plots:
        plot.values = every
        plot.finish(x_label, y_label if plot is plots[0] else "")
