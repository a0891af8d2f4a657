# SPDX-License-Identifier: Apache-2.0
"""The check of docs/reliability.md finds promises that the code does not have."""
from __future__ import annotations

import pathlib

import pytest
from promises import check_promises

HEAD = "| what | bound | dropped or evicted first | counter | alert | test |\n| --- | --- | --- | --- | --- | --- |\n"
GOOD = "| the desk | 4,096 packets | the newest | `punt_full` | `TooMuch` | `tests/desk_test.cpp::is_bounded` |\n"


@pytest.fixture
def root(tmp_path: pathlib.Path) -> pathlib.Path:
    files = {
        "src/desk.h": "enum class drop_reason { punt_full };\n",
        "deploy/prometheus/packetwarp-alerts.yml": "groups:\n  - rules:\n      - alert: TooMuch\n        expr: rate(drops{reason=\"punt_full\"}[1m]) > 0\n",
        "tests/desk_test.cpp": "TEST(desk, is_bounded) {}\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def complaints(root: pathlib.Path, text: str) -> list[str]:
    page = root / "docs" / "reliability.md"
    page.parent.mkdir(exist_ok=True)
    page.write_text(text)
    return [wrong.removeprefix("docs/reliability.md:") for wrong in check_promises(root)]


def test_a_promise_that_the_code_has_is_fine(root):
    assert complaints(root, "# Reliability\n\n" + HEAD + GOOD) == []


@pytest.mark.parametrize(("word", "other", "wrong"), (
    ("punt_full", "punt_full` `punt_fuller", "3: punt_fuller: no such counter in src/"),
    ("TooMuch", "TooLittle", "3: TooLittle: no such alert in deploy/prometheus/packetwarp-alerts.yml"),
    ("tests/desk_test.cpp::is_bounded", "tests/no_test.cpp", "3: tests/no_test.cpp: no such file"),
    ("is_bounded", "is_boundless", "3: tests/desk_test.cpp has no is_boundless"),
    ("`tests/desk_test.cpp::is_bounded`", "to come", "3: no test is named"),
    ("4,096 packets", " ", "3: a promise has 6 cells, none of them empty: what, bound, dropped or evicted first, counter, alert, test"),
))
def test_what_is_not_there_is_named(root, word, other, wrong):
    assert complaints(root, HEAD + GOOD.replace(word, other)) == [wrong]


def test_an_alert_that_asks_for_another_counter_is_named(root):
    (root / "src" / "other.h").write_text("enum class other { punt_limited };\n")
    assert complaints(root, HEAD + GOOD.replace("punt_full", "punt_limited")) == ["3: TooMuch asks for none of punt_limited"]


def test_a_page_without_promises_is_none(root):
    assert len(complaints(root, "# Reliability\n\n| a | b |\n| --- | --- |\n")) == 1


def test_other_tables_are_not_looked_at(root):
    assert complaints(root, HEAD + GOOD + "\n| file | mode |\n| --- | --- |\n| `x` | 0600 |\n") == []
