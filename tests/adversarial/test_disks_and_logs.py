# SPDX-License-Identifier: Apache-2.0
"""Logs without a reader and disks that are full: the master goes on, and lost writes are counted."""
from __future__ import annotations

import contextlib
import json
import os
import pathlib
import signal
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from asker import arp_asker
from besieged import Besieged, besieged, host, translated
from harness import DONE, FAILED
from namespaces import run, wait_for
from seeing import Control
from stranger import ENOUGH, new_flows
from wire_end import Background

HOSTS = [host(0, number) for number in range(3, 9)]


@contextlib.contextmanager
def small_disk(folder: pathlib.Path, size: str = "128k") -> Iterator[pathlib.Path]:
    """A file system of its own, so small that it fills."""
    disk = folder / "disk"
    disk.mkdir()
    made = run("mount", "-t", "tmpfs", "-o", f"size={size}", "packetwarp-test", str(disk), check=False)
    if made.returncode != 0:
        pytest.skip(f"cannot mount a small file system: {made.stderr.strip()}")
    try:
        yield disk
    finally:
        run("umount", "-l", str(disk), check=False)


def fill(disk: pathlib.Path) -> pathlib.Path:
    """Until not one byte more is taken."""
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while file.write(bytes(4096)):
            pass
    return ballast


def asked(made: Besieged) -> dict[str, Any]:
    with Control(made.live.control) as client:
        return client.ask("nat stats")["result"]


def attack(made: Besieged, what: str, seconds: float, first_port: int = 20000) -> None:
    """New sessions by the hundred, each a line of the log; a host asks by ARP, which the master answers; a client asks."""
    fresh = made.stranger(frame=new_flows(made.ends[0], HOSTS, host(1), first_port), rate=400)
    asker = arp_asker(made.ends[1], host(1, 3), host(1, 1))
    with made.strangers(back_to=host(1, 1)) as flow:
        calm = flow.calm(0.5)
        with fresh.going(), asker.going():
            attacked = flow.during(lambda: time.sleep(seconds))
            stats = asked(made)
    made.must_go_on(what, calm, attacked)
    share = asker.share()
    made.figures.say(f"{what}: ARP {share.share:.0%} of {share.sent} answered; made {stats['made']}, unlogged {stats['unlogged']}")
    assert share.share >= ENOUGH, f"ARP: {share.received} of {share.sent} answered"


@contextlib.contextmanager
def fifo(path: pathlib.Path) -> Iterator[int]:
    """The test has it open; otherwise opening it for writing would be refused."""
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        yield reader
    finally:
        os.close(reader)


def sip(reader: int, ended: threading.Event) -> None:
    """A little now and then."""
    while not ended.wait(0.1):
        with contextlib.suppress(BlockingIOError):
            os.read(reader, 100)


@pytest.mark.parametrize("reads", (False, True), ids=("nobody reads", "somebody reads slowly"))
def test_a_session_log_that_takes_nothing_holds_up_nobody(packetwarp, figures, times, tmp_path, reads):
    """A FIFO: some lines find room, then none. 400 lines per second soon exceed its 64 KiB."""
    with fifo(tmp_path / "sessions") as reader:
        with besieged(packetwarp, figures, translated(log=str(tmp_path / "sessions"))) as made, contextlib.ExitStack() as stack:
            if reads:
                stack.enter_context(Background(lambda ended: sip(reader, ended)))
            attack(made, "a FIFO", 3 * times)
            made.end()


def test_a_reader_that_leaves_ends_nothing(packetwarp, figures, times, tmp_path):
    """A log collector that restarts: lines written meanwhile have no reader (SIGPIPE)."""
    log = tmp_path / "sessions"
    with contextlib.ExitStack() as collector, contextlib.ExitStack() as router:
        collector.enter_context(fifo(log))
        made = router.enter_context(besieged(packetwarp, figures, translated(log=str(log))))
        collector.close()
        attack(made, "no reader any more", 1.5 * times)
        made.end()


def logged(log: pathlib.Path) -> int:
    """Whole lines of sessions made. On a full disk one may be cut."""
    count = 0
    for line in log.read_text().splitlines():
        with contextlib.suppress(ValueError):
            count += json.loads(line).get("event") == "made"
    return count


def test_what_full_disks_lose_is_counted_and_nothing_else_is_lost(packetwarp, figures, times, tmp_path):
    """Session log and event log are on a disk that fills; once there is room again, lines are written again."""
    with small_disk(tmp_path) as disk:
        log, events = disk / "sessions", disk / "events"
        with besieged(packetwarp, figures, translated(log=str(log)), options=("--event-log", str(events))) as made:
            ballast = fill(disk)
            attack(made, "full disk", 1.5 * times)
            made.live.said("reload")
            ballast.unlink()
            before = log.stat().st_size
            attack(made, "room again", 1, first_port=45000)
            wait_for(lambda: log.stat().st_size > before, "lines in the log, now that there is room")
            nat = made.end().result["nat"]
        figures.say(f"{nat['made']} sessions made: {logged(log)} in the log, {nat['unlogged']} counted as not logged")
        assert logged(log) + nat["unlogged"] >= nat["made"], nat


def test_a_capture_to_a_full_disk_ends_alone(packetwarp, figures, times, tmp_path):
    with small_disk(tmp_path) as disk:
        with besieged(packetwarp, figures, translated()) as made, made.strangers(back_to=host(1, 1)) as flow:
            calm = flow.calm(0.5)
            fill(disk)
            began = flow.sent
            captured = made.live.ask("capture", "-w", str(disk / "capture"), "--duration", "1s")
            time.sleep(0.5 * times)
            attacked = flow.since(began)
            assert captured.status == FAILED and len(captured.errors) == 1, captured
            made.must_go_on("a capture to a full disk", calm, attacked)
            assert made.live.ask("capture", "-w", str(tmp_path / "capture"), "--packets", "10").status == DONE


def test_a_state_file_that_cannot_be_written_leaves_the_old_one(packetwarp, figures, tmp_path):
    with small_disk(tmp_path) as disk:
        state = disk / "state"
        with besieged(packetwarp, figures, translated(state=str(state))) as made:
            with made.strangers(back_to=host(1, 1)) as flow:
                calm = flow.calm(0.5)
                made.live.said("nat", "save")
                old = state.read_bytes()
                fresh = made.stranger(frame=new_flows(made.ends[0], HOSTS, host(1)), rate=400)
                with fresh.going():
                    time.sleep(1)
                fill(disk)
                assert made.live.ask("nat", "save").status == FAILED
            made.must_go_on("a save on a full disk", calm, calm)
            done = made.live.running.send(signal.SIGINT).finish()
            assert done.status == FAILED and done.packets.in_flight == 0, done
            assert [line for line in done.errors if str(state) in line], done
        assert old and state.read_bytes() == old
