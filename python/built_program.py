# SPDX-License-Identifier: Apache-2.0
"""The common parts of pytest's folders that run the built binary: its option, its fixture, and the exit status if all was
skipped."""
from __future__ import annotations

import os
import pathlib
import subprocess
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[1]
# ctest and the scripts in ci take it for "skipped": no test ran, so none has passed.
EXIT_SKIPPED = 43


collect = subprocess.Popen._try_wait


def collect_later(process: subprocess.Popen, flags: int) -> tuple[int, int]:
    """Collects a child that has ended once its last thread is gone, too: Linux lets the collector spin until then, for a
    slice of the scheduler's time, because the threads' names are files of /proc (DPDK names each)."""
    try:
        ended = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | (os.WNOHANG if flags else 0))
    except ChildProcessError:
        ended = None
    if ended is not None:
        time.sleep(0.01)
    return collect(process, flags)


subprocess.Popen._try_wait = collect_later


def add_binary_option(parser: pytest.Parser) -> None:
    parser.addoption("--packetwarp", type=pathlib.Path, default=ROOT / "build/release/src/cli/packetwarp",
                     help="the binary to test (default: build/release/src/cli/packetwarp)")


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if exitstatus == 0 and "passed" not in reporter.stats and "skipped" in reporter.stats:
        session.exitstatus = EXIT_SKIPPED


@pytest.fixture(scope="session")
def binary(request: pytest.FixtureRequest) -> pathlib.Path:
    path = request.config.getoption("--packetwarp").absolute()
    if not path.is_file():
        pytest.fail(f"{path} is not there: build it, or say which with --packetwarp PATH", pytrace=False)
    return path
