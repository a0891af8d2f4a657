# SPDX-License-Identifier: Apache-2.0
"""`packetwarp top` in a terminal: what a person sees there, and what is left of it afterwards."""
from __future__ import annotations

import contextlib
import copy
import fcntl
import json
import os
import pathlib
import pty
import re
import select
import signal
import socket
import struct
import subprocess
import tempfile
import termios
import threading
from collections.abc import Iterator
from typing import Any

import pyte
import pytest
from harness import DONE, FAILED, ROOT, WRONG_USAGE, Program
from live import NAT44, ROUTED, routed
from namespaces import wait_for

ROUTER = {
    "version": "0.1.0", "command": "run", "executor": "cpu", "placement": "host", "burst": 32,
    "packets": {"rx": 4000, "tx": 3000, "punted": 0, "in_flight": 0, "dropped": {"no_route": 1000}},
    "latency_us": {"p50": 1.5, "p99": 6.0, "p999": 20.0}, "failed_over": 0,
    "pipelines": [{"id": n, "rx_port": n, "rx_queue": 0, "tx_port": None, "tx_queue": 0, "rx": 2000, "tx": 1500, "punted": 0,
                   "dropped": {"no_route": 500}, "bursts": 100, "ring_full": 0, "latency_us": None} for n in range(2)],
    "workers": [{"lcore": 1, "role": "forwarding", "jobs": ["receive 0", "transmit 0"], "busy": 0.5, "cycles_per_packet": 99.0,
                 "loops": 1000, "stages": [{"name": "receive 0", "calls": 10, "packets": 320, "cycles": 9000}]}],
    "ports": [{"id": n, "name": f"net_null{n}", "rx_packets": 2000, "tx_packets": 1500, "rx_bytes": 120000, "tx_bytes": 90000,
               "imissed": 0, "ierrors": 0, "oerrors": 0, "rx_nombuf": 0} for n in range(2)],
    "nat": {"live": 64, "room": 65536, "udp": 64, "tcp": 0, "icmp": 0, "made": 64, "ended": 0},
    "rules": [{"port": 0, "number": n, "line": n, "group": 0, "priority": 0, "on": "cpu", "hits": 100 - n, "bytes": 0}
              for n in range(40)],
}


class Recorded:
    """Answers `report` as a run does, a second later each time."""

    def __init__(self, path: pathlib.Path) -> None:
        self.path, self.asked = path, 0
        self.answers = True
        self.leaves_out = ""
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.bind(str(path))
        self._socket.listen()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _report(self) -> dict[str, Any]:
        report = copy.deepcopy(ROUTER)
        report["elapsed_seconds"] = float(self.asked)
        report.pop(self.leaves_out, None)
        for key in ("rx", "tx"):
            report["packets"][key] *= self.asked
            for pipeline in report["pipelines"]:
                pipeline[key] *= self.asked
        return report

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._socket.accept()
                with client, client.makefile("rw") as lines:
                    asked = json.loads(lines.readline() or "null")
                    if asked is None:
                        continue  # a client that checks whether a server listens
                    assert asked["command"] == "report"
                    self.asked += 1
                    if self.answers:
                        lines.write(json.dumps({"status": 0, "result": self._report()}) + "\n")
                        lines.flush()
                    else:
                        lines.readline()  # until the other end has gone

    def stop(self) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join(10)


@pytest.fixture
def recorded() -> Iterator[Recorded]:
    with tempfile.TemporaryDirectory(prefix="pw") as folder:
        made = Recorded(pathlib.Path(folder) / "s")
        yield made
        with contextlib.suppress(OSError):
            made.stop()


