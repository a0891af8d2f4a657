# SPDX-License-Identifier: Apache-2.0
"""A page that quotes other code than the source has, and a table of folders that is not src/'s, are noticed."""
from __future__ import annotations

import pathlib

import doc_sources
import pytest

SOURCE = """#pragma once
namespace packetwarp {
  // quote: body
  int one();
    int two();
  // quote: end
}
"""
PAGE = "Before.\n\n<!-- quote: tests/body.h body -->\n```cpp\nint one();\n  int two();\n```\n"
LAYERS = "FOLDERS=(base wire rdma cli)\n"
DESIGN = "# Design\n\n## Layout\n\n| folder | holds |\n| --- | --- |\n| `src/base` | a |\n| `src/wire` | b |\n| `src/cli/run` | c |\n| `src/cli` | d |\n\n## Errors\n"


@pytest.fixture
def root(tmp_path: pathlib.Path) -> pathlib.Path:
    for folder in ("src/base", "src/wire", "src/cli/run", "docs", "ci", "tests"):
        (tmp_path / folder).mkdir(parents=True)
    for name, text in {"tests/body.h": SOURCE, "docs/page.md": PAGE, "docs/design.md": DESIGN, "ci/layers.sh": LAYERS}.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def complaints(root: pathlib.Path) -> list[str]:
    return doc_sources.check_sources(root, [root / "docs/page.md"])


def test_a_page_and_a_table_that_are_right_are_no_complaint(root):
    assert complaints(root) == []


@pytest.mark.parametrize(("before", "after", "said"), (
    ("int one();", "int three();", "docs/page.md:3: the quote differs from tests/body.h body: copy the file's lines into the fence"),
    ("  int two();\n", "", "docs/page.md:3: the quote differs from tests/body.h body: copy the file's lines into the fence"),
    ("body.h", "gone.h", "docs/page.md:3: quote of tests/gone.h: no such file"),
    (".h body", ".h gone", "docs/page.md:3: tests/body.h has no lines between `// quote: gone` and `// quote: end`"),
    ("-->\n", "-->\n\n", "docs/page.md:3: no fence follows the quote of tests/body.h body")))
def test_a_quote_that_is_wrong_is_said(root, before, after, said):
    (root / "docs/page.md").write_text(PAGE.replace(before, after))
    assert complaints(root) == [said]


def test_a_source_that_changes_is_noticed(root):
    (root / "tests/body.h").write_text(SOURCE.replace("one", "three"))
    assert len(complaints(root)) == 1


@pytest.mark.parametrize(("before", "after", "said"), (
    ("| `src/wire` | b |\n", "", "docs/design.md: src/wire is not in the table of Layout"),
    ("`src/cli/run`", "`src/cli/gone`", "docs/design.md: src/cli/gone of the table of Layout: no such folder"),
    ("| `src/wire` | b |\n", "| `src/wire` | b |\n| `src/rdma` | e |\n", "docs/design.md: src/rdma of the table of Layout: no such folder"),
    ("| `src/base` | a |\n| `src/wire` | b |\n", "| `src/wire` | b |\n| `src/base` | a |\n",
     "docs/design.md: src/wire stands elsewhere in the table of Layout than in FOLDERS of ci/layers.sh")))
def test_a_table_that_is_wrong_is_said(root, before, after, said):
    (root / "docs/design.md").write_text(DESIGN.replace(before, after))
    assert complaints(root) == [said]
