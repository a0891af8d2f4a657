# SPDX-License-Identifier: Apache-2.0
"""Whether the documentation shows the source as it is: quoted code, and the table of folders in docs/design.md.

A page quotes code by a line `<!-- quote: FILE NAME -->` and a fence after it. The file has the same lines between
`// quote: NAME` and `// quote: end`."""
from __future__ import annotations

import pathlib
import re
import textwrap
from collections.abc import Iterator

DESIGN = "docs/design.md"
LAYERS = "ci/layers.sh"


def quotes_of(text: str) -> Iterator[tuple[int, str, str, str | None]]:
    """Each quote's line, file, name and text; None for the text if no fence follows."""
    lines = text.splitlines()
    for place, line in enumerate(lines):
        if not (match := re.fullmatch(r"<!-- quote: (\S+) (\S+) -->", line.strip())):
            continue
        after = lines[place + 1:]
        if not after or not after[0].startswith("```"):
            yield place + 1, match[1], match[2], None
            continue
        end = next((n for n, text_line in enumerate(after[1:], start=1) if text_line.startswith("```")), len(after))
        yield place + 1, match[1], match[2], "\n".join(after[1:end]) + "\n"


def quotable(source: str, name: str) -> str | None:
    """The lines of a source file between the marks of that name, without their common indentation."""
    match = re.search(rf"^ *// quote: {re.escape(name)}\n(.*?)^ *// quote: end$", source, re.MULTILINE | re.DOTALL)
    return textwrap.dedent(match[1]) if match else None


def wrong_quotes(root: pathlib.Path, page: pathlib.Path) -> Iterator[str]:
    shown = page.relative_to(root)
    for number, file, name, text in quotes_of(page.read_text()):
        if text is None:
            yield f"{shown}:{number}: no fence follows the quote of {file} {name}"
        elif not (root / file).is_file():
            yield f"{shown}:{number}: quote of {file}: no such file"
        elif (wanted := quotable((root / file).read_text(), name)) is None:
            yield f"{shown}:{number}: {file} has no lines between `// quote: {name}` and `// quote: end`"
        elif wanted != text:
            yield f"{shown}:{number}: the quote differs from {file} {name}: copy the file's lines into the fence"


def listed_folders(design: str) -> list[str]:
    """The folders of src/ in the order of the layout's table."""
    _, _, layout = design.partition("\n## Layout\n")
    return re.findall(r"^\| `src/([\w/]+)` \|", layout.partition("\n## ")[0], re.MULTILINE)


def layers_of(script: str) -> list[str]:
    match = re.search(r"^FOLDERS=\((.*)\)$", script, re.MULTILINE)
    return match[1].split() if match else []


def wrong_layout(root: pathlib.Path) -> Iterator[str]:
    """The table against the folders of src/, both ways, and against the order of includes."""
    listed = listed_folders((root / DESIGN).read_text())
    there = {path.name for path in (root / "src").iterdir() if path.is_dir()}
    for name in sorted(there - set(listed)):
        yield f"{DESIGN}: src/{name} is not in the table of Layout"
    for name in listed:
        if not (root / "src" / name).is_dir():
            yield f"{DESIGN}: src/{name} of the table of Layout: no such folder"
    order = [name for name in layers_of((root / LAYERS).read_text()) if name in there]
    in_table = [name for name in listed if name in there]
    if sorted(order) == sorted(in_table) and order != in_table:
        first = next(name for name, other in zip(in_table, order) if name != other)
        yield f"{DESIGN}: src/{first} stands elsewhere in the table of Layout than in FOLDERS of {LAYERS}"


def check_sources(root: pathlib.Path, pages: list[pathlib.Path]) -> list[str]:
    return [complaint for page in pages for complaint in wrong_quotes(root, page)] + list(wrong_layout(root))
