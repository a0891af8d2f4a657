# SPDX-License-Identifier: Apache-2.0
"""Floods of packets that the router itself must handle, at full rate by one port: hosts at other ports are answered as before."""
from __future__ import annotations

import contextlib
import pathlib
import socket
import struct
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from asker import arp_asker, path_mtu, traceroute
from besieged import Besieged, besieged, host, host_mac, router_mac, routed
from frames import BROADCAST, ICMP, UDP, arp, echo_request, ethernet, ipv4, udp
from make_captures import pcap
from namespaces import wait_for
from raw_interface import entered
from stranger import ENOUGH
from wire_end import Background

# A port beside the two wires that receives a capture over and over, as fast as it is polled.
FLOODED = 2
FRAMES = 64
FROM = [host(FLOODED, number) for number in range(2, 10)]


def by_flooded_port(packet: bytes) -> bytes:
    return ethernet(router_mac(FLOODED), host_mac(FLOODED), 0x0800, packet)


def source(n: int) -> str:
    return FROM[n % len(FROM)]


FLOODS = {
    "hop limits that end here": [by_flooded_port(ipv4(source(n), host(1), UDP, udp(n + 1, 9, b"?"), ttl=1)) for n in range(FRAMES)],
    "UDP to own addresses": [by_flooded_port(ipv4(source(n), host(n % 3, 1), UDP, udp(n + 1, 9, b"?"))) for n in range(FRAMES)],
    "echo requests to own addresses": [by_flooded_port(ipv4(source(n), host(n % 3, 1), ICMP, echo_request(n, bytes(56)))) for n in range(FRAMES)],
    "networks that no route leads to": [by_flooded_port(ipv4(source(n), "192.0.2.1", UDP, udp(n + 1, 9, b"?"))) for n in range(FRAMES)],
    "ARP requests": [ethernet(BROADCAST, host_mac(FLOODED), 0x0806, arp(1, source(n), host_mac(FLOODED), host(FLOODED, 1))) for n in range(FRAMES)],
}


def flooded(capture: pathlib.Path, frames: list[bytes]) -> tuple[str, ...]:
    capture.write_bytes(pcap(frames))
    return (f"net_pcap0,rx_pcap={capture},infinite_rx=1",)


def with_narrow_left(**kernel: Any) -> dict[str, Any]:
    file = routed(3)
    file["interfaces"][0]["mtu"] = 1280
    file["interfaces"][1].update(kernel)
    return file


@pytest.mark.parametrize("what", FLOODS)
def test_a_flood_by_one_port_leaves_others_answered(packetwarp, figures, times, tmp_path, what):
    devices = flooded(tmp_path / "flood.pcap", FLOODS[what])
    with besieged(packetwarp, figures, with_narrow_left(), more_devices=devices) as made:
        end, asks = made.ends[1], host(1, 3)
        askers = {"ARP": arp_asker(end, asks, host(1, 1)), "path MTU": path_mtu(end, asks, host(0)), "traceroute": traceroute(end, asks, host(0))}
        with contextlib.ExitStack() as going, made.strangers() as flow:
            for asker in askers.values():
                going.enter_context(asker.going())
            during = flow.during(lambda: time.sleep(2.5 * times))
        shares = {name: asker.share() for name, asker in askers.items()}
        made.must_go_on(what, during, during)
        figures.say("answered: " + ", ".join(f"{name} {share.share:.0%} of {share.sent}" for name, share in shares.items()))
        for name, share in shares.items():
            assert share.share >= ENOUGH, f"{name}: {share.received} of {share.sent} answered; {made.report()['control']}"
        made.end()


KEEPALIVE = b"\xff" * 16 + struct.pack("!HB", 19, 4)  # RFC 4271, 4.4


def speak(connection: socket.socket, ended: threading.Event, heard: list[float]) -> None:
    """Numbered by their order: a KEEPALIVE ten times per second, and the time of its answer."""
    while not ended.wait(0.1):
        begin = time.monotonic()
        connection.sendall(KEEPALIVE)
        got = b""
        while len(got) < len(KEEPALIVE):
            if not (more := connection.recv(len(KEEPALIVE) - len(got))):
                raise ConnectionError("the peer has closed the session")
            got += more
        heard.append(time.monotonic() - begin)


def answer(server: socket.socket, ended: threading.Event) -> None:
    connection, _ = server.accept()
    with connection:
        connection.settimeout(0.2)
        while not ended.is_set():
            with contextlib.suppress(TimeoutError):
                if not (got := connection.recv(4096)):
                    return
                connection.sendall(got)


@contextlib.contextmanager
def session(made: Besieged) -> Iterator[list[float]]:
    """Like BGP: TCP to port 179 of the router's own address, answered by a program on its kernel interface."""
    peer, own, far = host(1, 20), host(1, 1), made.ends[1]
    far.namespace.address(far.name, f"{peer}/16")
    for wire in ("w0", "w1"):
        made.middle.sysctl(f"net.ipv4.conf.{wire}.arp_ignore", 8)
    heard: list[float] = []
    with contextlib.ExitStack() as stack:
        with entered(made.middle):
            server = stack.enter_context(socket.create_server((own, 179)))
        stack.enter_context(Background(lambda ended: answer(server, ended)))
        with entered(far.namespace):
            client = socket.socket()
        stack.enter_context(client)
        client.settimeout(30)
        client.connect((own, 179))
        stack.enter_context(Background(lambda ended: speak(client, ended, heard)))
        wait_for(lambda: heard, "the first answer")
        yield heard


@pytest.mark.parametrize("what", ("hop limits that end here", "UDP to own addresses"))
def test_a_bgp_session_on_the_twin_stays_up_beside_a_flood(packetwarp, figures, times, tmp_path, what):
    """Its messages are answered; retransmissions of TCP hide single losses, so what is told is the slowest answer."""
    devices = flooded(tmp_path / "flood.pcap", FLOODS[what])
    with besieged(packetwarp, figures, with_narrow_left(kernel=True), more_devices=devices) as made:
        with made.strangers() as flow, session(made) as heard:
            during = flow.during(lambda: time.sleep(3 * times))
            answered = len(heard)
        made.must_go_on(what, during, during)
        figures.say(f"{answered} messages answered in {3 * times} s, the slowest after {max(heard) * 1e3:.0f} ms")
        assert answered >= 5 * times
        made.end()
