# SPDX-License-Identifier: Apache-2.0
"""A worker of the role kni: packets between ports and the kernel pass by it, with queues of its own or without, and by an
address flow past forwarding workers that are overloaded."""
from __future__ import annotations

import contextlib
import pathlib
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest
from harness import ALONE, DONE, WRONG_USAGE
from namespaces import stop
from raw_interface import RawInterface
from router_network import RIGHT_HOST_MAC, RouterNetwork, fetch, iperf3, ping, ping_in_vain, router_between, serving, two_networks
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from scapy.utils import PcapNgReader

OWN, OWN6 = "1.1.1.1", "2001:db8:1::1"
LEFT_MAC = "4a:ac:4f:29:87:80"
MASTER, FORWARDING, RECEIVING, KNI = range(4)
# Four lcores on whatever there is of two CPUs.
FOUR = "(0-3)@(0-1)"
CONTENT = bytes(n * 7 % 251 for n in range(700_000))


def kni_file(kni: dict[str, Any] | None, isolated: int = 0, **plane: Any) -> dict[str, Any]:
    """The two networks with a kernel interface on the left. kni: what its worker has of that port. isolated: packets in
    the rings of isolated receivers, 0 for none."""
    queues: dict[str, Any] = {"rx_queues": [0, 1], "tx_queues": [0]}
    if isolated:
        queues["isolated_rx"] = {"lcore": RECEIVING, "ring": isolated}
    workers: list[dict[str, Any]] = [
        {"lcore": MASTER, "role": "master"},
        {"lcore": FORWARDING, "role": "forwarding", "ports": [{"port": "left", **queues}, {"port": "right", **queues}]}]
    if kni is not None:
        workers.append({"lcore": KNI, "role": "kni", "ports": [{"port": "left", **kni}]})
    file = two_networks()
    file["data_plane"] = {"executor": "cpu", "workers": workers, **plane}
    file["interfaces"][0]["kernel"] = True
    return file


@contextlib.contextmanager
def network(packetwarp, namespaces, file: dict[str, Any], queues: int = 2, **more: Any) -> Iterator[RouterNetwork]:
    with router_between(packetwarp, namespaces, file, lcores=FOUR, queues=queues, **more) as made:
        for wire in ("w0", "w1"):
            made.middle.sysctl(f"net.ipv4.conf.{wire}.arp_ignore", 8)
        yield made


def both_ways(made: RouterNetwork, folder: pathlib.Path) -> None:
    for own in (OWN, OWN6):
        assert ping(made.left, own, count=5).received == 5
    with serving(made.middle, OWN, folder, CONTENT):
        assert fetch(made.left, OWN, folder) == CONTENT
    assert ping(made.left, "2.2.2.2").received == 3


def test_it_carries_what_forwarding_workers_hand_over_and_sends_by_its_own_queue(packetwarp, namespaces, tmp_path):
    with network(packetwarp, namespaces, kni_file({"tx_queues": [1]})) as made:
        both_ways(made, tmp_path)
        report = made.end().result
    [kernel] = report["kernel"]
    assert kernel["in"]["handed_over"] > len(CONTENT) // 65536 and kernel["in"]["received"] == 0
    assert kernel["out"]["sent"] > len(CONTENT) // 1500
    [worker] = [worker for worker in report["workers"] if worker["role"] == "kni"]
    assert (worker["lcore"], worker["jobs"]) == (KNI, ["kernel left.kni"])
    assert any("left.kni: no address flow" in notice for notice in report["notices"]), report["notices"]


def test_without_a_tx_queue_what_the_kernel_sends_is_dropped_by_name(packetwarp, namespaces):
    with network(packetwarp, namespaces, kni_file({"rx_queues": [2]}), queues=3) as made:
        assert ping_in_vain(made.left, OWN, "-W", "1").received == 0
        report = made.end().result
    [kernel] = report["kernel"]
    out = kernel["out"]
    assert kernel["in"]["to_kernel"] >= 3
    assert out["dropped"].keys() == {"no_tx_queue"} and out["dropped"]["no_tx_queue"] == out["from_kernel"] >= 3
    assert any("has no TX queue of port 0" in notice for notice in report["notices"]), report["notices"]


@pytest.mark.parametrize("kni", ({"tx_queues": [1]}, None), ids=("kni worker", "master"))
def test_an_isolated_receiver_steers_to_it(packetwarp, namespaces, tmp_path, kni):
    with network(packetwarp, namespaces, kni_file(kni, isolated=4096)) as made:
        both_ways(made, tmp_path)
        report = made.end().result
    assert not any("no address flow" in notice for notice in report["notices"]), report["notices"]
    assert report["control"]["punted"]["to_kernel"] >= report["kernel"][0]["in"]["handed_over"] // 2


