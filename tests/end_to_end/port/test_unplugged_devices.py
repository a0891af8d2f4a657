# SPDX-License-Identifier: Apache-2.0
"""Devices that are taken away from under a running packetwarp are given back, and the rest goes on.

tests/fixtures/device_events.h raises what vfio-pci's request becomes in the EAL, and what drivers raise themselves; the
devices are virtual ones, which the EAL lets go as it does a NIC.
"""
from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import pathlib
import signal
from collections.abc import Iterator
from typing import Any

import pytest
from harness import FAILED, WRONG_USAGE, Program, Running
from live import FULL_RATE, NAT44, ROUTED, Live, flows, live
from namespaces import need_root_and_tools, wait_for
from prometheus import get
from seeing import Control, seen_l2fwd
from test_event_log import events_of
from test_metrics import endpoint, scrape


@dataclasses.dataclass
class Plugs:
    """The FIFO for events of devices that are taken away, and the environment that makes packetwarp read it."""

    fifo: pathlib.Path
    log: pathlib.Path
    within: tuple[str, ...]
    said: Any = None

    def pull(self, *lines: str) -> None:
        """Opened once: the reader ends with the last writer."""
        if self.said is None:
            self.said = self.fifo.open("w")
        for line in lines:
            self.said.write(f"{line}\n")
        self.said.flush()

    def told(self, *kinds: str) -> list[str]:
        return [line for line in self.log.read_text().splitlines() if line.split()[0] in kinds]


@pytest.fixture
def plugs(packetwarp: Program, nic_library: pathlib.Path) -> Iterator[Plugs]:
    fifo, log = packetwarp.folder / "events", packetwarp.folder / "nic.log"
    os.mkfifo(fifo)
    made = Plugs(fifo, log, ("env", f"LD_PRELOAD={nic_library}", f"RECORDING_NIC_LOG={log}", f"RECORDING_NIC_EVENTS={fifo}"))
    yield made
    if made.said is not None:
        made.said.close()


@contextlib.contextmanager
def forwarding(packetwarp: Program, plugs: Plugs, ports: int, *options: str, lcores: str = "0-1") -> Iterator[tuple[Running, Control]]:
    devices = tuple(f"net_null{n},size=60" for n in range(ports))
    with seen_l2fwd(packetwarp, "--report-age", "20ms", *options, devices=devices, lcores=lcores, within=plugs.within) as (running, path):
        with Control(path) as control:
            yield running, control


def wait_until_given_back(running: Running, *names: str) -> None:
    for name in names:
        running.wait_for_log(f"device {name}: given back after")


def states(report: dict[str, Any]) -> list[str]:
    return [port["state"] for port in report["ports"]]


@pytest.mark.parametrize("executor", ("none", "cpu"))
@pytest.mark.parametrize(("workers", "lcores"), (("run-to-completion", "0"), ("run-to-completion", "0-1"), ("pair", "0,1@0,2@1"),
                                                 ("isolated-rx", "0,1@0,2@1")))
def test_the_rest_forwards_on(packetwarp, plugs, executor, workers, lcores):
    path = packetwarp.folder / "events.jsonl"
    options = ("-w", executor, "--workers", workers, "--event-log", str(path), "--metrics", "0")
    with forwarding(packetwarp, plugs, 4, *options, lcores=lcores) as (running, control):
        before = control.report()
        assert states(before) == 4 * ["up"] and before["phase"] == "running"
        plugs.pull("device net_null1")
        wait_until_given_back(running, "net_null1")
        after = control.later_report(control.report())
        assert states(after) == ["up", "removed", "up", "up"]
        later = control.later_report(after)
        received = [(one["rx"], two["rx"]) for one, two in zip(after["pipelines"], later["pipelines"])]
        assert received[1][0] == received[1][1], "nobody receives from it"
        assert all(then < now for then, now in (received[0], received[2], received[3]))
        assert later["pipelines"][0]["dropped"]["tx_full"] > after["pipelines"][0]["dropped"]["tx_full"]
        assert later["ports"][1] == after["ports"][1] and later["ports"][1]["rx_packets"] == received[1][0]
        url = endpoint(running)
        status, kind, text = get(f"{url}/readyz")
        assert (status, kind, json.loads(text)) == (503, "application/json", {
            "ready": False, "why": ["port 1 (net_null1): device taken away"]})
        assert get(f"{url}/healthz")[0] == 200
        samples = scrape(url)
        assert [samples[f"packetwarp_port_present{{port={n},name=net_null{n}}}"] for n in range(4)] == [1, 0, 1, 1]
        assert [samples[f"packetwarp_port_up{{port={n},name=net_null{n}}}"] for n in range(4)] == [1, 0, 1, 1]
        done = running.interrupt()
    assert not done.errors and states(done.result) == ["up", "removed", "up", "up"]
    assert "port 1 (net_null1): its device was taken away" in done.stdout
    told = [(event["event"], event["port"], event["name"]) for event in events_of(path) if event["event"].startswith("port_")]
    assert told == [("port_removed", 1, "net_null1"), ("port_given_back", 1, "net_null1")]


