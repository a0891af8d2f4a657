# SPDX-License-Identifier: Apache-2.0
"""Each key of a result in JSON is on the page of its command, in the row of the object that has it."""
from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from harness import ALONE, DONE, ROOT, Program

# Objects whose keys are names of causes and jobs, which other pages list.
BY_NAME = {"dropped", "by_job"}


def keys_of(value: Any, parent: str = "") -> Iterator[tuple[str, str]]:
    """Keys, each with that of the object around it; "" is the result itself."""
    if isinstance(value, list):
        for one in value:
            yield from keys_of(one, parent)
    elif isinstance(value, dict):
        for key, one in value.items():
            yield parent, key
            yield from () if key in BY_NAME else keys_of(one, key)


def words_of(text: str) -> list[str]:
    """The words in backticks."""
    return [word for quoted in re.findall(r"`([^`]+)`", text) for word in re.findall(r"\w+", quoted)]


def keys_on(page: str) -> set[tuple[str, str]]:
    """The keys that the table of the page's section on JSON has: the result's own in first cells, and those of an object
    in a row that has the object."""
    section = (ROOT / "docs" / page).read_text(encoding="utf-8").partition("\n### JSON\n")[2].partition("\n## ")[0]
    made = set()
    for row in section.splitlines():
        words = words_of(row)
        made |= {("", word) for word in words_of(row.split("|")[1] if row.startswith("|") else "")}
        made |= {(parent, word) for parent in words for word in words}
    return made


def missing_on(page: str, packetwarp: Program, command: str, eal: list[str], options: list[str]) -> list[tuple[str, str]]:
    done = packetwarp.run(command, [*ALONE, *eal], [*options, "--json", "-"])
    assert done.status == DONE, done
    return sorted(set(keys_of(json.loads(done.stdout))) - keys_on(page))


def test_each_key_of_l2fwds_result_is_on_its_page(packetwarp: Program):
    devices = ["-l", "0-1", "--vdev=net_null0", "--vdev=net_null1"]
    assert missing_on("l2fwd.md", packetwarp, "l2fwd", devices, ["-w", "cpu", "-v", "10000"]) == []


def test_each_key_of_generates_result_is_on_its_page(packetwarp: Program):
    assert missing_on("generate.md", packetwarp, "generate", ["-l", "0"], ["--through", "-w cpu", "--count", "1000"]) == []
