# SPDX-License-Identifier: Apache-2.0
"""The process itself: read again a thousand times, killed, stopped, its output cut off."""
from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import tempfile
import time

import pytest
from besieged import MEBIBYTE, besieged, host, translated
from harness import ALONE, ROOT, end_with_the_tests, resident_bytes
from namespaces import wait_for
from stranger import new_flows

ROUTES = 500


def with_routes(n: int) -> dict:
    """Each time other routes."""
    file = translated()
    file["routes"] += [{"to": f"172.{16 + m // 256}.{m % 256}.0/24", "via": host(1, 2 + (n + m) % 4)} for m in range(ROUTES)]
    return file


def test_reloads_leave_nothing_behind(packetwarp, figures, times):
    """Each of them once left 1.2 MB."""
    warm, count = 10, 40 * times
    with besieged(packetwarp, figures, with_routes(0)) as made:
        pid = made.live.running.process.pid

        def reload(first: int, last: int) -> None:
            for n in range(first, last):
                made.live.write(with_routes(n))
                made.live.said("reload")
        with made.strangers(back_to=host(1, 1)) as flow:
            calm = flow.calm()
            reload(1, warm)
            before = resident_bytes(pid)
            files = len(os.listdir(f"/proc/{pid}/fd"))
            attacked = flow.during(lambda: reload(warm, warm + count))
        grown = resident_bytes(pid) - before
        made.must_go_on(f"{count} reloads", calm, attacked)
        figures.say(f"{grown / count / 1024:.0f} KiB a reload")
        assert grown < 4 * MEBIBYTE + count * 8192, f"{grown} bytes more after {count} reloads"
        assert len(os.listdir(f"/proc/{pid}/fd")) <= files
        made.end()


def test_a_killed_one_goes_on_with_its_sessions(packetwarp, figures, tmp_path):
    """Answers find their host after the second start, though no packet from inside came."""
    state = tmp_path / "state"
    with besieged(packetwarp, figures, translated(state=str(state))) as made:
        with made.strangers(back_to=host(1, 1)) as flow:
            flow.calm(0.3)
        with made.stranger(frame=new_flows(made.ends[0], [host(0, 3)], host(1))).going() as fresh:
            fresh.calm(0.3)
        made.live.said("nat", "save")
        sessions = {(one["inside"], one["outside"]) for one in made.live.json("nat", "sessions", "--limit", "10000")["sessions"]}
        made.live.running.send(signal.SIGKILL).process.wait()
    with besieged(packetwarp, figures, translated(state=str(state))) as made:
        now = {(one["inside"], one["outside"]) for one in made.live.json("nat", "sessions", "--limit", "10000")["sessions"]}
        assert now == sessions
        with made.strangers(back_to=host(1, 1)) as flow:
            calm = flow.calm()
        made.must_go_on("after kill -9", calm, calm)
        made.end()


def test_one_that_stood_still_goes_on(packetwarp, figures, times):
    """SIGSTOP for some seconds: rings run over, which no code can prevent; afterwards everything is as before."""
    with besieged(packetwarp, figures, translated()) as made:
        with made.strangers(back_to=host(1, 1)) as flow:
            calm = flow.calm()
            live = made.live.json("nat", "stats")["live"]
            made.live.running.send(signal.SIGSTOP)
            time.sleep(3 * times)
            made.live.running.send(signal.SIGCONT)
            time.sleep(0.5)
            after = flow.during(lambda: time.sleep(1))
            assert made.live.json("nat", "stats")["live"] >= live
        made.must_go_on(f"after {3 * times} s of SIGSTOP", calm, after)
        made.end()


def preloaded_clock() -> str:
    """A library that tells one process another time (Debian's libfaketime): the machine's clock stays as it is."""
    for folder in (pathlib.Path("/usr/lib/x86_64-linux-gnu/faketime"), ROOT / "build" / "faketime"):
        if (found := folder / "libfaketimeMT.so.1").is_file():
            return str(found)
    pytest.skip("no libfaketime: install it, or put libfaketimeMT.so.1 into build/faketime")


@pytest.mark.first
def test_clock_steps_end_no_session(packetwarp, figures, times, tmp_path):
    """As when a clock is set: a day on, and a day back. Time-outs use a clock that cannot be set."""
    clock = tmp_path / "clock"
    clock.write_text("+0")
    environment = (f"LD_PRELOAD={preloaded_clock()}", f"FAKETIME_TIMESTAMP_FILE={clock}", "FAKETIME_NO_CACHE=1", "FAKETIME_DONT_FAKE_MONOTONIC=1",
                   "DONT_FAKE_MONOTONIC=1")
    with besieged(packetwarp, figures, translated(), environment=environment) as made:
        with made.strangers(back_to=host(1, 1)) as flow:
            calm, first = flow.calm(), flow.sent
            live = made.live.json("nat", "stats")["live"]
            for step in ("+1d", "-1d", "+0") * times:
                clock.write_text(step)
                time.sleep(0.7)
                assert made.live.json("nat", "stats")["live"] >= live
            attacked = flow.since(first)
        made.must_go_on("clock steps of a day", calm, attacked)
        made.end()


@pytest.mark.first
def test_output_that_nobody_reads_any_more_ends_nothing(packetwarp, figures, times):
    """`packetwarp run ... 2>&1 | head`: then it has something to say."""
    config = packetwarp.write_config(translated())
    reader, writer = os.pipe()
    with tempfile.TemporaryDirectory(prefix="pw") as folder:
        words = packetwarp.words("run", [*ALONE, "-l", "0-1", "--vdev=net_null0,no-rx=1", "--vdev=net_null1,no-rx=1"],
                                 ["-c", str(config), "--control", f"{folder}/s", "--stats-period", "50ms"])
        process = subprocess.Popen(words, stdout=writer, stderr=writer, preexec_fn=end_with_the_tests)
        os.close(writer)
        try:
            wait_for(lambda: os.path.exists(f"{folder}/s"), "the control socket")
            os.close(reader)
            for _ in range(3 * times):
                process.send_signal(signal.SIGHUP)
                time.sleep(0.3)
                assert process.poll() is None, f"it ended by {process.returncode}"
            process.send_signal(signal.SIGINT)
            # Its output at the end has no reader; so it may end with a failure, but not by a signal.
            assert process.wait(30) >= 0
        finally:
            if process.poll() is None:
                process.kill()
            process.wait()
