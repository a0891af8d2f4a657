# SPDX-License-Identifier: Apache-2.0
"""The attacks of a soak: each a context that lasts as long as its mixture, on the ports of one router."""
from __future__ import annotations

import contextlib
import os
import pathlib
import random
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import test_anomaly_floods
import test_control_clients
import test_forged_resets
import test_fragment_floods
import test_neighbour_floods
from besieged import Besieged, host, routed
from frames import ACK, ICMP, SYN, TCP, UDP, echo_request, ethernet, ipv4, tcp, udp
from harness import resident_bytes
from namespaces import wait_for
from raw_interface import entered
from router_losses import kernel_counts
from wire_end import Background, WireEnd, flooding, lose_or_send

# Port 0 is inside, 1 outside, 2 comes and goes, 3 is no side of NAT44.
INSIDE, OUTSIDE, FLAPPING, NEITHER = range(4)
RATE, FRAMES = 1500, 3000
SERVER = host(OUTSIDE, 3)


def soaked_file(log: str, routes: int = 0) -> dict[str, Any]:
    """Session log, a model that knows flows, and kernel interface among it; more routes make each reload another."""
    file = routed(4, detect=test_anomaly_floods.known(pathlib.Path(log).parent), nat44={"inside": "if0", "outside": "if1", "pool": [host(OUTSIDE, 1)], "sessions": 16384, "log": log},
                  routes=[{"to": "198.18.0.0/15", "via": host(OUTSIDE)}])
    file["routes"] += [{"to": f"172.16.{n}.0/24", "via": host(NEITHER)} for n in range(routes)]
    file["interfaces"][NEITHER]["mtu"] = 1280
    return file


class Soaked:
    """The router, the far end of its log, and what it was like before."""

    def __init__(self, made: Besieged, log_path: str, log_reader: int, chance: random.Random) -> None:
        self.made, self.log_path, self.log_reader, self.chance = made, log_path, log_reader, chance
        found = re.search(r"http://127\.0\.0\.1:(\d+)", made.live.running.stderr())
        assert found
        self.metrics = int(found[1])
        self.files_before, self.memory, self.reloads = self.files(), made.memory, 0

    @property
    def pid(self) -> int:
        return self.made.live.running.process.pid

    def files(self) -> int:
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def settle(self) -> None:
        self.memory = resident_bytes(self.pid)

    def state(self) -> str:
        return f"memory {(resident_bytes(self.pid) - self.memory) / (1 << 20):+.1f} MiB, {self.files()} files, {self.reloads} reloads"

    def wait_for_clients_to_be_left(self) -> None:
        """A silent client is left after 30 s at the latest."""
        with contextlib.suppress(TimeoutError):
            wait_for(lambda: self.files() <= self.files_before, "clients to be left", seconds=40)

    def unaccounted(self, report: dict[str, Any]) -> dict[int, int]:
        """Frames that a wire's far end sent, less those that the port received or says that it missed, and those for which
        the kernel counts no room in front of it."""
        counted = {port["id"]: port["rx_packets"] + port["imissed"] + port["rx_nombuf"] + port["ierrors"] for port in report["ports"]}
        return {n: kernel_counts(end.namespace, end.name)[1] - counted[n] - self.without_room(n) for n, end in enumerate(self.made.ends)}

    def without_room(self, port: int) -> int:
        """Frames that the wire's near end, a veth, could not hand to the port's socket: the port has no count of them."""
        said = self.made.middle.run("ethtool", "-S", f"w{port}").stdout
        return sum(int(count) for count in re.findall(r"rx_queue_\d+_drops: (\d+)", said))


Attack = Callable[[Soaked, threading.Event], contextlib.AbstractContextManager[None]]


def by_frames(port: int, make: Callable[[WireEnd], list[bytes]], rate: float = RATE) -> Attack:
    """Frames over and over by one port; made once."""
    kept: list[bytes] = []

    @contextlib.contextmanager
    def attack(made: Soaked, _: threading.Event) -> Iterator[None]:
        end = made.made.ends[port]
        kept[:] = kept or make(end)
        with flooding(end, kept, rate):
            yield
    return attack


