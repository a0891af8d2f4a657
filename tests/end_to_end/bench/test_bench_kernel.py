# SPDX-License-Identifier: Apache-2.0
"""python/bench_kernel.py measures: with the tools that people know, and where a machine lacks them."""
from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest
from harness import ROOT
from namespaces import need_root_and_tools


def measure(binary: pathlib.Path, folder: pathlib.Path, case: str, **environment: str) -> dict:
    if reason := need_root_and_tools("ip"):
        pytest.skip(reason)
    result = folder / "result.json"
    done = subprocess.run(
        [sys.executable, ROOT / "python/bench_kernel.py", binary, "--cases", case, "--seconds", "1", "--repeats", "1",
         "--pings", "5", "--json", result], capture_output=True, text=True, timeout=200, env={**os.environ, **environment})
    assert done.returncode == 0, done.stderr
    assert case in done.stdout and "DPVS" in done.stdout
    [measured] = json.loads(result.read_text())["results"]
    assert measured["ping_ms"]["received"] > 0 and measured["tcp"]["bits_per_second"] > 0
    assert measured["tcp"]["packets_per_second"] > 0
    return measured


def test_with_ping_and_iperf3(binary, tmp_path):
    if reason := need_root_and_tools("ping", "iperf3", "ethtool"):
        pytest.skip(reason)
    measured = measure(binary, tmp_path, "kni worker, address flow, idle")
    assert (measured["ping_ms"]["tool"], measured["tcp"]["tool"]) == ("ping", "iperf3")


def test_without_them(binary, tmp_path):
    few = tmp_path / "bin"
    few.mkdir()
    for tool in ("ip", "sh", "cat"):
        if found := shutil.which(tool):
            (few / tool).symlink_to(found)
    measured = measure(binary, tmp_path, "no kni worker, idle", PATH=str(few))
    assert (measured["ping_ms"]["tool"], measured["tcp"]["tool"]) == ("python", "python")
