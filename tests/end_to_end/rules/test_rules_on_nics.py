# SPDX-License-Identifier: Apache-2.0
"""packetwarp run gives flow rules to NICs as dpdk-testpmd does, and runs in tables the rules that they do not take.

tests/fixtures/recording_nic.h plays the NICs: every port has flow rules and hairpin queues, and its calls are recorded. It does
nothing to packets."""
from __future__ import annotations

import dataclasses
import json
import os
import pathlib
import shutil
import subprocess

import pytest
from harness import ALONE, DONE, ROOT, WRONG_USAGE, Program, Run
from namespaces import need_root_and_tools
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from scapy.utils import rdpcap, wrpcap
from testpmd_peer import memory_options

TESTPMD = shutil.which("dpdk-testpmd")
NULLS = (*ALONE, "-l", "0", "--vdev=net_null0", "--vdev=net_null1")
# rte_flow.h's numbers.
ITEM_UDP, ACTION_DROP, ACTION_SET_TP_SRC = 11, 7, 32

INTERFACES = "interfaces: [{name: left, port: 0}, {name: right, port: 1}]\n"


@dataclasses.dataclass
class Bench:
    """packetwarp with NICs that record, and its files."""

    packetwarp: Program
    library: pathlib.Path

    @property
    def folder(self) -> pathlib.Path:
        return self.packetwarp.folder

    @property
    def flows(self) -> pathlib.Path:
        return self.folder / "flows.txt"

    def run(self, rules: str, flows: str, *options: str, nic: str = "", eal: tuple[str, ...] = NULLS,
            more: str = "") -> Run:
        self.flows.write_text(flows)
        file = self.folder / "network.yaml"
        file.write_text(f"{INTERFACES}{more}rules: {{file: {self.flows}, {rules}}}\n")
        log = self.folder / "nic.log"
        log.unlink(missing_ok=True)
        return self.packetwarp.run("run", eal, ["-c", str(file), "--duration", "50ms", "--json", "-", *options],
                                   within=["env", f"LD_PRELOAD={self.library}", f"RECORDING_NIC_LOG={log}", f"RECORDING_NIC={nic}"])

    def log(self, *kinds: str) -> list[str]:
        """The calls to the NICs, of these kinds."""
        file = self.folder / "nic.log"
        lines = file.read_text().splitlines() if file.exists() else []
        return [line for line in lines if line.split()[0] in kinds]


@pytest.fixture
def bench(packetwarp: Program, nic_library: pathlib.Path) -> Bench:
    return Bench(packetwarp, nic_library)


def reference() -> str:
    done = subprocess.run([ROOT / "examples" / "cnf-nat" / "create_flows.sh"], capture_output=True, text=True, check=True)
    assert done.stdout.count("\n") == 10006
    return done.stdout


def sites(done: Run) -> list[tuple[int, int, str]]:
    return [(rule["port"], rule["number"], rule["on"]) for rule in json.loads(done.stdout)["rules"]]


def assert_told(done: Run, *words: str) -> None:
    assert done.status == WRONG_USAGE, done
    assert len(done.errors) == 1, done
    for word in words:
        assert word in done.errors[0], done


def asked_by_testpmd(bench: Bench, flows: str, options: list[str]) -> list[str]:
    """dpdk-testpmd's calls to the same NICs."""
    cores = sorted(os.sched_getaffinity(0))
    if TESTPMD is None or len(cores) < 2:
        pytest.skip("dpdk-testpmd is not installed, or has not the two CPUs that it needs")
    bench.flows.write_text(flows)
    log = bench.folder / "testpmd.log"
    done = subprocess.run(
        [TESTPMD, "-l", f"{cores[0]},{cores[1]}", "--no-pci", *memory_options(256), "--vdev=net_null0",
         "--vdev=net_null1", "--", "-i", "--total-num-mbufs=4096", "--rxd=1024", "--txd=1024", *options],
        input=f"load {bench.flows}\nquit\n", text=True, capture_output=True, timeout=280, check=False,
        env={**os.environ, "LD_PRELOAD": str(bench.library), "RECORDING_NIC_LOG": str(log)})
    assert log.exists(), done.stdout + done.stderr
    return log.read_text().splitlines()


def of(kind: str, lines: list[str]) -> list[str]:
    return [line for line in lines if line.startswith(f"{kind} ")]


