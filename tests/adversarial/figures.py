# SPDX-License-Identifier: Apache-2.0
"""The measurements of the attacks' tests, as lines after pytest's own."""
from __future__ import annotations


class Figures:
    """Kept by test; `of` says which test's lines come next."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._test = ""

    def of(self, test: str) -> Figures:
        self._test = test.removeprefix("test_")
        return self

    def say(self, text: str) -> None:
        self._lines.append(f"{self._test}: {text}")

    def lines(self) -> list[str]:
        return self._lines
