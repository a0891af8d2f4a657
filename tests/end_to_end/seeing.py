# SPDX-License-Identifier: Apache-2.0
"""A running l2fwd that can be watched, and how a report of the moment is asked for and checked."""
from __future__ import annotations

import contextlib
import json
import pathlib
import socket
import tempfile
import time
from collections.abc import Iterator
from typing import Any

from harness import Program, Running
from namespaces import wait_for

NULLS = ("net_null0,copy=0,size=60", "net_null1,copy=0,size=60")


class Control:
    """A connection to a control socket."""

    def __init__(self, path: pathlib.Path) -> None:
        self._path = path
        self._connect()

    def _connect(self) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(60)
        self._socket.connect(str(self._path))
        self._lines = self._socket.makefile()

    def __enter__(self) -> Control:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def _close(self) -> None:
        self._lines.close()
        self._socket.close()

    def ask(self, command: str, **arguments: str) -> dict[str, Any]:
        """Another connection where other clients have all places, as the command line does."""
        over = time.monotonic() + 60
        while (answer := self._ask(command, arguments)).get("again") and time.monotonic() < over:
            self._close()
            time.sleep(0.05)
            self._connect()
        return answer

    def _ask(self, command: str, arguments: dict[str, str]) -> dict[str, Any]:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # why is what it has said before
            self._socket.sendall(json.dumps({"command": command, "arguments": arguments}).encode() + b"\n")
        return json.loads(self._lines.readline())

    def report(self) -> dict[str, Any]:
        answer = self.ask("report")
        assert answer["status"] == 0, answer
        return assert_accounted_for(answer["result"])

    def later_report(self, than: dict[str, Any]) -> dict[str, Any]:
        """Another one, with more packets: there is one a second at most."""
        made: list[dict[str, Any]] = []

        def is_later() -> bool:
            made[:] = [self.report()]
            return made[0]["packets"]["rx"] > than["packets"]["rx"]
        wait_for(is_later, "another report", seconds=60)
        return made[0]


def assert_accounted_for(report: dict[str, Any]) -> dict[str, Any]:
    """At this moment too: each received packet has left, was dropped by name, or is still held."""
    packets = report["packets"]
    gone = packets["tx"] + packets["punted"] + packets["in_flight"] + sum(packets["dropped"].values())
    assert packets["rx"] == gone, packets
    assert packets["rx"] == sum(pipeline["rx"] for pipeline in report["pipelines"])
    return report


def counts_of(report: dict[str, Any]) -> dict[str, int]:
    """Numbers that only grow."""
    found = {f"dropped {name}": count for name, count in report["packets"]["dropped"].items()}
    found |= {name: report["packets"][name] for name in ("rx", "tx")}
    for pipeline in report["pipelines"]:
        found |= {f"pipeline {pipeline['id']} {name}": pipeline[name] for name in ("rx", "tx", "bursts", "ring_full")}
    for worker in report["workers"]:
        found[f"lcore {worker['lcore']} loops"] = worker["loops"]
        for stage in worker["stages"]:
            found |= {f"lcore {worker['lcore']} {stage['name']} {name}": stage[name] for name in ("calls", "packets", "cycles")}
    for port in report["ports"]:
        found |= {f"port {port['id']} {name}": port[name] for name in ("rx_packets", "tx_packets", "imissed")}
    return found


def assert_grown(before: dict[str, Any], after: dict[str, Any]) -> None:
    then, now = counts_of(before), counts_of(after)
    for name, count in then.items():
        assert count <= now[name], f"{name}: {count}, then {now[name]}"


@contextlib.contextmanager
def seen_l2fwd(packetwarp: Program, *options: str, devices: tuple[str, ...] = NULLS, lcores: str = "0-1",
               eal: tuple[str, ...] = (), within: tuple[str, ...] = ()) -> Iterator[tuple[Running, pathlib.Path]]:
    """l2fwd that forwards, and its control socket. A socket's path is short, a test's folder is not."""
    with tempfile.TemporaryDirectory(prefix="pw") as folder:
        control = pathlib.Path(folder) / "s"
        words = ["--lcores", lcores, *(f"--vdev={device}" for device in devices), *eal]
        with packetwarp.running(words, ["--control", str(control), *options], within) as running:
            running.wait_until_forwarding()
            yield running, control
