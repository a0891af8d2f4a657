# SPDX-License-Identifier: Apache-2.0
"""The chart's pods on a node with virtual functions, hugepages and CPUs of its own: what they get, what they forward, what they give back.
The node is a machine of QEMU's, so that nothing of this machine changes but namespaces, which go again."""
from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import time

import pytest
import yaml
from control_plane import wait_for
from node.machine import ALLOCATABLE, INSIDE, OUTSIDE, PATIENCE, Node, booted, in_namespace
from node.pods import BUSYBOX, HELPER, NAMED, RELEASE, is_ready, metrics, pod, restarts, run, said, wait_until_ready, within
from rendering import CHART

COMMON = {"replicas": 1, "cpus": 2, "memory": "512Mi", "antiAffinity": "none", "image": {"pullPolicy": "Never"}, "test": {"image": BUSYBOX},
          "drain": {"within": 2}, "dataPlane": {"poll_sleep": "1ms", "packets": 32768}}
VALUES = COMMON | {
    "profile": "vfio", "hugepages": {"size": "2Mi", "amount": "384Mi"}, "interfaces": [
        {"name": "inside", "addresses": ["10.0.0.${ordinal+1}/24"], "resource": "intel.com/igb_inside"},
        {"name": "outside", "addresses": ["198.51.100.${ordinal+1}/24"], "resource": "intel.com/igb_outside"}]}
# The node's physical functions, whose kernel interfaces Multus gives the pod by macvlan.
KERNEL_VALUES = COMMON | {"profile": "af_packet", "interfaces": [
    {"name": "inside", "addresses": ["10.0.0.${ordinal+1}/24"], "attach": {"type": "macvlan", "master": "pf-inside"}},
    {"name": "outside", "addresses": ["198.51.100.${ordinal+1}/24"], "attach": {"type": "macvlan", "master": "pf-outside"}}]}