def by_work(work: Callable[[Soaked, threading.Event], None]) -> Attack:
    """Something done by a thread until it is told to end."""
    @contextlib.contextmanager
    def attack(made: Soaked, ended: threading.Event) -> Iterator[None]:
        with Background(lambda _: work(made, ended)):
            yield
    return attack


def packets(end: WireEnd, make: Callable[[int], bytes], count: int = FRAMES) -> list[bytes]:
    return [ethernet(end.router_mac, end.mac, 0x0800, make(n)) for n in range(count)]


def pieces(piece: Callable[[WireEnd, str, int], bytes], to: str) -> Callable[[WireEnd], list[bytes]]:
    return lambda end: [piece(end, to, n) for n in range(FRAMES)]


def flap(made: Soaked, ended: threading.Event) -> None:
    while not ended.is_set():
        for state in ("down", "up"):
            made.made.middle.ip("link", "set", f"w{FLAPPING}", state)
            time.sleep(0.3)


def reload(made: Soaked, ended: threading.Event) -> None:
    """The file as it is, except some routes."""
    while not ended.is_set():
        file = soaked_file(made.log_path, made.chance.randrange(200))
        made.made.live.write(file)
        made.made.live.said("reload")
        made.reloads += 1


def go_mad(made: Soaked, ended: threading.Event) -> None:
    while not ended.is_set():
        test_control_clients.be_mad(made.made, made.chance.choice(list(test_control_clients.MAD.values())))


def ask_much(made: Soaked, ended: threading.Event) -> None:
    while not ended.is_set():
        with contextlib.suppress(OSError, ValueError):
            test_control_clients.ask(made.made)


@contextlib.contextmanager
def say_nothing(made: Soaked, _: threading.Event) -> Iterator[None]:
    with contextlib.ExitStack() as stack:
        for client in test_control_clients.silent(16, made.made):
            stack.enter_context(client)
        yield


@contextlib.contextmanager
def http_says_nothing(made: Soaked, _: threading.Event) -> Iterator[None]:
    with contextlib.ExitStack() as stack:
        with entered(made.made.middle):
            for _ in range(60):
                client = stack.enter_context(socket.socket())
                client.settimeout(1)
                with contextlib.suppress(OSError):
                    client.connect(("127.0.0.1", made.metrics))
                    client.sendall(b"GET /")
        yield


def read_log(made: Soaked, ended: threading.Event) -> None:
    """All else has the log stand still."""
    while not ended.is_set():
        with contextlib.suppress(BlockingIOError):
            os.read(made.log_reader, 1 << 16)
        time.sleep(0.01)


def fresh_flows(made: Soaked, ended: threading.Event) -> None:
    """Hosts that ask for sessions, as hosts do."""
    end = made.made.ends[INSIDE]
    with end.socket(0) as mouth:
        while not ended.wait(0.005):
            source = host(INSIDE, made.chance.randrange(3, 9))
            packet = ipv4(source, SERVER, UDP, udp(made.chance.randrange(1024, 65536), 53, b"?"))
            lose_or_send(mouth, ethernet(end.router_mac, end.mac, 0x0800, packet))


def connect(made: Soaked) -> None:
    """The TCP connection that forged segments name; other attacks may take its segments, so no test waits for them."""
    resets, (inside, outside) = test_forged_resets, made.made.ends[:2]
    there, back = (resets.CLIENT, resets.SERVER, (resets.PORT, resets.SERVICE)), (resets.SERVER, resets.POOL, (resets.SERVICE, resets.PORT))
    for end, (source, to, ports), flags in ((inside, there, SYN), (outside, back, SYN | ACK), (inside, there, ACK)):
        with end.socket(0) as mouth:
            lose_or_send(mouth, ethernet(end.router_mac, end.mac, 0x0800, ipv4(source, to, TCP, tcp(source, to, ports, flags))))
        time.sleep(0.05)


