# SPDX-License-Identifier: Apache-2.0
"""The file of a net_memif server's socket: what a killed run leaves does not keep the next one from starting."""
from __future__ import annotations

from harness import ALONE, DONE, WRONG_USAGE, Program


def test_a_killed_run_starts_again_and_a_second_one_beside_it_is_refused(packetwarp: Program, tmp_path):
    device = f"--vdev=net_memif0,role=server,socket={tmp_path}/wire,socket-abstract=no"
    with packetwarp.running(["-l", "0", device]) as running:
        running.wait_until_forwarding()
        second = packetwarp.run("l2fwd", [*ALONE, "-l", "0", device], ["--duration", "50ms"])
        assert second.status == WRONG_USAGE and len(second.errors) == 1, second
        assert f"{device}: socket={tmp_path}/wire: another program listens there" in second.errors[0], second
        planned = packetwarp.run("plan", [*ALONE, "-l", "0", device])
        assert planned.status == WRONG_USAGE and f"socket={tmp_path}/wire: another program listens there" in planned.stderr, planned
        running.wait_for_statistics(2)
        assert running.process.poll() is None, "a server of DPDK panics on a client that goes at once"
        running.process.kill()
        running.process.wait()
    assert (tmp_path / "wire").is_socket()
    again = packetwarp.run("l2fwd", [*ALONE, "-l", "0", device], ["--duration", "50ms"])
    assert again.status == DONE, again
