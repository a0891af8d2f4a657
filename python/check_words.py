#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Says where documentation, help texts and comments use words that make a reader stop, and what to write instead.

It reads the text of every Markdown file (not its code), every help page, the comments of FOLDERS and of the build files, and Python's
docstrings. RULES has the words, EXCEPTIONS the right uses, with the reason. Exit status: 0 when nothing is found, 1 otherwise, one line each."""
from __future__ import annotations

import ast
import dataclasses
import io
import pathlib
import re
import subprocess
import sys
import tokenize
from collections.abc import Callable, Iterator

ROOT = pathlib.Path(__file__).resolve().parent.parent

FOLDERS = ("src", "tests", "benchmarks", "python", "ci", "cmake")
KINDS = ("h", "cpp", "cu", "cuh", "in", "py", "sh", "cmake")

COUNTED = (r"\d|packets|frames|bytes|bits|bursts|sessions|requests|clocks|instructions|cycles|launches|words|times|once|twice|million|"
           r"Mpps|kpps|us|ms|ns|accesses|entries|records|lines|places|threads|registers")
PER = (r"second|minute|hour|packet|frame|burst|slot|unit|lane|warp|block|launch|lcore|worker|job|pipeline|port|queue|ring|round|poll|"
       r"turn|look|loop|step|case|run|flow|session|connection|prefix|address|host|rule|file|line|sum|trip|screen")
BEGINNINGS = "Who|Whoever|Whichever|Whatever|Those|What|Of|Where|Nobody|One|Such"


@dataclasses.dataclass(frozen=True)
class Rule:
    pattern: re.Pattern[str]
    instead: str


def rule(pattern: str, instead: str, flags: re.RegexFlag = re.IGNORECASE) -> Rule:
    return Rule(re.compile(pattern, flags), instead)


RULES: tuple[Rule, ...] = (
    rule(rf"(?:\A|(?<=[.!?] )|(?<=[.!?]\) ))(?:{BEGINNINGS})\b(?=[^.!?]*(?:[.!]|\Z))", "begin the sentence with a noun of the code or the field",
         re.NOFLAG),
    rule(rf"\b(?:{COUNTED}) an? (?:{PER})\b", 'write "per", as in "packets per second"'),
    rule(r"\bbehind\b", 'for time, order and layout write "after"; "behind" is a place'),
    rule(r"\bwho(?:m|se)?ever\b|\b(?:no|some|any|every)body\b|\b(?:some|any|every)one\b", "name the thread, the job, the program or the person"),
    rule(r"(?:\A|[.;:(] |\b(?:and|by|of|for|to|says|with) )who\b(?! (?:may|is allowed)\b[^.]*\?)", 'a "who" without a noun before it: name the noun'),
    rule(r"\b(?:of|by|for|to|with|from|and|or|than|as|but|in|are|only) those (?:that|who|whose|which|with)\b", 'repeat the noun instead of "those"'),
    rule(r"\b(?:for|of|by|than|in|after|takes?|takes up|holds?|waits?|sleeps?|lasts?|begins?|with) so (?:many|long|much|few|often)\b(?! (?:that|as)\b)|\A.{0,12}\bso (?:long|often|many)\b(?! (?:that|as)\b)",
         'name the value: "N packets", "this long", "every TIME"'),
    rule(r"(?:\A|[;:] |, |\b(?:and|but|too|so) )what (?!(?:is|are|was|were|happens)\b)(?:[\w'-]+ ){1,9}(?:is|are|goes|comes|leaves) "
         r"(?:not )?(?:dropped|lost|sent|handed|counted|read|routed|translated|named|written|kept|freed?|refused|left|the|its|CODE|in)\b(?![^.]*\?)",
         'a clause with "what" as the subject: name the packets, the data or the code'),
    rule(r"\b(?:of|for|by|than|with|from|to|after|before) what\b(?![^.]*\?)", 'name the packets, the data or the code instead of "what"'),
    rule(r"\b(?:is|are|was|were|be) looked at\b", 'write "read", "checked", "polled" or "captured"'),
    rule(r"\b(?:has|have) to be given\b", 'write "is required"'),
    rule(r"\b(?:is|are) not to\b", 'write "must not"'),
    rule(r"\bwhere (?:there (?:is|are)|none)\b", 'write "if", "with" or "without"'),
    rule(r"(?<!nothing )\bbut for\b", 'write "except"'),
    rule(r"\bas [\w'-]+ (?:has|have) (?:it|them)\b", 'write "as in"'),
    rule(r"(?<!\bin )(?<!\bin its )(?<!\btake )(?<!\btakes )(?<!\btaking )(?<!\bby )\bturns?\b(?! (?:on|off|out|into|back|up|all|the|it|these|them|LRO)\b)",
         'a worker\'s is a "loop iteration"'),
    rule(r"\b(?:a|each|every|one|its|last|next|two|between|master's|the) looks?\b(?! (?:like|at|for|into|as|up|ahead)\b|[-(])", 'the master\'s is a "loop iteration"'),
)


@dataclasses.dataclass(frozen=True)
class Exception_:
    pattern: str  # of the words around the hit
    reason: str


EXCEPTIONS: tuple[Exception_, ...] = (
    Exception_(r"(?:hosts?|networks?|bridges?|switch(?:es)?|router|NAT|NATs|port|machine|server|subnets?|routers?) behind|behind (?:vfio-pci|an IOMMU|a PCIe|(?:a|its) root port|NAT44|w\d)",
               "a place: what is on the other side of a device"),
    Exception_(r"is behind by|falls? behind|too far behind", "late: the field's word"),
)


@dataclasses.dataclass(frozen=True)
class Text:
    """A paragraph, and the line of its file that each of its characters stands in."""

    words: str
    lines: tuple[int, ...]


def joined(parts: list[tuple[int, str]]) -> Text:
    words, lines = "", []
    for number, part in parts:
        if words:
            words, lines = words + " ", lines + [number]
        words, lines = words + part, lines + [number] * len(part)
    return Text(words, tuple(lines))


def without_code(text: str) -> str:
    """Code spans and links' targets are no sentences; each leaves a word, so that its neighbours stay apart."""
    text = re.sub(r"``[^`]+``|`[^`]+`", "CODE", text)
    text = re.sub(r"<!--.*?-->|<[^>]+>", "", text)
    return re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text).replace("**", "").replace("*", "")