@pytest.mark.parametrize(("ports", "pulled"), ((1, (0,)), (2, (1,)), (2, (0, 1)), (4, (0, 2)), (4, (3, 2, 1, 0))))
def test_without_work_it_ends_with_one_line(packetwarp, plugs, ports, pulled):
    """The only port; one of two that forward to one another; one of each pair; all."""
    with forwarding(packetwarp, plugs, ports) as (running, _):
        plugs.pull(*(f"device net_null{n}" for n in pulled))
        done = running.finish()
    assert done.status == FAILED and len(done.errors) == 1, done
    assert "taken away; nothing is left to forward between" in done.errors[0]
    assert all(f"port {n} (net_null{n})" in done.errors[0] for n in pulled)
    assert done.result["ended_by"] == "ports gone" and done.packets.in_flight == 0


def test_a_driver_says_it_too(packetwarp, plugs):
    with forwarding(packetwarp, plugs, 4) as (running, control):
        plugs.pull("port 2")
        wait_until_given_back(running, "net_null2")
        assert states(control.later_report(control.report())) == ["up", "up", "removed", "up"]
        running.interrupt()


def test_a_driver_that_does_not_return_holds_up_no_packet(packetwarp, plugs):
    """Devices that are taken away after it are left alone, and wait. The result is written before the process ends beside it."""
    plugs.within = (*plugs.within, "RECORDING_NIC=hangs=1")
    with forwarding(packetwarp, plugs, 6) as (running, control):
        plugs.pull("device net_null1", "device net_null2")
        wait_for(lambda: states(control.report()) == ["up", "removed", "removed", "up", "up", "up"], "both to be gone")
        after = control.later_report(control.report())
        later = control.later_report(after)
        assert all(one["rx"] < two["rx"] for one, two in zip(after["pipelines"][4:], later["pipelines"][4:]))
        assert "given back" not in running.stderr()
        done = running.send(signal.SIGINT).finish()
    assert done.status == FAILED and done.packets.in_flight == 0, done
    assert "packetwarp: critical: device net_null1: its driver does not return; leaving it there" in done.stderr, done


def test_devices_are_taken_away_one_by_one_under_load(packetwarp, plugs):
    with forwarding(packetwarp, plugs, 6) as (running, control):
        for n in (5, 0, 4):
            plugs.pull(f"device net_null{n}", f"device net_null{n}")
            wait_until_given_back(running, f"net_null{n}")
        assert states(control.later_report(control.report())) == ["removed", "up", "up", "up", "removed", "removed"]
        done = running.interrupt()
    assert len([line for line in done.warnings if "taken away" in line]) == 3, "each is said once"


@contextlib.contextmanager
def network(packetwarp: Program, plugs: Plugs, file: dict[str, Any], lcores: str = "0-1") -> Iterator[Live]:
    capture = flows(packetwarp.folder / "flows.pcap")
    with live(packetwarp, {**file, "metrics": 0}, f"net_pcap0,rx_pcap={capture},infinite_rx=1", "net_null1,no-rx=1", lcores=lcores,
              within=plugs.within, options=("--report-age", "20ms"), pace=FULL_RATE) as made:
        yield made


