# SPDX-License-Identifier: Apache-2.0
"""Options of the scale-out test: the built binary, and the file for its figures."""
from __future__ import annotations

import pathlib
import signal
import sys
import time
from collections.abc import Iterator

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent), str(ROOT / "python")]

from built_program import add_binary_option, binary, pytest_sessionfinish  # noqa: E402, F401
from namespaces import need_root_and_tools  # noqa: E402
import frr  # noqa: E402
from bed import Bed  # noqa: E402
from figures import Figures  # noqa: E402
from served import wait_for_all  # noqa: E402


def pytest_addoption(parser: pytest.Parser) -> None:
    add_binary_option(parser)
    parser.addoption("--figures", type=pathlib.Path, help="the file for the measured times and counts")


def pytest_configure() -> None:
    """A SIGTERM must not leave a namespace either."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def prepared() -> None:
    if why := need_root_and_tools("ip", "ethtool", "vtysh", "chrt"):
        pytest.skip(why)
    if not frr.is_there():
        pytest.skip("needs FRR's zebra, bgpd and bfdd (apt-get install frr)")


@pytest.fixture(scope="session")
def figures(request: pytest.FixtureRequest) -> Iterator[Figures]:
    made = Figures()
    yield made
    print(made.text())
    if path := request.config.getoption("--figures"):
        path.write_text(made.text(), encoding="utf-8")


@pytest.fixture(scope="module")
def bed(binary: pathlib.Path, figures: Figures) -> Iterator[Bed]:
    """With two replicas, and all hosts served."""
    with Bed(binary) as made:
        began = time.monotonic()
        for one in made.replicas[:2]:
            one.start()
        made.wait_for_group({0, 1})
        figures.add("2 replicas are next hops after", time.monotonic() - began)
        made.start_hosts()
        wait_for_all(made)
        yield made
