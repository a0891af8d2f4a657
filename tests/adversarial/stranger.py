# SPDX-License-Identifier: Apache-2.0
"""A stranger's flow: numbered packets at a steady, modest rate from one wire to another, during an attack. The packets that
arrive are counted by number; latency is from before the send to the kernel's time stamp at the far end."""
from __future__ import annotations

import contextlib
import dataclasses
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterable, Iterator

from frames import UDP, ethernet, ipv4, udp
from wire_end import Background, WireEnd, lose_or_send, only_udp

# To which it goes, and by which its packets are told from all others; from which it comes.
PORT, SOURCE_PORT = 40404, 40000
BODY = struct.Struct("!8sIQ")
MAGIC = b"stranger"
BODY_AT = 14 + 20 + 8
RATE = 300
# The least share of its packets that must arrive.
ENOUGH = 0.95
SO_TIMESTAMPNS = 35


Maker = Callable[[int, bytes], bytes | list[bytes]]


@dataclasses.dataclass(frozen=True)
class Share:
    """The fate of the packets of a while."""

    sent: int
    received: int
    latencies: list[float]  # seconds, sorted

    @property
    def share(self) -> float:
        return self.received / self.sent if self.sent else 0.0

    def percentile(self, part: float) -> float:
        return self.latencies[min(int(len(self.latencies) * part), len(self.latencies) - 1)] if self.latencies else float("inf")

    def __str__(self) -> str:
        late = f", p99 {self.percentile(0.99) * 1e3:.2f} ms" if self.latencies else ""
        return f"{self.share:.1%} of {self.sent} arrived{late}"


class Stranger:
    """The flow. frame(number, body): a packet of it, its body as it stands; or the fragments of one."""

    def __init__(self, sender: WireEnd, receiver: WireEnd, frame: Maker, rate: float = RATE,
                 port: int = PORT) -> None:
        self._sender, self._receiver, self._frame, self._rate, self._port = sender, receiver, frame, rate, port
        self._sent, self._arrived, self._lock = 0, {}, threading.Lock()  # type: int, dict[int, float], threading.Lock

    @contextlib.contextmanager
    def going(self) -> Iterator[Stranger]:
        with self._receiver.socket() as ears, self._sender.socket(0) as mouth:
            only_udp(ears, self._port)
            ears.settimeout(0.1)
            with Background(lambda ended: self._receive(ears, ended)), Background(lambda ended: self._send(mouth, ended)):
                yield self

    def during(self, work: Callable[[], object]) -> Share:
        """The fate of the packets sent while the work went on; waits for the last of them."""
        first = self._sent
        work()
        return self.since(first)

    @property
    def sent(self) -> int:
        return self._sent

    def since(self, first: int) -> Share:
        last = self._sent
        self._wait_for_late(first, last)
        with self._lock:
            latencies = sorted(self._arrived[n] for n in range(first, last) if n in self._arrived)
        return Share(last - first, len(latencies), latencies)

    def calm(self, seconds: float = 0.5) -> Share:
        """A while without any attack, once the flow gets through at all."""
        over = time.monotonic() + 30
        while not self._count(0, self._sent):
            assert time.monotonic() < over, "not one packet of the stranger's flow arrives"
            time.sleep(0.02)
        return self.during(lambda: time.sleep(seconds))

    def forget(self) -> None:
        """In a long run: what has been looked at."""
        with self._lock:
            self._arrived = {n: late for n, late in self._arrived.items() if n > self._sent - 10000}

    def _count(self, first: int, last: int) -> int:
        with self._lock:
            return sum(n in self._arrived for n in range(first, last))

    def _wait_for_late(self, first: int, last: int, quiet: float = 1.5) -> None:
        """Until all are there, or none of them has come for a while."""
        there, since = self._count(first, last), time.monotonic()
        while there < last - first and time.monotonic() - since < quiet:
            time.sleep(0.05)
            if (now := self._count(first, last)) != there:
                there, since = now, time.monotonic()

    def _send(self, mouth: socket.socket, ended: threading.Event) -> None:
        due = time.monotonic()
        while not ended.is_set():
            made = self._frame(self._sent, BODY.pack(MAGIC, self._sent & 0xFFFFFFFF, time.time_ns()))
            for frame in (made,) if isinstance(made, bytes) else made:
                lose_or_send(mouth, frame)
            self._sent += 1
            due = max(due + 1 / self._rate, time.monotonic() - 0.02)
            if (early := due - time.monotonic()) > 0:
                time.sleep(early)

    def _receive(self, ears: socket.socket, ended: threading.Event) -> None:
        while not ended.is_set():
            try:
                frame, ancillary, _, _ = ears.recvmsg(2048, 256)
            except TimeoutError:
                continue
            except OSError:  # the interface was down; a packet socket says so once
                continue
            if len(frame) < BODY_AT + BODY.size:
                continue
            magic, number, sent = BODY.unpack_from(frame, BODY_AT)
            if magic == MAGIC:
                with self._lock:
                    self._arrived.setdefault(number, (arrival(ancillary) - sent) / 1e9)


