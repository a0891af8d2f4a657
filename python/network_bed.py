# SPDX-License-Identifier: Apache-2.0
"""The bed of a run of bench_network.py: ports, captures, sessions and configurations in a folder, and the programs that run with
them. Needs only Python."""
from __future__ import annotations

import json
import pathlib
import random
import string
import subprocess
from collections.abc import Callable, Sequence

import testpmd_peer
import vpp_network
import vpp_peer
from network_flows import (
    FIRST_PORT, HOST_MACS, HOSTS, OWN, OWN_MACS, PORTS_A_HOST, Lane, hosts_of, write_capture, write_sessions)
from random_models.random_model import random_model

MOST_LCORES = {"null": 512, "pcap": 16}  # one queue each: of packetwarp's pipelines, and of net_pcap
MOST_SESSIONS = 1 << 24  # that packetwarp has room for
LAYOUTS = {"run-to-completion": 1, "three-cores": 3}  # lcores that share a pipeline
ARRIVALS = ("mixed", "steered")  # by which GPU's pipelines flows come: any, or those of the GPU that has their session
EACH_PACKETS_RULE = "alert udp any any -> any any (sid:1000000;)\n"
EACH_ANOMALOUS = -1e9  # a threshold below all scores
NONE_ANOMALOUS = 1e9  # and above all
MOST_COPIES = 1_000_000  # per second and RX queue, that detect punts or sends to a mirror port
MOST_SECOND_LOOKS = 1_000_000  # per second and RX queue, by a large model of detect
PORTS_A_BLOCK = 64  # src/function/nat44/nat44_config.h: ports are dealt to GPUs in blocks
SIDES = ("left", "right")  # inside and outside, as interfaces are called
PACKETS_A_PIPELINE = 16384  # if this file has to say it


