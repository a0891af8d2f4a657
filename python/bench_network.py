#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How fast packetwarp run routes, translates and applies flow rules: python/bench_network.py PROGRAM [--json FILE].

Both directions of so many UDP flows, or one, come from net_null ports, which drop what is sent and whose packets are overwritten
by 64-byte frames (--replay), a queue a lcore on each; with --ports pcap from net_pcap ports, which copy such frames out of
mbufs of their own. Beside each result stands what `l2fwd -w none` reaches on the same ports: the most that there is to
reach, and what dpdk-testpmd's io mode reaches there, where it is installed; on net_null it forwards packets that nothing
was written to. VPP, where it is installed, routes and translates as many flows once in a run, from its own packet
generator. Needs nothing but Python and the program."""
from __future__ import annotations

import argparse
import json
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile

import testpmd_peer
import vpp_network
import vpp_peer
from network_flows import (
    FIRST_PORT, HOST_MACS, HOSTS, MOST_FLOWS, OWN, OWN_MACS, PORTS_A_HOST, frames, hosts_of, inside_host, outside_address, write_capture,
    write_sessions)

MOST_LCORES = {"null": 512, "pcap": 16}  # a queue each: of packetwarp's pipelines, and of net_pcap
MOST_SESSIONS = 1 << 24  # that packetwarp has room for
PACKETS_A_PIPELINE = 16384


class Bed:
    """The ports and files of a run in a folder of its own."""

    def __init__(self, program: pathlib.Path, folder: pathlib.Path, lcores: int, flows: int, ways: int, sessions: int,
                 ports: str,
                 ring_slots: int | None = None, first_lcore: int = 1, lcore_step: int = 1) -> None:
        self.program, self.folder, self.lcores, self.flows, self.ways, self.sessions = program, folder, lcores, flows, ways, sessions
        self.ports, self.ring_slots = ports, ring_slots
        self.lcore_list = ",".join(map(str, [0, *(first_lcore + n * lcore_step for n in range(lcores))]))
        # A port's queues are dealt to lcores in turn, a pipeline each of either port.
        self.queues = lcores
        self.pipelines = 2 * self.queues
        self.packets = self.pipelines * PACKETS_A_PIPELINE
        if ports == "pcap":
            # What the ports keep of their captures comes on top of what is under way.
            self.packets += max(flows, self.queues) * ways
        for side in range(ways):
            for queue, numbers in self.captured_flows().items():
                # Spread over all sessions.
                chosen = [number * (sessions // flows) for number in numbers]
                write_capture(self.capture("translated", side, queue), frames(side, chosen, translated=True))
                write_capture(self.capture("routed", side, queue), frames(side, chosen, translated=False))
        write_sessions(folder / "sessions", sessions)

    def captured_flows(self) -> dict[int, range]:
        """By the number of a port's capture. net_pcap has one a queue: every so many flows one, and with fewer flows than
        queues one that others have, too. A capture that is replayed is dealt to queues in the same way."""
        if self.ports == "null":
            return {0: range(self.flows)}
        return {queue: range(queue, self.flows, self.queues) or range(queue % self.flows, queue % self.flows + 1)
                for queue in range(self.queues)}

    def capture(self, kind: str, side: int, number: int) -> pathlib.Path:
        return self.folder / f"{kind}{side}_{number}.pcap"

    def eal(self, kind: str) -> list[str]:
        """The first lcore is the master's alone."""
        devices = []
        for side in range(self.ways):
            captures = ",".join(f"rx_pcap={self.capture(kind, side, queue)}" for queue in range(self.queues))
            devices.append(f"--vdev=net_null{side},copy=0,size=60" if self.ports == "null" else
                           f"--vdev=net_pcap{side},{captures},infinite_rx=1")
        if self.ways == 1:
            devices.append("--vdev=net_null1,no-rx=1")
        return ["-l", self.lcore_list, *testpmd_peer.memory_options(), "--no-pci", *devices]

    def replays(self, kind: str) -> list[str]:
        """Of packetwarp: what net_null's packets are overwritten by."""
        if self.ports == "pcap":
            return []
        return [word for side in range(self.ways) for word in ("--replay", f"{side}={self.capture(kind, side, 0)}")]

    def network(self, function: str, executor: str, burst: int) -> pathlib.Path:
        config = self.folder / "network.yaml"
        slots = f", ring_slots: {self.ring_slots}" if self.ring_slots else ""
        text = (f"data_plane: {{executor: {executor}, burst: {burst}, pipelines: {self.pipelines}, packets: {self.packets}{slots}}}\n"
                f"interfaces:\n"
                f"  - {{name: left, port: 0, mac: \"{OWN_MACS[0]}\", addresses: [{OWN[0]}/24]}}\n"
                f"  - {{name: right, port: 1, mac: \"{OWN_MACS[1]}\", addresses: [{OWN[1]}/24]}}\n"
                f"neighbours:\n"
                f"  - {{interface: right, address: {HOSTS[1]}, mac: \"{HOST_MACS[1]}\"}}\n")
        hosts = range(hosts_of(self.sessions))
        text += "".join(f"  - {{interface: left, address: {inside_host(host)}, mac: \"{HOST_MACS[0]}\"}}\n" for host in hosts)
        if function == "nat44":
            pool = ", ".join(map(outside_address, hosts))
            text += (f"nat44: {{inside: [left], outside: [right], pool: [{pool}], sessions: {min(max(self.sessions * 5 // 4, 65536), MOST_SESSIONS)}, "
                     f"state: {self.folder}/sessions}}\n")
        if function == "rules":
            self.write_rules()
            text += f"rules: {{file: {self.folder}/flows.txt, hairpin_queues: 2, isolate: true}}\n"
        config.write_text(text)
        return config

    def write_rules(self) -> None:
        lines = [f"flow create {port} group 0 ingress pattern eth / ipv4 / udp / end actions jump group 1 / end" for port in range(2)]
        lines += [f"flow create {port} group 0 egress pattern eth / ipv4 / udp / end actions set_mac_dst mac_addr {HOST_MACS[port]} / "
                  f"set_mac_src mac_addr {OWN_MACS[port]} / set_ipv4_src ipv4_addr {OWN[1 - port]} / dec_ttl / end" for port in range(2)]
        lines += [f"flow create {port} group 1 ingress pattern eth / ipv4 src is {HOSTS[port]} / udp src is {number} / end actions "
                  f"set_tp_src port {number + 1} / queue index {2 - port} / end"
                  for number in range(FIRST_PORT, FIRST_PORT + self.flows) for port in range(2)]
        (self.folder / "flows.txt").write_text("\n".join(lines) + "\n")

    def measure(self, function: str, executor: str, burst: int, seconds: float) -> dict:
        """A result of packetwarp; all packets are accounted for and none is dropped but by a port that is full."""
        kind = "translated" if function == "nat44" else "routed"
        if function == "l2fwd":
            options = ["-w", executor, "-b", str(burst), "-p", str(self.pipelines), "--total-num-mbufs", str(self.packets), "--duration", f"{seconds}s"]
            options += ["--ring-slots", str(self.ring_slots)] if self.ring_slots else []
            command = [self.program, "l2fwd", *self.eal(kind), "--", *options]
        else:
            command = [self.program, "run", *self.eal(kind), "--", "-c", self.network(function, executor, burst), "--duration", f"{seconds}s"]
        done = subprocess.run([*command, *self.replays(kind), "--stats-period", "0", "--json", "-"], capture_output=True, text=True, timeout=120 + seconds)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"exit status {done.returncode}")
        result = json.loads(done.stdout)
        result.pop("pipelines")
        return result

    def measure_testpmd(self, program: str, burst: int, seconds: float) -> float:
        """Mpps of testpmd's io mode on these ports, with as many lcores that forward."""
        options = [f"--rxq={self.queues}", f"--txq={self.queues}", f"--total-num-mbufs={self.packets}", f"--burst={burst}"]
        return testpmd_peer.forward(program, self.eal("routed"), "io", self.lcores, options, seconds)

    def measure_vpp(self, program: str, mode: str, seconds: float) -> tuple[str, float]:
        """VPP's version, and the Mpps of as many workers with as many flows; one has the network above."""
        ends = [vpp_network.End(*names) for names in zip(OWN, HOSTS, OWN_MACS, HOST_MACS)]
        return vpp_peer.forward(program, mode, ends, self.lcores, self.flows, self.ways, seconds)


