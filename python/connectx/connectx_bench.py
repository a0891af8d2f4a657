# SPDX-License-Identifier: Apache-2.0
"""The ports and CPUs of ci/connectx.sh, and the way of its commands: printed, run and ended."""
from __future__ import annotations

import contextlib
import dataclasses
import json
import pathlib
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "python"))

from testpmd_peer import memory_options  # noqa: E402

FRAMES = 100  # sent for each rule
# A NIC's start takes seconds.
START_SECONDS = 60
# The EAL's names of both processes, which run side by side.
PREFIXES = {"under test": "connectx", "generator": "connectx_generator"}


def port_words(port: str, options: str = "") -> list[str]:
    return ["--no-pci", f"--vdev={port}"] if port.startswith("net_") else ["-a", f"{port}{options}"]


def lcore_count(lcores: str) -> int:
    ranges = [part.split("-") for part in lcores.split(",")]
    return sum(int(ends[-1]) - int(ends[0]) + 1 for ends in ranges)


@dataclasses.dataclass
class Bench:
    """The ports, the CPUs, and how commands are run."""

    packetwarp: str
    testpmd: str
    port: str
    peer: str | None
    lcores: str
    generator_lcores: str
    seconds: int
    rules_on: str
    dry: bool
    folder: pathlib.Path
    chosen: str = ""  # of the cases: a regular expression of their names
    sizes: str = ""
    failed: bool = False

    @property
    def control(self) -> str:
        return str(self.folder / "control.sock")

    @property
    def queues(self) -> int:
        return max(lcore_count(self.lcores) - 1, 1)

    def eal(self, who: str, port: str, options: str = "", more: Sequence[str] = ()) -> list[str]:
        lcores = self.lcores if who == "under test" else self.generator_lcores
        return ["-l", lcores, "--file-prefix", PREFIXES[who], *port_words(port, options), *more]

    def testpmd_alone(self, *options: str) -> list[str]:
        """testpmd on the port under test, as a process that no other can attach to."""
        return [self.testpmd, *self.eal("under test", self.port, more=memory_options()), "--", *options]

    def show(self, command: Sequence[str], given: str = "", end: str = "") -> None:
        lines = "; ".join(given.splitlines())
        print(f"$ {shlex.join(command)}{end}" + (f"    # is told: {lines}" if lines else ""), flush=True)

    def run(self, command: Sequence[str], given: str = "", seconds: int = START_SECONDS) -> subprocess.CompletedProcess[str]:
        """Runs a command to its end, whichever that is: its output and its exit status are the result."""
        self.show(command, given)
        if self.dry or shutil.which(command[0]) is None:
            if not self.dry:
                print(f"not run: {command[0]} is not installed")
            return subprocess.CompletedProcess(command, 0, "", "")
        try:
            return subprocess.run(command, input=given, capture_output=True, text=True, timeout=seconds, check=False)
        except subprocess.TimeoutExpired:
            return subprocess.CompletedProcess(command, 124, "", f"not done after {seconds} s")

    def told(self, command: Sequence[str], given: str = "", seconds: int = START_SECONDS) -> subprocess.CompletedProcess[str]:
        """The same, with all its output in the result."""
        done = self.run(command, given, seconds)
        for line in (done.stdout + done.stderr).splitlines():
            print(f"  {line}")
        if done.returncode:
            print(f"  exit status {done.returncode}")
        return done

    @contextlib.contextmanager
    def beside(self, command: Sequence[str], ready: str, seconds: int = START_SECONDS) -> Iterator[bool]:
        """A command in the background, ended by Ctrl-C; whether it came up. ready: its output then, or `control`."""
        self.show(command, end=" &")
        if self.dry:
            yield True
            return
        log = self.folder / "beside.log"
        with log.open("w") as out:
            process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=out, stderr=subprocess.STDOUT, text=True)
        try:
            yield self.comes_up(process, log, ready, seconds)
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.send_signal(signal.SIGINT)
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            for line in log.read_text().splitlines():
                if re.match(r"packets |latency |note: |doorbell|registration|.* of the target checked|packetwarp: (error|warning)", line):
                    print(f"  {line}")

    def comes_up(self, process: subprocess.Popen[str], log: pathlib.Path, ready: str, seconds: int) -> bool:
        end = time.monotonic() + seconds
        while process.poll() is None and time.monotonic() < end:
            if self.answers() if ready == "control" else ready in log.read_text():
                return True
            time.sleep(0.2)
        print(f"  it did not start: {(log.read_text().splitlines() or ['it said nothing'])[-1]}")
        self.failed = True
        return False

    def answers(self) -> bool:
        """Its master works, so its workers do."""
        try:
            with socket.socket(socket.AF_UNIX) as client:
                client.settimeout(5)
                client.connect(self.control)
                client.sendall(b'{"command":"report"}\n')
                return json.loads(client.makefile().readline())["status"] == 0
        except (OSError, ValueError, KeyError):
            return False

    def write(self, name: str, text: str) -> pathlib.Path:
        path = self.folder / name
        path.write_text(text)
        if self.dry:
            print(f"# {path}:\n" + "".join(f"#   {line}\n" for line in text.splitlines()[:12]), end="")
        return path

    def generate(self, options: Sequence[str]) -> list[str]:
        assert self.peer
        return [self.packetwarp, "generate", *self.eal("generator", self.peer), "--", *options]
