# SPDX-License-Identifier: Apache-2.0
"""The tools in python/ are scripts, not a package: the tests find them by folder."""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tests" / "end_to_end"), str(ROOT / "tests" / "stranger")]
