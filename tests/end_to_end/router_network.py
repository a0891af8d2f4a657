# SPDX-License-Identifier: Apache-2.0
"""Two networks and `packetwarp run` between them: a host in each, with Linux's own network stack."""
from __future__ import annotations

import contextlib
import copy
import dataclasses
import json
import pathlib
import re
import sys
from collections.abc import Iterator
from typing import Any

from harness import Program, Run, Running
from joined import skip_where_missing
from namespaces import Namespace, Namespaces, stop, wait_for
from raw_interface import RawInterface

LEFT_HOST_MAC, RIGHT_HOST_MAC = "02:00:00:00:01:02", "02:00:00:00:02:02"
# The address that Linux makes from RIGHT_HOST_MAC (RFC 4291, appendix A).
RIGHT_LINK_LOCAL = "fe80::ff:fe00:202"

# 1.1.1.0/24 behind w0 and 2.2.2.0/24 behind w1, with IPv6 beside.
TWO_NETWORKS: dict[str, Any] = {
    "data_plane": {"executor": "cpu"},
    "interfaces": [
        {"name": "left", "port": 0, "mac": "4a:ac:4f:29:87:80",
         "addresses": ["1.1.1.1/24", "2001:db8:1::1/64"]},
        {"name": "right", "port": 1, "mac": "86:19:a0:b8:10:bd",
         "addresses": ["2.2.2.1/24", "2001:db8:2::1/64"]},
    ],
}


def two_networks(**sections: Any) -> dict[str, Any]:
    """The file that describes them, with further sections."""
    return {**copy.deepcopy(TWO_NETWORKS), **sections}


@dataclasses.dataclass
class RouterNetwork:
    """left l0 --- w0 packetwarp w1 --- r0 right; the hosts are 1.1.1.2 and 2.2.2.2, 2001:db8:1::2 and 2001:db8:2::2."""

    routing: Running
    left: Namespace
    middle: Namespace
    right: Namespace

    def end(self) -> Run:
        """Ctrl-C, and a good end: nothing in flight, every packet accounted for, what the ports counted among it."""
        done = self.routing.interrupt()
        report = done.result
        kernels = report.get("kernel", [])
        received = report["packets"]["rx"] + sum(kernel["in"]["received"] for kernel in kernels)
        assert sum(port["rx_packets"] for port in report["ports"]) == received, report
        sent = report["packets"]["tx"] + report["control"]["sent"] + sum(kernel["out"]["sent"] for kernel in kernels)
        assert sum(port["tx_packets"] for port in report["ports"]) == sent, report
        return done


@contextlib.contextmanager
def router_between(packetwarp: Program, namespaces: Namespaces, file: dict[str, Any], *, ipv6: bool = True,
                   right_mtu: int = 1500, driver: str = "net_af_packet", lcores: str = "0-1",
                   queues: int = 1) -> Iterator[RouterNetwork]:
    """ipv6: without it the hosts' kernels send no unrequested packets. queues: of each port, either way; net_af_packet decides
    which packets come by which."""
    skip_where_missing(driver)
    left, middle, right = (namespaces.add(name) for name in ("left", "middle", "right"))
    for namespace in (middle,) if ipv6 else (left, middle, right):
        namespace.silence()
    for host in (left, right):
        host.trust_addresses()
    namespaces.connect((left, "l0"), (middle, "w0"), macs=(LEFT_HOST_MAC, "02:00:00:00:01:00"))
    namespaces.connect((right, "r0"), (middle, "w1"), macs=(RIGHT_HOST_MAC, "02:00:00:00:02:00"))
    for number, (host, interface) in enumerate(((left, "l0"), (right, "r0")), start=1):
        host.address(interface, f"{number}.{number}.{number}.2/24")
        host.ip("route", "add", "default", "via", f"{number}.{number}.{number}.1")
        if ipv6:
            host.address(interface, f"2001:db8:{number}::2/64")
            host.ip("-6", "route", "add", "default", "via", f"2001:db8:{number}::1")
            host.settle()
    right.ip("link", "set", "r0", "mtu", str(right_mtu))
    with routing_in(middle, packetwarp, file, driver, lcores, queues) as routing:
        yield RouterNetwork(routing, left, middle, right)


