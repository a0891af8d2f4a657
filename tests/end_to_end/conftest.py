# SPDX-License-Identifier: Apache-2.0
"""Options and fixtures of the end-to-end tests, which run the built binary as a user does."""
from __future__ import annotations

import pathlib
import subprocess
import sys
from collections.abc import Iterator

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(ROOT / "python"), str(ROOT / "python/connectx")]
# Tests of other folders read a run's telemetry too.
sys.path.append(str(HERE / "telemetry"))

import make_captures  # noqa: E402
from built_program import add_binary_option, binary, pytest_sessionfinish  # noqa: E402, F401
from harness import Program  # noqa: E402
from namespaces import Namespaces, need_root_and_tools  # noqa: E402


def pytest_addoption(parser: pytest.Parser) -> None:
    add_binary_option(parser)
    parser.addoption("--executor", default="cpu", choices=("cpu", "kernel", "persistent", "graph"),
                     help="who does the work of `packetwarp run` where a test does not say it (default: cpu)")
    parser.addoption("--recording-nic", type=pathlib.Path, help="the library that plays NICs with flow rules")
    parser.addoption("--soak", type=float, default=0, metavar="SECONDS",
                     help="let the memory test forward for so long (default: a few seconds)")


@pytest.fixture
def packetwarp(request: pytest.FixtureRequest, binary: pathlib.Path, tmp_path: pathlib.Path) -> Program:
    return Program(binary, tmp_path, request.config.getoption("--executor"))


@pytest.fixture
def nic_library(request: pytest.FixtureRequest) -> pathlib.Path:
    """tests/fixtures/recording_nic.h, to be loaded in front of packetwarp: its ports play NICs with flow rules then."""
    library = request.config.getoption("--recording-nic")
    if library is None or not library.is_file():
        pytest.skip("no library that plays NICs: sanitizers and archives of DPDK do without (--recording-nic PATH)")
    return library.absolute()


@pytest.fixture(scope="module")
def packetwarp_of_module(request: pytest.FixtureRequest, binary: pathlib.Path, tmp_path_factory: pytest.TempPathFactory) -> Program:
    """For tests that share a start: as many cases as there are, in one process."""
    return Program(binary, tmp_path_factory.mktemp("module"), request.config.getoption("--executor"))


@pytest.fixture(scope="session")
def captures(tmp_path_factory: pytest.TempPathFactory) -> dict[str, pathlib.Path]:
    """The odd captures, by file name."""
    return make_captures.write_all(tmp_path_factory.mktemp("captures"))


@pytest.fixture
def small_disk(tmp_path: pathlib.Path) -> Iterator[pathlib.Path]:
    """A file system of 1 MiB, gone after the test."""
    folder = tmp_path / "disk"
    folder.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "packetwarp", str(folder)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"no file system can be mounted here: {done.stderr.strip()}")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.fixture
def namespaces():
    """Network namespaces that are gone after the test."""
    if reason := need_root_and_tools("ip", "ethtool", "ping", "curl", "ss"):
        pytest.skip(reason)
    with Namespaces("pwtest") as made:
        yield made
