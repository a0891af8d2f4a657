# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C and SIGTERM end a run with its result; a second one ends it at once; SIGKILL leaves nothing in the way."""
from __future__ import annotations

import contextlib
import os
import pathlib
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest
from harness import DONE, MIXED, Program, is_running, packets_of
from namespaces import run, wait_for

ENDLESS = ["-l", "0-1", "--vdev=net_null0", "--vdev=net_null1"]


def has_signal(pid: int, field: str, number: signal.Signals) -> bool:
    """Whether a signal is in one of the sets that /proc shows of a process."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    found = next(line for line in status.splitlines() if line.startswith(f"{field}:"))
    return bool(int(found.split()[1], 16) >> (number - 1) & 1)


def is_pending(pid: int, number: signal.Signals) -> bool:
    return has_signal(pid, "ShdPnd", number) or has_signal(pid, "SigPnd", number)


@pytest.mark.parametrize("number", (signal.SIGINT, signal.SIGTERM))
@pytest.mark.parametrize("workers", ("run-to-completion", "pair", "isolated-rx"))
@pytest.mark.parametrize("lcores", ("0", "0-1"))
def test_one_signal_drains_and_prints(packetwarp: Program, number, workers, lcores):
    eal = ["-l", lcores, "--vdev=net_null0", "--vdev=net_null1"]
    with packetwarp.running(eal, ["--workers", workers, "-b", "64"]) as forwarding:
        done = forwarding.wait_until_forwarding().send(number).finish()
    assert done.status == DONE and done.result["ended_by"] == "signal", done
    assert done.packets.tx == done.packets.rx > 0 and done.packets.in_flight == 0
    assert done.packets.dropped == {}


@pytest.mark.parametrize("second", (signal.SIGINT, signal.SIGTERM))
def test_two_signals_drop_what_is_in_flight(packetwarp: Program, tmp_path, second):
    """The port takes nothing for as long as it likes, so draining would take until its time-out."""
    devices = [f"--vdev=net_pcap0,rx_pcap={MIXED}", f"--vdev=net_memif0,role=server,socket={tmp_path}/memif,socket-abstract=no"]
    with packetwarp.running(["-l", "0-1", *devices], ["-p", "1", "--tx-timeout", "1h"]) as forwarding:
        forwarding.wait_until_forwarding().send(signal.SIGINT)
        # Two of one kind that wait are one.
        wait_for(lambda: not is_pending(forwarding.process.pid, signal.SIGINT), "the first signal to be taken")
        done = forwarding.send(second).finish()
    assert done.status == DONE, done
    assert done.packets.dropped == {"shutdown": done.packets.rx} and done.packets.rx > 0
    assert "dropped as \"shutdown\"" in done.stderr and "did not drain in time" not in done.stderr, done


def test_two_signals_with_nothing_in_flight_warn_of_nothing(packetwarp: Program):
    """Its worker sleeps between polls, so that the second signal comes before it has seen the first."""
    with packetwarp.running(["-l", "0-1", "--vdev=net_null0,no-rx=1"], ["--poll-sleep", "10ms"]) as idle:
        done = idle.wait_until_forwarding().send(signal.SIGINT, signal.SIGTERM).finish()
    assert done.status == DONE and not any("in flight" in line for line in done.warnings), done


def test_a_signal_before_it_forwards_ends_it_too(packetwarp: Program):
    """While the EAL starts, the signal is remembered; nothing has come in, and the result says so."""
    with packetwarp.running(ENDLESS) as starting:
        wait_for(lambda: "packetwarp" in pathlib.Path(f"/proc/{starting.process.pid}/cmdline").read_text(), "the process")
        wait_for(lambda: has_signal(starting.process.pid, "SigCgt", signal.SIGTERM), "its signal handler")
        done = starting.send(signal.SIGTERM).finish()
    assert done.status == DONE and done.result["ended_by"] == "signal", done


def test_killed_it_starts_again(packetwarp: Program):
    with packetwarp.running(ENDLESS) as killed:
        killed.wait_until_forwarding().send(signal.SIGKILL)
        assert killed.finish().status == -signal.SIGKILL
    assert packetwarp.forward(ENDLESS, ["--duration", "200ms"]).packets.tx > 0


def test_it_does_not_outlive_tests_that_are_killed(packetwarp: Program):
    tests = f'''
import pathlib, sys, time
sys.path[:0] = {sys.path!r}
from harness import Program
with Program(pathlib.Path({str(packetwarp.binary)!r}), pathlib.Path({str(packetwarp.folder)!r})).running({ENDLESS!r}) as forwarding:
    forwarding.wait_until_forwarding()
    print(forwarding.process.pid, flush=True)
    time.sleep(60)
'''
    with subprocess.Popen([sys.executable, "-c", tests], stdout=subprocess.PIPE, text=True) as run_of_tests:
        try:
            assert run_of_tests.stdout is not None
            left = int(run_of_tests.stdout.readline())
            assert is_running(left)
        finally:
            run_of_tests.kill()
    wait_for(lambda: not is_running(left), "it to end")


@contextlib.contextmanager
def own_hugetlbfs() -> Iterator[list[str]]:
    """A mount namespace with a hugetlbfs and a runtime folder of its own; gives the command that runs things in it."""
    if os.geteuid() != 0:
        pytest.skip("needs root, to mount a hugetlbfs")
    if not any(int(size.read_text()) for size in pathlib.Path("/sys/kernel/mm/hugepages").glob("*/free_hugepages")):
        pytest.skip("needs free hugepages: echo 512 > /proc/sys/vm/nr_hugepages")
    mounts = "mount -t tmpfs none /run && mkdir -p /dev/hugepages && mount -t hugetlbfs none /dev/hugepages"
    keeper = subprocess.Popen(["unshare", "--mount", "sh", "-c", f"{mounts} && echo ready && exec sleep 600"],
                              stdout=subprocess.PIPE, text=True)
    try:
        if keeper.stdout is None or keeper.stdout.readline() != "ready\n":
            pytest.skip("a hugetlbfs cannot be mounted here")
        yield ["nsenter", f"--mount=/proc/{keeper.pid}/ns/mnt", "--"]
    finally:
        keeper.kill()
        keeper.wait()


def test_killed_with_files_in_a_hugetlbfs_it_starts_again(packetwarp: Program):
    """Without --in-memory the EAL keeps files: of hugepages, of its configuration, and a socket."""
    eal = ["--no-pci", *ENDLESS]
    with own_hugetlbfs() as within:
        argv = [*within, *packetwarp.words("l2fwd", eal, ["--stats-period", "50ms"])]
        errors = packetwarp.folder / "killed.err"
        with errors.open("w") as stderr, subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=stderr) as killed:
            try:
                wait_for(lambda: "in flight" in errors.read_text() or killed.poll() is not None, "it to forward", seconds=60)
                assert killed.poll() is None, errors.read_text()
            finally:
                killed.kill()
        left = run(*within, "find", "/run/dpdk", "/dev/hugepages", "-type", "f").stdout.split()
        assert left, "it was killed before it had files, or in memory"
        again = packetwarp.run("l2fwd", eal, ["--duration", "200ms", "--json", "-"], within=within)
        assert again.status == DONE and packets_of(again.result).tx > 0, again
