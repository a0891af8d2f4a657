# SPDX-License-Identifier: Apache-2.0
"""The facts in a frame's headers that features are made of, written from docs/features.md and the RFCs with struct alone."""
from __future__ import annotations

import dataclasses
import struct

VLAN_TAGS = (0x8100, 0x88A8)
FLAGS = "FSRPAU"  # bit 0 first
EXTENSIONS = (0, 43, 44, 60)


@dataclasses.dataclass
class Facts:
    length: int
    version: int | None = None  # None: no sound IP header
    source: bytes = b""
    destination: bytes = b""
    protocol: int = -1
    kind: str = ""
    ports: tuple[int, int] | None = None
    flags: str = ""
    payload: int = 0
    window: int = 0
    options: int = 0
    icmp: str = ""
    is_fragment: bool = False


@dataclasses.dataclass
class Datagram:
    """An IP packet: the offset of its transport header, its end in the frame, and what its headers say."""

    facts: Facts
    at: int
    end: int
    is_later: bool = False
    is_broken: bool = False


def facts_of(recorded: bytes, length: int) -> Facts:
    facts = Facts(length)
    length = min(length, 65535)
    recorded = recorded[:length]
    if len(recorded) < 14:
        return facts
    kind, at, tags = struct.unpack_from("!H", recorded, 12)[0], 14, 0
    while kind in VLAN_TAGS:
        if tags == 4 or len(recorded) < at + 4:
            return facts
        kind, at, tags = struct.unpack_from("!H", recorded, at + 2)[0], at + 4, tags + 1
    datagram = {0x0800: ipv4, 0x86DD: ipv6}.get(kind, lambda *_: None)(recorded, length, at, facts)
    if datagram is None:
        return facts
    facts.kind = {6: "tcp", 17: "udp", 1 if facts.version == 4 else 58: "icmp"}.get(facts.protocol, "other")
    if not datagram.is_broken:
        transport(recorded, datagram)
    return facts


def ipv4(recorded: bytes, length: int, at: int, facts: Facts) -> Datagram | None:
    if len(recorded) < at + 20:
        return None
    first, _, total, _, fragment, _, protocol, _, source, destination = struct.unpack_from("!BBHHHBBH4s4s", recorded, at)
    header = 4 * (first & 15)
    if first >> 4 != 4 or header < 20 or at + header > len(recorded) or total < header or at + total > length:
        return None
    facts.version, facts.source, facts.destination, facts.protocol = 4, source, destination, protocol
    facts.is_fragment = bool(fragment & 0x3FFF)
    return Datagram(facts, at + header, at + total, is_later=bool(fragment & 0x1FFF))


def ipv6(recorded: bytes, length: int, at: int, facts: Facts) -> Datagram | None:
    if len(recorded) < at + 40:
        return None
    first, size, protocol, _, source, destination = struct.unpack_from("!IHBB16s16s", recorded, at)
    if first >> 28 != 6 or at + 40 + size > length:
        return None
    facts.version, facts.source, facts.destination = 6, source, destination
    datagram = Datagram(facts, at + 40, at + 40 + size)
    readable = min(datagram.end, len(recorded))
    passed = 0
    while protocol in EXTENSIONS and not datagram.is_later:
        header = 0 if datagram.at + 8 > readable else 8 if protocol == 44 else 8 * (recorded[datagram.at + 1] + 1)
        if passed == 8 or header == 0 or datagram.at + header > readable:
            datagram.is_broken = True
            break
        if protocol == 44:
            fragment = struct.unpack_from("!H", recorded, datagram.at + 2)[0]
            # The packet is a fragment if any fragment header says so.
            datagram.is_later, facts.is_fragment = bool(fragment & 0xFFF8), facts.is_fragment or bool(fragment & 0xFFF9)
        protocol = recorded[datagram.at]
        datagram.at += header
        passed += 1
    facts.protocol = protocol
    if datagram.is_broken:
        facts.is_fragment = False
    return datagram


def transport(recorded: bytes, datagram: Datagram) -> None:
    facts, at = datagram.facts, datagram.at
    there = min(datagram.end, len(recorded)) - at
    if datagram.is_later or facts.protocol == 59 or facts.kind == "other":
        facts.payload = datagram.end - at
    elif facts.kind == "tcp":
        header = 4 * (recorded[at + 12] >> 4) if there >= 20 else 0
        if header < 20 or header > there:
            return
        facts.ports, facts.window = struct.unpack_from("!HH", recorded, at), struct.unpack_from("!H", recorded, at + 14)[0]
        facts.flags = "".join(letter for bit, letter in enumerate(FLAGS) if recorded[at + 13] >> bit & 1)
        facts.options, facts.payload = header - 20, datagram.end - at - header
    elif facts.kind == "udp":
        size = struct.unpack_from("!H", recorded, at + 4)[0] if there >= 8 else 0
        is_whole = not facts.is_fragment
        if there < 8 or (is_whole and not 8 <= size <= datagram.end - at):
            return
        facts.ports = struct.unpack_from("!HH", recorded, at)
        facts.payload = size - 8 if is_whole else datagram.end - at - 8
    elif there >= 8:
        facts.payload = datagram.end - at - 8
        errors, request = ((3, 11, 12), 8) if facts.version == 4 else ((1, 2, 3, 4), 128)
        facts.icmp = "error" if recorded[at] in errors else "request" if recorded[at] == request else ""
