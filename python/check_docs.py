#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds names in the documentation that do not exist: links and their anchors, files, make targets, commands, options.

    links      of every Markdown file, to files of the repository and to headings
    paths      in code spans: `src/burst/burst_ring.h`, unless it has a placeholder in it
    targets    `make lint`
    options    after the `--` of a command line; in docs/<command>.md, every named one must be some command's, and every
               one on the command's help page must be described
    promises   of docs/reliability.md: see promises.py
    sources    quoted code, and the table of src/'s folders in docs/design.md: see doc_sources.py

Exit status: 0 if all names exist, 1 otherwise, one line for each missing name."""
from __future__ import annotations

import dataclasses
import pathlib
import re
import subprocess
import sys
from collections.abc import Iterator

from doc_sources import check_sources
from promises import check_promises

ROOT = pathlib.Path(__file__).resolve().parent.parent

# A command may take another one's options too.
TAKES_OPTIONS_OF = {"plan": ("plan", "l2fwd")}
THROUGH = "l2fwd"  # whose options `--through "OPTIONS"` takes

# Options of the EAL, its drivers and other programs that the pages name.
FOREIGN_OPTIONS = frozenset(
    "-a -l -m --allow --file-prefix --huge-dir --huge-unlink --in-memory --iova-mode --lcores --log-level --main-lcore --no-huge --no-pci"
    " --no-shconf --single-file-segments --socket-limit --socket-mem --vdev --help --version".split())

PLACES = ("src", "tests", "ci", ".ci", "python", "docs", "benchmarks", "cmake", "examples")


@dataclasses.dataclass(frozen=True)
class Line:
    number: int
    text: str
    fenced: bool  # within a code block


def lines_of(text: str) -> list[Line]:
    """Every line, the continued ones of code blocks joined to the line they belong to."""
    lines: list[Line] = []
    fenced, continued = False, False
    for number, line in enumerate(text.splitlines(), start=1):
        if line.lstrip().startswith("```"):
            fenced, continued = not fenced, False
            continue
        if continued:
            last = lines[-1]
            lines[-1] = dataclasses.replace(last, text=last.text[:-1] + " " + line.strip())
        else:
            lines.append(Line(number, line, fenced))
        continued = fenced and line.endswith("\\")
    return lines


def code_of(line: Line) -> list[str]:
    """A code block's line, or the code spans of a line of text."""
    return [line.text] if line.fenced else re.findall(r"`([^`]+)`", line.text)


