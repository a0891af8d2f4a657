# SPDX-License-Identifier: Apache-2.0
"""The UDP flows that bench_network.py sends through a router, as captures of 64-byte frames, and their NAT44 sessions as a file
that `packetwarp run` goes on from. Needs nothing but Python."""
from __future__ import annotations

import ipaddress
import pathlib
import struct
from collections.abc import Iterable

HOSTS = ("1.1.1.2", "2.2.2.2")
OWN = ("1.1.1.1", "2.2.2.1")
HOST_MACS = ("ec:0d:9a:8a:27:ba", "ec:0d:9a:8a:28:3a")
OWN_MACS = ("4a:ac:4f:29:87:80", "86:19:a0:b8:10:bd")
FIRST_PORT = 1024
PORTS_A_HOST = 65536 - FIRST_PORT
MOST_HOSTS = 250  # of 1.1.1.0/24
MOST_FLOWS = MOST_HOSTS * PORTS_A_HOST
SERVICE = 53
UDP = 1  # src/function/nat44/session.h: the last bits of an endpoint's key


def inside_host(index: int) -> str:
    return str(ipaddress.IPv4Address(HOSTS[0]) + index)


def outside_address(index: int) -> str:
    """Of that host: the first one's is the router's own, as in the reference's network."""
    return OWN[1] if index == 0 else str(ipaddress.IPv4Address("203.0.113.0") + index)


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


def frames(side: int, flows: Iterable[int], translated: bool) -> Iterable[bytes]:
    """Of 60 bytes, 64 with their FCS. From inside (side 0) to the host outside; back to the inside host itself, or, translated,
    to the address and port that its session has outside."""
    rest = struct.pack(">HH", 26, 0) + bytes(18)
    fronts: dict[int, bytes] = {}
    for flow in flows:
        host, port = flow // PORTS_A_HOST, FIRST_PORT + flow % PORTS_A_HOST
        if host not in fronts:
            back = outside_address(host) if translated else inside_host(host)
            fronts[host] = front(0, inside_host(host), HOSTS[1]) if side == 0 else front(1, HOSTS[1], back)
        yield fronts[host] + struct.pack(">HH", *((SERVICE, port) if side == 1 and translated else (port, SERVICE))) + rest


def write_capture(path: pathlib.Path, packets: Iterable[bytes]) -> None:
    with path.open("wb") as out:
        out.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1))
        out.writelines(struct.pack("<IIII", 0, 0, len(data), len(data)) + data for data in packets)


def write_sessions(path: pathlib.Path, sessions: int) -> None:
    """As src/function/nat44/session_file.h has them. Each inside host has an outside address and keeps its ports."""
    record = struct.Struct("<QQII").pack
    with path.open("wb") as out:
        out.write(struct.pack("<8sQ", b"pwnat441", sessions))
        for host in range(hosts_of(sessions)):
            inside, outside = (int(ipaddress.IPv4Address(text)) << 32 | UDP for text in (inside_host(host), outside_address(host)))
            ports = range(FIRST_PORT, FIRST_PORT + min(PORTS_A_HOST, sessions - host * PORTS_A_HOST))
            out.writelines(record(inside | port << 16, outside | port << 16, 0, 0) for port in ports)
