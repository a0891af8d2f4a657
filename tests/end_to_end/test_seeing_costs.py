# SPDX-License-Identifier: Apache-2.0
"""python/bench_seeing.py measures, and has really asked."""
from __future__ import annotations

import json
import subprocess
import sys

from harness import ROOT


def test_a_round_of_each_way(binary, tmp_path):
    result = tmp_path / "seeing.json"
    done = subprocess.run([sys.executable, ROOT / "python/bench_seeing.py", "--packetwarp", binary, "--workloads", "cpu", "--rounds", "1",
                           "--seconds", "5", "--cores", "0,1", "--json", result], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done
    made = json.loads(result.read_text())
    alone, seen = made["runs"]
    assert (alone["way"], seen["way"]) == ("alone", "seen") and "asked" not in alone
    assert min(alone["mpps"], seen["mpps"]) > 0
    assert set(seen["asked"]) == {"metrics", "telemetry", "report"} and all(seen["asked"].values())
    assert made["summary"][0]["workload"] == "cpu" and "ratio" in done.stdout