def anchor(heading: str) -> str:
    """A heading's anchor on the project's host: small letters, hyphens for blanks, no punctuation."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


def anchors_of(path: pathlib.Path) -> set[str]:
    headings = (re.match(r"#{1,6} +(.*)", line.text) for line in lines_of(path.read_text()) if not line.fenced)
    return {anchor(match[1]) for match in headings if match}


def options_of_page(page: str) -> set[str]:
    """The options that a help page declares: its lines that begin with an option, up to the text about it."""
    found: set[str] = set()
    for line in page.splitlines():
        # Two blanks or more end the declaration; "-g, -m device, -n ... are recognised" is a sentence, but names options.
        if re.match(r"  -\w|  --\w", line):
            declared = line.strip() if "recognised" in line else re.split(r"\s{2,}", line.strip())[0]
            found.update(re.findall(r"(?<![\w-])--?[a-z][\w-]*", declared))
    return found


@dataclasses.dataclass(frozen=True)
class Project:
    """The names that exist."""

    root: pathlib.Path
    pages: dict[str, str]  # by command: its help.txt and the texts of modules; empty for a command that does not exist yet
    targets: frozenset[str]

    @classmethod
    def read(cls, root: pathlib.Path) -> Project:
        pages = {path.parent.name: path.read_text() for path in sorted((root / "src" / "cli").glob("*/help.txt"))}
        for path in sorted((root / "src" / "module").glob("*/client/*.txt")):
            # in_run_keys.txt is a part of run's page, nat.txt a page.
            part = re.match(r"in_([a-z0-9]+)_", path.stem)
            command = part[1] if part else path.stem
            pages[command] = pages.get(command, "") + path.read_text()
        targets = re.findall(r"^([a-z][a-z-]*):", (root / "Makefile").read_text(), re.MULTILINE)
        return cls(root, pages, frozenset(targets))

    def options_of(self, command: str) -> set[str]:
        return set().union(*(options_of_page(self.pages[name]) for name in TAKES_OPTIONS_OF.get(command, (command,))))


def wrong_links(project: Project, path: pathlib.Path, line: Line) -> Iterator[str]:
    if line.fenced:
        return
    for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "", line.text)):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, heading = target.partition("#")
        to = (path.parent / file).resolve() if file else path
        if not to.exists() or not to.is_relative_to(project.root):
            yield f"link to {target}: no such file"
        elif heading and heading not in anchors_of(to):
            yield f"link to {target}: no such heading"


def wrong_paths(project: Project, line: Line) -> Iterator[str]:
    for code in code_of(line):
        for word in code.split():
            named = word.rstrip(".,:;")
            if named.partition("/")[0] in PLACES and re.fullmatch(r"[\w./-]+", named) and "/" in named:
                if not (project.root / named).exists():
                    yield f"{named}: no such file"


def wrong_targets(project: Project, line: Line) -> Iterator[str]:
    for code in code_of(line):
        for target in re.findall(r"(?:^|[;&] *|sudo )make ([a-z][a-z-]*)", code.strip()):
            if target not in project.targets:
                yield f"make {target}: no such target"


def wrong_commands(project: Project, line: Line) -> Iterator[str]:
    for code in code_of(line):
        match = re.search(r"(?:^|[ /])packetwarp ([a-z][\w-]*)(.*)", code)
        # A result's headline begins with the version, an error line with "packetwarp:".
        if not match:
            continue
        command, rest = match.groups()
        if not project.pages.get(command):
            yield f"packetwarp {command}: no such command"
            continue
        _, _, options = rest.partition(" -- ")
        # The value of this option is options of another command.
        nested = [(THROUGH, words) for words in re.findall(r'--through "([^"]*)"', options)]
        for name, words in [(command, re.sub(r'"[^"]*"', "", options)), *nested]:
            for option in re.findall(r"(?<!\S)--?[a-z][a-z-]*", words):
                if option not in project.options_of(name) | {"--help"}:
                    yield f"packetwarp {name} {option}: no such option"


def wrong_page(project: Project, command: str, lines: list[Line]) -> Iterator[tuple[int, str]]:
    """docs/<command>.md against help.txt."""
    known, described = set().union(*map(project.options_of, project.pages)), set()
    for line in lines:
        if line.fenced:
            continue
        for code in code_of(line):
            if named := re.match(r"--?[a-z][a-z-]*", code):
                described.add(named[0])
                if named[0] not in known | FOREIGN_OPTIONS:
                    yield line.number, f"{named[0]}: neither an option of packetwarp nor of the EAL"
    for option in sorted(options_of_page(project.pages[command]) - described):
        yield 0, f"{option} of packetwarp {command} is not described"


def check(project: Project, path: pathlib.Path) -> list[str]:
    """The errors of one file, one line each."""
    lines = lines_of(path.read_text())
    found = []
    for line in lines:
        for complaint in (*wrong_links(project, path, line), *wrong_paths(project, line), *wrong_targets(project, line),
                          *wrong_commands(project, line)):
            found.append((line.number, complaint))
    if path.parent == project.root / "docs" and project.pages.get(path.stem):
        found += wrong_page(project, path.stem, lines)
    name = path.relative_to(project.root)
    return [f"{name}:{number}: {complaint}" if number else f"{name}: {complaint}" for number, complaint in found]


def documents(root: pathlib.Path) -> list[pathlib.Path]:
    listed = subprocess.run(["git", "-C", str(root), "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
                            capture_output=True, text=True, check=True)
    return [path for path in (root / name for name in listed.stdout.splitlines()) if path.exists()]


def main() -> int:
    project = Project.read(ROOT)
    pages = documents(ROOT)
    wrong = [complaint for path in pages for complaint in check(project, path)] + check_promises(ROOT) + check_sources(ROOT, pages)
    for complaint in wrong:
        print(f"docs: {complaint}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
