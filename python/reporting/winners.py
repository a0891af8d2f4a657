# SPDX-License-Identifier: Apache-2.0
"""Which executor wins where: by how much, and whether the runs leave room for doubt."""
from __future__ import annotations

import dataclasses

from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from . import words
from .results import Case
from .slices import Slice
from .style import Theme, sheet

IDLE = "none"  # does not do the work that the others compete in


LEAST_RUNS = 2  # of a case whose figure may be said to be ahead of another's


def is_clearly_faster(one: Case, other: Case) -> bool:
    return min(one.runs, other.runs) >= LEAST_RUNS and one.mpps.low > other.mpps.high


@dataclasses.dataclass(frozen=True)
class Win:
    """The fastest executor of one place, and the next, if it exists."""

    first: Case
    second: Case | None

    @property
    def margin(self) -> float | None:
        if self.second is None or not self.second.mpps.median:
            return None
        return self.first.mpps.median / self.second.mpps.median - 1

    @property
    def level(self) -> bool:
        """The slowest run of the first is not faster than the fastest of the second; or only one run was made, whose spread is
        unknown."""
        return self.second is not None and not is_clearly_faster(self.first, self.second)

    @property
    def is_of_one_run(self) -> bool:
        return self.second is not None and min(self.first.runs, self.second.runs) < LEAST_RUNS


def win_at(one: Slice, *point: object) -> Win | None:
    cases = [one.at(executor, *point) for executor in one.executors if executor != IDLE]
    ordered = sorted((case for case in cases if case and case.mpps), key=lambda case: case.mpps.median, reverse=True)
    return Win(ordered[0], ordered[1] if len(ordered) > 1 else None) if ordered else None


def text_of(win: Win) -> str:
    if win.second is None:
        return f"only {win.first.executor}\n{words.figure(win.first.mpps.median)} Mpps"
    if win.level:
        return f"{win.first.executor} or\n{win.second.executor}"
    lead = words.times(win.margin + 1) if win.margin >= 1 else f"+{words.percent(win.margin)} over"
    return f"{win.first.executor}\n{lead} {win.second.executor}"


def strength(win: Win) -> float:
    """How full the colour is: a margin of 100 % or more has all of it."""
    return 0.12 if win.level or win.margin is None else 0.2 + 0.55 * min(win.margin, 1.0)


def winner_map(one: Slice, title: str, footer: tuple[str, ...], theme: Theme) -> Figure:
    """Bursts across, work upwards; colour is the winner's, its fullness the margin. A place without a measurement is empty."""
    bursts, work = one.values("burst"), one.values("packet_time_ns")
    figure, (axes,) = sheet(title, footer, theme)
    axes.grid(False)
    for column, burst in enumerate(bursts):
        for row, time in enumerate(work):
            win = win_at(one, burst, time)
            where = (column - 0.48, row - 0.46)
            if win is None:
                axes.add_patch(Rectangle(where, 0.96, 0.92, fill=False, edgecolor=theme.faint, linestyle=":"))
                axes.text(column, row, "not measured", ha="center", va="center", fontsize=8, color=theme.faint)
                continue
            colour = theme.colour(win.first.executor)
            axes.add_patch(Rectangle(where, 0.96, 0.92, facecolor=colour, alpha=strength(win), linewidth=0))
            axes.text(column, row, text_of(win), ha="center", va="center", fontsize=8.5)
    axes.set_xlim(-0.5, len(bursts) - 0.5)
    axes.set_ylim(-0.5, len(work) - 0.5)
    axes.set_xticks(range(len(bursts)), [str(burst) for burst in bursts])
    axes.set_yticks(range(len(work)), ["0" if time == 0 else words.duration(time) for time in work])
    axes.tick_params(length=0)
    for side in ("left", "bottom"):
        axes.spines[side].set_visible(False)
    axes.set_xlabel("packets a burst")
    axes.set_ylabel("work a packet")
    figure.subplots_adjust(left=0.1, right=0.98)
    return figure
