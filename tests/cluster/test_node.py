# SPDX-License-Identifier: Apache-2.0
"""The chart's pods on a node with virtual functions, hugepages and CPUs of its own: what they get, what they forward, what they give back.
The node is a machine of QEMU's, so that nothing of this machine changes but namespaces, which go again."""
from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import time
from typing import Any

import pytest
import yaml
from control_plane import wait_for
from node.machine import ALLOCATABLE, INSIDE, OUTSIDE, PATIENCE, Node, booted, in_namespace
from rendering import CHART

RELEASE, NAMED = "nat", "nat-packetwarp"
VALUES = {
    "profile": "vfio", "replicas": 1, "cpus": 2, "memory": "512Mi", "hugepages": {"size": "2Mi", "amount": "384Mi"}, "antiAffinity": "none",
    "image": {"pullPolicy": "Never"}, "drain": {"within": 2}, "dataPlane": {"poll_sleep": "1ms", "packets": 32768},
    "interfaces": [{"name": "inside", "addresses": ["10.0.0.${ordinal+1}/24"], "resource": "intel.com/igb_inside"},
                   {"name": "outside", "addresses": ["198.51.100.${ordinal+1}/24"], "resource": "intel.com/igb_outside"}]}


@pytest.fixture(scope="module")
def node(request, folder, packetwarp, tmp_path_factory):
    debian, plugin = folder / "debian", folder / "bin/sriovdp"
    if os.geteuid() != 0:
        pytest.skip("namespaces and taps need root")
    if not (debian / "complete").exists() or not plugin.exists():
        pytest.skip("ci/cluster_test.sh has not unpacked a node, and said why")
    for program in ("iperf3", "ping", "mke2fs", "cpio"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is missing")
    with booted(folder / "bin", debian, plugin, packetwarp, tmp_path_factory.mktemp("node")) as made:
        yield made


@pytest.fixture(scope="module")
def installed(node):
    node.values.write_text(yaml.safe_dump(VALUES))
    begin = time.monotonic()
    node.cluster.helm("install", RELEASE, str(CHART), "--values", str(node.values))
    wait_for(lambda: is_ready(node, 0), f"the pod to be ready ({node.console})", PATIENCE)
    print(f"cluster-test: the pod was ready after {time.monotonic() - begin:.0f} s")
    yield node
    node.cluster.run("helm", "uninstall", RELEASE)


def pod(node: Node, ordinal: int) -> dict[str, Any]:
    done = node.cluster.run("kubectl", "get", "pod", f"{NAMED}-{ordinal}", "-o", "json")
    return json.loads(done.out) if done.status == 0 else {"status": {}}


def is_ready(node: Node, ordinal: int) -> bool:
    return any(one["type"] == "Ready" and one["status"] == "True" for one in pod(node, ordinal)["status"].get("conditions", []))


def said(node: Node, ordinal: int) -> str:
    return node.cluster.run("kubectl", "logs", f"{NAMED}-{ordinal}").out[-2000:]


def within(node: Node, ordinal: int, *words: str) -> str:
    return node.cluster.kubectl("exec", f"{NAMED}-{ordinal}", "--", "packetwarp", *words)


def run(namespace: str, *words: str, seconds: float = 120) -> subprocess.CompletedProcess[str]:
    return subprocess.run(in_namespace(namespace, *words), capture_output=True, text=True, timeout=seconds, check=False)


def metrics(node: Node) -> str:
    """By the pod's own address, as Prometheus asks."""
    address = pod(node, 0)["status"]["podIP"]
    fetch = f"import urllib.request; print(urllib.request.urlopen('http://{address}:9464/metrics', timeout=60).read().decode())"
    done = subprocess.run([*node.cluster.place.command, "python3", "-c", fetch], capture_output=True, text=True, timeout=90, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def value(of: str, name: str) -> float:
    return sum(float(line.rpartition(" ")[2]) for line in of.splitlines() if re.match(rf"{name}[{{ ]", line))


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
    run(INSIDE, "ping", "-c", "3", "-i", "1", "198.51.100.100")
    done = run(INSIDE, "ping", "-c", "20", "-i", "0.3", "-W", "10", "198.51.100.100")
    assert "20 packets transmitted, 20 received" in done.stdout, f"{done.stdout}{said(installed, 0)}"
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
    wait_for(lambda: is_ready(installed, 0) and is_ready(installed, 1), f"both pods to be ready ({installed.console})", PATIENCE)