def describe(case: dict, limit: float | None) -> str:
    dropped = ", ".join(f"{name} {count}" for name, count in case["dropped"].items()) or "none"
    share = "" if not limit else f"  {case['mpps'] / limit:5.2f} of none"
    return f"{case['function']:7} {case['executor']:10} burst {case['burst']:4}  {case['mpps']:8.1f} Mpps{share}   dropped {dropped}"


def peers_beside(bed: Bed, testpmd: str, burst: int, seconds: float) -> list[dict]:
    if testpmd == "none":
        return []
    try:
        mpps = bed.measure_testpmd(testpmd, burst, seconds)
    except (testpmd_peer.PeerError, OSError) as error:
        print(f"testpmd io         burst {burst:4}  FAILED: {error}", flush=True)
        return []
    print(f"testpmd io         burst {burst:4}  {mpps:8.1f} Mpps", flush=True)
    return [{"program": "dpdk-testpmd", "mode": "io", "burst": burst, "mpps": mpps}]


def vpp_beside(bed: Bed, vpp: str, functions: set[str], seconds: float) -> list[dict]:
    """Once, whatever the bursts: VPP makes its vectors as long as they come."""
    if vpp == "none":
        return []
    if not vpp:
        print("vpp                            is not installed (--vpp PATH): it is not run beside", flush=True)
        return []
    peers = []
    for mode in (mode for function, mode in vpp_peer.MODES.items() if function in functions):
        try:
            version, mpps = bed.measure_vpp(vpp, mode, seconds)
        except (vpp_peer.PeerError, OSError) as error:
            print(f"vpp {mode:25}  FAILED: {error}", flush=True)
            continue
        print(f"vpp {mode:25}  {mpps:8.1f} Mpps", flush=True)
        peers.append({"program": "vpp", "version": version, "mode": mode, "mpps": mpps})
    return peers


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--lcores", type=int, default=1, help="that forward (default 1)")
    parser.add_argument("--first-lcore", type=int, default=1, help="of those that forward (default 1): 2 where lcores 0 and 1 may be one core")
    parser.add_argument("--lcore-step", type=int, default=1, help="from one of those to the next (default 1): 2 where two lcores in a row may be one core")
    parser.add_argument("--flows", type=int, default=5001, help="a direction")
    parser.add_argument("--sessions", type=int, help="that nat44 has, over which the flows are spread (default: as many)")
    parser.add_argument("--ways", type=int, choices=(1, 2), default=2, help="1: only from inside (default 2)")
    parser.add_argument("--ports", choices=tuple(MOST_LCORES), default="null", help="that flows come from (default null)")
    parser.add_argument("--ring-slots", type=int, help="bursts in flight in a pipeline (default: as packetwarp chooses)")
    parser.add_argument("--functions", default="l2fwd:none,router:cpu,nat44:cpu,rules:cpu", help="function:executor, ...")
    parser.add_argument("--bursts", default="64")
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--testpmd", default=shutil.which("dpdk-testpmd") or "none", metavar="PATH|none", help="to run beside (default: from PATH)")
    parser.add_argument("--vpp", default=shutil.which("vpp") or "", metavar="PATH|none", help="to run beside (default: from PATH)")
    parser.add_argument("--commit", default="")
    parser.add_argument("--json", type=pathlib.Path)
    chosen = parser.parse_args()
    if not 1 <= chosen.lcores <= MOST_LCORES[chosen.ports]:
        parser.error(f"--lcores: from 1 on, and with --ports {chosen.ports} {MOST_LCORES[chosen.ports]} at most")
    if chosen.lcore_step < 1:
        parser.error("--lcore-step: from 1 on")
    if chosen.first_lcore < 1:
        parser.error("--first-lcore: from 1 on; lcore 0 is the master's")
    sessions = chosen.sessions or chosen.flows
    if not 1 <= chosen.flows <= sessions <= MOST_FLOWS:
        parser.error(f"--flows, --sessions: from 1 on, no fewer sessions than flows, and {MOST_FLOWS} at most")
    if "rules" in chosen.functions and sessions > PORTS_A_HOST:
        parser.error(f"--flows: there are rules for {PORTS_A_HOST} flows at most")
    cases: list[dict] = []
    peers: list[dict] = []
    with tempfile.TemporaryDirectory() as folder:
        bed = Bed(chosen.program.resolve(), pathlib.Path(folder), chosen.lcores, chosen.flows, chosen.ways, sessions, chosen.ports,
                  chosen.ring_slots, chosen.first_lcore, chosen.lcore_step)
        peers += vpp_beside(bed, chosen.vpp, {pair.split(":")[0] for pair in chosen.functions.split(",")}, chosen.seconds)
        for burst in map(int, chosen.bursts.split(",")):
            limit = None
            peers += peers_beside(bed, chosen.testpmd, burst, chosen.seconds)
            for function, executor in (pair.split(":") for pair in chosen.functions.split(",")):
                try:
                    result = bed.measure(function, executor, burst, chosen.seconds)
                except (RuntimeError, subprocess.TimeoutExpired, json.JSONDecodeError) as error:
                    print(f"{function:7} {executor:10} burst {burst:4}  FAILED: {error}", flush=True)
                    continue
                case = {"function": function, "executor": executor, "burst": burst, "mpps": result["mpps"], "latency_us": result["latency_us"],
                        "dropped": result["packets"]["dropped"], "seconds": result["seconds"], "host": result["host"]}
                if (function, executor) == ("l2fwd", "none"):
                    limit = case["mpps"]
                cases.append(case)
                print(describe(case, limit), flush=True)
    if chosen.json:
        host = cases[0]["host"] if cases else {}
        for case in cases:
            gpus = case.pop("host").get("gpus")
            host["gpus"] = gpus or host.get("gpus")
        chosen.json.write_text(json.dumps({"benchmark": "bench_network", "commit": chosen.commit, "command": " ".join(["bench_network.py", *(pathlib.Path(word).name if "/" in word else word for word in sys.argv[2:])]),
                                           "ports": chosen.ports, "ring_slots": chosen.ring_slots, "lcores": chosen.lcores, "first_lcore": chosen.first_lcore, "lcore_step": chosen.lcore_step, "flows": chosen.flows, "ways": chosen.ways, "sessions": sessions, "kernel": platform.release(), "host": host, "cases": cases, "peers": peers}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