class Screen:
    """A terminal with `top` in it."""

    def __init__(self, packetwarp: Program, control: pathlib.Path, *options: str, size: tuple[int, int] = (80, 24)) -> None:
        self.master, slave = pty.openpty()
        self.terminal = pyte.Screen(*size)
        self.shown = pyte.ByteStream(self.terminal)
        self.raw = b""
        self.resize(*size)
        self.before = termios.tcgetattr(slave)
        self._slave = slave  # kept open: its settings are read afterwards
        words = packetwarp.words("top", ["--control", str(control), *options], None)
        self.errors = packetwarp.folder / "top.err"
        with self.errors.open("w") as err:
            # Its controlling terminal: what Ctrl-C is pressed in.
            self.process = subprocess.Popen(words, stdin=slave, stdout=slave, stderr=err, start_new_session=True,
                                            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))

    def resize(self, columns: int, lines: int) -> None:
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        self.terminal.resize(lines, columns)
        if hasattr(self, "process"):
            self.process.send_signal(signal.SIGWINCH)

    def read(self, seconds: float = 0.05) -> None:
        while select.select([self.master], [], [], seconds)[0]:
            try:
                some = os.read(self.master, 65536)
            except OSError:  # the other end is closed
                return
            if not some:
                return
            self.raw += some
            self.shown.feed(some)

    def text(self) -> str:
        return "\n".join(self.terminal.display)

    def wait_until(self, condition, what: str) -> None:
        def holds() -> bool:
            self.read()
            return condition() or self.process.poll() is not None
        wait_for(holds, what, seconds=60)
        assert condition(), f"{what}:\n{self.text()}\n{self.errors.read_text()}"

    def wait_for(self, words: str) -> None:
        self.wait_until(lambda: words in self.text(), f"'{words}' on the screen")

    def press(self, keys: str) -> None:
        os.write(self.master, keys.encode())

    def end(self) -> int:
        def has_ended() -> bool:
            self.read()
            return self.process.poll() is not None
        wait_for(has_ended, "top to end", seconds=60)
        self.read()
        return self.process.returncode

    def assert_restored(self) -> None:
        assert self.raw.startswith(b"\x1b[?1049h"), "another screen"
        assert self.raw.endswith(b"\x1b[?25h\x1b[?1049l"), "the cursor, and the screen there was before"
        assert termios.tcgetattr(self._slave) == self.before, "typing as before"


@contextlib.contextmanager
def top(packetwarp: Program, control: pathlib.Path, *options: str, size: tuple[int, int] = (80, 24)) -> Iterator[Screen]:
    made = Screen(packetwarp, control, *options, size=size)
    try:
        yield made
    finally:
        if made.process.poll() is None:
            made.process.kill()
        made.process.wait()
        os.close(made.master)
        os.close(made._slave)


def test_it_shows_rates_and_leaves_the_terminal_as_it_was(packetwarp, recorded):
    with top(packetwarp, recorded.path, "--period", "100ms") as screen:
        screen.wait_for("rx 4.00 kpps   tx 3.00 kpps")
        assert screen.terminal.display[0].startswith("packetwarp 0.1.0 run: executor cpu, placement host, bursts of 32")
        assert screen.terminal.display[1].startswith("[overview]")
        assert screen.terminal.display[23].startswith("q quit")
        assert screen.terminal.cursor.hidden
        screen.press("q")
        assert screen.end() == DONE
        screen.assert_restored()


def test_keys_turn_pages_scroll_sort_and_pause(packetwarp, recorded):
    with top(packetwarp, recorded.path, "--period", "100ms") as screen:
        screen.wait_for("[overview]")
        for page in ("[pipelines]", "[workers]", "[drops]", "[ports]"):
            screen.press("\t")
            screen.wait_for(page)
        screen.press("\x1b[C\x1b[C\x1b[C")
        screen.wait_for("[rules]")
        screen.wait_for("64 of 65,536 sessions")
        top_rule = screen.terminal.display[6].split()[:2]
        assert top_rule == ["0", "0"]
        screen.press("\x1b[B\x1b[B\x1b[B")
        screen.wait_until(lambda: "NAT  " not in screen.text(), "three lines further")
        screen.press("s")
        screen.wait_for("by rate")
        screen.press("p")
        screen.wait_for("PAUSED")
        asked = recorded.asked
        screen.press("\x1b[D\x1b[D\x1b[D")
        screen.wait_for("[ports]")
        assert recorded.asked == asked, "it stands still"
        screen.press(" ")
        screen.wait_until(lambda: recorded.asked == asked + 1, "one more look")
        screen.press("p")
        screen.wait_for("  100 ms, by")
        screen.wait_until(lambda: recorded.asked > asked + 2, "it goes on")
        screen.press("q")
        assert screen.end() == DONE
        screen.assert_restored()


def test_it_is_as_large_as_its_window(packetwarp, recorded):
    with top(packetwarp, recorded.path, "--period", "1h", size=(80, 24)) as screen:
        screen.wait_for("q quit")
        for columns, lines in ((132, 50), (40, 12), (80, 24), (20, 3)):
            screen.terminal.reset()
            screen.resize(columns, lines)
            screen.wait_until(lambda: screen.terminal.display[-1].startswith("q quit   p pause"), f"{columns} columns, {lines} lines")
        screen.press("q")
        assert screen.end() == DONE


@pytest.mark.parametrize("number", (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT))
def test_signals_end_it_with_the_terminal_as_it_was(packetwarp, recorded, number):
    with top(packetwarp, recorded.path) as screen:
        screen.wait_for("q quit")
        screen.process.send_signal(number)
        assert screen.end() == DONE
        screen.assert_restored()


