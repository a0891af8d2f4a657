#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The checks that need the whole program on a GPU: python/gpu/checks.py PROGRAM [--soak SECONDS] [--gpu N].

Prints one line per check; exit status 1 if one failed. Needs only Python and the program, so that it runs on a machine that the
program was carried to. `--soak` adds a run of SECONDS at full rate."""
from __future__ import annotations

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator

EXECUTORS = ("kernel", "persistent", "graph")
PLACEMENTS = {"host": [], "device": ["-m", "device"], "split": ["-s"]}
CAPTURE = pathlib.Path(__file__).parents[2] / "tests" / "captures" / "mixed.pcap"
ALONE = ["--in-memory", "--no-pci"]


class Failed(Exception):
    pass


def require(holds: bool, what: str) -> None:
    if not holds:
        raise Failed(what)


class Program:
    def __init__(self, path: pathlib.Path, gpus: str) -> None:
        self.path, self.gpus = path, gpus

    def run(self, command: str, eal: list[str], options: list[str], seconds: float = 60) -> tuple[int, str, str]:
        """Exit status, standard output, and standard error."""
        done = subprocess.run([self.path, command, *eal, *ALONE, "--", *options], capture_output=True, text=True, timeout=seconds)
        return done.returncode, done.stdout, done.stderr

    def forward(self, eal: list[str], options: list[str], seconds: float = 60) -> tuple[dict, str]:
        """The result of a run, in which every packet is accounted for, and its standard error."""
        on_gpu = [] if "cpu" in options else ["-g", self.gpus]
        status, out, said = self.run("l2fwd", eal, [*on_gpu, "--stats-period", "0", "--json", "-", *options], seconds)
        require(status == 0, f"exit status {status}: {said.strip()[-300:]}")
        result = json.loads(out)
        require_conservation(result)
        return result, said


def require_conservation(result: dict) -> None:
    packets = result["packets"]
    accounted = packets["tx"] + packets["punted"] + packets["in_flight"] + sum(packets["dropped"].values())
    require(packets["rx"] == accounted, f"received {packets['rx']}, accounted for {accounted}: {packets}")
    require(result["checked"]["wrong"] == 0, f"of the packets looked at some were wrong: {result['checked']}")


def null_ports(count: int) -> list[str]:
    return [f"--vdev=net_null{n},copy=0,size=60" for n in range(count)]


def generated_packets_come_back_whole(program: Program, executor: str, placement: str) -> str:
    through = " ".join(["-w", executor, "-b", "16", "-g", program.gpus.split(",")[0], *PLACEMENTS[placement]])
    status, out, said = program.run("generate", ["-l", "0-3"], ["--through", through, "--count", "200k", "--rate", "1mpps", "--pattern", "udp.sport=1000..1063",
                                                              "--size", "64:7,594:4,1518:1", "--stats-period", "0", "--json", "-"])
    require(status == 0, f"exit status {status}: {said.strip()[-300:]}")
    result = json.loads(out)
    require(result["flawless"] is True, f"flawed: {said.strip()[-300:]}")
    return f"{result['received']['packets']} packets flawless"


def a_capture_comes_out_as_from_the_cpu(program: Program, executor: str, placement: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        outputs = {}
        for who, options in (("cpu", ["-w", "cpu"]), (executor, ["-w", executor, *PLACEMENTS[placement]])):
            outputs[who] = pathlib.Path(folder) / f"{who}.pcap"
            function = ["--function", "swap_payload"] if placement == "split" else []
            device = f"--vdev=net_pcap0,rx_pcap={CAPTURE},tx_pcap={outputs[who]}"
            program.forward(["-l", "0-1", device], [*options, *function, "-b", "7", "--until-idle", "200ms"])
        cpu, gpu = (packets_of(outputs[who]) for who in ("cpu", executor))
        require(len(cpu) > 100 and cpu == gpu, f"{len(cpu)} packets from the CPU and {len(gpu)} from the GPU differ")
        return f"{len(gpu)} packets the same"


def packets_of(capture: pathlib.Path) -> list[bytes]:
    """The frames of a little-endian pcap: their bytes, without their times."""
    data, at, packets = capture.read_bytes(), 24, []
    while at + 16 <= len(data):
        length = int.from_bytes(data[at + 8:at + 12], "little")
        packets.append(data[at + 16:at + 16 + length])
        at += 16 + length
    return packets


def a_broken_gpu_costs_what_it_had(program: Program, executor: str, placement: str, fault: str) -> str:
    pipelines = 2
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder) / "events.jsonl"
        result, said = program.forward(["-l", f"0-{pipelines}", *null_ports(pipelines)],
                                       ["-w", executor, *PLACEMENTS[placement], "--duration", "1s", "--event-log", str(log),
                                        "--inject-gpu-fault", f"{fault}@20000"])
        events = [json.loads(line) for line in log.read_text().splitlines()]
    told = [event["pipelines"] for event in events if event["event"] == "gpu_failed_over"]
    require(told == sorted(told) and told[-1:] == [pipelines], f"the event log tells of failed pipelines {told}")
    lost = result["packets"]["dropped"].get("gpu_failed", 0)
    require(result["failed_over"] == pipelines, f"{result['failed_over']} of {pipelines} pipelines failed over")
    errors = [line for line in said.splitlines() if "error:" in line and "are dropped as gpu_failed" in line]
    gpus = min(pipelines, len(program.gpus.split(",")))
    require(len(errors) == gpus, f"{len(errors)} lines tell of {gpus} GPUs: {said.strip()[-300:]}")
    return f"{lost} packets lost by name, {result['mpps']:.0f} Mpps over the run"


def all_gpus_share_the_work(program: Program) -> str:
    count = len(program.gpus.split(","))
    result, _ = program.forward(["-l", f"0-{2 * count}", *null_ports(2 * count)], ["-w", "persistent", "-p", str(2 * count), "--duration", "2s"])
    require(len(result["host"]["gpus"]) == count, f"{result['host']['gpus']}")
    require(all(p["tx"] > 0 for p in result["pipelines"]), "a pipeline sent nothing")
    return f"{count} GPUs, {2 * count} pipelines: {result['mpps']:.0f} Mpps"


def resident_kib(pid: int) -> int:
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    return 0


def it_runs_long_and_loses_and_leaks_nothing(program: Program, seconds: int, lcores: str) -> str:
    command = [program.path, "l2fwd", "-l", lcores, *null_ports(8), *ALONE, "--", "-w", "persistent", "-b", "32", "-g", program.gpus.split(",")[0],
               "--stats-period", "0", "--duration", f"{seconds}s", "--json", "-"]
    begin = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        time.sleep(min(20, seconds / 4))
        warm = most = resident_kib(process.pid)
        while process.poll() is None and time.monotonic() - begin < seconds:
            most = max(most, resident_kib(process.pid))
            time.sleep(0.2)
        out, said = process.communicate(timeout=60)
    require(process.returncode == 0, f"exit status {process.returncode}: {said.strip()[-300:]}")
    result = json.loads(out)
    require_conservation(result)
    packets = result["packets"]
    require(packets["rx"] == packets["tx"] and result["failed_over"] == 0, f"{packets}")
    require(most - warm < 1024, f"{most - warm} KiB more than when it was warm")
    return (f"{result['seconds']:.0f} s, {packets['rx']} packets in and out, {result['mpps']:.0f} Mpps, {result['checked']['packets']} looked at, "
            f"{most - warm} KiB of memory more")


def checks(program: Program, soak: int, lcores: str) -> Iterator[tuple[str, Callable[[], str]]]:
    for executor in EXECUTORS:
        for placement in PLACEMENTS:
            yield f"generated packets, {executor}, {placement}", lambda e=executor, p=placement: generated_packets_come_back_whole(program, e, p)
            yield f"capture, {executor}, {placement}", lambda e=executor, p=placement: a_capture_comes_out_as_from_the_cpu(program, e, p)
    for executor in EXECUTORS:
        for fault in ("error", "stall", "lost", "memory", "busy"):
            for placement in ("host", "device"):
                yield (f"fault {fault}, {executor}, {placement}",
                       lambda e=executor, p=placement, f=fault: a_broken_gpu_costs_what_it_had(program, e, p, f))
    yield "all GPUs", lambda: all_gpus_share_the_work(program)
    if soak:
        yield f"soak of {soak} s", lambda: it_runs_long_and_loses_and_leaks_nothing(program, soak, lcores)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--gpus", default="0", help="as packetwarp's -g takes them")
    parser.add_argument("--soak", type=int, default=0, help="seconds at full rate, besides")
    parser.add_argument("--lcores", default="0-8", help="nine of them, for the soak")
    parser.add_argument("--only", default="", help="checks whose name has this in it")
    chosen = parser.parse_args()
    failed = 0
    for name, check in checks(Program(chosen.program.resolve(), chosen.gpus), chosen.soak, chosen.lcores):
        if chosen.only not in name:
            continue
        try:
            print(f"{name:40} passed: {check()}", flush=True)
        except (Failed, subprocess.TimeoutExpired, json.JSONDecodeError, OSError) as error:
            failed += 1
            print(f"{name:40} FAILED: {error}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
