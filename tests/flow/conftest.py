# SPDX-License-Identifier: Apache-2.0
"""Options of the comparison with dpdk-testpmd."""
from __future__ import annotations

import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent), str(ROOT / "python")]

from built_program import pytest_sessionfinish  # noqa: E402, F401


def pytest_addoption(parser: pytest.Parser) -> None:
    build = ROOT / "build" / "release" / "tests" / "flow"
    parser.addoption("--flow-arrays", type=pathlib.Path, default=build / "flow_arrays", help="our side's program")
    parser.addoption("--recording-nic", type=pathlib.Path, default=build / "librecording_nic.so",
                     help="the library that makes dpdk-testpmd tell what it gives to drivers")
    parser.addoption("--commands", type=int, default=3000, help="how many generated commands to compare")
    parser.addoption("--whole-reference", action="store_true", help="all 10,006 rules of the reference, not the first 200")
    parser.addoption("--seed", type=int, default=1, help="which commands")
