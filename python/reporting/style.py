# SPDX-License-Identifier: Apache-2.0
"""The style of pictures: one colour and one marker per executor, on light and on dark ground; labels at the lines' ends."""
from __future__ import annotations

import dataclasses
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.axes import Axes  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402

MARKERS = {"none": "o", "cpu": "s", "kernel": "^", "persistent": "D", "graph": "v"}
WIDTH, HEIGHT, DPI = 9.0, 5.4, 144


@dataclasses.dataclass(frozen=True)
class Theme:
    name: str
    ground: str
    ink: str
    faint: str
    executors: dict[str, str]
    other: str  # an executor that this file does not know

    def colour(self, executor: str) -> str:
        return self.executors.get(executor, self.other)


# Okabe and Ito's hues, which red-green colour-blind readers can tell apart; darker on light ground, lighter on dark.
LIGHT = Theme("light", "#ffffff", "#1f2328", "#8a9099", {
    "none": "#6e7781", "cpu": "#0063a6", "kernel": "#b86200", "persistent": "#00775a", "graph": "#a3478a"}, "#7a6a00")
DARK = Theme("dark", "#16191d", "#e6e8eb", "#7d8590", {
    "none": "#a2abb5", "cpu": "#56b4e9", "kernel": "#e69f00", "persistent": "#2fc79a", "graph": "#de95c1"}, "#d6c94a")
THEMES = (LIGHT, DARK)


@contextmanager
def themed(theme: Theme) -> Iterator[None]:
    settings = {
        "figure.facecolor": theme.ground, "axes.facecolor": theme.ground, "savefig.facecolor": theme.ground,
        "text.color": theme.ink, "axes.labelcolor": theme.ink, "axes.edgecolor": theme.faint,
        "xtick.color": theme.ink, "ytick.color": theme.ink, "grid.color": theme.faint, "grid.alpha": 0.25,
        "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "axes.grid.axis": "y",
        "font.family": "DejaVu Sans", "font.size": 10, "axes.titlesize": 11, "axes.titlelocation": "left",
        "axes.unicode_minus": False,
    }
    with plt.rc_context(settings):
        yield


def sheet(title: str, footer: tuple[str, ...], theme: Theme, panels: int = 1) -> tuple[Figure, list[Axes]]:
    """An empty picture, with its title on top and its conditions below."""
    lines = [line for text in footer for line in textwrap.wrap(text, 165, subsequent_indent="    ")]
    # Panels share the height; below them is room for the footer, line by line.
    below = 0.65 + 0.14 * len(lines)
    height = HEIGHT - 1.2 + below
    figure, axes = plt.subplots(1, panels, figsize=(WIDTH, height), dpi=DPI, squeeze=False, sharey=True)
    right = 0.80 if panels == 1 else 0.83
    figure.subplots_adjust(left=0.08, right=right, top=1 - 0.6 / height, bottom=below / height, wspace=0.16 + 0.1 * panels)
    figure.text(0.015, 1 - 0.3 / height, title, fontsize=12, fontweight="bold", va="center")
    figure.text(0.015, 0.1 / height, "\n".join(lines), fontsize=7, color=theme.faint, va="bottom", linespacing=1.35)
    return figure, list(axes[0])


@dataclasses.dataclass
class Labels:
    """Names at the right end of lines, moved apart where they would lie on each other."""

    axes: Axes
    entries: list[tuple[float, str, str, float]] = dataclasses.field(default_factory=list)

    def add(self, y: float, text: str, colour: str, size: float = 9) -> None:
        self.entries.append((y, text, colour, size))

    def place(self) -> None:
        """After the axes have their scale and limits."""
        to_axes = self.axes.transData + self.axes.transAxes.inverted()
        height_inches = self.axes.get_position().height * self.axes.figure.get_figheight()
        wanted = [(to_axes.transform((self.axes.get_xlim()[1], y))[1], *rest) for y, *rest in sorted(self.entries)]
        heights = [size * 1.25 * (text.count("\n") + 1) / 72 / height_inches for _, text, _, size in wanted]
        for centre, (anchor, text, colour, size) in zip(apart([w[0] for w in wanted], heights), wanted):
            self.axes.annotate(text, xy=(1.0, anchor), xytext=(1.04, centre), xycoords="axes fraction", color=colour,
                               fontsize=size, va="center", annotation_clip=False, linespacing=1.05,
                               arrowprops={"arrowstyle": "-", "color": colour, "lw": 0.5, "shrinkA": 1, "shrinkB": 0, "relpos": (0, 0.5)})


def apart(centres: list[float], heights: list[float]) -> list[float]:
    """Centres, given in rising order, moved as little as keeps labels of these heights from lying on each other."""
    # Labels that would overlap form a block around the middle of where its members want to be.
    blocks: list[tuple[list[int], float]] = []
    for number, centre in enumerate(centres):
        members, middle = [number], centre
        while blocks and blocks[-1][1] + extent(blocks[-1][0], heights) / 2 > middle - extent(members, heights) / 2:
            members = blocks.pop()[0] + members
            middle = sum(centres[member] for member in members) / len(members)
        blocks.append((members, middle))
    placed = []
    for members, middle in blocks:
        bottom = middle - extent(members, heights) / 2
        for member in members:
            placed.append(bottom + heights[member] / 2)
            bottom += heights[member]
    return placed


def extent(members: list[int], heights: list[float]) -> float:
    return sum(heights[member] for member in members)
