# SPDX-License-Identifier: Apache-2.0
"""python/bench_seeing.py measures, and has really asked."""
from __future__ import annotations

import json
import subprocess
import sys

from harness import ROOT


def test_pairs_of_windows_alone_and_asked(binary, tmp_path):
    result = tmp_path / "seeing.json"
    done = subprocess.run([sys.executable, ROOT / "python/bench_seeing.py", "--packetwarp", binary, "--workloads", "cpu", "--pairs", "2",
                           "--window", "1.2", "--asks", "0.5", "--cores", "0,1", "--json", result],
                          capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done
    made = json.loads(result.read_text())
    [run] = made["runs"]
    assert [(alone["asked"], asked["asked"]) for alone, asked in run["pairs"]] == [(0, 1), (0, 1)]
    assert all(window["packets"] > 0 and window["seconds"] > 0 for pair in run["pairs"] for window in pair)
    [one] = made["summary"]
    assert one["workload"] == "cpu" and one["cost_percent_95"][0] <= one["cost_percent"] <= one["cost_percent_95"][1]
    assert "once a second, at most" in done.stdout and made["host"]["cpu_model"]