@pytest.mark.parametrize("mode", ("0x12", "0x2", "0x11", "0x0"))
def test_hairpin_queues_are_testpmds(bench: Bench, mode: str) -> None:
    """Queues, their peers, who binds them; that no port is bound twice is ours."""
    flow = "flow create 0 ingress pattern eth / end actions queue index 2 / end\n"
    theirs = asked_by_testpmd(bench, flow, ["--hairpinq=2", f"--hairpin-mode={mode}", "--flow-isolate-all"])
    done = bench.run(f"hairpin_queues: 2, hairpin_mode: {mode}, isolate: true, on: nic", flow)
    assert done.status == DONE, done
    assert len(of("hairpin", theirs)) == 8
    for kind in ("isolate", "hairpin", "create"):
        assert sorted(bench.log(kind)) == sorted(of(kind, theirs)), kind
    assert sorted(bench.log("bind")) == sorted(set(of("bind", theirs)))
    assert len(bench.log("bind")) == (0 if mode == "0x0" else 2)


def test_every_rule_of_the_reference_is_testpmds(bench: Bench) -> None:
    """testpmd takes a minute for all; ALL_RULES=1 in the environment has it do them, else it gets every tenth flow's."""
    lines = reference().splitlines(keepends=True)
    flows = "".join(lines if os.environ.get("ALL_RULES") else lines[:6] + lines[6::10])
    count = len(flows.splitlines())
    theirs = asked_by_testpmd(bench, flows, ["--hairpinq=2", "--hairpin-mode=0x12", "--flow-isolate-all"])
    done = bench.run("hairpin_queues: 2, isolate: true, on: nic", flows)
    assert done.status == DONE, done
    # By port: testpmd takes them line by line, packetwarp port by port.
    assert len(of("create", theirs)) == count
    assert sorted(bench.log("create")) == sorted(of("create", theirs))
    for port in "01":
        created = [line for line in bench.log("create") if line.startswith(f"create {port} ")]
        assert created == [line for line in of("create", theirs) if line.startswith(f"create {port} ")]
    assert {site for _, _, site in sites(done)} == {"nic"}
    assert len(sites(done)) == count


def test_rules_are_there_between_start_and_stop_of_the_ports(bench: Bench) -> None:
    flow = "flow create 0 ingress pattern eth / end actions queue index 1 / end\n"
    assert bench.run("hairpin_queues: 1, isolate: true, on: nic", flow).status == DONE
    order = [line.split()[0] for line in bench.log("isolate", "hairpin", "bind", "validate", "create", "destroy", "unbind")]
    assert order == ["isolate", "hairpin", "hairpin", "isolate", "hairpin", "hairpin", "bind", "bind", "validate", "create",
                     "unbind", "unbind", "destroy"]


TWO_RULES = ("flow create 0 ingress pattern eth / ipv4 src is 1.1.1.2 / tcp / end actions drop / end\n"
             "flow create 0 ingress pattern eth / ipv4 src is 2.2.2.2 / udp / end actions count / queue index 0 / end\n")


@pytest.mark.parametrize(("nic", "column"), ((f"item={ITEM_UDP}", TWO_RULES.splitlines()[1].index("udp") + 1),
                                             ("action=8", TWO_RULES.splitlines()[1].index("count") + 1), ("room=1", 1)))
def test_a_rule_that_its_nic_refuses_is_told_and_nothing_stays(bench: Bench, nic: str, column: int) -> None:
    done = bench.run("on: nic", TWO_RULES, nic=nic)
    assert_told(done, f"{bench.flows}:2:{column}: port 0 (net_null0) refuses the rule: ",
                "No space left on device" if nic == "room=1" else "not supported")
    first = bench.log("create")[0].removeprefix("create ")
    assert bench.log("destroy") == [f"destroy {first}"]


def test_what_a_nic_refuses_runs_in_a_table(bench: Bench) -> None:
    done = bench.run("on: auto", TWO_RULES, nic=f"item={ITEM_UDP} hits=5")
    assert done.status == DONE, done
    assert sites(done) == [(0, 0, "nic"), (0, 1, "cpu")]
    report = json.loads(done.stdout)
    assert report["rules"][1]["why"] == "its port refuses it: item not supported (Operation not supported)"
    assert report["rules"][1]["hits"] == 0
    assert any("flow rules of port 0: 1 of 2 run on cpu; the first is rule 1 (line 2)" in n for n in report["notices"])
    assert len(bench.log("create")) == len(bench.log("destroy")) == 1


