#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The fate of traffic when its GPU is lost: python/gpu/faults.py PROGRAM [--functions ...] [--executors ...] [--faults ...].

A line for each function, executor and fault (--inject-gpu-fault) at full rate on net_null ports; exit status 1 if one failed.
In each, packets go on by the CPU, all are accounted for, one line reports the loss, and tables change as before: NAT44's sessions
keep their outside ports, a reload adds a route by which new sessions come, which get ports of their own, and a flow rule is
added. With several GPUs (--gpus 0 1) the last one fails alone, and NAT44's packets are handed over between them all the time.
Needs only Python and the program, so that it runs on a machine that the program was carried to."""
from __future__ import annotations

import argparse
import concurrent.futures
import contextlib
import itertools
import json
import os
import pathlib
import queue
import re
import signal
import struct
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from random_models.random_model import random_model  # noqa: E402

FUNCTIONS = ("forward", "router", "nat44", "rules", "rules+nat44", "rules+router", "detect+router", "detect+nat44", "detect+large+router",
             "inspect+router", "inspect+nat44")
EXECUTORS = ("kernel", "persistent", "graph")
# Each with the reasons that the line of the loss may give: an executor's own time-out or a copy's, or an error of CUDA's. A kernel
# that ends because a lost GPU is let go is none of them.
LATE = r"no progress for|not done after"
FAULTS = {"error": rf"{LATE}|cudaError", "stall": LATE, "lost": r"cudaErrorDevicesUnavailable", "memory": r"cudaErrorMemoryAllocation", "busy": LATE}
PIPELINES = 4
HOSTS, PORTS = 4, 250  # inside, and of each
KNOWN, NEW = "198.18.0.9", "198.19.0.9"  # half of the flows go to each; only the first has a route at first
FIRST_PORTS = {KNOWN: 1000, NEW: 3000}
OWN, INSIDE_MAC = "02:00:00:00:00:01", "02:00:00:00:00:10"


class Failed(Exception):
    pass


def require(holds: bool, what: str) -> None:
    if not holds:
        raise Failed(what)


def frame(host: int, port: int, to: str) -> bytes:
    """A frame of 60 bytes: UDP over IPv4, whose checksum UDP may leave out."""
    source, destination = bytes((10, 0, 0, 2 + host)), bytes(map(int, to.split(".")))
    header = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 46, 0, 0, 64, 17, 0, source, destination)
    total = sum(struct.unpack("!10H", header))
    total = (total & 0xffff) + (total >> 16)
    header = header[:10] + struct.pack("!H", ~(total + (total >> 16)) & 0xffff) + header[12:]
    ends = bytes.fromhex((OWN + INSIDE_MAC).replace(":", "")) + b"\x08\x00"
    return ends + header + struct.pack("!HHHH", port, 53, 26, 0) + bytes(18)


def write_capture(path: pathlib.Path) -> None:
    frames = [frame(host, FIRST_PORTS[to] + port, to) for to in (KNOWN, NEW) for port in range(PORTS) for host in range(HOSTS)]
    head = struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1)
    path.write_bytes(head + b"".join(struct.pack("<IIII", 0, n, len(one), len(one)) + one for n, one in enumerate(frames)))


def network(function: str, executor: str, gpus: list[int], folder: pathlib.Path) -> str:
    routes = f"routes:\n  - {{to: {KNOWN}/32, via: 198.51.100.254}}\n" if function != "rules" else ""
    text = (f"data_plane: {{executor: {executor}, gpus: {gpus}, burst: 32, pipelines: {PIPELINES}}}\n"
            f"interfaces:\n"
            f"  - {{name: left, port: 0, mac: \"{OWN}\", addresses: [10.0.0.1/24]}}\n"
            f"  - {{name: right, port: 1, mac: \"02:00:00:00:00:02\", addresses: [198.51.100.1/24]}}\n"
            f"neighbours:\n  - {{interface: right, address: 198.51.100.254, mac: \"02:00:00:00:00:99\"}}\n{routes}")
    if "nat44" in function:
        text += f"nat44: {{inside: [left], outside: [right], pool: [203.0.113.1], state: {folder}/sessions}}\n"
    if "rules" in function:
        text += f"rules: {{file: {folder}/flows.txt, on: gpu}}\n"
    if "detect" in function:
        (folder / "model.onnx").write_bytes(random_model("3-16-1", ["length", "flow_packets", "source_packets"]))
        large = ""
        if "large" in function:
            (folder / "large.onnx").write_bytes(random_model("3-300-200-1", ["length", "flow_packets", "source_packets"]))
            large = f", large: {{file: {folder}/large.onnx, threshold: 0, rate: 1000000}}"
        text += f"detect: {{models: [{{file: {folder}/model.onnx, threshold: 0}}]{large}}}\n"
    if "inspect" in function:
        (folder / "some.rules").write_text('alert udp any any -> any 53 (content:"|00 00 00 00|"; threshold: type limit, track by_src, '
                                           'count 40, seconds 1; sid:1;)\n')
        text += f"inspect: {{rules: [{folder}/some.rules], events: {folder}/eve.json, events_packets: 1m}}\n"
    return text


class TooEarly(Failed):
    """The fault came before the state that it was to meet."""


class Running:
    """A run, and the requests to it."""

    def __init__(self, program: pathlib.Path, function: str, executor: str, fault: str, gpus: list[int], folder: pathlib.Path, number: int,
                 core: int) -> None:
        self.program, self.folder, self.function = program, folder, function
        self.failing = PIPELINES // len(gpus)  # pipelines of the GPU that has the fault
        self.control = folder / "control"
        write_capture(folder / "in.pcap")
        last = "count / port_id id 1 / end" if function == "rules" else "count / end"
        (folder / "flows.txt").write_text(f"flow create 0 priority 1 ingress pattern eth / ipv4 / udp dst is 53 / end actions {last}\n")
        (folder / "network.yaml").write_text(network(function, executor, gpus, folder))
        lcores = f"{core}-{core + PIPELINES}"
        ports = ["--vdev=net_null0,no-rx=1", "--vdev=net_null1,no-rx=1"]
        own = ["-w", executor, "-p", str(PIPELINES), "-g", ",".join(map(str, gpus))] if function == "forward" else ["-c", str(folder / "network.yaml")]
        # forward's pipelines of port 1 are those of the second GPU.
        replays = [f"--replay={port}={folder}/in.pcap" for port in range(2 if function == "forward" else 1)]
        command = [program, "l2fwd" if function == "forward" else "run", "-l", lcores, "--in-memory", "--no-pci", f"--file-prefix=fault{number}",
                   *ports, "--", *own, *replays, "--inject-gpu-fault", fault, "--control", str(self.control),
                   "--metrics", str(9500 + number), "--report-age", "10ms", "--stats-period", "0", "--json", str(folder / "result.json")]
        self.metrics_at = f"http://127.0.0.1:{9500 + number}/metrics"
        self.said = folder / "said"
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=self.said.open("w"))

    def metrics(self) -> dict[str, float]:
        """Sums over pipelines, by name, and of drops by reason."""
        with urllib.request.urlopen(self.metrics_at, timeout=5) as page:
            lines = page.read().decode().splitlines()
        sums: dict[str, float] = {}
        for line in lines:
            if line.startswith("#"):
                continue
            name, _, value = line.rpartition(" ")
            reason = re.search(r'packets_dropped_total\{.*reason="(\w+)"', name)
            key = f"drop {reason[1]}" if reason else name.partition("{")[0].removeprefix("packetwarp_")
            with contextlib.suppress(ValueError):
                sums[key] = sums.get(key, 0) + float(value)
        return sums

    def wait_for(self, what: str, holds, seconds: float = 30):
        until = time.monotonic() + seconds
        seen: object = None
        while time.monotonic() < until:
            require(self.process.poll() is None, f"ended with {self.process.returncode}: {self.said.read_text()[-400:]}")
            with contextlib.suppress(OSError, Failed):
                seen = self.metrics()
                if holds(seen):
                    return seen
            time.sleep(0.02)
        raise Failed(f"no {what} within {seconds} s: {self.said.read_text()[-300:]}; {seen}")

    def ask(self, *command: str) -> str:
        done = subprocess.run([self.program, *command, "--control", self.control], capture_output=True, text=True, timeout=30)
        require(done.returncode == 0, f"{' '.join(command)}: {done.stderr.strip()[-200:]}")
        return done.stdout

    def sessions(self) -> dict[str, str]:
        """Outside endpoints, by inside ones."""
        listed = json.loads(self.ask("nat", "sessions", "--json", "--limit", "100000"))["sessions"]
        return {one["inside"]: one["outside"] for one in listed}

    def alerts(self) -> int:
        """Alerts in the file."""
        return (self.folder / "eve.json").read_text().count('"event_type":"alert"')

    def end(self) -> dict:
        self.process.send_signal(signal.SIGINT)
        status = self.process.wait(30)
        require(status == 0, f"exit status {status}: {self.said.read_text()[-400:]}")
        return json.loads((self.folder / "result.json").read_text())


def tables_change(run: Running, before: dict[str, str]) -> str:
    """After the loss: a route, by which the other flows leave, and a flow rule."""
    told = ""
    if "router" in run.function or "nat44" in run.function:
        config = run.folder / "network.yaml"
        more = f"  - {{to: {NEW}/32, via: 198.51.100.254}}\n"
        config.write_text(config.read_text().replace("via: 198.51.100.254}\n", "via: 198.51.100.254}\n" + more, 1))
        run.ask("reload")
        time.sleep(0.1)
        first = run.metrics().get("drop punt_full", 0)
        time.sleep(0.2)
        require(run.metrics().get("drop punt_full", 0) == first, "the new route leads nowhere")
    if "nat44" in run.function:
        run.wait_for("new sessions", lambda seen: seen.get("nat_sessions", 0) >= 2 * HOSTS * PORTS)
        after = run.sessions()
        require(all(after.get(inside) == outside for inside, outside in before.items()), "sessions are not what they were")
        require(len(set(after.values())) == len(after), "an outside port was given twice")
        require(len(before) == HOSTS * PORTS and len(after) == 2 * len(before), f"{len(before)} sessions before, {len(after)} after")
        run.ask("nat", "save", "--file", str(run.folder / "saved"))
        stats = run.ask("nat", "stats")
        require("conflicts 0" in stats, stats)
        told += f", {len(before)} sessions kept, {len(after) - len(before)} made since"
    if "rules" in run.function:
        run.ask("flow", "create", "0", "priority", "0", "ingress", "pattern", "eth", "/", "ipv4", "/", "udp", "src", "is", "1001", "/", "end",
                "actions", "drop", "/", "end")
        run.wait_for("drop by a new rule", lambda seen: seen.get("drop rule_drop", 0) > 0)
        told += ", a rule added"
    return told


def one(program: pathlib.Path, function: str, executor: str, fault: str, bursts: int, gpus: list[int], number: int, core: int) -> str:
    with tempfile.TemporaryDirectory() as name:
        run = Running(program, function, executor, f"{fault}@{bursts}:{gpus[-1]}", gpus, pathlib.Path(name), number, core)
        try:
            run.wait_for("traffic", lambda seen: seen.get("packets_sent_total", 0) > 0)
            before = {}
            if "nat44" in function:
                run.wait_for("sessions", lambda seen: seen.get("nat_sessions", 0) >= HOSTS * PORTS)
                before = run.sessions()
            if run.metrics().get("pipelines_failed_over", 0) != 0:
                raise TooEarly("lost before it was looked at: give more --bursts")
            run.wait_for("failover", lambda seen: seen.get("pipelines_failed_over", 0) == run.failing, 90)
            first = run.metrics()
            seen = run.alerts() if "inspect" in function else 0
            time.sleep(0.2)
            told = tables_change(run, before)
            if "inspect" in function:
                # By the CPU, as one GPU has all packets, or else by the other GPU, too.
                run.wait_for("alerts after the loss", lambda _: run.alerts() > seen + HOSTS * 40)
            last = run.metrics()
            require(last["packets_sent_total"] > first["packets_sent_total"], "nothing is sent any more")
            result = run.end()
        finally:
            if run.process.poll() is None:
                run.process.kill()
                run.process.wait()
        said = run.said.read_text()
    packets = result["packets"]
    accounted = packets["tx"] + packets["punted"] + packets["in_flight"] + sum(packets["dropped"].values())
    require(packets["rx"] == accounted, f"received {packets['rx']}, accounted for {accounted}: {packets}")
    require(result["checked"]["wrong"] == 0, f"checked {result['checked']}")
    require(result["failed_over"] == run.failing, f"{result['failed_over']} pipelines failed over")
    handed = sum(pipeline["handed_over"] for pipeline in result["pipelines"])
    require((handed > 0) == (len(gpus) > 1 and "nat44" in function), f"{handed} packets were handed over")
    if "detect" in function:
        require("the CPU begins without any" in said, "no line says that the state of flows and hosts is gone")
        require(result["detect"]["models"][0]["judged"] > 0, f"judged {result['detect']}")
        require("large" not in function or result["detect"]["large"]["judged"] > 0, f"judged {result['detect']}")
    if "inspect" in function:
        require("the CPU begins without any" in said, "no line says that the state of flows is gone")
        told += f", {seen} and {result['inspect']['events']['read'] - seen} alerts"
        require(result["inspect"]["packets"] > 0 and seen > 0, f"inspected {result['inspect']}")
    lines = [line for line in said.splitlines() if "are dropped as gpu_failed" in line]
    require(len(lines) == 1, f"{len(lines)} lines tell of it: {said[-400:]}")
    why = lines[0].partition("error: ")[2].partition(";")[0]
    require(re.search(FAULTS[fault], why) is not None, f"the reason told for {fault} is: {why}")
    lost = packets["dropped"].get("gpu_failed", 0)
    first, last = (result.get(key, float("nan")) for key in ("failover_ms", "failover_last_ms"))
    return f"failover {first:.2f} ms (last pipeline {last:.2f}), {lost} packets lost by name{told}{f', {handed} handed over' if handed else ''}; {why}"


def in_time(program: pathlib.Path, function: str, executor: str, fault: str, bursts: int, gpus: list[int], number: int, core: int) -> str:
    """The result of `one`, with twice the bursts while the fault comes too early: executors differ in their rates by ten times."""
    for _ in range(4):
        with contextlib.suppress(TooEarly):
            return one(program, function, executor, fault, bursts, gpus, number, core)
        bursts *= 2
    raise Failed(f"lost before it was looked at, even with {bursts // 2} bursts: give more --bursts")


def combinations(options: argparse.Namespace) -> Iterator[tuple[str, str, str]]:
    """A large model has kernels of its own, which a persistent kernel cannot launch."""
    return ((function, executor, fault) for function, executor, fault in itertools.product(options.functions, options.executors, options.faults)
            if "large" not in function or executor != "persistent")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--functions", nargs="+", choices=FUNCTIONS, default=FUNCTIONS)
    parser.add_argument("--executors", nargs="+", choices=EXECUTORS, default=EXECUTORS)
    parser.add_argument("--faults", nargs="+", choices=tuple(FAULTS), default=tuple(FAULTS))
    parser.add_argument("--bursts", type=int, default=2_000_000,
                        help="of a pipeline, before the fault (default 2000000); twice as many when the fault comes too early")
    parser.add_argument("--gpus", nargs="+", type=int, default=[0], help="that run; the last one has the fault (default 0)")
    parser.add_argument("--beside", type=int, default=1, help=f"runs at a time, {PIPELINES + 1} CPUs each: they share the GPU (default 1)")
    options = parser.parse_args()
    cpus = len(os.sched_getaffinity(0))
    if cpus < PIPELINES + 1:
        parser.error(f"a run needs {PIPELINES + 1} CPUs, and there are {cpus}")
    if not 1 <= options.beside <= cpus // (PIPELINES + 1):
        parser.error(f"--beside: {options.beside} runs of {PIPELINES + 1} CPUs each do not fit on {cpus} CPUs; give 1 to {cpus // (PIPELINES + 1)}")
    cores: queue.Queue[int] = queue.Queue()  # the first of each run at a time
    for one_of in range(options.beside):
        cores.put(one_of * (PIPELINES + 1))
    failed = 0
    begin = time.monotonic()

    def attempt(numbered: tuple[int, tuple[str, str, str]]) -> tuple[bool, str]:
        number, (function, executor, fault) = numbered
        name = f"{function:13} {executor:11} {fault:7}"
        core = cores.get()
        try:
            return True, f"{name} passed: {in_time(options.program.resolve(), function, executor, fault, options.bursts, options.gpus, number, core)}"
        except (Failed, OSError, subprocess.SubprocessError, ValueError) as error:
            return False, f"{name} FAILED: {error}"
        finally:
            cores.put(core)

    with concurrent.futures.ThreadPoolExecutor(options.beside) as pool:
        for passed, line in pool.map(attempt, enumerate(combinations(options))):
            failed += not passed
            print(line, flush=True)
    print(f"gpu-faults: {'FAILED: ' + str(failed) if failed else 'passed'} in {time.monotonic() - begin:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