def paragraphs_of_page(text: str) -> Iterator[Text]:
    """Paragraphs, list items and cells of tables in Markdown; no headings, no fences."""
    fenced, parts = False, []
    for number, line in enumerate([*text.splitlines(), ""], start=1):
        fence = line.lstrip().startswith("```")
        bare = line.strip().removeprefix(">").strip()
        begins = re.match(r"\s*(?:[-*+]|\d+\.) ", line)
        if parts and (fence or fenced or not bare or begins or bare[0] in "|#"):
            yield joined(parts)
            parts = []
        if fence:
            fenced = not fenced
        elif fenced or not bare or bare[0] == "#" or re.match(r"\|[\s:|-]+\|$", bare) or line.startswith("    "):
            continue
        elif bare[0] == "|":
            for cell in re.split(r"(?<!\\)\|", without_code(bare.strip("|"))):
                yield joined([(number, cell.strip())])
        else:
            parts.append((number, without_code(re.sub(r"^(?:[-*+]|\d+\.) ", "", bare))))


def paragraphs_of_help(text: str) -> Iterator[Text]:
    """Each option's text and each paragraph of a help page; examples begin with a command."""
    parts: list[tuple[int, str]] = []
    for number, line in enumerate([*text.splitlines(), ""], start=1):
        declared = re.match(r"  (-\S.*?|\S+)(?:\s{2,}|$)", line)
        if parts and (not line.strip() or declared):
            yield joined(parts)
            parts = []
        rest = line[declared.end():] if declared else line
        if rest.strip() and not re.match(r"\s*(?:packetwarp|sudo|usage:) ", line):
            parts.append((number, rest.strip()))


