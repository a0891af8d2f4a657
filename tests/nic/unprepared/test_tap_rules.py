# SPDX-License-Identifier: Apache-2.0
"""net_tap's rules are filters of the kernel's (tc flower): the guest's kernel executes them, and its own counters tell how many
packets each had. Packets that they drop never come to packetwarp."""
from __future__ import annotations

import contextlib
import dataclasses
import json
import signal
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from bed import GuestProgram
from frames import filled
from guest import Guest
from harness import ROOT, Running
from namespaces import wait_for
from raw_network import HOSTS, HOSTS6, LEFT, RIGHT, into, known_hosts
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.inet6 import IPv6
from scapy.packet import Packet

# Modules of the kernel: the driver's own, and the parts of its rules.
MODULES = ("tun", "sch_multiq", "sch_ingress", "cls_flower", "act_gact", "act_mirred", "act_skbedit")
QUEUES = 2
NEAR, FAR = "w0", "w1"
DROPPED = None


@dataclasses.dataclass(frozen=True)
class Ruled:
    """A rule, the packets that it is for, and the queue that gets them."""

    pattern: str
    packet: Packet
    count: int
    queue: int | None
    priority: int = 0

    def command(self) -> str:
        action = "drop" if self.queue is DROPPED else f"queue index {self.queue}"
        return f"flow create 0 ingress priority {self.priority} pattern {self.pattern} / end actions {action} / end\n"

    def lines(self) -> list[str]:
        """For send_frames.py."""
        return [line_of(filled(self.packet.copy(), 60 + number, number), passes=self.queue is not DROPPED) for number in range(self.count)]


def udp(port: int) -> Packet:
    return IP(src=HOSTS[LEFT][0], dst=HOSTS[RIGHT][0]) / UDP(sport=1000, dport=port)


def udp6(port: int) -> Packet:
    return IPv6(src=HOSTS6[LEFT][0], dst=HOSTS6[RIGHT][0]) / UDP(sport=1000, dport=port)


# Filters of one priority are of one protocol, which is tc's rule.
DROP_UDP = Ruled("eth / ipv4 / udp dst is 53", udp(53), 5, DROPPED)
RULES = (DROP_UDP,
         Ruled("eth / ipv4 / udp dst is 54", udp(54), 7, 1),
         Ruled("eth / ipv4 src is 1.1.1.2 / tcp dst is 80", IP(src=HOSTS[LEFT][0], dst=HOSTS[RIGHT][1]) / TCP(sport=1, dport=80), 11, 0),
         Ruled("eth / ipv4 dst is 2.2.2.4 / tcp dst is 22", IP(src=HOSTS[LEFT][0], dst=HOSTS[RIGHT][2]) / TCP(sport=1, dport=22), 3, DROPPED),
         Ruled("eth / ipv6 / udp dst is 53", udp6(53), 13, DROPPED, priority=1),
         Ruled("eth / ipv6 / udp dst is 54", udp6(54), 17, 1, priority=1))


def line_of(packet: Packet, *, passes: bool) -> str:
    return f"{into(LEFT, packet)[1].hex()} {int(passes)}\n"


