# SPDX-License-Identifier: Apache-2.0
"""The check of words finds each of its rules in pages, help texts and comments, with its line, and nothing in right texts."""
from __future__ import annotations

import check_words
import pytest


def found(name: str, text: str) -> list[tuple[int, str]]:
    """Line and words of all complaints; two rules may find the same."""
    complaints = [complaint.split(":", 2) for complaint in check_words.check(name, text)]
    return sorted({(int(number), rest.split('"')[1]) for _, number, rest in complaints})


@pytest.mark.parametrize(("text", "words"), (
    ("Those taken belong to others.", "Those"),
    ("The port is up. What it takes is sent.", "What"),
    ("It ends. Nobody waits.", "Nobody"),
    ("The rate is 5 packets a second.", "packets a second"),
    ("It looks once a burst.", "once a burst"),
    ("The lines come behind the table.", "behind"),
    ("A page for whoever reads it.", "whoever"),
    ("It tells of who has it.", "of who"),
    ("The rules and those that stay.", "and those that"),
    ("The port has been silent for so long.", "for so long"),
    ("A ring is full: what does not fit is dropped.", ": what does not fit is dropped"),
    ("A file has to be given.", "has to be given"),
    ("A ring is not to be full.", "is not to"),
    ("A worker's turn ends.", "turn"),
    ("It is done between the master's looks.", "master's looks"),
    ("It is empty where there is none.", "where there is"),
    ("All pass but for one.", "but for"),
    ("It is written as reports have it.", "as reports have it"),
    ("Anybody can send.", "Anybody"),
    ("It is a part of what is sent.", "of what"),
    ("The header is looked at.", "is looked at"),
))
def test_each_rule_is_found_in_a_page_and_in_a_comment(text, words):
    assert words in [hit for _, hit in found("a.md", f"# A page\n\n{text}\n")]
    assert words in [hit for _, hit in found("src/a.h", f"int a;\n// {text}\n")]
    assert found("a.md", f"# A page\n\n{text}\n")[0][0] == 3 and found("src/a.h", f"int a;\n// {text}\n")[0][0] == 2


@pytest.mark.parametrize("text", (
    "What is it?",
    "# What it is",
    "```\nWhat is it. packets a second\n```",
    "`behind` is a word of code.",
    "The networks behind w0 answer.",
    "The master falls behind.",
    "The jobs are polled in turn, and the flag is turned on.",
    "The packets per second, a packet at a time.",
    "A file says what is sent, and what happens is logged.",
    "The one that stays, and the rules that stay.",
    "It sends so many that the ring is full.",
    "How much of what is sent arrives?",
    "The rule has nothing but for one packet.",
))
def test_what_is_right_is_no_complaint(text):
    assert found("a.md", text + "\n") == []


def test_a_sentence_of_several_lines_is_one_and_the_line_is_the_words_own():
    assert found("a.md", "A line\nof text. What\nfollows ends.\n\n- An item\n  behind it.\n") == [(2, "What"), (6, "behind")]
    assert found("src/a.h", "// A sentence\n// of two. Nobody\n// waits.\nint a;  // behind it\n") == [(2, "Nobody"), (4, "behind")]


def test_comments_of_scripts_and_docstrings_are_read_line_by_line():
    assert found("ci/a.sh", "#!/bin/sh\n# Nobody waits.\n#   a     behind it\nb=1  # It ends. Nobody waits.\nc='#behind'\n") == [
        (2, "Nobody"), (3, "behind"), (4, "Nobody")]
    assert found("src/CMakeLists.txt", "# Nobody waits.\nset(a behind)\n") == [(1, "Nobody")]
    module = '"""A page.\n\nNobody\nwaits.\n"""\nx = "behind"\n\ndef f():\n    """What it is. It is behind."""\n'
    assert found("python/a.py", module) == [(3, "Nobody"), (9, "What"), (9, "behind")]


def test_every_folder_of_comments_is_read():
    names = check_words.files(check_words.ROOT)
    assert {name.split("/")[0] for name in names} >= {*check_words.FOLDERS, "docs"}
    assert {"Makefile", "CMakeLists.txt", ".ci/run", "src/function/compiled.h.in"} <= set(names)


def test_cells_and_help_texts_are_read_apart():
    assert found("a.md", "| a | b |\n| --- | --- |\n| ends. | Nobody waits. |\n") == [(3, "Nobody")]
    page = "packetwarp fly: go\n\n  -b N    stop after so long\n  --who   a name\n\n  Ends with them.\n"
    assert found("help.txt", page) == [(3, "stop after so long")]


def test_an_address_in_a_comment_is_no_comment_of_its_own():
    assert found("src/a.h", 'auto url = "https://example.org/behind";\n') == []


def test_each_exception_has_a_reason():
    assert all(known.reason for known in check_words.EXCEPTIONS)


def test_the_project_itself():
    assert [complaint for name in check_words.files(check_words.ROOT) for complaint in check_words.check(name, (check_words.ROOT / name).read_text())] == []
