# SPDX-License-Identifier: Apache-2.0
"""The network of the scale-out test, by the files of examples/scale-out:

    200 hosts -- front router -- bridge -- replica 0, 1, 2, ... -- bridge -- outer router, which is the server too
    100.64.x.y   10.0.0.254               10.0.0.11, .12, ...    198.51.100.254, 192.0.2.1

Each is a network namespace. A replica is packetwarp and FRR, which speaks by packetwarp's kernel interfaces.
"""
from __future__ import annotations

import contextlib
import dataclasses
import ipaddress
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from typing import Any

from frr import FIRST, Frr
from namespaces import Namespace, Namespaces, stop, wait_for

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLE = HERE.parents[1] / "examples/scale-out"
SERVER, PORT = "192.0.2.1", 7000
HOSTS = {"steady": "100.64.0", "changing": "100.64.1"}  # 100 each
PER_NETWORK = 100
BUCKETS = 64  # few enough for idle ones to have hosts
IDLE_SECONDS = 3  # of a bucket before it may move


def filled(name: str, ordinal: int = 0) -> str:
    """A file of the example for a replica: FRR has no variables of its own."""
    text = (EXAMPLE / name).read_text(encoding="utf-8")
    return re.sub(r"\$\{ordinal\+(\d+)\}", lambda found: str(ordinal + int(found.group(1))), text)


def replica_of(address: str) -> int:
    """The ordinal whose block of the pool has an outside address."""
    offset = int(ipaddress.ip_address(address)) - int(ipaddress.ip_address("203.0.113.0"))
    assert 0 <= offset < 256, address
    return offset // 64


@dataclasses.dataclass
class Replica:
    """packetwarp and FRR in a namespace of their own."""

    program: pathlib.Path
    namespace: Namespace
    ordinal: int
    folder: pathlib.Path
    frr: Frr | None = None
    running: subprocess.Popen[bytes] | None = None

    @property
    def control(self) -> str:
        return str(self.folder / f"nat-{self.ordinal}.sock")

    def start(self) -> None:
        environment = {**os.environ, "POD_NAME": f"nat-{self.ordinal}", "RUN": str(self.folder), "STATE": str(self.folder),
                       "LCORES": str(sorted(os.sched_getaffinity(0))[self.ordinal % len(os.sched_getaffinity(0))]),
                       "XDG_RUNTIME_DIR": str(self.folder)}
        with open(self.folder / "packetwarp.log", "ab") as log:
            self.running = self.namespace.popen(*FIRST, str(self.program), "run", "-c", str(EXAMPLE / "replica.yaml"), "--json", str(self.folder / "result.json"),
                                                stdout=log, stderr=log, env=environment)
        wait_for(lambda: self.answers() or self.running.poll() is not None, "its control socket")
        assert self.running.poll() is None, self.log()

    def log(self) -> str:
        return (self.folder / "packetwarp.log").read_text()

    def ask(self, *words: str) -> str:
        return subprocess.run([self.program, *words, "--control", self.control], capture_output=True, text=True, check=True, timeout=60).stdout

    def answers(self) -> bool:
        return subprocess.run([self.program, "workers", "--control", self.control], capture_output=True, check=False, timeout=60).returncode == 0

    def kill(self) -> None:
        stop(self.running, signal.SIGKILL)

    def result(self) -> Any:
        """The result of a run that ends by itself."""
        assert self.running.wait(60) == 0, self.log()
        return json.loads((self.folder / "result.json").read_text())

    def sessions(self) -> int:
        return json.loads(self.ask("nat", "stats", "--json"))["live"]


class Hosts:
    """The hosts of a network, in a process of their own."""

    def __init__(self, namespace: Namespace, network: str) -> None:
        self.process = namespace.popen(sys.executable, str(HERE / "hosts.py"), network, str(PER_NETWORK), SERVER, str(PORT),
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, command: str) -> dict[str, Any]:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