def test_ctrl_c_and_ctrl_z_are_no_trap(packetwarp, recorded):
    with top(packetwarp, recorded.path) as screen:
        screen.wait_for("q quit")
        screen.press("\x1a\x1c")  # neither stops it, nor leaves its screen
        screen.press("\t")
        screen.wait_for("[pipelines]")
        screen.press("\x03")
        assert screen.end() == DONE
        screen.assert_restored()


def test_a_run_that_ends_is_said_after_the_terminal_is_as_it_was(packetwarp, recorded):
    with top(packetwarp, recorded.path, "--period", "100ms") as screen:
        screen.wait_for("q quit")
        recorded.stop()
        assert screen.end() == FAILED
        screen.assert_restored()
        assert screen.errors.read_text().count("packetwarp: error: ") == 1


def test_a_run_that_answers_no_more_holds_nobody_up(packetwarp, recorded):
    with top(packetwarp, recorded.path, "--period", "100ms") as screen:
        screen.wait_for("q quit")
        recorded.answers = False
        asked = recorded.asked
        screen.wait_until(lambda: recorded.asked > asked, "a question without an answer")
        screen.press("q")
        assert screen.end() == DONE
        screen.assert_restored()


def test_a_terminal_that_is_closed_ends_it(packetwarp, recorded):
    made = Screen(packetwarp, recorded.path, "--period", "100ms")
    try:
        made.wait_for("q quit")
        os.close(made._slave)
        os.close(made.master)
        made.process.wait(60)
    finally:
        made.process.kill()
        made.process.wait()


def test_once_prints_everything_plainly(packetwarp, recorded):
    done = packetwarp.run("top", ["--once", "--period", "100ms", "--control", str(recorded.path)])
    assert done.status == DONE, done
    for words in ("rx 4.00 kpps   tx 3.00 kpps", "mean burst", "receive 0", "no_route", "net_null1", "64 of 65,536 sessions"):
        assert words in done.stdout, done
    assert "\x1b" not in done.stdout
    assert recorded.asked == 2


def test_a_report_without_its_time_is_no_packetwarp_s(packetwarp, recorded):
    recorded.leaves_out = "elapsed_seconds"
    done = packetwarp.run("top", ["--once", "--period", "100ms", "--control", str(recorded.path)])
    assert done.status == FAILED and len(done.errors) == 1 and "does not answer like packetwarp" in done.errors[0], done


def test_without_a_terminal_it_prints_a_frame_each_period(packetwarp, recorded):
    words = packetwarp.words("top", ["--period", "100ms", "--control", str(recorded.path)], None)
    with (packetwarp.folder / "out").open("w+") as out:
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.PIPE, text=True)
        try:
            wait_for(lambda: (packetwarp.folder / "out").read_text().count("packetwarp 0.1.0 run") >= 3, "three frames")
            process.send_signal(signal.SIGINT)
            assert process.wait(60) == DONE
        finally:
            process.kill()
            process.wait()
    assert "\x1b" not in (packetwarp.folder / "out").read_text()


@pytest.mark.parametrize("period", ("1ms", "2h", "soon"))
def test_a_period_out_of_range_is_refused(packetwarp, period):
    done = packetwarp.run("top", ["--period", period])
    assert done.status == WRONG_USAGE and "--period" in done.errors[0], done


def test_nothing_that_runs_is_one_line(packetwarp):
    done = packetwarp.run("top", ["--once", "--control", "/nowhere/s"])
    assert done.status == FAILED and len(done.errors) == 1, done


def test_it_shows_a_run_as_it_is(packetwarp):
    """Against the real one: its own words, and rates that are those of its ports."""
    with routed(packetwarp, {**ROUTED, "nat44": NAT44}) as running:
        with top(packetwarp, running.control, size=(120, 40)) as screen:
            screen.wait_until(lambda: "NAT      64 of 65,536 sessions" in screen.text() and "rx -" not in screen.text(), "rates")
            assert screen.terminal.display[0].startswith(f"packetwarp {(ROOT / 'VERSION').read_text().strip()} run: executor {packetwarp.executor}")
            screen.press("\t\t")
            screen.wait_for("transmit 0")
            screen.press("q")
            assert screen.end() == DONE
        once = running.said("top", "--once")
        running.running.interrupt()
    for words in ("net_pcap0", "receive 0", "cycles/packet", "NAT      64 of 65,536 sessions"):
        assert words in once, once
    assert (re.search(r"GPU .*: busy \d+ %, memory [^,]+, PCIe ", once) is not None) == (packetwarp.executor != "cpu"), once
