# SPDX-License-Identifier: Apache-2.0
"""`packetwarp rdma-bw` with the engine host: ib_write_bw's table, the times below it, the same as JSON, and refusals."""
from __future__ import annotations

import json
import re
import shutil
import subprocess

import pytest
from harness import DONE, WRONG_USAGE

HEAD = " #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]"
SIZES = [64, 128, 256, 512, 1024, 2048, 4096]


@pytest.fixture
def ask(binary, tmp_path):
    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([binary, "rdma-bw", *words], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)

    return run


def test_the_tables_have_a_line_per_size(ask):
    done = ask("-n", "3", "-q", "2", "--posts", "100")
    assert (done.returncode, done.stderr) == (DONE, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "RDMA write bandwidth: initiator cpu, transport host, 2 queues, 100 writes per iteration"
    bandwidth = [line.split() for line in lines[lines.index(HEAD) + 1:][:len(SIZES)]]
    assert [int(row[0]) for row in bandwidth] == SIZES
    assert {row[1] for row in bandwidth} == {"3"}
    for size, _, peak, average, rate in bandwidth:
        # The columns agree as far as their digits do: MB of 2^20 bytes have two decimals, Mpps (millions of writes) have six.
        mib = int(size) / 2**20
        assert float(average) == pytest.approx(float(rate) * 1e6 * mib, abs=(0.01 + mib) / 2 + 1e-9)
        assert float(peak) > 0
    times = [line.split() for line in lines[next(n for n, line in enumerate(lines) if "post[us]" in line) + 1:][:len(SIZES)]]
    assert [int(row[0]) for row in times] == SIZES
    assert all(float(value) > 0 for row in times for value in row[1:])
    writes = len(SIZES) * 3 * 2 * 100
    assert re.fullmatch(rf"engine: {writes} writes, \d+ doorbells, {len(SIZES) * 3 * 2} completions; .* of target checked, all right", lines[-1])


def test_json_has_the_same_and_every_counter(ask, tmp_path):
    assert ask("-s", "1000", "-n", "2", "--posts", "7", "--json", "made.json").returncode == DONE
    made = json.loads((tmp_path / "made.json").read_text())
    assert (made["version"], made["initiator"], made["transport"], made["queues"], made["posts"]) == (1, "cpu", "host", 1, 7)
    [result] = made["results"]
    assert (result["bytes"], result["iterations"], result["checked_bytes"]) == (1000, 2, 7000)
    assert result["average_bytes_per_second"] == pytest.approx(1000 * result["messages_per_second"])
    engine = made["engine"]
    assert (engine.pop("writes"), engine.pop("bytes"), engine.pop("completions")) == (14, 14000, 2)
    assert 1 <= engine.pop("doorbells") <= 2
    assert set(engine.values()) == {0}, "errors and overruns"


def test_json_on_standard_output_stands_alone(ask):
    done = ask("-s", "64", "-n", "1", "--json", "-")
    assert json.loads(done.stdout)["results"][0]["bytes"] == 64


@pytest.mark.parametrize("words, line", [
    (("-s", "0"), "-s: 0 is out of range; allowed are 1 to 8m, or all"),
    (("--transport", "rocev2"), "--transport 'rocev2': give host, gpu, store, shm, roce, verbs or mlx5"),
    (("-q", "128", "--posts", "16384", "-s", "8m"), "128 queues of 16384 posts of 8388608 bytes take 16.0 TiB of source and as much of target; the most is 2.00 GiB each: give fewer or smaller ones"),
    (("--target-gpu", "1"), "--target-gpu goes with --transport gpu or store: --transport host writes to no GPU"),
    (("--transport", "verbs", "--target-gpu", "1"), "--target-gpu goes with --transport gpu or store: --transport verbs writes to no GPU"),
    (("--transport", "gpu", "--target-gpu", "x"), "--target-gpu: 'x' is not a number; expected a number, alone or with k, m or g (thousands), such as 64 or 8k"),
    (("--transport", "store"), "--transport store is for threads of a GPU: give --initiator gpu"),
    (("--transport", "store", "--initiator", "gpu", "--payload", "gpu"), "--payload gpu goes with --transport roce or mlx5: payload of --transport store is in its GPU"),
    (("-y",), "-y: no such option; 'packetwarp rdma-bw --help' lists them"),
])
def test_a_wrong_request_is_one_line(ask, words, line):
    done = ask(*words)
    assert (done.returncode, done.stdout) == (WRONG_USAGE, "")
    assert done.stderr.splitlines() == [f"packetwarp: error: {line}"]


@pytest.mark.parametrize("words", [("--initiator", "gpu"), ("--transport", "gpu"), ("--initiator", "gpu", "--transport", "gpu", "--target-gpu", "1"),
                                   ("--initiator", "gpu", "--transport", "store")])
def test_without_a_gpu_the_line_says_what_needs_none(binary, words):
    if shutil.which("nvidia-smi") and subprocess.run(["nvidia-smi", "-L"], capture_output=True, check=False).returncode == 0:
        pytest.skip("this machine has a GPU")
    done = subprocess.run([binary, "rdma-bw", *words], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == WRONG_USAGE
    assert done.stderr.splitlines() == ["packetwarp: error: no GPU can be used here ('packetwarp doctor --only gpu' says why); "
                                        "--initiator cpu --transport host needs none"]