class Bed:
    """The whole network, with all replicas. It is gone when the `with` block is left."""

    def __init__(self, program: pathlib.Path, most: int = 3) -> None:
        self.program, self.most = program, most
        self.stack = contextlib.ExitStack()
        self.replicas: list[Replica] = []
        self.hosts: dict[str, Hosts] = {}

    def __enter__(self) -> Bed:
        with contextlib.ExitStack() as stack:
            # FRR's daemons have a user of their own, and read and write here.
            self.folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="pws")))
            self.folder.chmod(0o755)
            self.spaces = stack.enter_context(Namespaces("pws"))
            stack.callback(self.end)
            stack.callback(self.keep_logs)
            self.make_routers(stack)
            self.replicas = [self.make_replica(n, stack) for n in range(self.most)]
            self.stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self.stack.close()

    def make_routers(self, stack: contextlib.ExitStack) -> None:
        self.fabric, self.front, self.outer = (self.spaces.add(name) for name in ("fabric", "front", "outer"))
        for one in (self.fabric, self.front, self.outer):
            one.silence()
        for bridge in ("inner", "outer"):
            self.fabric.ip("link", "add", bridge, "type", "bridge", "mcast_snooping", "0")
            self.fabric.ip("link", "set", bridge, "up")
        self.plug(self.front, "e0", "inner", "front", "10.0.0.254/24")
        self.plug(self.outer, "e0", "outer", "outer", "198.51.100.254/24")
        self.outer.address("lo", f"{SERVER}/32")
        for router in (self.front, self.outer):
            router.sysctl("net.ipv4.ip_forward", 1)
        # Hosts are told apart by their source address alone.
        self.front.sysctl("net.ipv4.fib_multipath_hash_policy", 3)
        self.front.sysctl("net.ipv4.fib_multipath_hash_fields", 1)
        for n, (name, network) in enumerate(HOSTS.items()):
            self.make_hosts_network(name, network, n)
        self.routers = [stack.enter_context(Frr(namespace, self.folder / name, filled(f"{name}-bgpd.conf"), filled("router-bfdd.conf")))
                        for namespace, name in ((self.front, "front"), (self.outer, "outer"))]
        self.group_log = self.folder / "group.log"
        self.background(self.front, self.group_log, str(EXAMPLE / "resilient_group.py"), "e0", "--idle", str(IDLE_SECONDS), "--buckets", str(BUCKETS))
        self.background(self.outer, self.folder / "server.log", str(HERE / "server.py"), SERVER, str(PORT))
        wait_for(lambda: "serving" in (self.folder / "server.log").read_text(), "the server")

    def background(self, namespace: Namespace, log: pathlib.Path, *program: str) -> None:
        with open(log, "ab") as out:
            process = namespace.popen(sys.executable, *program, stdout=out, stderr=out)
        self.stack.callback(stop, process)

    def plug(self, namespace: Namespace, name: str, bridge: str, port: str, *addresses: str) -> None:
        """A cable from a namespace to a bridge."""
        self.spaces.connect((self.fabric, f"{bridge[0]}-{port}"), (namespace, name))
        self.fabric.ip("link", "set", f"{bridge[0]}-{port}", "master", bridge)
        namespace.address(name, *addresses)

    def make_hosts_network(self, name: str, network: str, n: int) -> None:
        made = self.spaces.add(name)
        made.silence()
        self.spaces.connect((made, "e0"), (self.front, f"h{n}"))
        made.address("e0", f"100.65.{n}.2/30")
        self.front.address(f"h{n}", f"100.65.{n}.1/30")
        for host in range(1, 1 + PER_NETWORK):
            made.address("lo", f"{network}.{host}/32")
        made.ip("route", "add", "default", "via", f"100.65.{n}.1")
        self.front.ip("route", "add", f"{network}.0/24", "via", f"100.65.{n}.2")

    def make_replica(self, ordinal: int, stack: contextlib.ExitStack) -> Replica:
        namespace, folder = self.spaces.add(f"nat{ordinal}"), self.folder / f"nat-{ordinal}"
        folder.mkdir()
        namespace.silence()
        for scope in ("all", "default"):
            namespace.sysctl(f"net.ipv4.conf.{scope}.rp_filter", 0)
        for name, bridge in (("in0", "inner"), ("out0", "outer")):
            self.plug(namespace, name, bridge, f"nat{ordinal}")
            namespace.sysctl(f"net.ipv4.conf.{name}.arp_ignore", 8)
        made = Replica(self.program, namespace, ordinal, folder)
        made.frr = stack.enter_context(Frr(namespace, folder / "frr", filled("replica-bgpd.conf", ordinal), filled("replica-bfdd.conf"),
                                           filled("replica-zebra.conf")))
        return made

    def start_hosts(self) -> None:
        self.hosts = {name: Hosts(next(one for one in self.spaces._all if one.name.endswith(f"-{name}")), network) for name, network in HOSTS.items()}

    def end(self) -> None:
        for one in self.hosts.values():
            stop(one.process)
        for replica in self.replicas:
            if replica.running:
                stop(replica.running)

    def keep_logs(self) -> None:
        """The logs outlive the network, for the search for a failure."""
        shutil.copytree(self.folder, EXAMPLE.parents[1] / "build/reports/scale", dirs_exist_ok=True,
                        ignore=shutil.ignore_patterns("*.sock", "*.vty", "zserv", "*.bin"))

    def group_changes(self) -> list[str]:
        """The next hops of the front router's resilient group, after each of its changes."""
        return [line for line in self.group_log.read_text().splitlines() if line.startswith("next hops: ")]

    def next_hops(self) -> list[str]:
        return changes[-1].split()[2:] if (changes := self.group_changes()) else []

    def wait_for_group(self, ordinals: set[int]) -> None:
        wanted = sorted(f"10.0.0.{11 + n}" for n in ordinals)
        wait_for(lambda: self.next_hops() == wanted, f"the group {wanted}, which is {self.next_hops()}", 40)

    def report(self) -> dict[str, dict[str, Any]]:
        """By host: what has happened since the last report."""
        return {host: said for one in self.hosts.values() for host, said in one.ask("report").items()}
