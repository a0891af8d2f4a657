# SPDX-License-Identifier: Apache-2.0
"""How the end-to-end tests run the built packetwarp: to its end or in the background, always collected, always checked.

Every forwarding run goes through `packets_of`, which is where packets may not vanish.
"""
from __future__ import annotations

import collections
import contextlib
import ctypes
import dataclasses
import json
import os
import pathlib
import signal
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import check_l2fwd
import yaml
from namespaces import wait_for

ROOT = pathlib.Path(__file__).resolve().parents[2]
MIXED = ROOT / "tests" / "captures" / "mixed.pcap"

# Nothing outside the process: no physical device, no file that another run could meet.
ALONE = ("--in-memory", "--no-pci")
DONE, FAILED, WRONG_USAGE = 0, 1, 2
LIBC = ctypes.CDLL(None, use_errno=True)
PR_SET_PDEATHSIG = 1  # prctl(2)
# libyaml's writer; the one in Python, used without libyaml, takes four times as long.
DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
# In every line of live statistics, and in no other.
LIVE = "   in flight"
# A worker without packets sleeps this long between two polls: it takes a third of the CPU time that 200us would.
POLL_SLEEP = "1ms"


@dataclasses.dataclass(frozen=True)
class Packets:
    """The fates of the packets of a run."""

    rx: int
    tx: int
    punted: int
    in_flight: int
    dropped: dict[str, int]


def packets_of(report: dict[str, Any]) -> Packets:
    """The counts of a result, conserved: what came in has left, was dropped by name, or is still there. The pipelines'
    counts add up to them, once what a control plane put back is no longer among what was punted."""
    packets = Packets(**report["packets"])
    gone = packets.tx + packets.punted + packets.in_flight + sum(packets.dropped.values())
    assert packets.rx == gone, f"{packets.rx} packets came in, {gone} are accounted for: {report['packets']}"
    put_back = assert_control_plane_keeps_nothing(report)
    for count, expected in (("rx", packets.rx), ("tx", packets.tx), ("punted", packets.punted + put_back)):
        assert sum(pipeline[count] for pipeline in report["pipelines"]) == expected, report["pipelines"]
    dropped: collections.Counter[str] = collections.Counter()
    for pipeline in report["pipelines"]:
        dropped.update(pipeline["dropped"])
    assert dropped == packets.dropped, report["pipelines"]
    return packets


def assert_control_plane_keeps_nothing(report: dict[str, Any]) -> int:
    """Every packet that was punted came to the control plane and has left it again, beside those that it made. How many
    it put back; none without a control plane."""
    if (control := report.get("control")) is None:
        return 0
    punted = sum(control["punted"].values())
    by_kernel_workers = assert_kernel_interfaces_keep_nothing(report)
    assert punted == sum(pipeline["punted"] for pipeline in report["pipelines"]) + by_kernel_workers, report
    assert punted <= control["sent"] + control["put_back"] + control["to_kernel"] + sum(control["dropped"].values()), control
    return control["put_back"]


def assert_kernel_interfaces_keep_nothing(report: dict[str, Any]) -> int:
    """Packets handed to a kernel interface came to the kernel, and packets of the kernel have left by the port, or were dropped
    by name. Returns the number of packets that their workers gave to the control plane."""
    kernels = report.get("kernel", [])
    for one in kernels:
        into, out = one["in"], one["out"]
        arrived = into["to_kernel"] + into["to_control"] + sum(into["dropped"].values())
        assert into["handed_over"] + into["received"] == arrived, one
        assert out["from_kernel"] == out["sent"] + sum(out["dropped"].values()), one
    assert sum(one["in"]["handed_over"] for one in kernels) == report["control"]["to_kernel"], report
    return sum(one["in"]["to_control"] for one in kernels)


