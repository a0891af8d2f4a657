# SPDX-License-Identifier: Apache-2.0
"""The place of the recording: namespaces, the links between them, the relays on the trunks, the capture points."""
from __future__ import annotations

import pathlib
import select
import signal
import socket
import struct
import subprocess
import time

from namespaces import Namespace, Namespaces, run, stop, wait_for

# Linux's packet socket, from <linux/if_packet.h>; Python has no names for these two.
SOL_PACKET, PACKET_IGNORE_OUTGOING = 263, 23


# --- the trunk: two relays in one process -------------------------------------------------------------------------------


def packet_socket(interface: str) -> socket.socket:
    every_protocol = 0x0003
    raw = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(every_protocol))
    raw.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
    raw.bind((interface, 0))
    return raw


def with_tags(frame: bytes, tags: list[tuple[int, int]]) -> bytes:
    return frame[:12] + b"".join(struct.pack("!HH", *tag) for tag in tags) + frame[12:]


def without_tags(frame: bytes) -> bytes:
    """The kernel may have removed the outermost tag of a packet that a packet socket receives, or not: both work."""
    while frame[12:14] in (b"\x81\x00", b"\x88\xa8"):
        frame = frame[:12] + frame[16:]
    return frame


def relay(near: str, trunk_near: str, trunk_far: str, far: str, tags: list[tuple[int, int]]) -> None:
    """The client's frames get their tags on the way to the trunk, lose them after it, and the same the other way round."""
    sockets = {name: packet_socket(name) for name in (near, trunk_near, trunk_far, far)}
    routes = {
        sockets[near]: (sockets[trunk_near], True),
        sockets[trunk_far]: (sockets[far], False),
        sockets[far]: (sockets[trunk_far], True),
        sockets[trunk_near]: (sockets[near], False),
    }
    while True:
        for source in select.select(list(routes), [], [])[0]:
            target, tagging = routes[source]
            frame = source.recv(65535)
            target.send(with_tags(frame, tags) if tagging else without_tags(frame))


def relay_from_text(arguments: list[str]) -> None:
    *interfaces, text = arguments
    near, trunk_near, trunk_far, far = interfaces
    relay(near, trunk_near, trunk_far, far, [(int(a, 16), int(b)) for a, b in (t.split(":") for t in text.split(","))])


# --- namespaces and links -----------------------------------------------------------------------------------------------


class Topology:
    """The namespaces, their links and the processes in them. `script` is the command that becomes a relay or an end."""

    def __init__(self, spaces: Namespaces, work: pathlib.Path, script: list[str]) -> None:
        self.work, self.script = work, script
        self.processes: list[subprocess.Popen[bytes]] = []
        self.captures: list[pathlib.Path] = []
        self.client, self.router, self.server, self.trunk = (
            spaces.add(name) for name in ("client", "router", "server", "trunk"))
        connect = spaces.connect
        connect((self.client, "c0"), (self.router, "r0"), ("02:00:00:00:01:02", "02:00:00:00:01:01"))
        connect((self.router, "r1"), (self.server, "s0"), ("02:00:00:00:02:01", "02:00:00:00:02:02"))
        # 4 bytes less for each tag: the frames on the trunk stay within 1514 bytes.
        for number, (name, mtu) in enumerate((("v10", 1496), ("vq", 1492)), start=3):
            macs = (f"02:00:00:00:{number:02x}:02", f"02:00:00:00:{number:02x}:01")
            self.trunk.silence()
            connect((self.client, name), (self.trunk, f"{name}n"), (macs[0], "02:00:00:00:ff:01"), mtu)
            connect((self.server, name), (self.trunk, f"{name}f"), (macs[1], "02:00:00:00:ff:02"), mtu)
            connect((self.trunk, f"{name}a"), (self.trunk, f"{name}b"))
        self.router.sysctl("net.ipv4.ip_forward", 1)
        self.router.sysctl("net.ipv6.conf.all.forwarding", 1)

    def start(self, space: Namespace, *argv: str) -> subprocess.Popen[bytes]:
        log = open(self.work / f"{len(self.processes)}.log", "wb")
        self.processes.append(space.popen(*argv, stdout=log, stderr=log, stdin=subprocess.DEVNULL))
        return self.processes[-1]

    def capture(self, space: Namespace, interface: str) -> None:
        path = self.work / f"{interface}.pcap"
        self.start(space, "tcpdump", "-i", interface, "-n", "-U", "-s", "65535", "-B", "8192", "-Z", "root", "-w", str(path))
        self.captures.append(path)
        wait_for(lambda: path.exists() and path.stat().st_size >= 24, f"tcpdump on {interface}")

    def start_captures_and_relays(self) -> None:
        self.capture(self.router, "r0")
        self.capture(self.trunk, "v10a")
        self.capture(self.trunk, "vqa")
        for name, tags in (("v10", "8100:10"), ("vq", "88a8:100,8100:20")):
            self.start(self.trunk, *self.script, "_relay", f"{name}n", f"{name}a", f"{name}b", f"{name}f", tags)
        time.sleep(0.5)

    def give_addresses(self) -> None:
        """After the captures have begun: duplicate address detection and multicast reports belong to the mixture."""
        self.client.address("c0", "10.1.0.2/24", "fd01::2/64")
        self.router.address("r0", "10.1.0.1/24", "fd01::1/64")
        self.router.address("r1", "10.2.0.1/24", "fd02::1/64")
        self.server.address("s0", "10.2.0.2/24", "fd02::2/64")
        for name, number in (("v10", 3), ("vq", 4)):
            self.client.address(name, f"10.{number}.0.2/24", f"fd0{number}::2/64")
            self.server.address(name, f"10.{number}.0.1/24", f"fd0{number}::1/64")
        for space, number, via in ((self.client, 2, 1), (self.server, 1, 2)):
            space.ip("route", "add", f"10.{number}.0.0/24", "via", f"10.{via}.0.1")
            space.ip("-6", "route", "add", f"fd0{number}::/64", "via", f"fd0{via}::1")
        # A route that the router does not have: it answers that the net is unreachable.
        self.client.ip("route", "add", "10.99.0.0/24", "via", "10.1.0.1")
        self.client.ip("-6", "route", "add", "fd99::/64", "via", "fd01::1")
        for space in (self.client, self.router, self.server):
            space.settle()

    def stop(self) -> None:
        for process in self.processes:
            stop(process, signal.SIGINT)

    def merge(self, output: pathlib.Path) -> None:
        run("mergecap", "-F", "pcap", "-w", str(output), *map(str, self.captures))