@pytest.fixture(scope="module")
def node(request, folder, packetwarp, tmp_path_factory):
    debian, programs = folder / "debian", folder / "bin"
    if os.geteuid() != 0:
        pytest.skip("namespaces and taps need root")
    if not all(path.exists() for path in (debian / "complete", programs / "sriovdp", programs / "multus")):
        pytest.skip("ci/cluster_test.sh has not unpacked a node, and said why")
    for program in ("iperf3", "ping", "mke2fs", "cpio"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is missing")
    with booted(programs, debian, packetwarp, tmp_path_factory.mktemp("node")) as made:
        yield made


@pytest.fixture(scope="module")
def installed(node):
    node.values.write_text(yaml.safe_dump(VALUES))
    begin = time.monotonic()
    node.cluster.helm("install", RELEASE, str(CHART), "--values", str(node.values))
    wait_until_ready(node, 0)
    print(f"cluster-test: the pod was ready after {time.monotonic() - begin:.0f} s")
    yield node
    node.cluster.run("helm", "uninstall", RELEASE)


def value(of: str, name: str) -> float:
    return sum(float(line.rpartition(" ")[2]) for line in of.splitlines() if re.match(rf"{name}[{{ ]", line))


def answered(node: Node, count: int) -> None:
    """Pings from inside to outside, once both sides have found the router."""
    run(INSIDE, "ping", "-c", "3", "-i", "1", "198.51.100.100")
    done = run(INSIDE, "ping", "-c", str(count), "-i", "0.3", "-W", "10", "198.51.100.100")
    assert f"{count} packets transmitted, {count} received" in done.stdout, f"{done.stdout}{said(node, 0)}"


def test_the_node_has_functions_and_hugepages_to_allocate(node):
    assert {name: node.state().get(name) for name in ALLOCATABLE} == ALLOCATABLE


def test_a_pod_has_cpus_of_its_own_and_workers_on_them(installed):
    """The kubelet's static CPU manager gives two whole CPUs; the first is the master's, the other forwards."""
    assert pod(installed, 0)["status"]["qosClass"] == "Guaranteed"
    doctor = json.loads(within(installed, 0, "doctor", "--only", "cpus-allowed", "--json", "-"))
    reading = doctor["findings"][0]["reading"]
    first, last = map(int, re.fullmatch(r"2 of 5 CPUs: (\d)[-,](\d)", reading).groups())
    workers = json.loads(within(installed, 0, "workers", "--json"))["workers"]
    assert first > 0 and [one["lcore"] for one in workers if one["role"] == "forwarding"] == [last], (reading, workers)


def test_nat44_answers_20_pings_through_virtual_functions(installed):
    answered(installed, 20)
    interfaces = json.loads(within(installed, 0, "show", "interfaces", "--json"))["interfaces"]
    assert [(one["driver"], one["device"][:8]) for one in interfaces] == [("net_e1000_igb_vf", "0000:01:"), ("net_e1000_igb_vf", "0000:02:")], interfaces


def test_tcp_of_iperf3_passes(installed):
    server = subprocess.Popen(in_namespace(OUTSIDE, "iperf3", "-s", "-1"), stdout=subprocess.DEVNULL)
    try:
        wait_for(lambda: "5201" in run(OUTSIDE, "ss", "-ltn").stdout, "iperf3's server")
        done = run(INSIDE, "iperf3", "-c", "198.51.100.100", "-t", "5", "-J")
        server.wait(30)
    finally:
        server.kill()
        server.wait()
    end = json.loads(done.stdout)["end"]
    print(f"cluster-test: iperf3's TCP through NAT44 on virtual functions: {end['sum_received']['bits_per_second'] / 1e6:.0f} Mb/s")
    assert end["sum_received"]["bytes"] > 1_000_000, end


def test_metrics_come_by_the_pods_address(installed):
    found = metrics(installed)
    assert value(found, "packetwarp_packets_received_total") > 40 and value(found, "packetwarp_nat_sessions_made_total") > 0
    assert value(found, "packetwarp_port_up") == 2, found


def test_the_doctor_names_fields_of_the_manifest(installed):
    """The pod has 512 MiB of memory, and no SYS_RAWIO: no command of a host or an engine would change that."""
    findings = {one["id"]: one for one in json.loads(within(installed, 0, "doctor", "--only", "container", "--json", "-"))["findings"]}
    assert not [one for one in findings.values() if one["command"]], findings
    assert findings["capabilities"]["manifest"].startswith("securityContext.capabilities.add: [") and "SYS_RAWIO" in findings["capabilities"]["manifest"]
    assert findings["memory-limit"]["manifest"].startswith("resources.limits.memory: "), findings
    # The pod has two whole CPUs, and no quota or one of as much.
    assert findings["cpu-quota"]["status"] == "ok", findings


def test_helm_test_passes(installed):
    """A pod of the chart asks every replica by its name."""
    done = installed.cluster.helm("test", RELEASE, "--timeout", "300s")
    assert re.search(r"Phase: +Succeeded", done), done


def test_a_stopped_process_is_started_again_by_the_liveness_probe(installed):
    before = restarts(installed, 0)
    installed.cluster.apply(HELPER)
    wait_until_ready(installed, "helper")
    try:
        installed.cluster.kubectl("exec", "helper", "--", "sh", "-c", "kill -STOP $(pidof packetwarp)")
        wait_for(lambda: restarts(installed, 0) == before + 1, f"the kubelet to end it ({installed.console})", PATIENCE)
    finally:
        installed.cluster.kubectl("delete", "pod", "helper", "--now")
    wait_until_ready(installed, 0)
    assert pod(installed, 0)["status"]["containerStatuses"][0]["lastState"]["terminated"]["exitCode"] == 128 + signal.SIGKILL
    answered(installed, 5)


def test_a_third_replica_waits_and_pools_are_disjoint(installed):
    """The node has two functions of each port: the scheduler names the resource that the third pod waits for."""
    installed.cluster.kubectl("scale", "statefulset", NAMED, "--replicas=3")
    # The scheduler takes the two new pods in either order.
    second = wait_for(lambda: next((n for n in (1, 2) if is_ready(installed, n)), None), f"a second pod to be ready ({installed.console})", PATIENCE)
    third = pod(installed, 3 - second)
    (condition,) = [one for one in third["status"]["conditions"] if one["type"] == "PodScheduled"]
    assert third["status"]["phase"] == "Pending" and "Insufficient intel.com/igb_inside" in condition["message"], condition
    pools = [{one["outside"] for one in json.loads(within(installed, n, "show", "nat", "--json"))["outside"]} for n in (0, second)]
    assert len(pools[0]) == len(pools[1]) == 64 and not pools[0] & pools[1], pools


def test_deletion_gives_everything_back(installed):
    """All functions and all hugepages: two pods that need every one of them are ready again."""
    installed.cluster.helm("uninstall", RELEASE)
    wait_for(lambda: not installed.cluster.get("pods")["items"], "the pods to go", PATIENCE)
    assert installed.has_all(), installed.state()
    installed.cluster.helm("install", RELEASE, str(CHART), "--values", str(installed.values), "--set", "replicas=2")
    wait_until_ready(installed, 0, 1)


def test_kernel_interfaces_of_multus_serve_the_profile_af_packet(node, definitions):
    (networks,) = [path for path in definitions if path.name == "networks-crd.yaml"]
    node.cluster.kubectl("apply", "--server-side", "-f", str(networks))
    node.cluster.kubectl("wait", "--for=condition=Established", "--all", "crd", "--timeout=60s")
    node.cluster.run("helm", "uninstall", RELEASE)
    wait_for(lambda: not node.cluster.get("pods")["items"], "the pods to go", PATIENCE)
    node.values.write_text(yaml.safe_dump(KERNEL_VALUES))
    node.cluster.helm("install", RELEASE, str(CHART), "--values", str(node.values))
    wait_until_ready(node, 0)
    # Other devices had these addresses.
    for side in (INSIDE, OUTSIDE):
        run(side, "ip", "neighbour", "flush", "all")
    answered(node, 20)
    interfaces = json.loads(within(node, 0, "show", "interfaces", "--json"))["interfaces"]
    assert [one["driver"] for one in interfaces] == ["net_af_packet"] * 2, interfaces
    assert value(metrics(node), "packetwarp_nat_sessions_made_total") > 0