@pytest.mark.parametrize("file", ({}, {"nat44": NAT44}), ids=("router", "nat44"))
def test_packets_for_an_egress_that_is_gone_are_dropped_by_name(packetwarp, plugs, file):
    with network(packetwarp, plugs, {**ROUTED, **file}) as made, Control(made.control) as control:
        wait_for(lambda: control.report()["packets"]["tx"] > 0, "packets that leave")
        plugs.pull("device net_null1")
        wait_until_given_back(made.running, "net_null1")
        after = control.later_report(control.report())
        later = control.later_report(after)
        assert states(later) == ["up", "removed"]
        assert later["packets"]["tx"] == after["packets"]["tx"], "nothing leaves by it"
        assert later["packets"]["dropped"]["tx_full"] > after["packets"]["dropped"]["tx_full"]
        assert json.loads(get(f"{endpoint(made.running)}/readyz")[2])["why"] == ["port 1 (net_null1, right): device taken away"]
        done = made.running.interrupt()
    assert not done.errors


@pytest.mark.parametrize("file", ({}, {"nat44": NAT44}), ids=("router", "nat44"))
@pytest.mark.parametrize("lcores", ("0", "0-1"))
def test_a_network_without_the_port_where_packets_come_in_goes_on(packetwarp, plugs, file, lcores):
    with network(packetwarp, plugs, {**ROUTED, **file}, lcores) as made, Control(made.control) as control:
        plugs.pull("device net_pcap0")
        wait_until_given_back(made.running, "net_pcap0")
        assert states(control.report()) == ["removed", "up"]
        made.write({**ROUTED, **file, "metrics": 0, "routes": []})
        assert made.said("reload").rstrip().endswith("; port 0 (net_pcap0) is gone: its device was taken away")
        plugs.pull("device net_null1")
        done = made.running.finish()
    assert done.status == FAILED and len(done.errors) == 1, done
    assert "the devices of port 0 (net_pcap0), port 1 (net_null1) were taken away" in done.errors[0]


RULE = "pattern eth / ipv4 / end actions drop / end"


def test_commands_that_name_it_say_that_it_is_gone(packetwarp, plugs):
    file_of_rules = packetwarp.folder / "flows.txt"
    file_of_rules.write_text(f"flow create 0 ingress {RULE}\nflow create 1 ingress pattern eth / ipv4 / end actions count / drop / end\n")
    file = {"interfaces": ROUTED["interfaces"], "rules": {"file": str(file_of_rules), "on": "auto", "hairpin_queues": 1}}
    with live(packetwarp, file, "net_null0,no-rx=1", "net_null1,no-rx=1", within=plugs.within,
              options=("--report-age", "20ms")) as made, Control(made.control) as control:
        assert len(plugs.told("create")) == 2 and len(plugs.told("bind")) == 2
        plugs.pull("device net_null1")
        wait_until_given_back(made.running, "net_null1")
        gone = "port 1 (net_null1): its device has been taken away"
        for words in (("flow", "create", "1", "ingress", *RULE.split()), ("flow", "flush", "1"), ("flow", "destroy", "1", "rule", "0"),
                      ("flow", "query", "1", "0", "count"), ("capture", "--port", "1", "-w", "-"),
                      ("capture", "--port", "right", "-w", "-")):
            done = made.ask(*words)
            assert done.status == WRONG_USAGE and len(done.errors) == 1 and gone in done.errors[0], done
        assert "COUNT" in made.said("flow", "list", "1")
        # The others' rules change on, and a reload leaves out what no NIC runs any more.
        assert made.said("flow", "create", "0", "priority", "1", "ingress", *RULE.split()) == "Flow rule #1 created\n"
        assert "is gone" in made.said("reload")
        assert all(one["hits"] is None for one in control.report()["rules"] if one["port"] == 1 and one["on"] == "nic")
        done = made.running.interrupt()
    assert not done.errors
    assert not [line for line in plugs.told("destroy", "unbind", "flush") if line.split()[1] == "1"], "its driver is asked nothing"
    assert not [line for line in plugs.told("unbind")], "a binding ends with either end"


def test_a_replay_ends_with_its_port(packetwarp, plugs):
    capture = flows(packetwarp.folder / "flows.pcap")
    with forwarding(packetwarp, plugs, 4, *(word for n in range(4) for word in ("--replay", f"{n}={capture}"))) as (running, _):
        plugs.pull("device net_null3", "device net_null2")
        wait_until_given_back(running, "net_null3", "net_null2")
        done = running.interrupt()
    assert "Invalid port_id" not in done.stderr and not done.errors, done


