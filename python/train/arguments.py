# SPDX-License-Identifier: Apache-2.0
"""Options of the commands: numbers within their bounds, and errors in one line."""
from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable
from typing import NoReturn

MOST = 2 ** 32 - 1  # what NumPy and scikit-learn take as a seed


class Parser(argparse.ArgumentParser):
    """Errors in one line, with the exit status 2."""

    def error(self, message: str) -> NoReturn:
        print(f"{self.prog.removesuffix('.py')}: error: {message}", file=sys.stderr)
        sys.exit(2)


def count(least: int, most: int = MOST) -> Callable[[str], int]:
    """The type of an option that is a whole number from `least` to `most`."""
    def read(text: str) -> int:
        # More digits than any bound has: int() would refuse thousands of them by an exception of its own.
        if not (text.isascii() and text.isdecimal() and len(text) <= 20 and least <= int(text) <= most):
            raise argparse.ArgumentTypeError(f"\"{text[:40]}\": give a whole number from {least} to {most:,}")
        return int(text)
    return read


natural, positive, several = count(0), count(1), count(2)


def levels(text: str) -> float:
    """A number that is finite and not negative."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        raise argparse.ArgumentTypeError(f"\"{text[:40]}\": give a number from 0 on, such as 6")
    return value
