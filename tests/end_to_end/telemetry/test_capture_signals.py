# SPDX-License-Identifier: Apache-2.0
"""`packetwarp capture`: the signals that end it."""
from __future__ import annotations

import contextlib
import signal
import subprocess
import time

import pytest
from harness import DONE, FAILED
from live import ROUTED, routed, wait_until
from test_capture import fields


@contextlib.contextmanager
def growing_capture(packetwarp, running, file):
    """A capture that has begun to write."""
    words = packetwarp.words("capture", ["-w", str(file), "--control", str(running.control)], None)
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        wait_until(running, lambda: file.is_file() and file.stat().st_size > 100000, "a capture that grows")
        yield process
    finally:
        process.kill()


@pytest.mark.parametrize("signals", ((signal.SIGTERM, signal.SIGINT), (signal.SIGTERM, signal.SIGTERM)))
def test_two_signals_at_once_are_one(packetwarp, signals):
    """coreutils' timeout signals the command, and then the group of both."""
    file = packetwarp.folder / "some.pcapng"
    with routed(packetwarp, ROUTED) as running:
        with growing_capture(packetwarp, running, file) as process:
            for one in signals:
                process.send_signal(one)
            out, err = process.communicate(timeout=60)
        running.running.interrupt()
    assert process.returncode == DONE and " missed for want of room" in out, (process.returncode, out, err)
    assert len(fields(file, "frame.number")) == int(out.split()[0]) > 0


def test_a_second_signal_ends_it_at_once_and_is_said(packetwarp):
    """The run sends nothing meanwhile: it is stopped."""
    file = packetwarp.folder / "some.pcapng"
    with routed(packetwarp, ROUTED) as running:
        with growing_capture(packetwarp, running, file) as process:
            running.running.process.send_signal(signal.SIGSTOP)
            try:
                process.send_signal(signal.SIGINT)
                time.sleep(0.5)
                process.send_signal(signal.SIGINT)
                out, err = process.communicate(timeout=5)
            finally:
                running.running.process.send_signal(signal.SIGCONT)
        running.running.interrupt()
    assert process.returncode == FAILED, (process.returncode, out, err)
    assert out == f"{int(out.split()[0])} packets captured\n"
    assert "a second signal ended the capture at once" in err and "the running packetwarp ended" not in err, err