@contextlib.contextmanager
def forge_segments(made: Soaked, _: threading.Event) -> Iterator[None]:
    """RSTs, FINs and SYNs from anywhere, to the outside port of a connection that is idle."""
    connect(made)
    resets, end = test_forged_resets, made.made.ends[OUTSIDE]
    flags = (resets.RST, resets.RST | ACK, resets.FIN | ACK, SYN)
    with flooding(end, [resets.forged(end, flags[n // 4 % len(flags)], n) for n in range(FRAMES)], RATE):
        yield


def attacks() -> dict[str, Attack]:
    outside, own = host(OUTSIDE, 1), host(NEITHER, 1)
    fragments, neighbours = test_fragment_floods, test_neighbour_floods
    return {
        "pieces to the outside address": by_frames(OUTSIDE, pieces(fragments.many_pieces, outside)),
        "first pieces to the outside address": by_frames(OUTSIDE, pieces(fragments.first_pieces, outside)),
        "overlapping pieces": by_frames(OUTSIDE, pieces(fragments.overlapping_pieces, outside)),
        "IPv6 pieces": by_frames(OUTSIDE, lambda end: [fragments.ipv6_pieces(end, "2001:db8:2::1", n) for n in range(FRAMES)]),
        "UDP from forged sources": by_frames(INSIDE, lambda end: packets(
            end, lambda n: ipv4(host(INSIDE, 1000 + n), SERVER, UDP, udp(5000 + n % 9, 53, b"?")))),
        "SYNs from forged sources": by_frames(INSIDE, lambda end: packets(end, lambda n: ipv4(
            host(INSIDE, 9000 + n), SERVER, TCP, tcp(host(INSIDE, 9000 + n), SERVER, (5000 + n % 9, 80), SYN)))),
        "forged RSTs": forge_segments,
        "one greedy host": by_frames(INSIDE, lambda end: packets(end, lambda n: ipv4(host(INSIDE, 9), SERVER, UDP, udp(1024 + n, 53, b"?")))),
        "forged ARP": by_frames(INSIDE, lambda end: neighbours.forged_requests(end)[:FRAMES]),
        "forged solicitations": by_frames(INSIDE, lambda end: neighbours.forged_solicitations(end)[:FRAMES]),
        "a scan": by_frames(INSIDE, lambda end: packets(end, lambda n: ipv4(host(INSIDE, 9), host(NEITHER, 20_000 + n), UDP, udp(7, 7, b"?")))),
        "hop limits that end here": by_frames(FLAPPING, lambda end: packets(end, lambda n: ipv4(
            host(FLAPPING, 2 + n % 8), host(NEITHER), UDP, udp(n + 1, 9, b"?"), ttl=1))),
        "echo requests to own addresses": by_frames(FLAPPING, lambda end: packets(end, lambda n: ipv4(
            host(FLAPPING, 2 + n % 8), own, ICMP, echo_request(n, bytes(56))))),
        "UDP to own addresses": by_frames(FLAPPING, lambda end: packets(end, lambda n: ipv4(
            host(FLAPPING, 2 + n % 8), own, UDP, udp(n + 1, 9, b"?")))),
        "networks that no route leads to": by_frames(FLAPPING, lambda end: packets(end, lambda n: ipv4(
            host(FLAPPING, 2 + n % 8), "192.0.2.1", UDP, udp(n + 1, 9, b"?")))),
        "packets too long": by_frames(FLAPPING, lambda end: packets(end, lambda n: ipv4(
            host(FLAPPING, 2 + n % 8), host(NEITHER), UDP, udp(n + 1, 9, bytes(1400)), dont_fragment=1), count=300)),
        "a flapping port": by_work(flap), "reloads": by_work(reload), "mad clients": by_work(go_mad), "busy clients": by_work(ask_much),
        "silent clients": say_nothing, "silent HTTP clients": http_says_nothing, "a log that is read": by_work(read_log),
        "hosts that want sessions": by_work(fresh_flows),
    }
