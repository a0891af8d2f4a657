#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The stages of ci/connectx.sh, which finds the NIC and calls this: each shows a property that only a ConnectX has.

Each command is printed after `$ ` before it runs; --dry-run prints them all and runs none. PORT is packetwarp's, PEER the port at
the other end of its cable, from which the generator sends; without a peer nothing is sent, and the lines say so. A port is a PCI
address, or `net_...`, a virtual device that stands in for it in a trial of the script itself."""
from __future__ import annotations

import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence

from connectx_bench import FRAMES, ROOT, START_SECONDS, Bench, port_words
from connectx_rules import Case, cases, of_transfer
from scapy.utils import wrpcap

SIZES = "64,512,1518"
# Ten thousand rules take a NIC a minute or two.
RULES_SECONDS = 300


def network_file(bench: Bench, name: str, rules: str, ports: int) -> pathlib.Path:
    interfaces = ", ".join(f"{{name: port{n}, port: {n}}}" for n in range(ports))
    return bench.write(name, f"control: {bench.control}\ninterfaces: [{interfaces}]\nrules: {{{rules}}}\n")


def network(bench: Bench, file: pathlib.Path, ports: int, options: Sequence[str] = ()) -> list[str]:
    more = port_words(bench.peer) if ports > 1 and bench.peer else []
    return [bench.packetwarp, "run", *bench.eal("under test", bench.port, more=more), "--", "-c", str(file), *options]


def capabilities(bench: Bench) -> None:
    """The machine, the NIC's firmware and settings, and what its driver says of the port."""
    bench.told([bench.packetwarp, "doctor"])
    if not bench.port.startswith("net_"):
        for command in (["mstflint", "-d", bench.port, "query"], ["mstconfig", "-d", bench.port, "-e", "query"],
                        ["devlink", "dev", "info", f"pci/{bench.port}"], ["lspci", "-vv", "-s", bench.port]):
            bench.told(command)
    asked = "show port info 0\nshow port 0 rx_offload capabilities\nshow port 0 tx_offload capabilities\nshow device info all\nquit\n"
    bench.told(bench.testpmd_alone("-i", "--rxd=1024", "--txd=1024"), asked)
    bench.told([bench.packetwarp, "plan", *bench.eal("under test", bench.port), "--", "-p", str(bench.queues)])


def try_case(bench: Bench, case: Case) -> str:
    """Creates its rules one after the other, sends its frames, and asks for the hits. Returns the result."""
    flow, numbers, problem = [bench.packetwarp, "flow", "--control", bench.control], [], ""
    for rule in case.rules:
        done = bench.run([*flow, "create", "0", *rule.split()])
        if done.returncode:
            problem = (done.stderr.splitlines() or ["refused"])[-1].removeprefix("packetwarp: error: ")
            break
        numbers += re.findall(r"#(\d+)", done.stdout) or [str(len(numbers))]
    said = f"refused: {problem}" if problem else f"created; {hits_of(bench, case, flow, numbers)}"
    if numbers:
        bench.run([*flow, "destroy", "0", *(word for number in reversed(numbers) for word in ("rule", number))])
    return said


def hits_of(bench: Bench, case: Case, flow: list[str], numbers: list[str]) -> str:
    if not bench.peer:
        return "nothing sent: no --peer"
    if case.frame is None:
        return "nothing sent: it would go round the cable for ever"
    frames = bench.folder / "frame.pcap"
    wrpcap(str(frames), [case.frame])
    sent = bench.run(bench.generate(["--replay", str(frames), "--loop", str(FRAMES), "--rx-ports", "none"]))
    if sent.returncode:
        bench.failed = True
        return f"the generator failed: {(sent.stderr.splitlines() or [''])[-1]}"
    done = bench.run([*flow, "query", "0", numbers[case.counts], "count"])
    hits = re.search(r"hits: (\d+)", done.stdout)
    return f"{hits[1] if hits else 'no'} hits of {FRAMES}" if not bench.dry else f"hits of {FRAMES}"


def try_cases(bench: Bench, chosen: list[Case]) -> None:
    ports = 2 if bench.peer else 1
    bench.write("none.txt", "# Rules are made one by one.\n")
    file = network_file(bench, "rules.yaml", f"file: {bench.folder / 'none.txt'}, on: {bench.rules_on}, receive_queues: 2", ports)
    with bench.beside(network(bench, file, ports), "control") as is_up:
        for case in chosen if is_up else ():
            lacks = [need for need in case.needs if need == "port 1" and ports < 2]
            said = f"not tried: it needs {', '.join(lacks)} (--peer)" if lacks else try_case(bench, case)
            print(f"{case.name}: {said}", flush=True)


