# SPDX-License-Identifier: Apache-2.0
"""The network of a plan: a gateway with the victim's network on one side and every client and attacker, alone in its namespace, on
the other. Nothing leads out of these namespaces.

    client  e0 ---- n0 relay f0 ---- p1 gateway p0 ---- e0 victim     captured on the victim's e0
    attacker e0 ------------------- p2 gateway"""
from __future__ import annotations

import dataclasses
import json
import os
import pathlib
import signal
import subprocess
import time
from collections.abc import Sequence
from types import TracebackType

from namespaces import Namespace, Namespaces

from .plan import Host, Plan, draw_mac, is_flood

INTERFACE = "e0"


def own_processes(space: Namespace) -> list[int]:
    """The processes in a namespace of ours: the ones that we started, and their children."""
    listed = subprocess.run(["ip", "netns", "pids", space.name], capture_output=True, text=True, check=False)
    return [int(word) for word in listed.stdout.split()]


def end_processes(spaces: Sequence[Namespace], seconds: float = 3) -> None:
    """Ends all processes in namespaces of ours. A namespace lives as long as a process in it."""
    deadline = time.monotonic() + seconds
    how = signal.SIGTERM
    while pids := [pid for space in spaces for pid in own_processes(space)]:
        if time.monotonic() > deadline:
            how, deadline = signal.SIGKILL, deadline + seconds
        for pid in pids:
            try:
                os.kill(pid, how)
            except ProcessLookupError:
                pass
        time.sleep(0.05)


class Network:
    """The namespaces of a plan, up and with addresses. All of it is gone when the `with` block is left, however it is left."""

    def __init__(self, plan: Plan, work: pathlib.Path, script: Sequence[str]) -> None:
        self.plan, self.work, self.script = plan, work, list(script)
        self._spaces = Namespaces("pw-traffic")
        self._all: list[Namespace] = []
        self._processes: list[subprocess.Popen[bytes]] = []
        self.of: dict[str, Namespace] = {}

    def __enter__(self) -> Network:
        try:
            self._build()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        # A second Ctrl-C does not leave half of it.
        before = [(number, signal.signal(number, signal.SIG_IGN)) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)]
        try:
            end_processes(self._all)
            for process in self._processes:
                process.wait()
            self._spaces.__exit__(kind, value, trace)
        finally:
            for number, handler in before:
                signal.signal(number, handler)

    def start(self, space: Namespace, *argv: str, log: str, **options: object) -> subprocess.Popen[bytes]:
        with open(self.work / log, "ab") as output:
            process = space.popen(*argv, stdin=subprocess.DEVNULL, stdout=output, stderr=output, cwd=self.work, **options)
        self._processes.append(process)
        return process

    def _add(self, name: str) -> Namespace:
        space = self._spaces.add(name)
        self._all.append(space)
        space.trust_addresses()
        return space

    def _build(self) -> None:
        self._lines = self._add("lines")
        self._lines.silence()
        self._gateway = self._add("gateway")
        for scope in ("all", "default"):
            # Strict: labels rely on it.
            self._gateway.sysctl(f"net.ipv4.conf.{scope}.rp_filter", 1)
            self._gateway.sysctl(f"net.ipv6.conf.{scope}.forwarding", 1)
        self._gateway.sysctl("net.ipv4.ip_forward", 1)
        for number, host in enumerate((self.plan.victim, *self.plan.outside)):
            self.of[host.name] = self._add(host.name)
            self._attach(host, number)
        for address in self.plan.addresses[1:]:
            self.of["victim"].address(INTERFACE, f"{address}/{self.plan.victim.prefix.prefixlen}")
        for host in self.plan.attackers:
            self._forge(host)
        for host in self.plan.clients:
            self._own_prefix(host)

    def _attach(self, host: Host, number: int) -> None:
        space, port = self.of[host.name], f"p{number}"
        macs = [draw_mac(self.plan.random(f"cable {number} {end}")) for end in range(2)]
        ends = (space, INTERFACE), (self._gateway, port)
        if host.line:
            Namespaces.connect(ends[0], (self._lines, f"n{number}"), (host.mac, macs[0]), host.mtu)
            Namespaces.connect((self._lines, f"f{number}"), ends[1], macs, host.mtu)
            self.start(self._lines, *self.script, "_line", f"n{number}", f"f{number}", json.dumps(dataclasses.asdict(host.line)),
                       f"{self.plan.scenario}/{self.plan.seed}/{host.name}", log=f"line{number}.log")
        else:
            Namespaces.connect(*ends, (host.mac, macs[1]), host.mtu)
        for key, value in host.stack:
            space.sysctl(key, value)
        # All of a prefix lies at its host: a sweep over absent addresses arrives there, and nothing asks for them by ARP.
        space.address(INTERFACE, f"{host.address}/{host.prefix.prefixlen}", f"{host.address6}/64")
        space.ip("route", "add", "default", "via", str(host.gateway))
        space.ip("-6", "route", "add", "default", "via", str(host.gateway6))
        self._gateway.address(port, f"{host.gateway}/32", f"{host.gateway6}/128")
        self._gateway.ip("route", "add", str(host.prefix), "via", str(host.address), "dev", port, "onlink")
        self._gateway.ip("-6", "route", "add", str(host.prefix6), "via", str(host.address6), "dev", port, "onlink")

    def _own_prefix(self, host: Host) -> None:
        """All addresses of the host's prefix become its own, but the gateway's."""
        space = self.of[host.name]
        # In the main table, so that the gateway's address has a longer prefix than the rest and stays a neighbour's.
        space.ip("route", "add", f"{host.gateway}/32", "dev", INTERFACE)
        for half in host.prefix.subnets():
            space.ip("route", "add", "local", str(half), "dev", INTERFACE, "table", "main")

    def _forge(self, host: Host) -> None:
        """The sources of this attacker's packets become others of its prefix. Some forged hosts answer with resets, as real ones do."""
        forged = self.plan.forged_sources(host)
        if not is_flood(host.label) or not forged:
            return
        space = self.of[host.name]
        if self.plan.random(f"answers {host.name}").choice((0, 1)):
            self._own_prefix(host)
        chosen = ", ".join(f"{number} : {address}" for number, address in enumerate(forged))
        rules = f"""table ip forged {{
            chain output {{
                type filter hook output priority raw;
                ip daddr {self.plan.victim.prefix} ip saddr {host.address} ip saddr set numgen random mod {len(forged)} map {{ {chosen} }}
            }}
        }}"""
        space.run("nft", "-f", "-", input=rules)
