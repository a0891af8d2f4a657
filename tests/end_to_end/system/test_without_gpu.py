# SPDX-License-Identifier: Apache-2.0
"""A machine without a GPU: asking for one says what is missing, and nothing else needs one."""
from __future__ import annotations

import pathlib

import pytest
from harness import ALONE, DONE, WRONG_USAGE, Program

NULL_PORT = "--vdev=net_null0"

pytestmark = pytest.mark.skipif(pathlib.Path("/dev/nvidiactl").exists(), reason="there is an NVIDIA driver here")


@pytest.mark.parametrize("workload", ["kernel", "persistent"])
def test_asking_for_one_is_refused_in_one_line(packetwarp: Program, tmp_path, workload):
    result = tmp_path / "result.json"
    run = packetwarp.run("l2fwd", [*ALONE, "-l", "0", NULL_PORT], ["-w", workload, "--duration", "100ms", "--json", str(result)])
    assert run.status == WRONG_USAGE, run
    assert len(run.errors) == 1 and run.stderr.splitlines()[-1] == run.errors[0], run
    for word in ("NVIDIA driver", "-w cpu or -w none (l2fwd)", "data_plane.executor: cpu (run)"):
        assert word in run.errors[0], run
    assert run.stdout == "" and not result.exists(), run


def test_another_one_is_not_there_either(packetwarp: Program):
    run = packetwarp.run("l2fwd", [*ALONE, "-l", "0", NULL_PORT], ["-w", "persistent", "-g", "7", "--duration", "100ms"])
    assert run.status == WRONG_USAGE and len(run.errors) == 1 and "NVIDIA driver" in run.errors[0], run


def test_a_plan_with_one_can_be_made(packetwarp: Program):
    run = packetwarp.run("plan", [*ALONE, "-l", "0", NULL_PORT], ["-w", "persistent"])
    assert run.status == DONE and "executor persistent" in run.stdout, run


@pytest.mark.parametrize("workload", ["none", "cpu"])
def test_what_needs_none_runs(packetwarp: Program, workload):
    done = packetwarp.forward(["-l", "0", NULL_PORT], ["-w", workload, "-v", "1000"])
    assert done.packets.rx >= 1000
