# SPDX-License-Identifier: Apache-2.0
"""The UDP flows that bench_network.py sends through a router, as captures of 64-byte frames, and their NAT44 sessions as a file
that `packetwarp run` starts from. Needs only Python."""
from __future__ import annotations

import dataclasses
import ipaddress
import pathlib
import struct
from collections.abc import Iterable, Sequence

HOSTS = ("1.1.1.2", "2.2.2.2")
OWN = ("1.1.1.1", "2.2.2.1")
HOST_MACS = ("ec:0d:9a:8a:27:ba", "ec:0d:9a:8a:28:3a")
OWN_MACS = ("4a:ac:4f:29:87:80", "86:19:a0:b8:10:bd")
FIRST_PORT = 1024
PORTS_A_HOST = 65536 - FIRST_PORT
MOST_HOSTS = 250  # of a lane's /24 inside
MOST_FLOWS = MOST_HOSTS * PORTS_A_HOST  # of a lane
MOST_LANES = 16  # two ports each, of the 32 that DPDK has room for
SERVICE = 53
UDP = 1  # src/function/nat44/session/session.h: the last bits of an endpoint's key


def plus(address: str, more: int) -> str:
    return str(ipaddress.IPv4Address(address) + more)


@dataclasses.dataclass(frozen=True)
class Lane:
    """Flows between two ports of their own, inside and outside. The first lane is the reference's network; each has subnets of
    its own, so that packets that come in a lane leave by it."""

    number: int

    def own(self, side: int) -> str:
        """The router's address on that side."""
        return plus(OWN[side], 256 * self.number)

    def outside_host(self) -> str:
        return plus(HOSTS[1], 256 * self.number)

    def inside_host(self, index: int) -> str:
        return plus(HOSTS[0], 256 * self.number + index)

    def outside_address(self, index: int) -> str:
        """The outside address of that inside host: the first one's is the router's own, as in the reference's network, others'
        are of RFC 2544's."""
        return self.own(1) if index == 0 else plus("198.18.0.0", 256 * self.number + index)

    def front(self, side: int, host: int, translated: bool) -> bytes:
        """Headers up to the ports: from inside (side 0) to the host outside; back to the inside host itself, or, translated, to
        its outside address."""
        ends = self.inside_host(host), self.outside_host()
        if side == 1:
            ends = self.outside_host(), self.outside_address(host) if translated else self.inside_host(host)
        return front(side, *ends)

    def frames(self, side: int, flows: Iterable[int], translated: bool) -> Iterable[bytes]:
        """A frame of 60 bytes, 64 with the FCS."""
        rest = struct.pack(">HH", 26, 0) + bytes(18)
        fronts: dict[int, bytes] = {}
        for flow in flows:
            host, port = flow // PORTS_A_HOST, FIRST_PORT + flow % PORTS_A_HOST
            if host not in fronts:
                fronts[host] = self.front(side, host, translated)
            yield fronts[host] + struct.pack(">HH", *((SERVICE, port) if side == 1 and translated else (port, SERVICE))) + rest

    def sessions(self, count: int) -> Iterable[tuple[int, int]]:
        """Keys of endpoints inside and outside, as in src/function/nat44/session/session_file.h. Each inside host has an outside
        address and keeps its ports."""
        for host in range(hosts_of(count)):
            inside, outside = (int(ipaddress.IPv4Address(text)) << 32 | UDP for text in (self.inside_host(host), self.outside_address(host)))
            for port in range(FIRST_PORT, FIRST_PORT + min(PORTS_A_HOST, count - host * PORTS_A_HOST)):
                yield inside | port << 16, outside | port << 16


def hosts_of(flows: int) -> int:
    return -(-flows // PORTS_A_HOST)


def mac(text: str) -> bytes:
    return bytes.fromhex(text.replace(":", ""))


def checksum(data: bytes) -> int:
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff


def front(side: int, source: str, to: str) -> bytes:
    """A frame's headers up to its ports."""
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 46, 0, 0, 64, 17, 0, ipaddress.IPv4Address(source).packed, ipaddress.IPv4Address(to).packed)
    ip = ip[:10] + struct.pack(">H", checksum(ip)) + ip[12:]
    return mac(OWN_MACS[side]) + mac(HOST_MACS[side]) + b"\x08\x00" + ip


def write_capture(path: pathlib.Path, packets: Iterable[bytes]) -> None:
    with path.open("wb") as out:
        out.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1))
        out.writelines(struct.pack("<IIII", 0, 0, len(data), len(data)) + data for data in packets)


def write_sessions(path: pathlib.Path, sessions: Sequence[int]) -> None:
    """This many sessions of each lane, as in src/function/nat44/session/session_file.h."""
    record = struct.Struct("<QQII").pack
    with path.open("wb") as out:
        out.write(struct.pack("<8sQ", b"pwnat441", sum(sessions)))
        for number, count in enumerate(sessions):
            out.writelines(record(inside, outside, 0, 0) for inside, outside in Lane(number).sessions(count))