class BothWays:
    """Two flows, judged as one: of either enough has to arrive."""

    def __init__(self, *flows: Stranger) -> None:
        self._flows = flows

    @property
    def sent(self) -> tuple[int, ...]:
        return tuple(flow.sent for flow in self._flows)

    def since(self, first: tuple[int, ...]) -> Share:
        return worst(flow.since(one) for flow, one in zip(self._flows, first, strict=True))

    def during(self, work: Callable[[], object]) -> Share:
        first = self.sent
        work()
        return self.since(first)

    def calm(self, seconds: float = 0.5) -> Share:
        for flow in self._flows:
            flow.calm(0)
        return self.during(lambda: time.sleep(seconds))


def worst(shares: Iterable[Share]) -> Share:
    return min(shares, key=lambda one: one.share)


def arrival(ancillary: list[tuple[int, int, bytes]]) -> int:
    """The kernel's time stamp, in nanoseconds since the epoch."""
    for level, kind, data in ancillary:
        if (level, kind) == (socket.SOL_SOCKET, SO_TIMESTAMPNS):
            seconds, nanoseconds = struct.unpack("=qq", data[:16])
            return seconds * 1_000_000_000 + nanoseconds
    return time.time_ns()


def udp_flow(sender: WireEnd, source: str, to: str, source_port: int = SOURCE_PORT, port: int = PORT) -> Callable[[int, bytes], bytes]:
    """A UDP flow."""
    def frame(_: int, body: bytes) -> bytes:
        return ethernet(sender.router_mac, sender.mac, 0x0800, ipv4(source, to, UDP, udp(source_port, port, body)))
    return frame


def fragmented_flow(sender: WireEnd, source: str, to: str, source_port: int = 41000) -> Maker:
    """A UDP flow whose packets come in two fragments each."""
    def frames(n: int, body: bytes) -> list[bytes]:
        whole = udp(source_port, PORT, body.ljust(40, b"\0"))
        pieces = (ipv4(source, to, UDP, whole[:24], number=n & 0xFFFF, more=1), ipv4(source, to, UDP, whole[24:], number=n & 0xFFFF, offset=3))
        return [ethernet(sender.router_mac, sender.mac, 0x0800, piece) for piece in pieces]
    return frames


def new_flows(sender: WireEnd, sources: list[str], to: str, first: int = 20000, ports: int = 20000) -> Callable[[int, bytes], bytes]:
    """A flow of its own for each packet, from hosts in turn: each needs a session."""
    def frame(n: int, body: bytes) -> bytes:
        packet = ipv4(sources[n % len(sources)], to, UDP, udp(first + n % ports, PORT, body))
        return ethernet(sender.router_mac, sender.mac, 0x0800, packet)
    return frame
