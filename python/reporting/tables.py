# SPDX-License-Identifier: Apache-2.0
"""l2fwd-nv's two tables, of this machine: packetwarp's medians in Mpps, peers' figures below them."""
from __future__ import annotations

import dataclasses
from collections.abc import Callable
from html import escape

from . import words
from .peers import Known, Peer
from .results import Case, Spread
from .slices import Slice

DASH = "\N{EN DASH}"


@dataclasses.dataclass(frozen=True)
class Cell:
    text: str
    value: float | None = None  # in full
    range: str = ""  # of the runs

    def html(self) -> str:
        value = f' data-value="{self.value!r}"' if self.value is not None else ""
        span = f"<small>{escape(self.range)}</small>" if self.range else ""
        return f"<td{value}>{escape(self.text)}{span}</td>"

    def markdown(self) -> str:
        return f"{self.text} ({self.range})" if self.range else self.text


MISSING = Cell(DASH)


@dataclasses.dataclass(frozen=True)
class Row:
    head: str
    label: str
    cells: tuple[Cell, ...]


@dataclasses.dataclass(frozen=True)
class Table:
    corner: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]

    def html(self) -> str:
        heads = "".join(f'<th scope="col">{escape(column)}</th>' for column in (self.corner, "", *self.columns))
        lines = [f"<table><thead><tr>{heads}</tr></thead>"]
        before = None
        for row in self.rows:
            if row.head != before:
                lines.append("</tbody><tbody>" if before is not None else "<tbody>")
            head = row.head if row.head != before else ""
            cells = "".join(cell.html() for cell in row.cells)
            lines.append(f'<tr><th scope="row">{escape(head)}</th>'
                         f'<th scope="row" class="label">{escape(row.label)}</th>{cells}</tr>')
            before = row.head
        return "\n".join([*lines, "</tbody></table>"])

    def markdown(self) -> str:
        lines = [f"| {' | '.join((self.corner, '', *self.columns))} |", "| --- " * (len(self.columns) + 2) + "|"]
        lines += [f"| {' | '.join((row.head, row.label, *(cell.markdown() for cell in row.cells)))} |" for row in self.rows]
        return "\n".join(lines)


def spread_cell(spread: Spread | None) -> Cell:
    if spread is None:
        return MISSING
    low, high = words.figure(spread.low), words.figure(spread.high)
    return Cell(words.figure(spread.median), spread.median, f"{low} to {high}" if low != high else "")


def rate_cell(rate: float | None) -> Cell:
    return MISSING if rate is None else Cell(f"{rate:g}", rate)


def own_rows(head: str, cases: list[Case | None]) -> list[Row]:
    """A missing measurement has a dash here, and its reason in the list of gaps."""
    measured = [case if case and case.mpps else None for case in cases]
    # The bench's ports have no wire: Gb/s of theirs do not belong beside those of a peer that had one.
    return [Row(head, "packetwarp, Mpps", tuple(spread_cell(case.mpps if case else None) for case in measured))]


def name_of(peer: Peer, known: Known) -> str:
    """With its machine, where that is another: figures of two machines do not share a row."""
    here = "" if known.is_here(peer.machine) else f" on {peer.machine.gpu} †"
    return f"{peer.name}{here}, {words.value_of('lcores', peer.lcores)}, {peer.unit}"


def peer_rows(head: str, one: Slice, known: Known, rates_of: Callable[[Peer], list[float | None]]) -> list[Row]:
    """A single row for a peer's several entries of the same place, such as of different placements."""
    rows: dict[str, list[float | None]] = {}
    for peer in known.series(one, "Mpps") + known.series(one, "Gb/s"):
        rates = rates_of(peer)
        if any(rate is not None for rate in rates):
            merged = rows.setdefault(name_of(peer, known), [None] * len(rates))
            rows[name_of(peer, known)] = [new if new is not None else old for old, new in zip(merged, rates)]
    return [Row(head, name, tuple(map(rate_cell, rates))) for name, rates in rows.items()]


def by_executor(one: Slice, known: Known) -> Table:
    """Bursts down, executors across."""
    rows: list[Row] = []
    for burst in one.values("burst"):
        rows += own_rows(str(burst), [one.at(executor, burst) for executor in one.executors])
        rows += peer_rows(str(burst), one, known,
                          lambda peer, burst=burst: [peer.rates.get(e, {}).get(burst) for e in one.executors])
    return Table("burst", tuple(one.executors), tuple(rows))


def by_placement(one: Slice, executor: str, known: Known) -> Table:
    """Frame sizes down, placements across, for one executor."""
    placements = one.values("placement")
    rows: list[Row] = []
    for size in one.values("frame_bytes"):
        rows += own_rows(f"{size} B", [one.at(executor, size, placement) for placement in placements])
        rows += peer_rows(f"{size} B", one, known, lambda peer, size=size: [
            peer.rates.get(executor, {}).get(size) if peer.placement == placement else None for placement in placements])
    return Table("frame", tuple(f"{placement} memory" for placement in placements), tuple(rows))
