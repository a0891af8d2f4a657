#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sums up ctest's JUnit files: how many tests passed in each, the name of every test that was skipped, and what pytest
skipped within a test that passed."""
from __future__ import annotations

import pathlib
import re
import sys
import xml.etree.ElementTree as ET


def main(paths: list[str]) -> int:
    failed = 0
    for path in map(pathlib.Path, paths):
        cases = ET.parse(path).getroot().findall("testcase")
        skipped = [case.get("name", "?") for case in cases if case.find("skipped") is not None]
        wrong = [case.get("name", "?") for case in cases if case.find("failure") is not None]
        failed += len(wrong)
        print(f"{path.stem:<10} {len(cases) - len(skipped) - len(wrong)} passed, {len(wrong)} failed, {len(skipped)} skipped"
              + (f": {', '.join(skipped)}" if skipped else ""))
        for case in cases:
            if case.find("skipped") is None:
                for count, where, reason in skipped_within(case):
                    print(f"  {case.get('name', '?')} without {count}: {where}: {reason}")
    return 1 if failed else 0


def skipped_within(case: ET.Element) -> list[tuple[str, str, str]]:
    """Pytest's own lines: how many, the file and the reason."""
    return re.findall(r"^SKIPPED \[(\d+)\] (?:\S*/)?(\S+\.py)(?::\d+)?: (.*)$", case.findtext("system-out") or "", re.MULTILINE)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
