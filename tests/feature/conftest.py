# SPDX-License-Identifier: Apache-2.0
"""Options and fixtures of the comparison of features with their oracle."""
from __future__ import annotations

import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent), str(ROOT / "python")]

import built_program  # noqa: E402
from built_program import binary, pytest_sessionfinish  # noqa: E402, F401


def pytest_addoption(parser: pytest.Parser) -> None:
    built_program.add_binary_option(parser)
