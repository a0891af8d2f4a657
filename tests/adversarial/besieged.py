# SPDX-License-Identifier: Apache-2.0
"""`packetwarp run` between wires whose far ends are the tests': attackers and strangers. Nothing else is on them."""
from __future__ import annotations

import contextlib
import copy
import dataclasses
import socket
import struct
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from figures import Figures
from frames import arp, ethernet
from harness import Program, Run, resident_bytes
from joined import skip_where_missing
from live import FULL_RATE, Live, live
from namespaces import Namespace, Namespaces, need_root_and_tools
from seeing import Control
from stranger import ENOUGH, PORT, SOURCE_PORT, BothWays, Share, Stranger, udp_flow
from wire_end import ETHERTYPE_AT, LOAD_HALF, Background, WireEnd, lose_or_send, only

MEBIBYTE = 1 << 20
# The memory that a packet pool, session tables and buffers may newly take.
SLACK = 96 * MEBIBYTE
# Hosts 2 to 9 of each wire are known; the far ends of all wires are "hosts" with one MAC address.
KNOWN = range(2, 10)


def router_mac(port: int) -> str:
    return f"02:00:00:01:00:{port:02x}"


def host_mac(port: int) -> str:
    return f"02:00:00:02:00:{port:02x}"


def host(port: int, number: int = 2) -> str:
    """10.1.0.2 is the first host of port 0."""
    return f"10.{port + 1}.{number >> 8}.{number & 255}"


def host6(port: int, number: int = 2) -> str:
    return f"2001:db8:{port + 1}::{number:x}"


def routed(wires: int = 2, **sections: Any) -> dict[str, Any]:
    """10.1.0.0/16 on port 0, 10.2.0.0/16 on port 1 and so on; some hosts of each known beforehand."""
    return copy.deepcopy({
        "interfaces": [{"name": f"if{n}", "port": n, "mac": router_mac(n),
                        "addresses": [f"{host(n, 1)}/16", f"{host6(n, 1)}/64"]} for n in range(wires)],
        "neighbours": [{"interface": f"if{n}", "address": address, "mac": host_mac(n)}
                       for n in range(wires) for number in KNOWN for address in (host(n, number), host6(n, number))],
        **sections})


def translated(wires: int = 2, **more: Any) -> dict[str, Any]:
    """NAT44 from port 0 to port 1, whose own address is the pool. Much is beyond host 2 of port 1."""
    return routed(wires, routes=[{"to": "198.18.0.0/15", "via": host(1)}], nat44={"inside": "if0", "outside": "if1", "pool": [host(1, 1)], **more})


@dataclasses.dataclass
class Besieged:
    """A running packetwarp, its wires' far ends by port, and its memory before."""

    live: Live
    ends: list[WireEnd]
    middle: Namespace
    figures: Figures
    memory: int

    def stranger(self, sender: int = 0, receiver: int = 1, **more: Any) -> Stranger:
        """From host 2 of a wire to host 2 of another: both are known. Without NAT44 in both directions."""
        made = more.pop("frame", None) or udp_flow(self.ends[sender], host(sender), host(receiver))
        return Stranger(self.ends[sender], self.ends[receiver], made, **more)

    @contextlib.contextmanager
    def strangers(self, sender: int = 0, receiver: int = 1, back_to: str | None = None) -> Iterator[BothWays]:
        """There and back. back_to: where answers go, if not to the host itself: the outside address of its session."""
        there, back = self.stranger(sender, receiver), self.stranger(
            frame=udp_flow(self.ends[receiver], host(receiver), back_to or host(sender), PORT, SOURCE_PORT), sender=receiver,
            receiver=sender, port=SOURCE_PORT)
        with there.going():
            there.calm(0.1)  # NAT44 has its session
            with back.going():
                yield BothWays(there, back)

    def report(self) -> dict[str, Any]:
        with Control(self.live.control) as control:
            return control.report()

    def grown(self) -> int:
        return resident_bytes(self.live.running.process.pid) - self.memory

    def must_go_on(self, what: str, calm: Share, attacked: Share) -> None:
        """The bar: the stranger's packets arrive, and memory is bounded. Latency is told."""
        self.figures.say(f"{what}: {attacked} (calm: {calm}), memory {self.grown() / MEBIBYTE:+.1f} MiB")
        assert self.live.running.is_alive(), self.live.running.so_far()
        assert calm.share >= ENOUGH, f"before the attack: {calm}"
        assert attacked.share >= ENOUGH, f"during the attack: {attacked}\n{self.report()['packets']}"
        assert self.grown() < SLACK, f"{self.grown()} bytes more"

    def end(self) -> Run:
        """A good end; everything accounted for; no port was ever without buffers."""
        done = self.live.running.interrupt()
        for port in done.result["ports"]:
            assert port["rx_nombuf"] == 0, port
        return done


