# SPDX-License-Identifier: Apache-2.0
"""Small captures to train on: talks between a client and a server, scans and floods, with addresses and times by a seed."""
from __future__ import annotations

import pathlib
import random
import struct

SYN, ACK, SYN_ACK, RST_ACK, PSH_ACK, FIN_ACK = 0x02, 0x10, 0x12, 0x14, 0x18, 0x11


class Wire:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.now = 0.0
        self.frames: list[tuple[float, bytes]] = []

    def host(self) -> int:
        return (10 << 24) | self.random.randrange(1, 1 << 24)

    def tcp(self, source: tuple[int, int], target: tuple[int, int], flags: int, payload: int, gap: float) -> None:
        self.now += self.random.expovariate(1 / gap)
        segment = struct.pack("!HHIIBBHHH", source[1], target[1], 1, 1, 5 << 4, flags, 29200, 0, 0) + bytes(payload)
        header = struct.pack("!BBHHHBBHII", 0x45, 0, 20 + len(segment), 1, 0, 64, 6, 0, source[0], target[0])
        self.frames.append((self.now, bytes(12) + b"\x08\x00" + header + segment))

    def talk(self, client: int, server: int) -> None:
        """A request and its answer, of random sizes."""
        ends = (client, self.random.randrange(32768, 60000)), (server, self.random.choice((80, 443, 8080)))
        for flags, turn, payload in ((SYN, 1, 0), (SYN_ACK, -1, 0), (ACK, 1, 0), (PSH_ACK, 1, self.random.randrange(50, 900))):
            self.tcp(*ends[::turn], flags, payload, 0.003)
        for _ in range(self.random.randrange(2, 20)):
            self.tcp(*ends[::-1], PSH_ACK, self.random.randrange(200, 1400), 0.002)
            self.tcp(*ends, ACK, 0, 0.002)
        self.tcp(*ends, FIN_ACK, 0, 0.002)

    def scan(self, attacker: int, victim: int, ports: int) -> None:
        for port in self.random.sample(range(1, 10000), ports):
            self.tcp((attacker, 40000), (victim, port), SYN, 0, 0.004)
            self.tcp((victim, port), (attacker, 40000), RST_ACK, 0, 0.0005)

    def flood(self, victim: int, packets: int) -> None:
        for _ in range(packets):
            self.tcp((self.random.randrange(1 << 32), self.random.randrange(1024, 65536)), (victim, 80), SYN, 0, 0.0005)

    def write(self, path: pathlib.Path) -> None:
        with path.open("wb") as file:
            file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
            for at, frame in sorted(self.frames):
                file.write(struct.pack("<IIII", int(at), int(at % 1 * 1e6), len(frame), len(frame)) + frame)


def capture(path: pathlib.Path, kind: str, seed: int) -> None:
    wire = Wire(seed)
    if kind == "normal":
        client, servers = wire.host(), [wire.host() for _ in range(3)]
        for _ in range(25):
            wire.talk(client, wire.random.choice(servers))
            wire.now += wire.random.expovariate(20)
    elif kind == "scan":
        wire.scan(wire.host(), wire.host(), 300)
    else:
        wire.flood(wire.host(), 600)
    wire.write(path)
