# SPDX-License-Identifier: Apache-2.0
"""`packetwarp run` between virtual ports at whatever rate this machine has, and what is asked of it meanwhile."""
from __future__ import annotations

import contextlib
import dataclasses
import json
import pathlib
import socket
import tempfile
from collections.abc import Iterator
from typing import Any

import make_captures
from harness import DONE, Program, Run, Running
from namespaces import wait_for
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from seeing import Control

LEFT_MAC, RIGHT_MAC = "02:00:00:00:00:01", "02:00:00:00:00:02"
HOST_MAC, GATEWAY_MAC = "02:00:00:00:01:01", "02:00:00:00:02:02"
FLOWS = 64
# A worker's pause in each loop iteration. Virtual ports have packets at all times, and a worker without a pause takes all of
# its CPU from the tests beside it: 32,000 packets per second and queue are enough for most tests.
PACE, FULL_RATE = "1ms", "0"


def flows(path: pathlib.Path, count: int = FLOWS, hosts: int = 1) -> pathlib.Path:
    """A capture with a UDP packet of each flow of some inside hosts. scapy makes one a host: each takes it half a millisecond."""
    first = [bytes(Ether(src=HOST_MAC, dst=LEFT_MAC) / IP(src=f"10.0.0.{2 + n}", dst="203.0.113.9") / UDP(sport=4000, dport=53) / (22 * b"x"))
             for n in range(hosts)]
    path.write_bytes(make_captures.pcap(from_port(first[n % hosts], 4000 + n) for n in range(count)))
    return path


def from_port(frame: bytes, port: int) -> bytes:
    """A UDP packet over IPv4 without options, from another port; its checksum is right still (RFC 1624)."""
    old_port, checksum = (int.from_bytes(frame[at:at + 2], "big") for at in (34, 40))
    total = (~checksum & 0xFFFF) + (~old_port & 0xFFFF) + port
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return frame[:34] + port.to_bytes(2, "big") + frame[36:40] + ((~total & 0xFFFF) or 0xFFFF).to_bytes(2, "big") + frame[42:]


# Hosts of 10.0.0.0/24 on the left; on the right a gateway to everything.
ROUTED: dict[str, Any] = {
    "interfaces": [{"name": "left", "port": 0, "mac": LEFT_MAC, "addresses": ["10.0.0.1/24"]},
                   {"name": "right", "port": 1, "mac": RIGHT_MAC, "addresses": ["198.51.100.1/24"]}],
    "routes": [{"to": "0.0.0.0/0", "via": "198.51.100.2"}],
    "neighbours": [{"interface": "left", "address": "10.0.0.2", "mac": HOST_MAC},
                   {"interface": "right", "address": "198.51.100.2", "mac": GATEWAY_MAC}],
}
NAT44: dict[str, Any] = {"inside": "left", "outside": "right", "pool": ["198.51.100.1"]}


@dataclasses.dataclass
class Live:
    """A running packetwarp, and its file."""

    packetwarp: Program
    running: Running
    config: pathlib.Path
    control: pathlib.Path

    def ask(self, command: str, *words: str) -> Run:
        return self.packetwarp.run(command, [*words, "--control", str(self.control)])

    def said(self, command: str, *words: str) -> str:
        done = self.ask(command, *words)
        assert done.status == DONE, f"{done}\n{self.running.stderr()}"
        return done.stdout

    def json(self, command: str, *words: str) -> Any:
        return json.loads(self.said(command, *words, "--json"))

    def report(self) -> Any:
        """The report of this moment."""
        with Control(self.control) as client:
            return client.ask("report")["result"]

    def write(self, file: dict[str, Any]) -> None:
        self.packetwarp.write_config(file)

    def client(self) -> socket.socket:
        made = socket.socket(socket.AF_UNIX)
        made.settimeout(30)
        made.connect(str(self.control))
        return made


@contextlib.contextmanager
def live(packetwarp: Program, file: dict[str, Any], *devices: str, lcores: str = "0-1", options: tuple[str, ...] = (),
         eal: tuple[str, ...] = (), within: tuple[str, ...] = (), pace: str = PACE) -> Iterator[Live]:
    """Until it forwards. A socket's path is short, a test's folder is not."""
    packetwarp.plane["loop_delay"] = pace
    with tempfile.TemporaryDirectory(prefix="pw") as folder:
        config, control = packetwarp.write_config(file), pathlib.Path(folder) / "s"
        words = ["-l", lcores, *(f"--vdev={device}" for device in devices), *eal]
        with packetwarp.running(words, ["-c", str(config), "--control", str(control), *options], within, command="run") as running:
            running.wait_until_forwarding()
            yield Live(packetwarp, running, config, control)


@contextlib.contextmanager
def routed(packetwarp: Program, file: dict[str, Any], **more: Any) -> Iterator[Live]:
    """The same with the flows of a capture that come on the left, over and over."""
    capture = flows(packetwarp.folder / "flows.pcap", **{name: more.pop(name) for name in ("count", "hosts") if name in more})
    with live(packetwarp, file, f"net_pcap0,rx_pcap={capture},infinite_rx=1", "net_null1,no-rx=1", **more) as made:
        yield made


def wait_until(made: Live, condition: Any, what: str, seconds: float = 20) -> None:
    wait_for(lambda: condition() or not made.running.is_alive(), what, seconds)
    assert made.running.is_alive(), made.running.so_far()
