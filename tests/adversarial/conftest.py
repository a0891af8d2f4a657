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
# Tests that packetwarp does not pass yet, by name, with why: run by --not-yet only, named behind the results always.
NOT_YET = pathlib.Path(__file__).resolve().parent / "not_yet.txt"
_left_out: list[str] = []


def pytest_addoption(parser: pytest.Parser) -> None:
    _theirs.pytest_addoption(parser)
    parser.addoption("--long", action="store_true", help="each attack ten times as long (default: a few seconds)")
    parser.addoption("--not-yet", action="store_true", help="also what not_yet.txt names")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--not-yet") or not NOT_YET.is_file():
        return
    reasons = dict(line.split(" | ") for line in NOT_YET.read_text().splitlines() if " | " in line)
    waiting = [item for item in items if item.name in reasons or item.name.partition("[")[0] in reasons]
    config.hook.pytest_deselected(items=waiting)
    items[:] = [item for item in items if item not in waiting]
    _left_out[:] = [f"not run: {item.name}: {reasons.get(item.name) or reasons[item.name.partition('[')[0]]}" for item in waiting]


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    _theirs.pytest_sessionfinish(session, exitstatus)
    if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and _left_out:
        session.exitstatus = _theirs.EXIT_SKIPPED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for line in _figures.lines() + _left_out:
        terminalreporter.write_line(line)


@pytest.fixture(scope="session")
def times(request: pytest.FixtureRequest) -> int:
    return LONG if request.config.getoption("--long") else SHORT


@pytest.fixture
def figures(request: pytest.FixtureRequest) -> Figures:
    """What a test measured; printed behind the results, never asserted where it is a time."""
    return _figures.of(request.node.name)
