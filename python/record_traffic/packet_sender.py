# SPDX-License-Identifier: Apache-2.0
"""A program that record.py becomes inside an attacker's namespace: it sends packets with headers of its own at a drawn speed."""
from __future__ import annotations

import contextlib
import ipaddress
import itertools
import json
import random
import socket
import struct
import time
from collections.abc import Iterator

from .ends import own_address
from .old_stack import checksum

IP_HEADER, LEAST_SLEEP = 20, 0.0005
MF = 0x2000  # "more fragments"
OPTIONS = {"none": b"", "mss": b"\2\4\5\xb4", "windows": b"\2\4\5\xb4\1\3\3\10\1\1\4\2", "usual": b"\2\4\5\xb4\4\2\10\12" + bytes(8) + b"\1\3\3\7"}


class Sender:
    """Packets of one kind, as the description says. Names of `spec` are those of drawn_attacks.py."""

    def __init__(self, spec: dict) -> None:
        self._spec, self._numbers = spec, random.Random(spec["seed"])
        self._targets = [address.packed for text in spec["targets"] for address in ipaddress.ip_network(text).hosts()]
        self._source = socket.inet_aton(own_address(socket.inet_ntoa(self._targets[0])))
        self._rising = itertools.count(self._numbers.randrange(1024, 30000))

    def _port(self, name: str) -> int:
        """A number of the spec, or `random`, or `rising`."""
        port = self._spec[name]
        if port == "random":
            return self._numbers.randrange(1024, 65536)
        return next(self._rising) % 64512 + 1024 if port == "rising" else port

    def _payload(self) -> bytes:
        least, most = self._spec["sizes"]
        return bytes(self._numbers.randrange(least, most + 1))

    def _tcp(self, target: bytes, port: int) -> bytes:
        numbers, options = self._numbers, OPTIONS[self._spec["options"]]
        body = struct.pack("!HHIIBBHHH", self._port("source_port"), port, numbers.getrandbits(32), numbers.getrandbits(32) if self._spec["flags"] & 16 else 0,
                           (20 + len(options)) // 4 << 4, self._spec["flags"], self._spec["window"], 0, 0) + options + self._payload()
        pseudo = self._source + target + struct.pack("!HH", 6, len(body))
        return body[:16] + struct.pack("!H", checksum(pseudo + body)) + body[18:]

    def _udp(self, target: bytes, port: int) -> bytes:
        data = self._payload()
        return struct.pack("!HHHH", self._port("source_port"), port, 8 + len(data), 0) + data  # no checksum

    def _icmp(self, target: bytes, port: int) -> bytes:
        body = struct.pack("!BBHHH", 8, 0, 0, port, next(self._rising) & 0xFFFF) + self._payload()
        return body[:2] + struct.pack("!H", checksum(body)) + body[4:]

    def packets(self, target: bytes, port: int) -> list[bytes]:
        """IP packets; several if the spec cuts them into fragments. The kernel fills in the header's checksum, and the source is the
        host's own address, which the network may replace by a forged one."""
        protocol = self._spec["protocol"]
        made = {6: self._tcp, 17: self._udp, 1: self._icmp}.get(protocol, lambda *_: self._payload())(target, port)
        step = self._spec["fragments"] or len(made) or 1
        pieces = [made[at:at + step] for at in range(0, max(1, len(made)), step)]
        ident = self._numbers.randrange(1, 65536)
        return [struct.pack("!BBHHHBBH4s4s", 0x45, 0, IP_HEADER + len(piece), ident, at * step // 8 | (MF if at + 1 < len(pieces) else 0),
                            self._spec["ttl"], protocol, 0, self._source, target) + piece for at, piece in enumerate(pieces)]

    def aims(self) -> Iterator[tuple[bytes, int]]:
        """Each target with each port, in the order of the spec, and from the beginning as long as there are packets left to send."""
        for _ in range(self._spec["rounds"]):
            for port in self._spec["ports"]:
                for target in self._targets:
                    yield target, self._port("destination_port") if port == "spec" else port


def send(text: str) -> None:
    """Sends until the aims, the count or the seconds of the spec are at an end."""
    spec = json.loads(text)
    sender, begin, sent, due = Sender(spec), time.monotonic(), 0, 0.0
    numbers = random.Random(f"{spec['seed']} pauses")
    with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW) as raw:
        for target, port in sender.aims():
            if sent >= spec["count"] or time.monotonic() - begin > spec["seconds"]:
                return
            for packet in sender.packets(target, port):
                with contextlib.suppress(OSError):
                    raw.sendto(packet, (socket.inet_ntoa(target), 0))
                sent += 1
            due += numbers.expovariate(spec["rate"]) if spec["is_uneven"] else 1 / spec["rate"]
            if (left := begin + due - time.monotonic()) > LEAST_SLEEP:
                time.sleep(left)