def test_hits_are_those_of_whoever_runs_the_rule(bench: Bench) -> None:
    done = bench.run("on: auto", TWO_RULES, nic="hits=5")
    assert sites(done) == [(0, 0, "nic"), (0, 1, "nic")]
    assert [(rule["hits"], rule["bytes"]) for rule in json.loads(done.stdout)["rules"]] == [(None, None), (5, 320)]


def test_a_nic_that_is_full_keeps_what_may_stay(bench: Bench) -> None:
    """The reference in NICs with too little room: a port's rules hang together by its jump."""
    done = bench.run("hairpin_queues: 2, isolate: true", reference(), nic="room=6000")
    assert done.status == DONE, done
    on = {port: {site for p, _, site in sites(done) if p == port} for port in (0, 1)}
    assert on == {0: {"nic"}, 1: {"nic", "cpu"}} or on == {0: {"cpu"}, 1: {"cpu"}}, on
    left = len(bench.log("create")) - len([line for line in bench.log("create") if "NO RULE" in line])
    assert left == 10006
    assert len(bench.log("destroy")) == 6000


@pytest.mark.parametrize("on", ("cpu", "auto"))
def test_packets_fare_alike_wherever_their_rules_are(bench: Bench, on: str) -> None:
    """The NIC that records leaves packets as they are, so the tables have to do all of it: as if it had missed them."""
    frames = [Ether() / IP(src="1.1.1.2", dst="2.2.2.2") / UDP(sport=port, dport=53) / (22 * b"x") for port in (1, 2, 3)]
    wrpcap(str(bench.folder / "in.pcap"), frames)
    ports = (*ALONE, "-l", "0", f"--vdev=net_pcap0,rx_pcap={bench.folder}/in.pcap,tx_pcap={bench.folder}/back.pcap",
             f"--vdev=net_pcap1,rx_pcap={bench.folder}/in.pcap,tx_pcap={bench.folder}/out.pcap")
    done = bench.run(f"on: {on}", "flow create 0 ingress pattern eth / ipv4 / udp src is 2 / end actions drop / end\n"
                     "flow create 0 priority 1 ingress pattern eth / ipv4 / udp / end actions count / set_tp_src port 9 / "
                     "port_id id 1 / end\nflow create 1 ingress pattern eth / end actions drop / end\n",
                     "--until-idle", "200ms", eal=ports)
    assert done.status == DONE, done
    assert [packet[UDP].sport for packet in rdpcap(str(bench.folder / "out.pcap"))] == [9, 9]
    assert done.packets.dropped == {"rule_drop": 4}
    # A packet that passed a NIC and that the table counted is a hit, too.
    assert json.loads(done.stdout)["rules"][1]["hits"] == 2


def test_a_rule_of_a_port_that_is_not_in_use(bench: Bench) -> None:
    flow = "flow create 7 ingress pattern eth / end actions drop / end\n"
    for where in ("nic", "auto", "cpu"):
        assert_told(bench.run(f"on: {where}", flow), f"{bench.flows}:1:1: port 7: none of the network's")
    assert bench.log("validate", "create") == []


def test_ports_without_hairpin_queues(bench: Bench) -> None:
    flow = "flow create 0 ingress pattern eth / end actions queue index 1 / end\n"
    done = bench.run("hairpin_queues: 1, on: nic", flow, nic="hairpins=0")
    assert_told(done, f"{bench.folder / 'network.yaml'}:2: rules: hairpin_queues: port 0 (net_null0)",
                "its driver net_null has no hairpin queues")
    done = bench.run("hairpin_queues: 1, on: auto", flow, nic="hairpins=0")
    assert done.status == DONE, done
    assert sites(done) == [(0, 0, "cpu")]
    assert json.loads(done.stdout)["rules"][0]["why"] == "its port has no hairpin queues"
    assert bench.log("hairpin") == []


def test_a_port_that_cannot_be_isolated(bench: Bench) -> None:
    done = bench.run("isolate: true, on: nic", TWO_RULES, nic="isolates=0")
    assert done.status == 1 and "port 0 (net_null0): cannot be isolated" in done.errors[0], done
    # For shared rules, the table isolates.
    assert bench.run("isolate: true, on: auto", TWO_RULES, nic="isolates=0").status == DONE
    assert bench.log("isolate") == []


def test_receive_queues_that_rules_speak_of_are_polled(bench: Bench) -> None:
    flow = "flow create 0 ingress pattern eth / end actions queue index 1 / end\n"
    done = bench.run("receive_queues: 2, on: nic", flow)
    assert done.status == DONE, done
    assert len(json.loads(done.stdout)["pipelines"]) == 4
    done = bench.run("receive_queues: 2, on: nic", flow, more="data_plane: {pipelines: 2}\n")
    assert_told(done, "1 receive queues in use, and rules speak of 2", "data_plane.pipelines: 4")
    done = bench.run("receive_queues: 2, on: auto", flow)
    assert sites(done) == [(0, 0, "cpu")]