@dataclasses.dataclass(frozen=True)
class Run:
    """A packetwarp process that has ended."""

    command: list[str]
    status: int
    stdout: str
    stderr: str
    json: pathlib.Path | None = None  # where --json wrote, standard output if None

    @property
    def log(self) -> list[str]:
        """packetwarp's own lines, without the EAL's and the drivers'."""
        return [line for line in self.stderr.splitlines() if line.startswith("packetwarp: ")]

    @property
    def errors(self) -> list[str]:
        return [line for line in self.log if line.startswith("packetwarp: error: ")]

    @property
    def warnings(self) -> list[str]:
        return [line for line in self.log if line.startswith("packetwarp: warning: ")]

    @property
    def warnings_of_the_run(self) -> list[str]:
        """Without the one about hugepages, which a machine may lack."""
        return [line for line in self.warnings if "no free hugepages" not in line]

    @property
    def result(self) -> dict[str, Any]:
        """The result of --json, its packets conserved."""
        assert self.json is None or self.json.is_file(), f"no result was written\n{self}"
        report = json.loads(self.stdout if self.json is None else self.json.read_text())
        packets_of(report)
        return report

    @property
    def packets(self) -> Packets:
        return packets_of(self.result)

    def __str__(self) -> str:
        return f"{' '.join(self.command)}\nexit status {self.status}\n--- stdout\n{self.stdout}\n--- stderr\n{self.stderr}"


class Running:
    """A packetwarp process in the background."""

    def __init__(self, command: list[str], process: subprocess.Popen[str], files: pathlib.Path) -> None:
        self._command, self.process, self._files = command, process, files

    @staticmethod
    def file(files: pathlib.Path, kind: str) -> pathlib.Path:
        return files.with_suffix(f".{kind}")

    def stderr(self) -> str:
        return self.file(self._files, "err").read_text()

    def so_far(self) -> Run:
        stdout = self.file(self._files, "out").read_text()
        return Run(self._command, self.process.returncode or 0, stdout, self.stderr(), self.file(self._files, "json"))

    def is_alive(self) -> bool:
        return self.process.poll() is None

    def wait_until_forwarding(self) -> Running:
        """Its first line of live statistics says that the workers poll."""
        wait_for(lambda: not self.is_alive() or LIVE in self.stderr(), "packetwarp to forward", seconds=60)
        assert self.is_alive(), self.so_far()
        return self

    def wait_for_log(self, words: str) -> None:
        wait_for(lambda: words in self.stderr() or not self.is_alive(), f"'{words}' in packetwarp's log")
        assert words in self.stderr(), self.so_far()

    def wait_for_statistics(self, lines: int) -> None:
        """Lets it live on for some more lines of statistics, one each 50 ms."""
        end = self.stderr().count(LIVE) + lines
        wait_for(lambda: self.stderr().count(LIVE) >= end or not self.is_alive(), "more statistics")

    def send(self, *signals: signal.Signals) -> Running:
        for number in signals:
            self.process.send_signal(number)
        return self

    def finish(self, seconds: float = 60) -> Run:
        """Waits for its end. A run that hangs fails the test that waits for it, and is ended."""
        self.process.wait(seconds)
        return self.so_far()

    def interrupt(self) -> Run:
        """Ctrl-C, and a good end."""
        done = self.send(signal.SIGINT).finish()
        assert done.status == DONE, done
        assert done.packets.in_flight == 0, done
        return done


# In front of a command: a run whose test is killed ends, and polls no more. Python can start this command without a copy of
# its own page tables, which end_with_the_tests() needs: that was a seventh of the CPU time of many tests.
ENDS_WITH_THE_TESTS = ("setpriv", "--pdeathsig", "KILL", "--")