def paragraphs_of_source(text: str) -> Iterator[Text]:
    """Comments of C++: adjacent comment lines are one paragraph, and so is each comment after code."""
    parts: list[tuple[int, str]] = []
    for number, line in enumerate([*text.splitlines(), ""], start=1):
        match = re.match(r"(.*?)(?<!:)//\s?(.*)", line)
        alone = bool(match) and not match[1].strip()
        words = match[2].strip() if match else ""
        if parts and (not alone or not words):
            yield joined(parts)
            parts = []
        if not words or words.startswith(("SPDX", "quote:", "NOLINT", "clang-format")):
            continue
        if alone:
            parts.append((number, without_code(words)))
        else:
            yield joined([(number, without_code(words))])


def paragraphs_of_script(text: str) -> Iterator[Text]:
    """Comments of scripts, build files and Python: adjacent lines are one paragraph, and so is each comment after code. A line with more
    than a blank before its words, such as a table's row, begins a paragraph."""
    parts: list[tuple[int, str]] = []
    for number, line in enumerate([*text.splitlines(), ""], start=1):
        match = re.match(r"(\s*|.*\S\s\s)#+(\s*)(.*)", line)
        alone = bool(match) and not match[1].strip()
        words = match[3].strip() if match and not line.startswith("#!") else ""
        if parts and (not alone or not words or len(match[2]) > 1):
            yield joined(parts)
            parts = []
        if not words or words.startswith(("SPDX", "quote:", "noqa", "type:", "shellcheck", "---")):
            continue
        if alone:
            parts.append((number, without_code(words)))
        else:
            yield joined([(number, without_code(words))])


def paragraphs_of_python(text: str) -> Iterator[Text]:
    """Comments, and the paragraphs of docstrings."""
    comments = [""] * (text.count("\n") + 1)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            comments[token.start[0] - 1] = token.string if not token.line[:token.start[1]].strip() else f"code  {token.string}"
    yield from paragraphs_of_script("\n".join(comments))
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) or ast.get_docstring(node) is None:
            continue
        said = node.body[0]
        parts: list[tuple[int, str]] = []
        for number, line in enumerate([*text.splitlines()[said.lineno - 1:said.end_lineno], ""], start=said.lineno):
            words = line.replace('"""', "").strip()
            if parts and (not words or line.startswith(" " * (said.col_offset + 2))):
                yield joined(parts)
                parts = []
            if words:
                parts.append((number, without_code(words)))


def wrong_words(text: Text) -> Iterator[tuple[int, str]]:
    for one in RULES:
        for hit in one.pattern.finditer(text.words):
            around = text.words[max(0, hit.start() - 40):hit.end() + 40]
            if hit[0].strip() and not any(re.search(known.pattern, around) for known in EXCEPTIONS):
                yield text.lines[min(hit.start() + len(hit[0]) - 1, len(text.lines) - 1)], f"\"{hit[0].strip()}\": {one.instead}"


def reader_of(name: str) -> Callable[[str], Iterator[Text]]:
    path = pathlib.PurePath(name)
    if path.name in ("CMakeLists.txt", "Makefile", "run"):
        return paragraphs_of_script
    return {".md": paragraphs_of_page, ".txt": paragraphs_of_help, ".py": paragraphs_of_python, ".sh": paragraphs_of_script,
            ".cmake": paragraphs_of_script}.get(path.suffix, paragraphs_of_source)


def check(name: str, text: str) -> list[str]:
    """The complaints about one file, one line each."""
    found = sorted({hit for paragraph in reader_of(name)(text) if paragraph.words for hit in wrong_words(paragraph)})
    return [f"{name}:{number}: {complaint}" for number, complaint in found]


def files(root: pathlib.Path) -> list[str]:
    globs = ["*.md", "src/cli/**/help.txt", "src/module/*/client/*.txt", "Makefile", ".ci/run", "**/CMakeLists.txt",
             *(f"{folder}/**/*.{kind}" for folder in FOLDERS for kind in KINDS)]
    listed = subprocess.run(["git", "-C", str(root), "ls-files", "--cached", "--others", "--exclude-standard", "--",
                             *(f":(glob){glob}" if "/" in glob else glob for glob in globs)], capture_output=True, text=True, check=True)
    return [name for name in sorted(set(listed.stdout.splitlines())) if (root / name).is_file()]


def main() -> int:
    names = sys.argv[1:] or files(ROOT)
    wrong = [complaint for name in names for complaint in check(name, (ROOT / name).read_text())]
    for complaint in wrong:
        print(f"words: {complaint}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