@dataclasses.dataclass
class Taps:
    guest: Guest
    packetwarp: GuestProgram

    def write_rules(self, rules: Sequence[Ruled]) -> str:
        file = self.guest.folder / "flows.txt"
        file.write_text("".join(rule.command() for rule in rules))
        return str(file)

    @contextlib.contextmanager
    def running(self, rules: Sequence[Ruled]) -> Iterator[Running]:
        plan = {"executor": "cpu", "pipelines": 2 * QUEUES}
        file: dict[str, Any] = known_hosts(rules={"file": self.write_rules(rules), "receive_queues": QUEUES, "on": "auto"}, data_plane=plan)
        eal = ["--no-pci", "--lcores", "0-1", f"--vdev=net_tap0,iface={NEAR}", f"--vdev=net_tap1,iface={FAR}"]
        with self.packetwarp.running(eal, ["-c", str(self.packetwarp.write_config(file))], within=self.guest.command(), command="run") as running:
            yield running.wait_until_forwarding()

    def sender(self, name: str, lines: Sequence[str]) -> list[str]:
        """The words that send them, and end once all that is to pass has."""
        file = self.guest.folder / name
        file.write_text("".join(lines))
        return [str(ROOT / ".venv/bin/python3"), str(ROOT / "tests/nic/send_frames.py"), str(file), NEAR]

    def send(self, lines: Sequence[str]) -> None:
        self.guest.run(*self.sender("frames", lines), seconds=180)

    def counted(self) -> list[int]:
        """The number of packets of each filter of the first port, in any order."""
        shown = json.loads(self.guest.run("tc", "-s", "-j", "filter", "show", "dev", NEAR).stdout)
        filters = [one["options"] for one in shown if one["kind"] == "flower" and "options" in one]
        return sorted(one["actions"][0]["stats"]["packets"] for one in filters)


@pytest.fixture(scope="module")
def taps(unprepared) -> Taps:
    missing = [module for module in MODULES if unprepared.guest.run("modprobe", module, check=False).returncode != 0]
    if missing:
        pytest.skip(f"the guest's kernel has no {', '.join(missing)}")
    return Taps(unprepared.guest, unprepared.packetwarp)


def test_tc_counts_what_was_sent_and_nothing_that_it_drops_comes_further(taps: Taps) -> None:
    with taps.running(RULES) as running:
        taps.send([line for rule in RULES for line in rule.lines()])
        assert taps.counted() == sorted(rule.count for rule in RULES)
        report = running.interrupt().result
    assert [rule["on"] for rule in report["rules"]] == ["nic"] * len(RULES), report["rules"]
    by_queue = {queue: sum(rule.count for rule in RULES if rule.queue == queue) for queue in range(QUEUES)}
    assert {one["rx_queue"]: one["rx"] for one in report["pipelines"] if one["rx_port"] == 0} == by_queue
    assert report["packets"]["rx"] == sum(by_queue.values())


def test_filters_come_and_go_with_reloads_under_traffic(taps: Taps) -> None:
    stranger = [line_of(filled(udp(99), 100, number), passes=True) for number in range(3000)]
    changes = (RULES[:2], RULES[1:], RULES, (DROP_UDP,))
    with taps.running(()) as running:
        with contextlib.ExitStack() as stack:
            traffic = stack.enter_context(taps.guest.popen(*taps.sender("stranger", stranger)))
            for rules in changes:
                taps.write_rules(rules)
                running.send(signal.SIGHUP)
                wait_for(lambda: len(taps.counted()) == len(rules), f"{len(rules)} filters", seconds=60)
            _, errors = traffic.communicate(timeout=180)
            assert traffic.returncode == 0, errors
        before = taps.counted()
        taps.send(DROP_UDP.lines())
        assert (before, taps.counted()) == ([0], [DROP_UDP.count])
        report = running.interrupt().result
    assert report["packets"]["rx"] == len(stranger)


@pytest.mark.parametrize("how", (signal.SIGINT, signal.SIGKILL), ids=lambda how: how.name)
def test_nothing_is_left_behind(taps: Taps, how: signal.Signals) -> None:
    """Filters are of the interface, which is gone with the process, however that ends."""
    with taps.running(RULES) as running:
        assert len(taps.counted()) == len(RULES)
        taps.guest.send(how, running.process.pid)
        running.finish()
        wait_for(lambda: NEAR not in taps.guest.shell("ls /sys/class/net"), "the interface to be gone")
    left = taps.guest.shell("tc qdisc show | grep -E 'multiq|ingress' || true; for kind in gact skbedit mirred; do tc actions list action $kind; done")
    assert "multiq" not in left and "ingress" not in left and "index" not in left, left
