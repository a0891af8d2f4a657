# SPDX-License-Identifier: Apache-2.0
"""A router to send frames to: tests/tools/routed.py."""
import pathlib
import sys
from collections.abc import Iterator

import pytest

TESTS = next(folder for folder in pathlib.Path(__file__).resolve().parents if folder.name == "tests")
sys.path.insert(0, str(TESTS / "tools"))

import routed  # noqa: E402


def pytest_addoption(parser: pytest.Parser) -> None:
    routed.add_option(parser)


@pytest.fixture(scope="session")
def router(request: pytest.FixtureRequest) -> Iterator[routed.Router]:
    made = routed.make_router(request)
    yield made
    made.end()
