# SPDX-License-Identifier: Apache-2.0
"""packetwarp run with one file for every pod: CPUs, devices and addresses that only the pod itself knows (docs/kubernetes.md)."""
from __future__ import annotations

import os
import textwrap

import pytest
from harness import ALONE, DONE, FAILED, WRONG_USAGE, Program, Run
from live import NAT44, ROUTED, live

CPUS = sorted(os.sched_getaffinity(0))
DEVICES = ("--vdev=net_null0", "--vdev=net_null1,no-rx=1")
FILE = """\
lcores: allowed
eal: ["--in-memory", "--vdev=net_null0", "--vdev=net_null1"]
interfaces:
  - name: left
    port: net_null0
    addresses: [10.0.0.1/24]
  - name: right
    port: net_null1
    addresses: [198.51.100.1/24]
nat44: {inside: left, outside: right, pool: ["${block /30 of 203.0.113.0/28}"]}
"""


def plan(packetwarp: Program, text: str, *within: str, eal: tuple[str, ...] = ()) -> Run:
    path = packetwarp.folder / "network.yaml"
    path.write_text(textwrap.dedent(text))
    return packetwarp.run("plan", eal, ["-c", str(path)], within=within)


def assert_refused(done: Run, begins: str, *words: str, status: int = WRONG_USAGE) -> None:
    assert done.status == status and done.stdout == "" and len(done.errors) == 1, done
    assert done.errors[0].startswith(f"packetwarp: error: {begins}"), done
    for word in words:
        assert word in done.errors[0], done


@pytest.fixture(autouse=True)
def pod(monkeypatch):
    """The environment of the pod nat-2, of a StatefulSet."""
    monkeypatch.setenv("POD_NAME", "nat-2")
    for name in [name for name in os.environ if name.startswith("PCIDEVICE_")]:
        monkeypatch.delenv(name)
    return monkeypatch


@pytest.mark.skipif(len(CPUS) < 2, reason="one CPU")
def test_lcores_are_the_allowed_cpus(packetwarp):
    done = plan(packetwarp, FILE, "taskset", "-c", f"{CPUS[0]},{CPUS[-1]}")
    assert done.status == DONE, done
    assert f"lcore {CPUS[0]}" in done.stdout and f"lcore {CPUS[-1]}" in done.stdout, done


def test_one_allowed_cpu_is_too_few(packetwarp):
    one = ("taskset", "-c", str(CPUS[0]))
    assert_refused(plan(packetwarp, FILE, *one), f"{packetwarp.folder}/network.yaml:1: lcores: -l allowed: this process may use CPU {CPUS[0]} only",
                   "resources.limits.cpu", "resources.requests.cpu")
    done = packetwarp.run("l2fwd", [*ALONE, "-l", "allowed", "--vdev=net_null0"], ["--duration", "10ms"], within=one)
    assert_refused(done, "-l allowed", "resources.limits.cpu")


def test_lcores_are_said_once(packetwarp):
    twice = FILE.replace('"--in-memory"', '"--in-memory", "-l", "0"')
    assert_refused(plan(packetwarp, twice), f"{packetwarp.folder}/network.yaml:1: lcores: lcores are also among the words of 'eal'")
    assert_refused(plan(packetwarp, FILE.replace("allowed", "all")), f"{packetwarp.folder}/network.yaml:1: lcores: 'all' is neither 'allowed' nor")


def test_lcores_of_the_command_line_come_first(packetwarp):
    done = plan(packetwarp, FILE, "taskset", "-c", str(CPUS[0]), eal=(*ALONE, "-l", str(CPUS[0]), *DEVICES))
    assert done.status == DONE, done


def test_each_ordinal_has_addresses_of_its_own(packetwarp):
    nat = {**NAT44, "pool": ["${block /30 of 203.0.113.0/28}"]}
    with live(packetwarp, {**ROUTED, "nat44": nat}, "net_null0,no-rx=1", "net_null1,no-rx=1", lcores=str(CPUS[0])) as running:
        outside = [one["outside"] for one in running.json("show", "nat")["outside"]]
        assert outside == [f"203.0.113.{n}" for n in range(8, 12)]


def test_an_ordinal_beyond_the_prefix_is_refused(packetwarp, pod):
    pod.setenv("POD_NAME", "nat-4")
    assert_refused(plan(packetwarp, FILE), f"{packetwarp.folder}/network.yaml:10: nat44.pool[0]: 203.0.113.0/28 has 4 blocks of /30", "spec.replicas to 4")
    pod.setenv("POD_NAME", "nat-x")
    assert_refused(plan(packetwarp, FILE), f"{packetwarp.folder}/network.yaml:10: nat44.pool[0]: the pod's name 'nat-x'", "StatefulSet")


def test_a_variable_that_is_not_set_is_refused(packetwarp, pod):
    pod.delenv("GATEWAY", raising=False)
    text = FILE + "routes:\n  - {to: 0.0.0.0/0, via: \"${GATEWAY}\"}\n"
    assert_refused(plan(packetwarp, text), f"{packetwarp.folder}/network.yaml:12: routes[0].via: the environment variable GATEWAY is not set")
    pod.setenv("GATEWAY", "198.51.100.9")
    assert plan(packetwarp, text).status == DONE
    assert_refused(plan(packetwarp, text.replace('"${GATEWAY}"', "${GATEWAY}")), f"{packetwarp.folder}/network.yaml:1", "no YAML", '"${')


def test_a_pool_may_be_a_prefix(packetwarp):
    assert_refused(plan(packetwarp, FILE.replace("${block /30 of 203.0.113.0/28}", "203.0.113.1/28")),
                   f"{packetwarp.folder}/network.yaml:10: nat44.pool[0]: '203.0.113.1/28' is no block of IPv4 addresses")


ON_DEVICES = """\
eal: ["--in-memory", "--no-huge", "-l", "0"]
interfaces:
  - {name: left, port: {resource: intel.com/igb_inside}}
  - {name: right, port: {pci: "0000:ff:1f.6"}}
"""


def test_a_resource_that_the_pod_lacks_is_refused(packetwarp, pod):
    here = f"{packetwarp.folder}/network.yaml"
    assert_refused(plan(packetwarp, ON_DEVICES), f"{here}:3: interfaces[0].port.resource: this process has no device of intel.com/igb_inside",
                   "PCIDEVICE_INTEL_COM_IGB_INSIDE", "resources.limits.'intel.com/igb_inside'")
    pod.setenv("PCIDEVICE_INTEL_COM_IGB_INSIDE", "0000:ff:1f.6")
    assert_refused(plan(packetwarp, ON_DEVICES), f"{here}:4: interfaces[1]: port 0000:ff:1f.6 is interface left's")


def test_a_device_that_is_not_there_is_refused_by_its_port(packetwarp, pod):
    pod.setenv("PCIDEVICE_INTEL_COM_IGB_INSIDE", "0000:ff:1f.7")
    here = f"{packetwarp.folder}/network.yaml"
    assert_refused(plan(packetwarp, ON_DEVICES), f"{here}:3: interfaces[0].port: 0000:ff:1f.7: there is no such device", status=FAILED)
    hidden = ON_DEVICES.replace('"--no-huge"', '"--no-huge", "--no-pci"')
    assert_refused(plan(packetwarp, hidden), f"{here}:3: interfaces[0].port: --no-pci among the EAL's options hides devices")
