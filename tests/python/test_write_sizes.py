# SPDX-License-Identifier: Apache-2.0
"""python/gpu/write_sizes.py with a program that answers as rdma-bw does."""
from __future__ import annotations

import json
import pathlib
import subprocess
import sys

import pytest
from conftest import ROOT

# Rates by bytes, queues and the number of the call; the engine `host` alone, as without a GPU.
ANSWERS = """#!/usr/bin/env python3
import json, pathlib, sys
words = sys.argv[1:]
given = {words[n]: words[n + 1] for n in range(1, len(words) - 1, 2)}
if given["--initiator"] == "gpu" or given["--transport"] != "host":
    print("packetwarp: error: no GPU can be used here", file=sys.stderr)
    sys.exit(2)
calls = pathlib.Path(__file__).with_name("calls" + given["-q"])
number = int(calls.read_text()) + 1 if calls.exists() else 1
calls.write_text(str(number))
if number == FAILS:
    print("packetwarp: error: a byte is wrong", file=sys.stderr)
    sys.exit(1)
rate = [0, 3, 1, 2][number]
print(json.dumps({"results": [{"bytes": size, "average_bytes_per_second": rate * size * 2**20, "messages_per_second": rate * 1e6 * int(given["-q"])} for size in (64, 4096)]}))
"""


# A machine with two GPUs, and a peer whose warps are quicker with 4,096 bytes.
OF_TWO_GPUS = """#!/usr/bin/env python3
import json, sys
assert sys.argv[-4:] == ["--target-gpu", "1", "--json", "-"], sys.argv
print(json.dumps({"results": [{"bytes": size, "average_bytes_per_second": size * 2**20, "messages_per_second": 1e6} for size in (64, 4096)]}))
"""
PEER = """#!/usr/bin/env python3
import json, sys
assert sys.argv[1:] == ["sizes"]
puts = [{"by": by, "blocks": 8, "bytes": size, "mib": [rate * 2, rate, rate * 3]} for by, rates in (("thread", (20, 7)), ("warp", (10, 9))) for size, rate in zip((64, 4096), rates)]
print("a line of the library's")
print(json.dumps({"puts": puts, "link_mib": [5.0, 4.0, 6.0]}))
"""


def program_of(folder: pathlib.Path, name: str, text: str) -> pathlib.Path:
    made = folder / name
    made.write_text(text)
    made.chmod(0o755)
    return made


def into_a_second_gpu(folder: pathlib.Path, *words: str, program: str = OF_TWO_GPUS) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "python/gpu/write_sizes.py"), str(program_of(folder, "packetwarp", program)), "--times", "3", "--queues", "8",
               *words, "--json", str(folder / "made.json")]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


def test_a_second_gpus_rates_stand_beside_the_better_of_the_peers_and_the_links(tmp_path):
    done = into_a_second_gpu(tmp_path, "--target-gpu", "1", "--nvshmem", str(program_of(tmp_path, "peer", PEER)))
    assert done.returncode == 0, done.stderr
    document = json.loads((tmp_path / "made.json").read_text())
    medians = {(one["initiator"], one["transport"], one["bytes"]): one["mib"]["median"] for one in document["results"]}
    assert medians == {**{(*case, size): size for case in (("cpu", "gpu"), ("gpu", "gpu"), ("gpu", "store")) for size in (64, 4096)},
                       ("nvshmem", "nvshmem", 64): 40, ("nvshmem", "nvshmem", 4096): 18}
    assert document["limits"] == [{"name": "a copy by CUDA over the link", "mib": {"median": 5, "min": 4, "max": 6}}]


def test_a_peer_needs_a_second_gpu_to_write_to(tmp_path):
    done = into_a_second_gpu(tmp_path, "--nvshmem", "peer")
    assert done.returncode == 2 and "--nvshmem goes with --target-gpu" in done.stderr


def test_a_machine_without_a_second_gpu_is_told_of_in_one_line(tmp_path):
    refuses = "#!/bin/sh\necho 'packetwarp: error: --target-gpu 1: this machine has 1 GPU' >&2\nexit 2\n"
    done = into_a_second_gpu(tmp_path, "--target-gpu", "1", program=refuses)
    assert (done.returncode, done.stderr) == (1, "write_sizes: nothing was measured: --target-gpu 1: this machine has 1 GPU\n")


def run(folder: pathlib.Path, fails: int) -> tuple[subprocess.CompletedProcess[str], pathlib.Path]:
    program = folder / "packetwarp"
    program.write_text(ANSWERS.replace("FAILS", str(fails)))
    program.chmod(0o755)
    made = folder / "made.json"
    command = [sys.executable, str(ROOT / "python/gpu/write_sizes.py"), str(program), "--times", "3", "--queues", "1", "8", "--json", str(made)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60), made


def test_medians_of_runs_in_turn_and_what_the_machine_lacks(tmp_path):
    done, made = run(tmp_path, fails=0)
    assert done.returncode == 0, done.stderr
    document = json.loads(made.read_text())
    assert document["benchmark"] == "rdma_write_sizes" and "packetwarp" in document["command"] and str(tmp_path) not in document["command"]
    cases = ("gpu, host", "cpu, gpu", "gpu, gpu", "gpu, store")
    assert set(document["not_measured"]) == {f"{case}, {queues}" for case in cases for queues in ("1 queue", "8 queues")}
    assert set(document["not_measured"].values()) == {"no GPU can be used here"}
    found = {(one["queues"], one["bytes"]): one for one in document["results"]}
    assert set(found) == {(1, 64), (1, 4096), (8, 64), (8, 4096)}
    for (queues, size), one in found.items():
        assert (one["initiator"], one["transport"], one["runs"]) == ("cpu", "host", 3)
        assert one["mib"] == pytest.approx({"median": 2 * size, "min": size, "max": 3 * size})
        assert one["mps"] == pytest.approx({"median": 2 * queues, "min": queues, "max": 3 * queues})
    assert "not measured: gpu, store, 1 queue: no GPU can be used here" in done.stdout


def test_numbers_of_queues_that_no_run_takes_are_refused(tmp_path):
    done = subprocess.run([sys.executable, str(ROOT / "python/gpu/write_sizes.py"), "packetwarp", "--queues", "1", "256", "--json", str(tmp_path / "made.json")],
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and done.stderr.splitlines()[-1] == "write_sizes.py: error: --queues: [1, 256]; a number is 1 to 128"


def test_a_run_that_fails_ends_it_with_its_line_and_without_a_file(tmp_path):
    done, made = run(tmp_path, fails=2)
    assert done.returncode == 1 and not made.exists()
    assert done.stderr == "write_sizes: rdma-bw --initiator cpu --transport host -q 1 -n 800 --json -: exit status 1: packetwarp: error: a byte is wrong\n"