@contextlib.contextmanager
def besieged(packetwarp: Program, figures: Figures, file: dict[str, Any], *,
             driver: str = "net_af_packet", options: tuple[str, ...] = (), more_devices: tuple[str, ...] = (),
             lcores: str = "0-1", environment: tuple[str, ...] = ()) -> Iterator[Besieged]:
    """A wire for each interface of the file that more_devices do not serve. environment: NAME=VALUE."""
    skip_where_missing(driver)
    if reason := need_root_and_tools("ip", "ethtool"):
        pytest.skip(reason)
    wires = len(file["interfaces"]) - len(more_devices)
    # The driver does not count packets without room. So it has room for the packets that come while another program has
    # the CPU.
    room = ",framecnt=8192" if driver == "net_af_packet" else ""
    devices = [f"{driver}{n},iface=w{n}{room}" for n in range(wires)]
    # A flood fills a queue while a worker sleeps.
    packetwarp.plane["poll_sleep"] = "200us"
    with wires_to_middle(wires) as (middle, ends), live(packetwarp, file, *devices, *more_devices, lcores=lcores, options=options,
                                                        within=tuple(middle.command("env", *environment)), pace=FULL_RATE) as running:
        yield Besieged(running, ends, middle, figures, resident_bytes(running.running.process.pid))


@contextlib.contextmanager
def wires_to_middle(count: int) -> Iterator[tuple[Namespace, list[WireEnd]]]:
    """w0, w1, ... of the middle, each with a namespace at its far end that sends nothing by itself."""
    with Namespaces("pwtest") as namespaces:
        middle, ends = namespaces.add("middle"), []
        middle.silence()
        for n in range(count):
            far = namespaces.add(f"far{n}")
            far.silence()
            namespaces.connect((middle, f"w{n}"), (far, f"e{n}"), macs=(router_mac(n), host_mac(n)))
            ends.append(WireEnd(far, f"e{n}", host_mac(n), router_mac(n)))
        yield middle, ends


@contextlib.contextmanager
def answering_arp(end: WireEnd, own: set[str] | None = None) -> Iterator[list[int]]:
    """A wire's hosts say who they are: all that are asked for, or these. The list's one number counts the questions."""
    asked = [0]

    def answer(ears: socket.socket, ended: threading.Event) -> None:
        while not ended.is_set():
            try:
                frame = ears.recv(2048)
            except (TimeoutError, OSError):
                continue
            operation, = struct.unpack_from("!H", frame, 20)
            if operation != 1:
                continue
            asked[0] += 1
            source, to = socket.inet_ntoa(frame[28:32]), socket.inet_ntoa(frame[38:42])
            if own is None or to in own:
                lose_or_send(ears, ethernet(end.router_mac, end.mac, 0x0806, arp(2, to, end.mac, source, end.router_mac)))

    with end.socket() as ears:
        only(ears, (LOAD_HALF, ETHERTYPE_AT, 0x0806))
        ears.settimeout(0.1)
        with Background(lambda ended: answer(ears, ended)):
            yield asked


def whole_fragments_driver() -> str:
    """Before packet sockets the kernel puts fragments together; XDP sockets and TAP interfaces see them as they are sent."""
    skip_where_missing("net_af_xdp")
    return "net_af_xdp"