@pytest.mark.parametrize("pulled", (0, 1))
def test_a_kernel_interface_outlives_its_port(packetwarp, plugs, pulled):
    if reason := need_root_and_tools("unshare"):
        pytest.skip(reason)
    left, right = ROUTED["interfaces"]
    file = {**ROUTED, "interfaces": [{**left, "kernel": {"driver": "tap"}}, right]}
    capture, plugs.within = flows(packetwarp.folder / "flows.pcap"), ("unshare", "-n", *plugs.within)
    with live(packetwarp, file, f"net_pcap0,rx_pcap={capture},infinite_rx=1", "net_null1,no-rx=1", within=plugs.within,
              options=("--report-age", "20ms"), pace=FULL_RATE) as made, Control(made.control) as control:
        name = ("net_pcap0", "net_null1")[pulled]
        plugs.pull(f"device {name}")
        wait_until_given_back(made.running, name)
        assert states(control.report())[pulled] == "removed"
        assert control.report()["kernel"][0]["name"] == "left.kni"
        done = made.running.interrupt()
    assert not done.errors and "Invalid port_id" not in done.stderr, done


def test_a_kernel_worker_leaves_the_port_too(packetwarp, plugs, namespaces):
    """With an RX queue and a TX queue of its own; what the kernel sends has nowhere to go then."""
    here, control = namespaces.add("here"), packetwarp.folder / "control"
    left, right = ROUTED["interfaces"]
    queues = [{"port": side, "rx_queues": [0], "tx_queues": [0]} for side in ("left", "right")]
    file = {**ROUTED, "interfaces": [{**left, "kernel": {"driver": "tap"}}, right], "data_plane": {"workers": [
        {"lcore": 0, "role": "master"}, {"lcore": 1, "role": "forwarding", "ports": queues},
        {"lcore": 2, "role": "kni", "ports": [{"port": "left", "rx_queues": [1], "tx_queues": [1]}]}]}}
    words = ["-c", str(packetwarp.write_config(file)), "--control", str(control), "--report-age", "20ms"]
    eal = ["--lcores", "0,1@0,2@1", "--vdev=net_null0,size=60", "--vdev=net_null1,no-rx=1"]
    with packetwarp.running(eal, words, here.command(*plugs.within), command="run") as running:
        running.wait_until_forwarding()
        with Control(control) as asking:
            wait_for(lambda: asking.report()["kernel"][0]["in"]["received"] > 0, "packets by the kernel's own queue")
            plugs.pull("device net_null0")
            wait_until_given_back(running, "net_null0")
            received = asking.report()["kernel"][0]["in"]["received"]
            here.run("ping", "-c", "3", "-i", "0.1", "-W", "1", "10.0.0.77", check=False)
            wait_for(lambda: asking.report()["kernel"][0]["out"]["dropped"].get("tx_full", 0) > 0, "what the kernel sends to be dropped")
            assert asking.report()["kernel"][0]["in"]["received"] == received, "nobody receives from it"
        done = running.interrupt()
    assert not done.errors and "Invalid port_id" not in done.stderr, done
    assert states(done.result) == ["removed", "up"]


def test_a_generator_ends_with_a_port_of_its_own(packetwarp, plugs):
    eal = ["-l", "0-1", "--vdev=net_null0", "--vdev=net_null1"]
    with packetwarp.running(eal, ["--rate", "1kpps", "--duration", "10m"], plugs.within, command="generate") as running:
        running.wait_for_log("   sent ")
        plugs.pull("device net_null1")
        done = running.finish()
    assert done.status == FAILED and len(done.errors) == 1, done
    assert "a port that it sends or receives by is gone" in done.errors[0]
    assert len([line for line in done.warnings if "port 1 (net_null1): its device is taken away" in line]) == 1
    assert json.loads(done.json.read_text())["ended_by"] == "ports gone"


def test_a_device_that_is_nobodys(packetwarp, plugs):
    with forwarding(packetwarp, plugs, 2) as (running, control):
        plugs.pull("device 0000:ff:1f.7")
        control.later_report(control.report())
        done = running.interrupt()
    assert states(done.result) == ["up", "up"]
