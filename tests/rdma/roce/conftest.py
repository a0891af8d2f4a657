# SPDX-License-Identifier: Apache-2.0
"""--frames: the program that prints packets."""
from __future__ import annotations


def pytest_addoption(parser):
    parser.addoption("--frames", required=True)
