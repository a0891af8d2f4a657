# SPDX-License-Identifier: Apache-2.0
"""Network namespaces and veth pairs for tests: real kernel stacks that can only reach each other."""
from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

# The work of a network card between the stack and the wire. If it is on, a capture on a veth shows 64 KiB "frames"
# whose checksums are not filled in; if it is off, it shows the frames of a cable.
OFFLOADS = ["tx", "off", "rx", "off", "sg", "off", "tso", "off", "gso", "off", "gro", "off", "txvlan", "off", "rxvlan", "off"]


def run(*argv: str, check: bool = True, timeout: float = 60, **options: Any) -> subprocess.CompletedProcess[str]:
    """subprocess.run with text, captured output, and an exception that shows the command's output."""
    options = {"capture_output": True, "text": True, **options}
    result = subprocess.run(argv, timeout=timeout, check=False, **options)
    if check and result.returncode != 0:
        raise RuntimeError(f"{' '.join(argv)}: exit status {result.returncode}: {result.stderr or result.stdout}")
    return result


def wait_for(condition: Callable[[], Any], what: str, seconds: float = 20, interval: float = 0.05) -> Any:
    """The first true value of condition(); TimeoutError naming `what` without one."""
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"waited {seconds:g} s for {what}")
        time.sleep(interval)
    return value


def stop(process: subprocess.Popen[Any], how: int = signal.SIGTERM, seconds: float = 10) -> int:
    """Ends a process that we started and collects it; SIGKILL if it does not react."""
    if process.poll() is None:
        process.send_signal(how)
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
    return process.wait()


class Namespace:
    """A network namespace; everything in it is addressed through `ip netns exec`."""

    def __init__(self, name: str) -> None:
        self.name = name

    def command(self, *argv: str) -> list[str]:
        return ["ip", "netns", "exec", self.name, *argv]

    def run(self, *argv: str, **options: Any) -> subprocess.CompletedProcess[str]:
        return run(*self.command(*argv), **options)

    def popen(self, *argv: str, **options: Any) -> subprocess.Popen[Any]:
        # `ip netns exec` replaces itself with the command, so the pid is the command's own.
        return subprocess.Popen(self.command(*argv), **options)

    def ip(self, *argv: str, **options: Any) -> subprocess.CompletedProcess[str]:
        return run("ip", "-n", self.name, *argv, **options)

    def sysctl(self, key: str, value: int | str) -> None:
        self.sysctls({key: value})

    def sysctls(self, values: dict[str, int | str]) -> None:
        self.run("sh", "-ec", "; ".join(f"echo {value} > /proc/sys/{key.replace('.', '/')}" for key, value in values.items()))

    def silence(self) -> None:
        """Prevents unrequested frames: no IPv6 neighbour or router discovery from this namespace's kernel."""
        self.sysctls({f"net.ipv6.conf.{scope}.disable_ipv6": 1 for scope in ("all", "default")})

    def trust_addresses(self) -> None:
        """Interfaces made from now on use their IPv6 addresses at once: no second of duplicate address detection."""
        self.sysctls({f"net.ipv6.conf.{scope}.accept_dad": 0 for scope in ("all", "default")})

    def interfaces(self) -> set[str]:
        lines = self.ip("-o", "link").stdout.splitlines()
        return {line.split(": ")[1].split("@")[0] for line in lines}

    def wire_frames_only(self, interface: str) -> None:
        self.run("ethtool", "-K", interface, *OFFLOADS, check=False)

    def address(self, interface: str, *addresses: str) -> None:
        for address in addresses:
            self.ip("address", "add", address, "dev", interface)

    def settle(self) -> None:
        """Waits for IPv6's duplicate address detection: until it is over, an address cannot be bound to."""
        wait_for(lambda: not self.ip("-6", "address", "show", "tentative").stdout, f"IPv6 addresses in {self.name}")


class Namespaces:
    """Namespaces with one unique prefix. They are gone when the `with` block is left, however it is left."""

    _made = 0

    def __init__(self, prefix: str) -> None:
        Namespaces._made += 1
        self._prefix = f"{prefix}-{os.getpid()}-{Namespaces._made}"
        self._all: list[Namespace] = []

    def __enter__(self) -> Namespaces:
        return self

    def __exit__(self, *_: object) -> None:
        for namespace in self._all:
            run("ip", "netns", "delete", namespace.name, check=False)

    def add(self, name: str) -> Namespace:
        namespace = Namespace(f"{self._prefix}-{name}")
        run("ip", "netns", "add", namespace.name)
        self._all.append(namespace)
        namespace.ip("link", "set", "lo", "up")
        return namespace

    @staticmethod
    def connect(one: tuple[Namespace, str], other: tuple[Namespace, str], macs: Sequence[str] = (), mtu: int = 1500) -> None:
        """A veth pair between two namespaces, up, without offloads. It is made there, never in the root namespace."""
        (a, a_name), (b, b_name) = one, other
        ends = [[name, *(("address", macs[index]) if macs else ()), "mtu", str(mtu)] for index, name in enumerate((a_name, b_name))]
        a.ip("link", "add", *ends[0], "type", "veth", "peer", *ends[1], "netns", b.name)
        for namespace, name in (one, other):
            namespace.wire_frames_only(name)
            namespace.ip("link", "set", name, "up")


def exit_on_signals() -> None:
    """SIGTERM and SIGHUP leave through `finally` and `with`, as Ctrl-C does, so that everything is removed."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda received, _: sys.exit(128 + received))


def need_root_and_tools(*tools: str) -> str:
    """The reason why namespaces cannot be used here, "" if they can."""
    if os.geteuid() != 0:
        return "needs root, to make network namespaces"
    missing = [tool for tool in tools if run("sh", "-c", f"command -v {tool}", check=False).returncode != 0]
    if missing:
        return f"needs {', '.join(missing)} (ci/setup.sh installs them)"
    return ""
