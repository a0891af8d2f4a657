# SPDX-License-Identifier: Apache-2.0
"""`packetwarp rdma-bw` and `rdma-lat` between two GPUs, or within one: tables, JSON and the lines of refusals."""
from __future__ import annotations

import json
import shutil
import subprocess

import pytest
from harness import DONE, WRONG_USAGE

COLUMNS = (" #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   99% percentile[usec]"
           "   99.9% percentile[usec]")
NETWORK = "a server's name, --address, -p, -m, -u, --retries, -d and -x go with --transport shm, roce, verbs or mlx5"


def gpus() -> int:
    if not shutil.which("nvidia-smi"):
        return 0
    said = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, check=False)
    return len(said.stdout.splitlines()) if said.returncode == 0 else 0


@pytest.fixture
def ask(binary, tmp_path):
    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([binary, *words], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)

    return run


@pytest.mark.parametrize("words, line", [
    (("--transport", "host"), "--transport 'host': give gpu, store, shm, roce, verbs or mlx5"),
    (("--transport", "gpu", "10.9.0.1"), f"--transport gpu has no peer: {NETWORK}"),
    (("--transport", "store", "-p", "1000"), f"--transport store has no peer: {NETWORK}"),
    (("--transport", "store", "--initiator", "cpu"), "both ends of --transport store are GPUs: give neither --initiator nor --payload"),
    (("--transport", "gpu", "--payload", "host"), "both ends of --transport gpu are GPUs: give neither --initiator nor --payload"),
    (("--transport", "gpu", "-n", "2000000"), "-n 2000000: a GPU measures up to 1048576 round trips"),
    (("--transport", "verbs", "--target-gpu", "1"), "--target-gpu goes with --transport gpu or store: --transport verbs writes to no GPU"),
    (("--transport", "store", "--target-gpu", "65"), "--target-gpu: 65 is out of range; allowed are 0 to 64"),
])
def test_a_wrong_request_of_rdma_lat_is_one_line(ask, words, line):
    done = ask("rdma-lat", *words)
    assert (done.returncode, done.stdout) == (WRONG_USAGE, "")
    assert done.stderr.splitlines() == [f"packetwarp: error: {line}"]


@pytest.mark.parametrize("transport", ["gpu", "store"])
def test_without_a_gpu_rdma_lat_says_what_needs_none(ask, transport):
    if gpus() > 0:
        pytest.skip("this machine has a GPU")
    done = ask("rdma-lat", "--transport", transport, "--target-gpu", "1")
    assert done.returncode == WRONG_USAGE
    assert done.stderr.splitlines() == ["packetwarp: error: no GPU can be used here ('packetwarp doctor --only gpu' says why); --transport roce needs none"]


@pytest.mark.parametrize("command", [("rdma-bw", "--initiator", "gpu"), ("rdma-lat",)])
def test_a_target_gpu_that_is_not_there_is_one_line(ask, command):
    count = gpus()
    if count == 0:
        pytest.skip("no GPU")
    done = ask(*command, "--transport", "store", "--target-gpu", str(count))
    assert (done.returncode, done.stdout) == (WRONG_USAGE, "")
    assert done.stderr.splitlines() == [f"packetwarp: error: --target-gpu {count}: there is no such GPU; this machine has {count} of them, from 0 on"]


@pytest.mark.parametrize("target", [0, 1])
@pytest.mark.parametrize("transport", ["gpu", "store"])
def test_tables_and_json_of_two_gpus(ask, transport, target):
    if gpus() <= target:
        pytest.skip("fewer GPUs than this test needs")
    words = ("--transport", transport, "--target-gpu", str(target))
    table = ask("rdma-lat", *words, "-s", "64", "-n", "20")
    assert (table.returncode, table.stderr) == (DONE, "")
    lines = table.stdout.splitlines()
    assert lines[0] == f"RDMA write latency: transport {transport}, GPU 0 and GPU {target}, a write and a signal each way"
    assert COLUMNS in lines and lines[-1] == "128 B of targets checked, all right"
    made = json.loads(ask("rdma-lat", *words, "-s", "64", "-n", "20", "--json", "-").stdout)
    assert (made["transport"], made["gpu"], made["target_gpu"], made["checked_bytes"]) == (transport, 0, target, 128)
    made = json.loads(ask("rdma-bw", "--initiator", "gpu", *words, "-s", "64", "-n", "2", "--json", "-").stdout)
    assert (made["transport"], made["gpu"], made["target_gpu"], made["engine"]["writes"]) == (transport, 0, target, 1024)
    assert (made["results"][0]["commit_ns"] == 0) == (transport == "store")
