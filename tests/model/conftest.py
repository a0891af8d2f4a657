# SPDX-License-Identifier: Apache-2.0
"""Options and fixtures of the comparison with ONNX Runtime."""
from __future__ import annotations

import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent), str(ROOT / "python")]

import built_program  # noqa: E402
from built_program import binary  # noqa: E402, F401


def pytest_addoption(parser: pytest.Parser) -> None:
    built_program.add_binary_option(parser)
    parser.addoption("--seeds", type=int, default=5, help="how many random models of each kind")
    parser.addoption("--rows", type=int, default=5000, help="how many rows of the comparison of every score")


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """A file whose packages are not installed is skipped as a whole: pytest then has collected nothing."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and "skipped" in reporter.stats:
        session.exitstatus = built_program.EXIT_SKIPPED
    else:
        built_program.pytest_sessionfinish(session, exitstatus)
