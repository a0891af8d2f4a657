# SPDX-License-Identifier: Apache-2.0
"""A host that asks the router itself, a few times per second, during a flood: ARP, path MTU, traceroute."""
from __future__ import annotations

import contextlib
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator

from frames import BROADCAST, UDP, arp, ethernet, ipv4, udp
from stranger import Share
from wire_end import Background, WireEnd, lose_or_send


class Asker:
    """Sends the question so often, and counts the frames that answer one."""

    def __init__(self, end: WireEnd, question: bytes, is_answer: Callable[[bytes], bool], rate: float) -> None:
        self._end, self._question, self._is_answer, self._rate = end, question, is_answer, rate
        self.asked = self.answered = 0

    @contextlib.contextmanager
    def going(self) -> Iterator[Asker]:
        with self._end.socket() as ears:
            ears.settimeout(0.1)
            with Background(lambda ended: self._hear(ears, ended)), Background(lambda ended: self._ask(ears, ended)):
                yield self
            over = time.monotonic() + 1.5
            while self.answered < self.asked and time.monotonic() < over:
                with contextlib.suppress(TimeoutError):
                    self._count(ears.recv(2048))

    def share(self) -> Share:
        """At the end."""
        return Share(self.asked, min(self.answered, self.asked), [])

    def _ask(self, mouth: socket.socket, ended: threading.Event) -> None:
        while not ended.wait(1 / self._rate):
            lose_or_send(mouth, self._question)
            self.asked += 1

    def _hear(self, ears: socket.socket, ended: threading.Event) -> None:
        while not ended.is_set():
            with contextlib.suppress(OSError):
                self._count(ears.recv(2048))

    def _count(self, frame: bytes) -> None:
        self.answered += self._is_answer(frame)


def arp_asker(end: WireEnd, source: str, router: str, rate: float = 20) -> Asker:
    """A host that asks for the router's MAC address."""
    question = ethernet(BROADCAST, end.mac, 0x0806, arp(1, source, end.mac, router))
    return Asker(end, question, lambda frame: frame[12:14] == b"\x08\x06" and frame[20:22] == b"\0\2", rate)


def icmp_asker(end: WireEnd, packet: bytes, kind: int, code: int, rate: float) -> Asker:
    """A host whose packets the router answers with an ICMP error, as traceroute and path MTU discovery need."""
    def is_answer(frame: bytes) -> bool:
        return frame[12:14] == b"\x08\x00" and frame[23] == 1 and struct.unpack_from("!BB", frame, 34) == (kind, code)
    return Asker(end, ethernet(end.router_mac, end.mac, 0x0800, packet), is_answer, rate)


def traceroute(end: WireEnd, source: str, to: str, rate: float = 4) -> Asker:
    return icmp_asker(end, ipv4(source, to, UDP, udp(33434, 33434, b"?"), ttl=1), 11, 0, rate)


def path_mtu(end: WireEnd, source: str, to: str, rate: float = 4) -> Asker:
    return icmp_asker(end, ipv4(source, to, UDP, udp(5000, 5000, bytes(1400)), dont_fragment=1), 3, 4, rate)