class Bed:
    """The ports and files of a run in a folder of its own. Ports 0 and up are the lanes' inside, later ones their outside; lcores
    are dealt to the ports of each side in rotation, so that with as many lanes as lcores each has a lane."""

    def __init__(self, program: pathlib.Path, folder: pathlib.Path, lcores: Sequence[int], flows: int, ways: int, sessions: int,
                 ports: str,
                 ring_slots: int | None = None, lanes: int = 1, packets: int | None = None, gpus: Sequence[int] = (0,),
                 arrival: str = ARRIVALS[0], layout: str = next(iter(LAYOUTS))) -> None:
        self.program, self.folder, self.lcores, self.flows, self.ways, self.sessions = program, folder, lcores, flows, ways, sessions
        self.ports, self.ring_slots, self.gpus, self.arrival = ports, ring_slots, gpus, arrival
        self.lanes = [Lane(number) for number in range(lanes)]
        self.layout = layout
        # A port's queues are dealt to lcores in rotation, a pipeline for each of either side's port.
        self.queues = max(len(lcores) // LAYOUTS[layout] // lanes, 1)
        self.pipelines = 2 * lanes * self.queues
        self.packets = self.pipelines * (packets or PACKETS_A_PIPELINE)
        # packetwarp knows best how many packets are in use, but not how many net_pcap keeps of its captures.
        self.says_packets = packets is not None or ports == "pcap"
        if ports == "pcap":
            self.packets += max(flows, lanes * self.queues) * ways
        for lane in self.lanes:
            for side in range(ways):
                for queue, numbers in self.captured_flows(lane).items():
                    # Spread over all of the lane's sessions.
                    chosen = [number * (self.of_lane(lane, sessions) // self.of_lane(lane, flows)) for number in numbers]
                    write_capture(self.capture("translated", lane, side, queue), lane.frames(side, chosen, translated=True))
                    write_capture(self.capture("routed", lane, side, queue), lane.frames(side, chosen, translated=False))
        write_sessions(folder / "sessions", [self.of_lane(lane, sessions) for lane in self.lanes])

    def of_lane(self, lane: Lane, count: int) -> int:
        """Its share of this many flows or sessions."""
        return len(range(lane.number, count, len(self.lanes)))

    def captured_flows(self, lane: Lane) -> dict[int, Sequence[int]]:
        """The flows of a port's capture, by its number. net_pcap has one capture per queue: the flows are dealt to them, and with
        fewer flows than queues several have the same. A replayed capture is dealt to queues in the same way."""
        flows = self.of_lane(lane, self.flows)
        if self.ports == "null":
            return {0: range(flows) if self.arrival == "mixed" else self.by_gpu(range(flows))}
        return {queue: range(queue, flows, self.queues) or range(queue % flows, queue % flows + 1)
                for queue in range(self.queues)}

    def by_gpu(self, flows: range) -> list[int]:
        """The flows in the order in which a NIC that steers by ports gives them: frame n goes to queue n modulo the queues, queue q
        to GPU q modulo the GPUs, and a flow to the GPU that has its session. GPUs have as many flows as the one with fewest."""
        parts: list[list[int]] = [[] for _ in self.gpus]
        for flow in flows:
            parts[(FIRST_PORT + flow % PORTS_A_HOST) // PORTS_A_BLOCK % len(self.gpus)].append(flow)
        return [flow for turn in zip(*parts) for flow in turn]

    def port(self, lane: Lane, side: int) -> int:
        return side * len(self.lanes) + lane.number

    def capture(self, kind: str, lane: Lane, side: int, number: int) -> pathlib.Path:
        return self.folder / f"{kind}{self.port(lane, side)}_{number}.pcap"

    def sides(self) -> list[tuple[int, Lane]]:
        """The frames of each port, by its number."""
        return [(side, lane) for side in range(2) for lane in self.lanes]

    def device(self, kind: str, side: int, lane: Lane) -> str:
        number = self.port(lane, side)
        if self.ports == "null" or side >= self.ways:
            return f"--vdev=net_null{number},no-rx=1"
        captures = ",".join(f"rx_pcap={self.capture(kind, lane, side, queue)}" for queue in range(self.queues))
        return f"--vdev=net_pcap{number},{captures},infinite_rx=1"

    def peer_device(self, kind: str, side: int, lane: Lane) -> str:
        """The options of a program that replays nothing."""
        receives = self.ports == "null" and side < self.ways
        return f"--vdev=net_null{self.port(lane, side)},copy=0,size=60" if receives else self.device(kind, side, lane)

    def eal(self, kind: str, device: Callable[[str, int, Lane], str] | None = None) -> list[str]:
        """The first lcore is the master's alone."""
        devices = [(device or self.device)(kind, side, lane) for side, lane in self.sides()]
        return ["-l", ",".join(map(str, [0, *self.lcores])), *testpmd_peer.memory_options(), "--no-pci", *devices]

    def replays(self, kind: str) -> list[str]:
        """packetwarp's part: the frames that its net_null ports receive."""
        if self.ports == "pcap":
            return []
        return [word for side, lane in self.sides() if side < self.ways
                for word in ("--replay", f"{self.port(lane, side)}={self.capture(kind, lane, side, 0)}")]

    def network(self, function: str, executor: str, burst: int) -> pathlib.Path:
        """A function with "general+" in front is run by the general chain; one with the size of a model in front, such as
        "detect:50-64-32-1+router" (random_models), or the file of one, judges every packet by it, and by others in shadow after "|";
        "calm:50-64-32-1+router" finds none anomalous;
        "answer:50-64-32-1+router" also sends it back; for "alarm:50-64-32-1+router" each packet is anomalous, and "mark:",
        "drop:", "punt:" or "mirror:" in its place is the action; "large:50-64-32-1/50-512-512-512-1+router" has the second model judge
        flows at their milestones; "inspect:5000+router" judges every packet by as many rules, of a literal each,
        and "alert:5000+router" also by one that matches each packet. An executor may have a placement after it: "persistent@device"."""
        config = self.folder / "network.yaml"
        more = f", ring_slots: {self.ring_slots}" if self.ring_slots else ""
        more += f", packets: {self.packets}" if self.says_packets else ""
        executor, _, placement = executor.partition("@")
        more += f", gpus: {list(self.gpus)}" if executor != "cpu" else ""
        more += f", placement: {placement}" if placement else ""
        text = (f"data_plane: {{executor: {executor}, burst: {burst}, {self.workers()}{more}}}\n"
                f"interfaces:\n")
        if function.startswith("general+"):
            function = function.removeprefix("general+")
            text = "chain_as: general\n" + text
        text += "".join(f"  - {{name: {SIDES[side]}{lane.number}, port: {self.port(lane, side)}, mac: \"{OWN_MACS[side]}\", "
                        f"addresses: [{lane.own(side)}/24]}}\n" for side, lane in self.sides())
        text += "neighbours:\n" + "".join(
            f"  - {{interface: {SIDES[side]}{lane.number}, address: {host}, mac: \"{HOST_MACS[side]}\"}}\n"
            for side, lane in self.sides() for host in self.hosts(side, lane))
        if function.endswith("router"):
            text += f"routes:\n  - {{to: 192.0.2.0/24, via: {self.hosts(1, self.lanes[0])[0]}}}\n"
        if function.endswith("nat44"):
            text += self.translation()
        for name, threshold, action in (
                ("detect:", 0, "count"), ("calm:", NONE_ANOMALOUS, "count"), ("answer:", 0, "answer-all"),
                ("alarm:", EACH_ANOMALOUS, "count"), ("mark:", EACH_ANOMALOUS, "mark, dscp: 8"),
                ("drop:", EACH_ANOMALOUS, "drop"), ("punt:", EACH_ANOMALOUS, f"punt, punt_rate: {MOST_COPIES}"),
                ("mirror:", EACH_ANOMALOUS, f"mirror, mirror_to: {SIDES[1]}{self.lanes[0].number}, mirror_rate: {MOST_COPIES}")):
            if name in function:
                text += self.detection(function.partition(name)[2].split("+")[0].split("|"), threshold, action)
        if "large:" in function:
            small, large = function.partition("large:")[2].split("+")[0].split("/")
            text += self.detection([small], 0, f"count, large: {{file: {self.model(large)}, threshold: 0, rate: {MOST_SECOND_LOOKS}}}")
        for name, last in (("inspect:", ""), ("alert:", EACH_PACKETS_RULE)):
            if name in function:
                text += self.inspection(int(function.partition(name)[2].split("+")[0]), last)
        if function.startswith("rules+"):
            self.write_access_list()
            text += f"rules: {{file: {self.folder}/flows.txt, on: {'cpu' if executor == 'cpu' else 'gpu'}}}\n"
        if function == "rules":
            self.write_rules()
            text += f"rules: {{file: {self.folder}/flows.txt, hairpin_queues: 2, isolate: true}}\n"
        config.write_text(text)
        return config

    def workers(self) -> str:
        """The pipelines, or with three cores the list of workers: the first of three lcores receives, the next one runs the function
        and the last one sends, for a queue of each port."""
        if LAYOUTS[self.layout] == 1:
            return f"pipelines: {self.pipelines}"
        listed = ["{lcore: 0, role: master}"]
        for queue in range(self.queues):
            receives, executes, sends = self.lcores[3 * queue:3 * queue + 3]
            ports = ", ".join(f"{{port: {SIDES[side]}{lane.number}, rx_queues: [{queue}], tx_queues: [{queue}]}}" for side, lane in self.sides())
            listed.append(f"{{lcore: {receives}, role: forwarding, execute_on: {executes}, transmit_on: {sends}, ports: [{ports}]}}")
        return f"workers: [{', '.join(listed)}]"

    def detection(self, sizes: Sequence[str], threshold: float, action: str) -> str:
        """By models of random weights; without answers their verdicts change nothing. With room for all flows, which pipelines share, and their
        hosts."""
        models = ", ".join(f"{{file: {self.model(size)}, threshold: {threshold}}}" for size in sizes)
        records = 1 << max(2 * self.flows * self.ways, 524288).bit_length()
        return f"detect: {{models: [{models}], action: {action}, flows: {records}, hosts: 65536}}\n"

    def inspection(self, count: int, last: str) -> str:
        """By rules of random literals that no packet has, and the last one; the literals are the same in each run."""
        chance, path = random.Random(count), self.folder / f"{count}.rules"
        words = ("".join(chance.choices(string.ascii_lowercase, k=chance.randint(6, 24))) for _ in range(count))
        path.write_text("".join(f'alert udp any any -> any any (content:"{word}"; nocase; sid:{sid};)\n' for sid, word in enumerate(words, 1)) + last)
        records = 1 << max(2 * self.flows * self.ways, 65536).bit_length()
        return f"inspect: {{rules: [{path}], flows: {records}}}\n"

    def model(self, size: str) -> pathlib.Path:
        """A model of random weights, or the one in a file: models/detect.onnx."""
        if size.endswith(".onnx"):
            return pathlib.Path(size).resolve()
        path = self.folder / f"{size}.onnx"
        if not path.exists():
            path.write_bytes(random_model(size, self.features()))
        return path

    def features(self) -> list[str]:
        """All that a packet has, in the order of their places: the first line of any capture's rows."""
        capture = self.capture("routed", self.lanes[0], 0, 0)
        with subprocess.Popen([self.program, "features", "--pcap", capture], stdout=subprocess.PIPE, text=True) as asked:
            assert asked.stdout is not None
            names = asked.stdout.readline().strip().split(",")
            asked.kill()
        return names

    def hosts(self, side: int, lane: Lane) -> list[str]:
        inside = hosts_of(self.of_lane(lane, self.sessions))
        return [lane.outside_host()] if side == 1 else [lane.inside_host(host) for host in range(inside)]

    def translation(self) -> str:
        inside, outside = (", ".join(f"{name}{lane.number}" for lane in self.lanes) for name in SIDES)
        pool = ", ".join(lane.outside_address(host) for lane in self.lanes for host in range(len(self.hosts(0, lane))))
        room = min(max(self.sessions * 5 // 4, 65536), MOST_SESSIONS)
        return (f"nat44: {{inside: [{inside}], outside: [{outside}], pool: [{pool}], sessions: {room}, "
                f"{self.shares(room)}state: {self.folder}/sessions}}\n")

    def shares(self, room: int) -> str:
        """Shares of a host and a prefix: if the default ones would be reached, others that are counted and never reached. A build
        without shares takes the default."""
        return "" if self.sessions <= PORTS_A_HOST // 4 else f"per_host: 65536, per_prefix: {room}, "

    def write_rules(self) -> None:
        """For a single lane."""
        lines = [f"flow create {port} group 0 ingress pattern eth / ipv4 / udp / end actions jump group 1 / end" for port in range(2)]
        lines += [f"flow create {port} group 0 egress pattern eth / ipv4 / udp / end actions set_mac_dst mac_addr {HOST_MACS[port]} / "
                  f"set_mac_src mac_addr {OWN_MACS[port]} / set_ipv4_src ipv4_addr {OWN[1 - port]} / dec_ttl / end" for port in range(2)]
        lines += [f"flow create {port} group 1 ingress pattern eth / ipv4 src is {HOSTS[port]} / udp src is {number} / end actions "
                  f"set_tp_src port {number + 1} / queue index {2 - port} / end"
                  for number in range(FIRST_PORT, FIRST_PORT + self.flows) for port in range(2)]
        (self.folder / "flows.txt").write_text("\n".join(lines) + "\n")

    def write_access_list(self) -> None:
        """50 rules in four tuples for each of the first two ports, none of which matches a flow: the cost of an access list."""
        drop = "end actions drop / end"
        lines = [f"flow create {port} ingress pattern {pattern} / {drop}" for port in range(2) for pattern in (
            *(f"eth / ipv4 src spec 198.51.{100 + n}.0 src mask 255.255.255.0" for n in range(7)),
            *(f"eth / ipv4 dst is 192.0.2.{1 + n}" for n in range(7)),
            *(f"eth / ipv4 / udp dst is {137 + n}" for n in range(6)),
            *(f"eth / ipv4 / tcp dst is {440 + n}" for n in range(5)))]
        (self.folder / "flows.txt").write_text("\n".join(lines) + "\n")

    def l2fwd_options(self, executor: str, burst: int, seconds: float) -> list[str]:
        peers = "".join(f"({self.port(lane, 0)},{self.port(lane, 1)})" for lane in self.lanes)
        options = ["-w", executor, "-b", str(burst), "-p", str(self.pipelines), "--portmap", peers, "--duration", f"{seconds}s"]
        options += ["--total-num-mbufs", str(self.packets)] if self.says_packets else []
        options += ["-g", ",".join(map(str, self.gpus))] if executor not in ("none", "cpu") else []
        return options + (["--ring-slots", str(self.ring_slots)] if self.ring_slots else [])

    def measure(self, function: str, executor: str, burst: int, seconds: float) -> dict:
        """A result of packetwarp; all packets are accounted for and none is dropped except by a port that is full."""
        kind = "translated" if function.endswith("nat44") else "routed"
        if function == "l2fwd":
            command = [self.program, "l2fwd", *self.eal(kind), "--", *self.l2fwd_options(executor, burst, seconds)]
        else:
            command = [self.program, "run", *self.eal(kind), "--", "-c", self.network(function, executor, burst), "--duration", f"{seconds}s"]
        done = subprocess.run([*command, *self.replays(kind), "--stats-period", "0", "--json", "-"], capture_output=True, text=True, timeout=120 + seconds)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"exit status {done.returncode}")
        result = json.loads(done.stdout)
        pipelines = result.pop("pipelines")
        result["handed_over"] = sum(one.get("handed_over", 0) for one in pipelines)
        result["copies"] = sum(one.get("mirror", {}).get("sent", 0) for one in pipelines)
        return result

    def measure_testpmd(self, program: str, burst: int, seconds: float) -> float:
        """Mpps of testpmd's io mode on these ports, with the same number of forwarding lcores."""
        options = [f"--rxq={self.queues}", f"--txq={self.queues}", f"--total-num-mbufs={self.packets}", f"--burst={burst}"]
        return testpmd_peer.forward(program, self.eal("routed", self.peer_device), "io", len(self.lcores), options, seconds)

    def measure_vpp(self, program: str, mode: str, seconds: float) -> tuple[str, float]:
        """VPP's version, and the Mpps of the same number of workers with as many flows; a single worker has the network above."""
        ends = [vpp_network.End(*names) for names in zip(OWN, HOSTS, OWN_MACS, HOST_MACS)]
        return vpp_peer.forward(program, mode, ends, len(self.lcores), self.flows, self.ways, seconds)