def test_rules_that_no_table_does_may_be_a_nics(bench: Bench) -> None:
    flow = "flow create 0 ingress pattern eth / ipv4 / end actions set_tp_src port 9 / queue index 0 / end\n"
    assert_told(bench.run("on: cpu", flow), f"{bench.flows}:1:1: flow rule 0 of port 0: ", "needs udp or tcp")
    done = bench.run("on: nic", flow)
    assert sites(done) == [(0, 0, "nic")]


def test_the_command_line_says_it_better(bench: Bench) -> None:
    assert sites(bench.run("on: cpu", TWO_RULES, "--rules-on", "nic"))[0] == (0, 0, "nic")
    assert sites(bench.run("on: nic", TWO_RULES, "--rules-on", "cpu"))[0] == (0, 0, "cpu")
    assert bench.log("validate", "create") == []
    assert_told(bench.run("on: cpu", TWO_RULES, "--rules-on", "gpu"), "gpu asked for, and the executor is cpu", "kernel")
    assert_told(bench.run("on: cpu", TWO_RULES, "--rules-on", "switch"), "--rules-on: 'switch' is none of auto, nic")
    assert_told(bench.run("on: switch", TWO_RULES), "rules.on", "'switch' is none of auto, nic, gpu, cpu")
    assert_told(bench.run("on: nic, hairpin_mode: 0x4", TWO_RULES), "rules.hairpin_mode", "'0x4' is none of 0x0")


# A real driver that checks rules, and gives them to the kernel's classifiers (tc flower) if it has some.
TAP = (*ALONE, "-l", "0", "--vdev=net_tap0,iface=pwtap0", "--vdev=net_null1")


def run_on_tap(packetwarp: Program, on: str, flows: str) -> Run:
    if reason := need_root_and_tools("unshare"):
        pytest.skip(reason)
    (packetwarp.folder / "flows.txt").write_text(flows)
    file = packetwarp.folder / "network.yaml"
    file.write_text(f"{INTERFACES}rules: {{file: {packetwarp.folder}/flows.txt, on: {on}}}\n")
    return packetwarp.run("run", TAP, ["-c", str(file), "--duration", "50ms", "--json", "-"], within=["unshare", "-n"])


def test_a_real_driver_refuses_what_it_does_not_know(packetwarp: Program) -> None:
    """net_tap knows no set_tp_src; its message and the rule's place are told."""
    flow = "flow create 0 ingress pattern eth / ipv4 / udp / end actions set_tp_src port 9 / queue index 0 / end\n"
    done = run_on_tap(packetwarp, "nic", flow)
    assert_told(done, f"{packetwarp.folder}/flows.txt:1:", "port 0 (net_tap0) refuses the rule: ")
    done = run_on_tap(packetwarp, "auto", flow)
    assert done.status == DONE, done
    assert sites(done) == [(0, 0, "cpu")]


def test_what_a_real_driver_takes_is_its_kernels_to_refuse(packetwarp: Program) -> None:
    """net_tap turns it into a filter of the kernel's. If the kernel has no tc flower, the rule is the executor's."""
    flow = "flow create 0 ingress pattern eth / ipv4 / udp / end actions drop / end\n"
    shared = run_on_tap(packetwarp, "auto", flow)
    assert shared.status == DONE, shared
    done = run_on_tap(packetwarp, "nic", flow)
    if sites(shared) == [(0, 0, "nic")]:
        assert done.status == DONE, done
    else:
        assert sites(shared) == [(0, 0, "cpu")]
        assert_told(done, f"{packetwarp.folder}/flows.txt:1:1: port 0 (net_tap0) refuses the rule: ")


def test_a_virtual_port_takes_no_rules(packetwarp: Program) -> None:
    (packetwarp.folder / "flows.txt").write_text(TWO_RULES)
    file = packetwarp.folder / "network.yaml"
    file.write_text(f"{INTERFACES}rules: {{file: {packetwarp.folder}/flows.txt, on: nic}}\n")
    done = packetwarp.run("run", NULLS, ["-c", str(file), "--duration", "50ms"])
    assert_told(done, "flows.txt:1:1: port 0 (net_null0) refuses the rule: ", "rules.on: auto")
