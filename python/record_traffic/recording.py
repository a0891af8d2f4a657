# SPDX-License-Identifier: Apache-2.0
"""Makes a recording: builds the network, starts services and the capture, lets all hosts do their work, labels the packets."""
from __future__ import annotations

import os
import pathlib
import re
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Iterable

from namespaces import Namespace, stop, wait_for

from .benign import SCRIPT, Command
from .labels import Origins, Row, labelled, rate_of
from .network import INTERFACE, Network
from .plan import NORMAL, Host, Plan, is_flood
from .scenarios import MIXED, Job, Scenario
from .services import Victim

LONGEST = 60  # seconds of traffic
AFTER_ATTACKS = 3  # seconds in which the benign clients of a mixed recording go on
MOST_MISSING = 10  # packets that may come while tcpdump ends
FEWEST_TO_TRAIN = 2000  # packets; a smaller capture is a test of the recorder
LEAST_FLOOD = 200  # packets per second of a flood and its answers: fewer are none, but a sign of a busy machine
PROGRAM = [sys.executable, str(pathlib.Path(__file__).resolve().parent / "record.py")]


class RecordingError(Exception):
    """A recording without the traffic that it should have: one line."""


class Capture:
    """tcpdump on the victim's interface; it ends by itself after the plan's number of packets."""

    def __init__(self, network: Network) -> None:
        self.path, self._log = network.work / "raw.pcap", network.work / "tcpdump.log"
        self._process = network.start(network.of["victim"], "tcpdump", "-i", INTERFACE, "-n", "-U", "--immediate-mode",
                                      "-s", "65535", "-B", "32768", "-Z", "root", "-c", str(network.plan.packets), "-w", str(self.path), log="tcpdump.log")
        wait_for(lambda: "listening on" in self._log.read_text(), "tcpdump")

    @property
    def full(self) -> bool:
        return self._process.poll() is not None

    def end(self) -> None:
        """After the traffic: waits until tcpdump has written all packets, which it forgets if it is interrupted before."""
        size, deadline = -1, time.monotonic() + 10
        while not self.full and size != (size := self.path.stat().st_size) and time.monotonic() < deadline:
            time.sleep(0.3)
        full = self.full
        stop(self._process, signal.SIGINT)
        counts = {what: int(number) for number, what in re.findall(r"(\d+) packets? (captured|received by filter|dropped by kernel)",
                                                                  self._log.read_text())}
        if len(counts) < 3:
            raise RecordingError(f"tcpdump failed: {' '.join(self._log.read_text().split())}")
        missing = counts["dropped by kernel"] + (0 if full else counts["received by filter"] - counts["captured"])
        if missing > MOST_MISSING:
            raise RecordingError(f"tcpdump lost {missing} packets of {counts['received by filter']}: is this machine busy?")


class Hands:
    """Threads that start the commands of the jobs, one after another for each host."""

    def __init__(self, network: Network) -> None:
        self._network, self._enough = network, threading.Event()
        self._threads: dict[str, threading.Thread] = {}

    def begin(self, jobs: list[Job]) -> None:
        for job in jobs:
            self._threads[job.host.name] = threading.Thread(target=self._work, args=(job,), daemon=True)
            self._threads[job.host.name].start()

    def work(self, hosts: Iterable[Host]) -> bool:
        """True while one of these hosts has something left to do."""
        return any(self._threads[host.name].is_alive() for host in hosts)

    def end(self) -> None:
        self._enough.set()
        for thread in self._threads.values():
            thread.join()

    def _words(self, command: Command) -> list[str]:
        first, *others = (word.replace("WORK", str(self._network.work)) for word in command.argv)
        return [*(PROGRAM if first == SCRIPT else [first]), *others]

    def _work(self, job: Job) -> None:
        space: Namespace = self._network.of[job.host.name]
        for command in job.commands:
            if self._enough.wait(command.pause):
                return
            environment = {**os.environ, **{key: value.replace("WORK", str(self._network.work)) for key, value in command.environment}}
            process = self._network.start(space, *self._words(command), log=f"{job.host.name}.log", env=environment)
            end = time.monotonic() + command.seconds
            while process.poll() is None and time.monotonic() < end and not self._enough.wait(0.02):
                pass
            stop(process, seconds=2)


def traffic(scenario: Scenario, plan: Plan, network: Network) -> pathlib.Path:
    """The capture of all hosts' work."""
    Victim(network).start(scenario.services)
    capture, hands = Capture(network), Hands(network)
    try:
        hands.begin(scenario.jobs(plan))
        end = time.monotonic() + LONGEST
        while hands.work(plan.attackers or plan.clients) and not capture.full and time.monotonic() < end:
            time.sleep(0.05)
        # For answers that are on their way; in a mixed capture, some time without attacks.
        end = time.monotonic() + (AFTER_ATTACKS if plan.attackers and plan.clients else 0.2)
        while not capture.full and time.monotonic() < end:
            time.sleep(0.05)
    finally:
        hands.end()
    capture.end()
    return capture.path


def last_words(network: Network, name: str) -> str:
    log = network.work / f"{name}.log"
    lines = log.read_text(errors="replace").strip().splitlines() if log.exists() else []
    return f"its last line: {lines[-1]}" if lines else "it printed nothing"


def put(files: list[pathlib.Path], folder: pathlib.Path) -> None:
    """Puts complete files into `folder`, in this order, each in place of an earlier one at once. The work folder can be of another file
    system, from which a file comes by a copy: the copies have other names until all of them are complete."""
    copies = [folder / f".{file.name}.new" for file in files]
    try:
        for file, copy in zip(files, copies):
            shutil.copyfile(file, copy)
        for file, copy in zip(files, copies):
            os.replace(copy, folder / file.name)
    finally:
        for copy in copies:
            copy.unlink(missing_ok=True)


def record(scenario: Scenario, plan: Plan, folder: pathlib.Path) -> Row:
    """Records one scenario into `folder`; nothing of the network is left afterwards."""
    name = f"{scenario.name}-{plan.seed}" + ("" if plan.tools == "usual" else f"-{plan.tools}")
    with tempfile.TemporaryDirectory(prefix="packetwarp-traffic-") as work, Network(plan, pathlib.Path(work), PROGRAM) as network:
        only = None if scenario.label == MIXED else (scenario.families or (NORMAL,))[0]
        written = network.work / f"{name}.pcap"
        counts = labelled(traffic(scenario, plan, network), Origins(plan.outside), written, only)
        for host in plan.outside:
            if not counts.get(host.label):
                raise RecordingError(f"no packet of {host.name} ({host.label}); {last_words(network, host.name)}")
        if only is not None and is_flood(only) and plan.packets >= FEWEST_TO_TRAIN and (rate := rate_of(written)) < LEAST_FLOOD:
            raise RecordingError(f"a flood of {rate:.0f} packets per second is none: is this machine busy?")
        put([file for file in (written.with_suffix(".labels"), written) if file.exists()], folder)
    family = "+".join(scenario.families) or scenario.name
    return Row(written.name, scenario.label, family, scenario.tool_column(plan), plan.seed, sum(counts.values()))
