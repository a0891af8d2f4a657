# SPDX-License-Identifier: Apache-2.0
"""Attacks on a running packetwarp, beside which a stranger's flow has to go on. Options and fixtures are the end-to-end tests'."""
from __future__ import annotations

import importlib.util
import pathlib
import sys

import pytest

END_TO_END = pathlib.Path(__file__).resolve().parents[1] / "end_to_end"
sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent), str(END_TO_END)]
_spec = importlib.util.spec_from_file_location("end_to_end_conftest", END_TO_END / "conftest.py")
assert _spec and _spec.loader
_theirs = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_theirs)
binary, packetwarp = _theirs.binary, _theirs.packetwarp

from figures import Figures  # noqa: E402

# How many times as long an attack lasts in its long form.
SHORT, LONG = 1, 10
_figures = Figures()


def pytest_addoption(parser: pytest.Parser) -> None:
    _theirs.pytest_addoption(parser)
    parser.addoption("--long", action="store_true", help="each attack ten times as long (default: a few seconds)")


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    _theirs.pytest_sessionfinish(session, exitstatus)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for line in _figures.lines():
        terminalreporter.write_line(line)


@pytest.fixture(scope="session")
def times(request: pytest.FixtureRequest) -> int:
    return LONG if request.config.getoption("--long") else SHORT


@pytest.fixture
def figures(request: pytest.FixtureRequest) -> Figures:
    """A test's measurements; printed after the results, and never asserted if they are times."""
    return _figures.of(request.node.name)