def drop_own(folder: pathlib.Path) -> dict[str, Any]:
    """Rules of the file: pings of the kernel interface are dropped in front of the router."""
    flows = folder / "flows.txt"
    flows.write_text(f"flow create 0 ingress pattern eth / ipv4 dst is {OWN} / icmp / end actions count / drop / end\n")
    return {"routes": [], "rules": {"file": str(flows), "on": "cpu"}}


@pytest.mark.parametrize("kni", ({"tx_queues": [1]}, None), ids=("kni worker", "master"))
def test_an_isolated_receiver_leads_no_packet_past_rules(packetwarp, namespaces, tmp_path, kni):
    with network(packetwarp, namespaces, {**kni_file(kni, isolated=4096), **drop_own(tmp_path)}) as made:
        assert ping_in_vain(made.left, OWN, "-W", "1").received == 0
        assert ping(made.left, OWN6).received == 3, "no rule is for these"
        report = made.end().result
    assert report["packets"]["dropped"]["rule_drop"] == report["rules"][0]["hits"] == 3, report["packets"]
    assert any("left.kni: no address flow: packets to its addresses go through the chain [rules, router] first" in notice
               for notice in report["notices"]), report["notices"]


def test_addresses_that_the_file_names_pass_by_rules(packetwarp, namespaces, tmp_path):
    file = {**kni_file(None, isolated=4096), **drop_own(tmp_path)}
    file["interfaces"][0]["kernel"] = {"flows": [OWN]}
    with network(packetwarp, namespaces, file) as made:
        assert ping(made.left, OWN).received == 3
        report = made.end().result
    assert report["rules"][0]["hits"] == 0
    assert any(f"left.kni: packets to {OWN} bypass the chain [rules, router]" in notice for notice in report["notices"])


def test_an_isolated_receiver_leaves_sessions_their_packets(packetwarp, namespaces):
    """The pool's address is the kernel interface's too: answers to the host inside are translated."""
    file = kni_file(None, isolated=4096)
    file["nat44"] = {"inside": "right", "outside": "left", "pool": [OWN]}
    with network(packetwarp, namespaces, file, ipv6=False) as made:
        made.left.ip("route", "delete", "default")
        assert ping(made.right, "1.1.1.2").received == 3
        assert ping(made.left, OWN).received == 3, "no session has their identifier"
        made.end()


def test_a_capture_sees_what_passes_by_pipelines(packetwarp, namespaces, tmp_path):
    """Pings, steered to the kernel by an isolated receiver and answered by the kni worker's own queue."""
    control, file = tmp_path / "s", tmp_path / "pings.pcapng"
    with network(packetwarp, namespaces, {**kni_file({"tx_queues": [1]}, isolated=4096), "control": str(control)}) as made:
        assert ping(made.left, OWN, count=1).received == 1
        pings = made.left.popen("ping", "-n", "-q", "-i", "0.02", "-c", "1000", OWN, stdout=subprocess.DEVNULL)
        try:
            done = packetwarp.run("capture", ["-w", str(file), "--control", str(control), "--stage", "rx,kernel,tx", "--filter", "icmp",
                                              "--packets", "90"])
        finally:
            stop(pings)
        made.end()
    assert done.status == DONE, done
    with PcapNgReader(str(file)) as reader:
        seen = [(packet.comment, Ether(bytes(packet))) for packet in reader]
    assert {comment: len([one for one, _ in seen if one == comment]) for comment in (b"rx", b"kernel", b"tx")} == {
        b"rx": 30, b"kernel": 30, b"tx": 30}
    for comment, frame in seen:
        assert (frame[IP].src, frame[IP].dst) == ((OWN, "1.1.1.2") if comment == b"tx" else ("1.1.1.2", OWN)), comment


def test_an_overloaded_data_plane_is_not_in_its_way(packetwarp, namespaces):
    """Forwarding workers that poll five times per second let their rings fill, and packets without room are dropped by name. The
    kernel's packets bypass the rings."""
    file = kni_file({"tx_queues": [1]}, isolated=64, loop_delay="200ms")
    file["neighbours"] = [{"interface": "right", "address": "2.2.2.2", "mac": RIGHT_HOST_MAC}]
    with network(packetwarp, namespaces, file, ipv6=False) as made:
        assert ping(made.left, OWN).received == 3, "both sides know each other's MAC addresses"
        flood = bytes(Ether(src="02:00:00:00:01:09", dst=LEFT_MAC) / IP(src="1.1.1.9", dst="2.2.2.2") / UDP(sport=1, dport=9))
        with RawInterface(made.left, "l0") as wire:
            for _ in range(10):
                for _ in range(200):
                    wire.send(flood)
                assert ping(made.left, OWN, count=1).received == 1
        report = made.end().result
    assert report["packets"]["dropped"]["isolated_full"] > 100, report["packets"]
    [kernel] = report["kernel"]
    assert kernel["in"]["dropped"] == kernel["out"]["dropped"] == {}