def rules(bench: Bench) -> None:
    """Each form of rule by itself, whether the NIC takes it, and how often it hits."""
    try_cases(bench, [case for case in cases() if re.search(bench.chosen, case.name)])


def transfer(bench: Bench) -> None:
    """In legacy mode an E-Switch refuses these; switchdev: devlink dev eswitch set pci/PORT mode switchdev."""
    if not bench.port.startswith("net_"):
        bench.told(["devlink", "dev", "eswitch", "show", f"pci/{bench.port}"])
    try_cases(bench, list(of_transfer()))


def hairpin(bench: Bench) -> None:
    """Frames leave by the port that they came in by, within the NIC; then the reference's 10,006 rules between two ports."""
    flows = bench.write("hairpin.txt", "flow create 0 ingress pattern eth / ipv4 / end actions count / queue index 1 / end\n")
    same = "receive_queues: 1, hairpin_queues: 1, hairpin_mode: 0x0, isolate: true"
    file = network_file(bench, "hairpin.yaml", f"file: {flows}, on: {bench.rules_on}, {same}", 1)
    with bench.beside(network(bench, file, 1), "control") as is_up:
        if is_up and bench.peer:
            frames = bench.folder / "frame.pcap"
            wrpcap(str(frames), [cases()[0].frame])
            bench.told(bench.generate(["--replay", str(frames), "--loop", str(FRAMES), "--expect", "as-sent,same-port"]))
        if is_up:
            bench.told([bench.packetwarp, "flow", "--control", bench.control, "list", "0"])
    if not bench.peer:
        print("hairpin between two ports: not tried: it needs two ports (--peer)")
        return
    made = bench.run([str(ROOT / "examples/cnf-nat/create_flows.sh")])
    flows = bench.write("flows.txt", made.stdout or "# what create_flows.sh prints\n")
    pair = "receive_queues: 1, hairpin_queues: 2, hairpin_mode: 0x12, isolate: true"
    file = network_file(bench, "hairpin_pair.yaml", f"file: {flows}, on: {bench.rules_on}, {pair}", 2)
    bench.told(network(bench, file, 2, ["--duration", "2s"]), seconds=RULES_SECONDS)


def gpudirect(bench: Bench) -> None:
    """Packets in GPU memory, every byte of them compared when they come back."""
    if not bench.dry and shutil.which("nvidia-smi") is None:
        print("not tried: no NVIDIA GPU or driver here (no nvidia-smi)")
        return
    bench.told(["nvidia-smi", "-L"])
    bench.told(["grep", "nvidia_peermem", "/proc/modules"])
    inline = ",txq_inline_max=0"
    for where, options in (("in GPU memory", ["-m", "device"]), ("headers in host memory, payloads in GPU memory", ["-s"])):
        print(f"packets {where}:")
        command = [bench.packetwarp, "l2fwd", *bench.eal("under test", bench.port, inline), "--", "-w", "persistent", *options, "-p", str(bench.queues),
                   "--control", bench.control]
        with bench.beside(command, "control") as is_up:
            if is_up and bench.peer:
                # swap_payload, which -s chooses, changes what a signature would be in.
                check = ["--unsigned", "--expect", "as-sent,same-port"] if "-s" in options else ["--expect", "mac-swapped,same-port"]
                bench.told(bench.generate(["--count", "1m", *check]))


def writes(bench: Bench) -> None:
    """RDMA writes by libibverbs, and by packetwarp's own use of the NIC's queues; both ends are the port's, and each byte is compared."""
    devices = sorted(path.name for path in pathlib.Path(f"/sys/bus/pci/devices/{bench.port}/infiniband").glob("*"))
    if not devices and not bench.dry:
        print("not tried: the port has no RDMA device (mlx5_ib, ib_uverbs)")
        return
    bench.told([bench.packetwarp, "doctor", "--only", "rdma"])
    has_gpu = bench.dry or shutil.which("nvidia-smi") is not None
    payload = ["--payload", "gpu"]
    for transport, server, client in (("verbs", [], []), ("mlx5", [], []), ("mlx5", [], ["--initiator", "gpu"]),
                                      ("mlx5", payload, ["--initiator", "gpu", *payload])):
        if client and not has_gpu:
            print("by a GPU: not tried: no NVIDIA GPU or driver here (no nvidia-smi)")
            return
        words = ["--transport", transport, "-d", devices[0] if devices else "mlx5_0", "-q", "4", "-s", "4096"]
        with bench.beside([bench.packetwarp, "rdma-bw", *words, *server, "--validate"], "waiting for a client") as is_up:
            if is_up:
                bench.told([bench.packetwarp, "rdma-bw", *words, *client, "127.0.0.1"])