@contextlib.contextmanager
def routing_in(middle: Namespace, packetwarp: Program, file: dict[str, Any], driver: str, lcores: str = "0-1",
               queues: int = 1) -> Iterator[Running]:
    """`packetwarp run` on w0 and w1, once it forwards."""
    config = packetwarp.write_config(file)
    # The driver does not count packets without room. So it has room for the packets that come while another program has
    # the CPU.
    room = ",framecnt=8192" if driver == "net_af_packet" else ""
    more = f",qpairs={queues}" if queues != 1 else ""
    devices = [f"--vdev={driver}{i},iface=w{i}{room}{more}" for i in range(2)]
    with packetwarp.running(["--lcores", lcores, *devices], ["-c", str(config)], within=middle.command(),
                            command="run") as routing:
        yield routing.wait_until_forwarding()


@dataclasses.dataclass(frozen=True)
class Pinged:
    """ping's result for its echo requests."""

    sent: int
    received: int
    output: str

    def says(self, words: str) -> int:
        """How many lines say so."""
        return sum(words in line for line in self.output.splitlines())


def ping(host: Namespace, to: str, *options: str, count: int = 3) -> Pinged:
    """Asks until `count` answers have come. Late answers count, as on a machine that stands still now and then."""
    pinged = pinged_by(host, to, "-w", "20", *options, count=count)
    # More late answers may come at once than are awaited.
    return dataclasses.replace(pinged, received=min(pinged.received, count))


def ping_in_vain(host: Namespace, to: str, *options: str, count: int = 3) -> Pinged:
    """Asks this often, for errors or nothing."""
    return pinged_by(host, to, "-W", "5", *options, count=count)


def pinged_by(host: Namespace, to: str, *options: str, count: int) -> Pinged:
    done = host.run("ping", "-n", "-c", str(count), "-i", "0.05", *options, to, check=False)
    found = re.search(r"(\d+) packets transmitted, (\d+) received", done.stdout)
    assert found, f"{done.args}: exit status {done.returncode}\n{done.stdout}{done.stderr}"
    return Pinged(int(found[1]), int(found[2]), done.stdout + done.stderr)


@contextlib.contextmanager
def listening(host: Namespace, port: int, *command: str) -> Iterator[None]:
    """A server in a host, from when it listens; ended with the block."""
    server = host.popen(*command)
    try:
        wait_for(lambda: host.run("ss", "-Hltn", f"sport = {port}").stdout, f"{command[0]} to listen")
        yield
    finally:
        stop(server)


@contextlib.contextmanager
def serving(host: Namespace, address: str, folder: pathlib.Path, content: bytes) -> Iterator[None]:
    """The content by HTTP as /served, on port 8000."""
    (folder / "served").write_bytes(content)
    with listening(host, 8000, sys.executable, "-m", "http.server", "--bind", address, "--directory", str(folder), "8000"):
        yield


def fetch(client: Namespace, address: str, folder: pathlib.Path, port: int = 8000) -> bytes:
    """The content as it arrives."""
    fetched = folder / "fetched"
    host = f"[{address}]" if ":" in address else address
    client.run("curl", "--silent", "--show-error", "--fail", "--max-time", "30", "-o", str(fetched),
               f"http://{host}:{port}/served")
    return fetched.read_bytes()


def iperf3(client: Namespace, server: Namespace, address: str, *options: str) -> dict[str, Any]:
    """A second of traffic to the server, as the client reports it."""
    with listening(server, 5201, "iperf3", "--server", "--one-off", "--bind", address, "--logfile", "/dev/null"):
        said = json.loads(client.run("iperf3", "--client", address, "--time", "1", "--json", *options).stdout)
    assert "error" not in said, said["error"]
    return said["end"]


def everything_on(interface: RawInterface) -> list[bytes]:
    """The frames that have arrived so far."""
    frames: list[bytes] = []
    while (frame := interface.receive(0.2)) is not None:
        frames.append(frame)
    return frames
