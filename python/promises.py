# SPDX-License-Identifier: Apache-2.0
"""Checks that docs/reliability.md promises only what the code has: a row for each bounded resource, with its counter, alert and
tests.

Rows belong to tables whose head is COLUMNS. In the counter's column each code span is a name that stands in src/; in the alert's
column each is an alert of ALERTS that asks for one of the row's counters; in the test's column each is `FILE` or `FILE::NAME`, and the file has that name in it."""
from __future__ import annotations

import pathlib
import re
from collections.abc import Iterator

COLUMNS = ("what", "bound", "dropped or evicted first", "counter", "alert", "test")
PAGE = "docs/reliability.md"
ALERTS = "deploy/prometheus/packetwarp-alerts.yml"


def cells_of(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split(" | ")]


def rows_of(text: str) -> Iterator[tuple[int, list[str]]]:
    """The rows of such tables, each with its line's number."""
    within = False
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.startswith("|"):
            within = False
        elif tuple(cells_of(line)) == COLUMNS:
            within = True
        elif within and not re.fullmatch(r"[|\s:-]+", line):
            yield number, cells_of(line)


def spans_of(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def wrong_tests(root: pathlib.Path, cell: str) -> Iterator[str]:
    if not spans_of(cell):
        yield "no test is named"
    for span in spans_of(cell):
        file, _, name = span.partition("::")
        if not (root / file).is_file():
            yield f"{file}: no such file"
        elif name and not re.search(rf"\b{re.escape(name)}\b", (root / file).read_text()):
            yield f"{file} has no {name}"


def alerts_of(text: str) -> dict[str, str]:
    """The text of each alert by its name."""
    parts = re.split(r"- alert: *(\w+)", text)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def wrong_alerts(alerts: dict[str, str], counter: str, alert: str) -> Iterator[str]:
    counters = [re.findall(r"\w+", span)[0] for span in spans_of(counter)]
    for span in spans_of(alert):
        if span not in alerts:
            yield f"{span}: no such alert in {ALERTS}"
        elif counters and not any(re.search(rf"(\b|_){one}(_total)?\b", alerts[span]) for one in counters):
            yield f"{span} asks for none of {', '.join(counters)}"


def wrong_rows(root: pathlib.Path, text: str) -> Iterator[tuple[int, str]]:
    """The errors, each with its line."""
    source = "\n".join(path.read_text() for path in sorted((root / "src").rglob("*")) if path.suffix in (".h", ".cpp"))
    names = frozenset(re.findall(r"\w+", source))
    alerts = alerts_of((root / ALERTS).read_text())
    for number, cells in rows_of(text):
        if len(cells) != len(COLUMNS) or not all(cells):
            yield number, f"a promise has {len(COLUMNS)} cells, none of them empty: {', '.join(COLUMNS)}"
            continue
        counter, alert, test = cells[3:]
        yield from ((number, f"{span}: no such counter in src/") for span in spans_of(counter)
                    if not set(re.findall(r"\w+", span)) <= names)
        yield from ((number, wrong) for wrong in wrong_alerts(alerts, counter, alert))
        yield from ((number, wrong) for wrong in wrong_tests(root, test))


def check_promises(root: pathlib.Path) -> list[str]:
    """A line for each promise that does not hold; nothing without such a page."""
    page = root / PAGE
    if not page.exists():
        return []
    text = page.read_text()
    found = [f"{PAGE}:{number}: {wrong}" for number, wrong in wrong_rows(root, text)]
    return found if any(rows_of(text)) else [*found, f"{PAGE}: no table with the columns {', '.join(COLUMNS)}"]