def test_much_by_it(packetwarp, namespaces):
    with network(packetwarp, namespaces, kni_file({"tx_queues": [1]}, isolated=16384)) as made:
        for reverse in ((), ("--reverse",)):
            assert iperf3(made.left, made.middle, OWN, *reverse)["sum_received"]["bytes"] > 1_000_000
        made.end()


NULL = {"left": "net_null0", "right": "net_null1"}


def on_nics(packetwarp, namespaces, request, nic: str, kni: dict[str, Any], **more: Any) -> tuple[dict[str, Any], list[str]]:
    """A run beside NICs that take flow rules, or do not; what it says and what they were asked."""
    library = request.config.getoption("--recording-nic")
    if library is None or not library.is_file():
        pytest.skip("no library that plays NICs: sanitizers and archives of DPDK do without (--recording-nic PATH)")
    file = {**kni_file(kni), **more}
    for interface in file["interfaces"]:
        interface["port"] = NULL[interface["name"]]
    middle, log = namespaces.add("nics"), packetwarp.folder / "nic.log"
    done = packetwarp.run(
        "run", [*ALONE, "--lcores", FOUR, "--vdev=net_null0,no-rx=1", "--vdev=net_null1,no-rx=1"],
        ["-c", str(packetwarp.write_config(file)), "--duration", "50ms", "--json", "-"], within=middle.command(
            "env", f"LD_PRELOAD={library.absolute()}", f"RECORDING_NIC_LOG={log}", f"RECORDING_NIC={nic}"))
    assert done.status == DONE, done
    return done.result, log.read_text().splitlines()


OWN_QUEUES = {"rx_queues": [2], "tx_queues": [2]}


def test_a_nic_is_given_a_rule_for_each_of_its_addresses(packetwarp, namespaces, request):
    report, asked = on_nics(packetwarp, namespaces, request, "", OWN_QUEUES)
    rules = [line for line in asked if line.startswith("create 0 ")]
    assert len(rules) == 2 and "01010101" in rules[0] and "20010db8000100000000000000000001" in rules[1], asked
    assert len([line for line in asked if line.startswith("destroy 0 ")]) == 2, "none is left behind"
    assert not any("address flow" in notice for notice in report["notices"]), report["notices"]


def test_a_nic_is_given_no_rule_that_leads_past_a_chains_stages(packetwarp, namespaces, request):
    report, asked = on_nics(packetwarp, namespaces, request, "", OWN_QUEUES, **drop_own(packetwarp.folder))
    assert not any(line.startswith("create ") for line in asked), asked
    assert any("left.kni: no address flow" in notice for notice in report["notices"]), report["notices"]


def test_a_nic_that_takes_no_rule_is_no_reason_not_to_run(packetwarp, namespaces, request):
    """Its packets come by the queues of forwarding workers."""
    report, _ = on_nics(packetwarp, namespaces, request, "room=0", OWN_QUEUES)
    refused = [notice for notice in report["notices"] if "refuses an address flow to" in notice]
    assert len(refused) == 2 and f"to {OWN}:" in refused[0], report["notices"]


def test_a_kni_worker_of_a_port_without_kernel_interface(packetwarp):
    file = kni_file({"tx_queues": [1]})
    del file["interfaces"][0]["kernel"]
    for interface in file["interfaces"]:
        interface["port"] = NULL[interface["name"]]
    config = packetwarp.write_config(file)
    ports = [*ALONE, "--lcores", FOUR, "--vdev=net_null0,no-rx=1", "--vdev=net_null1,no-rx=1"]
    done = packetwarp.run("run", ports, ["-c", str(config), "--duration", "1s"])
    planned = packetwarp.run("plan", ports, ["-c", str(config)])
    assert done.status == planned.status == WRONG_USAGE and planned.errors == done.errors, planned
    line = next(n for n, text in enumerate(config.read_text().splitlines(), 1) if "lcore: 3" in text)
    assert done.errors == [f"packetwarp: error: {config}:{line}: data_plane.workers[2]: a kni worker serves kernel interfaces, "
                           "and port 0 has none beside it; give its interface 'kernel: true'"]
