# SPDX-License-Identifier: Apache-2.0
"""FD.io VPP as a peer: its rate of routing and translating the flows that bench_network.py gives to packetwarp, sent and taken by
VPP's own packet generator. Needs only Python, and vpp with its vppctl.

Written after the CLI of VPP 25.10, from its documentation and sources. No VPP was available for a trial: nothing here has met a
real one yet. So it assumes nothing: a command that is not accepted in silence, a missing session or packets that do not come out
again are an error, and give no figure."""
from __future__ import annotations

import contextlib
import dataclasses
import pathlib
import re
import shutil
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence

import vpp_network
from testpmd_peer import PeerError

MODES = {"router": "routing", "nat44": "nat44-ed"}  # by the function of packetwarp that does the same
WARM_UP_SECONDS = 1
ANSWER_SECONDS = 10
LIMIT_SECONDS = 60  # for everything but warming up and measuring
END_SECONDS = 5
MAY_BE_LOST = 0.01
BUFFERS_PER_WORKER = 16384

Counters = Counter[tuple[str, str]]


def forward(program: str, mode: str, ends: Sequence[vpp_network.End], workers: int, flows: int, ways: int,
            seconds: float) -> tuple[str, float]:
    """VPP's version, and the Mpps that this many workers sent. With nat44-ed no packet comes back before all sessions exist, and
    packets come back to the pool: a packet that then leaves to the inside has been translated."""
    pool = ends[1].own if mode == "nat44-ed" else None
    lanes = vpp_network.lanes_of(ends, workers, flows)
    with running(program, workers, seconds) as vpp:
        version = vpp.version()
        for command in vpp_network.set_up(lanes, ends, pool, flows, ways):
            vpp.tell(command)
        for side in range(ways):
            for lane in lanes:
                vpp.tell(f"packet-generator enable-stream {lane.stream_name(side)}")
            time.sleep(WARM_UP_SECONDS)
            if pool:
                vpp.require_sessions(flows)
        before, start = vpp.counters(), time.monotonic()
        time.sleep(seconds)
        after, end = vpp.counters(), time.monotonic()
        if pool:
            vpp.require_sessions(flows)
    return version, sum(sent(after - before, lanes, side) for side in range(ways)) / (end - start) / 1e6


def sent(passed: Counters, lanes: Sequence[vpp_network.Lane], side: int) -> int:
    """Packets that came in on one side and left on the other."""
    came = sum(passed[lane.interface(side), "rx"] for lane in lanes)
    left = sum(passed[lane.interface(1 - side), "tx"] for lane in lanes)
    if not came or left < came * (1 - MAY_BE_LOST):
        raise PeerError(f"vpp sent {left} of {came} packets that came from {'outside' if side else 'inside'}: that is no rate")
    return left


def startup(folder: pathlib.Path, workers: int) -> str:
    """Sockets and shared memory are where no other VPP looks; memory is on whatever pages VPP finds. The lcores are those of
    packetwarp, the first of them the master's."""
    return (f"unix {{ nodaemon nosyslog cli-no-pager runtime-dir {folder} cli-listen {folder}/cli.sock }}\n"
            f"api-segment {{ prefix {folder.name} }}\n"
            f"statseg {{ socket-name {folder}/stats.sock }}\n"
            f"cpu {{ main-core 0 corelist-workers {','.join(map(str, range(1, workers + 1)))} }}\n"
            f"buffers {{ buffers-per-numa {BUFFERS_PER_WORKER * workers} }}\n"
            f"plugins {{ plugin default {{ disable }} plugin nat_plugin.so {{ enable }} }}\n")


def programs(vpp: str) -> tuple[str, str]:
    """vpp and the vppctl beside it, or the one in PATH."""
    found = shutil.which(vpp)
    if not found:
        raise PeerError(f"there is no program {vpp}")
    vppctl = shutil.which("vppctl", path=str(pathlib.Path(found).parent)) or shutil.which("vppctl")
    if not vppctl:
        raise PeerError(f"there is no vppctl beside {found}, nor in PATH")
    return found, vppctl


@contextlib.contextmanager
def running(program: str, workers: int, seconds: float) -> Iterator[Vpp]:
    """Ends it in any case, and removes all of it."""
    found, vppctl = programs(program)
    with tempfile.TemporaryDirectory(prefix="vpp_peer_") as name:
        folder = pathlib.Path(name)
        (folder / "startup.conf").write_text(startup(folder, workers))
        with (folder / "log").open("w") as log:
            process = subprocess.Popen([found, "-c", folder / "startup.conf"], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            yield Vpp(process, vppctl, folder, time.monotonic() + LIMIT_SECONDS + 2 * WARM_UP_SECONDS + seconds)
        finally:
            stop(process)
            for left in pathlib.Path("/dev/shm").glob(f"{folder.name}-*"):
                left.unlink(missing_ok=True)


def stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@dataclasses.dataclass
class Vpp:
    """A running VPP, and the way to talk to it."""

    process: subprocess.Popen[bytes]
    vppctl: str
    folder: pathlib.Path
    deadline: float

    def call(self, command: str) -> subprocess.CompletedProcess[str]:
        self.require_alive()
        seconds = max(min(ANSWER_SECONDS, self.deadline - time.monotonic()), 0.1)
        try:
            return subprocess.run([self.vppctl, "-s", self.folder / "cli.sock", command], stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, errors="replace", timeout=seconds)
        except subprocess.TimeoutExpired:
            raise PeerError(f"vpp did not answer '{command:.60}' in {seconds:.1f} s") from None

    def ask(self, command: str) -> str:
        done = self.call(command)
        if done.returncode != 0:
            self.require_alive()
            raise PeerError(f"vppctl: '{command:.60}': {done.stderr.strip() or f'exit status {done.returncode}'}")
        return done.stdout

    def tell(self, command: str) -> None:
        """VPP prints nothing about a success. It prints an error with an exit status of 0."""
        if answer := self.ask(command).strip():
            raise PeerError(f"vpp: '{command:.60}': {answer.splitlines()[0]}")

    def version(self) -> str:
        """Waits until it answers."""
        while (done := self.call("show version")).returncode != 0:
            if time.monotonic() > self.deadline:
                raise PeerError(f"vpp did not start: {done.stderr.strip()}")
            time.sleep(0.1)
        found = re.search(r"vpp (v\S+)", done.stdout)
        if not found:
            raise PeerError(f"vpp does not say its version: {done.stdout.strip():.60}")
        return found[1]

    def counters(self) -> Counters:
        """Packets by interface, and rx or tx. VPP stops its workers meanwhile, and leaves out counters that are 0."""
        found: Counters = Counter()
        name = ""
        for line in self.ask("show interface").splitlines():
            name = line.split()[0] if line[:1].strip() else name
            if counter := re.search(r"\s(rx|tx) packets\s+(\d+)\s*$", line):
                found[name, counter[1]] = int(counter[2])
        return found

    def require_sessions(self, flows: int) -> None:
        found = re.search(r"^total sessions: (\d+)", self.ask("show nat44 summary"), re.MULTILINE)
        if not found or int(found[1]) != flows:
            raise PeerError(f"vpp has {found[1] if found else 'no number of'} NAT44 sessions and not {flows}")

    def require_alive(self) -> None:
        if self.process.poll() is None:
            return
        said = (self.folder / "log").read_text(errors="replace").strip().splitlines() or ["it said nothing"]
        wrong = [line for line in said if re.search(r"error|fail|unknown|cannot|invalid", line, re.IGNORECASE)]
        raise PeerError(f"vpp ended by itself: {(wrong or said[-1:])[0]}")