def programs_of(bench: Bench) -> list[tuple[str, list[str], str, str]]:
    """Name, command, the sign of readiness, the expected packets."""
    own = [bench.packetwarp, "l2fwd", *bench.eal("under test", bench.port), "--", "-b", "64", "-p", str(bench.queues), "--control", bench.control]
    theirs = bench.testpmd_alone("--auto-start", "--stats-period=1", "--burst=64", "--rxd=1024", "--txd=1024", "--port-topology=loop",
                                 f"--rxq={bench.queues}", f"--txq={bench.queues}", f"--nb-cores={bench.queues}")
    return [("l2fwd -w none", [*own, "-w", "none"], "control", "as-sent"), ("testpmd io", [*theirs, "--forward-mode=io"], "statistics for port", "as-sent"),
            ("l2fwd -w cpu", [*own, "-w", "cpu"], "control", "mac-swapped"),
            ("testpmd macswap", [*theirs, "--forward-mode=macswap"], "statistics for port", "mac-swapped")]


def rates(bench: Bench) -> None:
    """packetwarp beside dpdk-testpmd on the same port and CPUs, from the same generator."""
    if not bench.peer:
        print("rates: not measured: they need a generator on the other end of the cable (--peer)")
        return
    table = []
    for size in bench.sizes.split(","):
        for name, command, ready, expected in programs_of(bench):
            with bench.beside(command, ready) as is_up:
                if not is_up:
                    continue
                done = bench.run(bench.generate(["--size", size, "--pattern", "udp.sport=1000..5999", "--expect", f"{expected},same-port",
                                                 "--check", "signature", "--duration", f"{bench.seconds}s", "--json", "-"]),
                                 seconds=bench.seconds + START_SECONDS)
            table.append(f"{size:>5}  {name:<16} {received(done)}")
    if not bench.dry:
        print("\nframe  program          sent, received (Mpps)\n" + "\n".join(table))


def received(done: subprocess.CompletedProcess[str]) -> str:
    try:
        result = json.loads(done.stdout)
        return f"{result['sent']['mpps']:.2f}, {result['received']['mpps']:.2f}"
    except (ValueError, KeyError, TypeError):
        return f"exit status {done.returncode}: {(done.stderr.splitlines() or [''])[-1]}"


STAGES = {stage.__name__: stage for stage in (capabilities, rules, hairpin, transfer, gpudirect, writes, rates)}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("stages", nargs="*", metavar="STAGE", help=f"{', '.join(STAGES)} (default: all)")
    parser.add_argument("--packetwarp", default=str(ROOT / "build/packetwarp"))
    parser.add_argument("--testpmd", default="dpdk-testpmd")
    parser.add_argument("--port", required=True)
    parser.add_argument("--peer")
    parser.add_argument("--lcores", required=True)
    parser.add_argument("--generator-lcores", required=True)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--cases", default="", help="a regular expression: only rules of such names")
    parser.add_argument("--sizes", default=SIZES, help=f"of frames whose rates are measured (default: {SIZES})")
    parser.add_argument("--rules-on", default="nic", choices=("nic", "cpu"))
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("--dry-run", action="store_true")
    given = parser.parse_args()
    if unknown := set(given.stages) - set(STAGES):
        parser.error(f"no such stage: {', '.join(sorted(unknown))}")
    bench = Bench(given.packetwarp, given.testpmd, given.port, given.peer, given.lcores, given.generator_lcores, given.seconds, given.rules_on,
                  given.dry_run, given.folder, given.cases, given.sizes)
    for name in given.stages or STAGES:
        print(f"\n== {name}: {(STAGES[name].__doc__ or '').splitlines()[0]}", flush=True)
        STAGES[name](bench)
    return 1 if bench.failed else 0


if __name__ == "__main__":
    sys.exit(main())