def end_with_the_tests() -> None:
    """Called in a new process, before it becomes another program: as ENDS_WITH_THE_TESTS."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class Program:
    """The built binary, and a folder for its output."""

    # In front of the EAL's words of a run in the background.
    EAL: Sequence[str] = ALONE

    def __init__(self, binary: pathlib.Path, folder: pathlib.Path, executor: str = "cpu") -> None:
        self.binary, self.folder, self.executor, self._started = binary, folder, executor, 0
        # The settings of `run`'s data plane that its file does not have.
        self.plane = {"poll_sleep": POLL_SLEEP}

    def write_config(self, file: dict[str, Any], folder: pathlib.Path | None = None) -> pathlib.Path:
        """network.yaml, for `run -c`: with the executor that the tests are to take, where the file names none of its own,
        and with workers that leave their CPUs to other tests while they have nothing to do."""
        asked = file.get("data_plane", {})
        plane = {**self.plane, **asked}
        if asked.get("executor", "cpu") == "cpu" and self.executor != "cpu":
            plane["executor"] = self.executor
        file = {**file, "data_plane": plane}
        path = (folder or self.folder) / "network.yaml"
        path.write_text(yaml.dump(file, Dumper=DUMPER, sort_keys=False))
        return path

    def words(self, command: str, eal: Iterable[str], options: Iterable[str] | None) -> list[str]:
        dashes = [] if options is None else ["--", *map(str, options)]
        return [str(self.binary), command, *map(str, eal), *dashes]

    def run(self, command: str, eal: Iterable[str] = (), options: Iterable[str] | None = None, *,
            within: Sequence[str] = (), seconds: float = 120, **popen: Any) -> Run:
        """Runs to the end. within: a command that runs it in another place, as `ip netns exec` does."""
        argv = [*within, *self.words(command, eal, options)]
        done = subprocess.run([*ENDS_WITH_THE_TESTS, *argv], capture_output=True, text=True, timeout=seconds, check=False, **popen)
        return Run(argv, done.returncode, done.stdout, done.stderr)

    def forward(self, eal: Iterable[str], options: Iterable[str] = (), **run: Any) -> Run:
        """l2fwd on its own ports to a good end; its packets are conserved."""
        done = self.run("l2fwd", [*ALONE, *eal], [*alone("l2fwd", options), "--json", "-"], **run)
        assert done.status == DONE, done
        assert done.packets.in_flight == 0, done
        return done

    def forward_capture(self, source: pathlib.Path, result: pathlib.Path, options: Iterable[str] = (),
                        lcores: str = "0", **run: Any) -> Run:
        device = f"--vdev=net_pcap0,rx_pcap={source},tx_pcap={result}"
        return self.forward(["-l", lcores, device], ["--until-idle", "100ms", *options], **run)

    @contextlib.contextmanager
    def running(self, eal: Iterable[str], options: Iterable[str] = (), within: Sequence[str] = (),
                command: str = "l2fwd") -> Iterator[Running]:
        """A command in the background, killed where the test does not end it. Its last word is in its result."""
        self._started += 1
        files = self.folder / f"run{self._started}"
        words = [*alone(command, options), "--stats-period", "50ms", "--json", str(Running.file(files, "json"))]
        argv = [*within, *self.words(command, [*self.EAL, *eal], words)]
        with Running.file(files, "out").open("w") as stdout, Running.file(files, "err").open("w") as stderr:
            process = subprocess.Popen([*ENDS_WITH_THE_TESTS, *argv], stdout=stdout, stderr=stderr, text=True)
        try:
            yield Running(argv, process, files)
        finally:
            if process.poll() is None:
                process.kill()
            process.wait()


def alone(command: str, options: Iterable[str]) -> list[str]:
    """l2fwd's options: without a control socket unless one is asked for, so that a search for the only running packetwarp finds
    no test's; and with workers that leave their CPUs to other tests while they are idle."""
    words = list(map(str, options))
    if command != "l2fwd":
        return words
    for option, value in (("--control", "none"), ("--poll-sleep", POLL_SLEEP)):
        words += [] if option in words else [option, value]
    at = words.index("--control")
    if words[at + 1] == "":  # the socket that l2fwd has without the option
        del words[at:at + 2]
    return words


def is_running(pid: int) -> bool:
    """Whether a process runs, any parent's; one that has ended and is not collected does not run."""
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    return False


def resident_bytes(pid: int) -> int:
    """The memory of a process that is in RAM, hugepages not among it."""
    fields = pathlib.Path(f"/proc/{pid}/statm").read_text().split()
    return int(fields[1]) * os.sysconf("SC_PAGE_SIZE")


def assert_forwarded(frames: list[bytes], result: pathlib.Path, workload: str) -> None:
    """The capture holds what l2fwd has to make of these frames: count, order, every byte."""
    got = check_l2fwd.read_with_scapy(result)
    difference = check_l2fwd.describe_difference(check_l2fwd.expected_output(frames, workload), got, workload)
    assert not difference, difference
