# SPDX-License-Identifier: Apache-2.0
"""The expected packets of a traffic program's streams: TRex's field engine again, in plain steps.

It shares no code with packetwarp: variables are counters that go one step at a time, as TRex keeps them, and checksums are
scapy's. Random values cannot be predicted: they are read out of the received packet, and must be in their range."""
from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

from scapy.utils import checksum


class Counter:
    """A variable that is not random."""

    def __init__(self, values: dict[str, Any]) -> None:
        self.values = values
        self.list = values.get("list")
        self.now = 0 if self.list else values["init"]

    def take(self) -> int:
        low, high = (0, len(self.list) - 1) if self.list else (self.values["min"], self.values["max"])
        value = self.now
        for _ in range(self.values["step"] % (high - low + 1) if self.values["step"] < 2**20 else 0):
            if self.values["op"] == "inc":
                self.now = low if self.now == high else self.now + 1
            else:
                self.now = high if self.now == low else self.now - 1
        if self.values["step"] >= 2**20:  # too far to walk
            self.now = low + (self.now - low + self.values["step"]) % (high - low + 1)
        return self.list[value] if self.list else value


class Tuple:
    """An address that goes up with each packet, and a port that goes up with each round of addresses."""

    def __init__(self, values: dict[str, Any]) -> None:
        self.values, self.ip, self.port, self.flow = values, values["ip_min"], values["port_min"], 1

    def take(self) -> tuple[int, int]:
        taken, values = (self.ip, self.port), self.values
        self.ip += 1
        if self.ip > values["ip_max"]:
            self.ip = values["ip_min"]
            self.port = values["port_min"] if self.port == values["port_max"] else self.port + 1
        self.flow += 1
        if values["limit"] and self.flow > values["limit"]:
            self.flow, self.ip, self.port = 1, values["ip_min"], values["port_min"]
        return taken


def is_random(variable: dict[str, Any]) -> bool:
    return variable["op"] == "random"


def _read_back(stream: dict[str, Any], name: str, came: bytes) -> int:
    """A random variable's value, from where it was written, or from the packet's length."""
    for step in stream["steps"]:
        if step.get("variable") == name and step["do"] == "trim":
            return len(came)
        if step.get("variable") == name and step["do"] == "write" and "mask" not in step:
            field = int.from_bytes(came[step["at"]:step["at"] + step["size"]], step["order"])
            return (field - step["add"]) % 256 ** step["size"]
    raise AssertionError(f"{name} is written nowhere")


def _put_checksum(packet: bytearray, at: int, value: int) -> None:
    packet[at:at + 2] = value.to_bytes(2, "big")


def _fix_ipv4(packet: bytearray, at: int) -> None:
    header = slice(at, at + 4 * (packet[at] & 15))
    _put_checksum(packet, at + 10, 0)
    _put_checksum(packet, at + 10, checksum(bytes(packet[header])))


def _fix_transport(packet: bytearray, step: dict[str, Any]) -> None:
    """The addresses, the protocol and the length are in the sum, too: RFC 768, RFC 8200 section 8.1."""
    l3, is_ipv6 = step["l3_at"], packet[step["l3_at"]] >> 4 == 6
    if not is_ipv6:
        _fix_ipv4(packet, l3)
    if not step["protocol"]:
        return
    at = l3 + (40 if is_ipv6 else 4 * (packet[l3] & 15))
    said = int.from_bytes(packet[l3 + 4:l3 + 6], "big") if is_ipv6 else int.from_bytes(packet[l3 + 2:l3 + 4], "big") - (at - l3)
    number, offset = {"udp": (17, 6), "tcp": (6, 16)}[step["protocol"]]
    addresses = packet[l3 + 8:l3 + 40] if is_ipv6 else packet[l3 + 12:l3 + 20]
    _put_checksum(packet, at + offset, 0)
    total = checksum(bytes(addresses) + struct.pack("!HH", number, said) + bytes(packet[at:at + said]))
    _put_checksum(packet, at + offset, total or (0xFFFF if number == 17 else 0))


def _write(packet: bytearray, step: dict[str, Any], value: int) -> None:
    at, size = step["at"], step["size"]
    value += step["add"]
    if "mask" in step:
        value &= 2**32 - 1
        value = value << step["shift"] if step["shift"] >= 0 else value >> -step["shift"]
        before = int.from_bytes(packet[at:at + size], step["order"])
        value = before & ~step["mask"] | value & step["mask"]
    packet[at:at + size] = (value % 256**size).to_bytes(size, step["order"])


def expected(stream: dict[str, Any], came: list[bytes]) -> Iterator[tuple[bytes, dict[str, int]]]:
    """For each packet that came, in order: what it has to be, and the values it has of variables."""
    counters = {one["name"]: (Tuple if one["op"] == "tuple" else Counter)(one)
                for one in stream["variables"] if not is_random(one)}
    for got in came:
        values: dict[str, int] = {}
        for one in stream["variables"]:
            if is_random(one):
                values[one["name"]] = _read_back(stream, one["name"], got)
            elif one["op"] == "tuple":
                values[f"{one['name']}.ip"], values[f"{one['name']}.port"] = counters[one["name"]].take()
            else:
                values[one["name"]] = counters[one["name"]].take()
        packet = bytearray.fromhex(stream["packet"])
        for step in stream["steps"]:
            if step["do"] == "trim":
                del packet[values[step["variable"]]:]
            elif step["do"] == "write":
                _write(packet, step, values[step["variable"]])
            elif step["do"] == "fix_ipv4":
                _fix_ipv4(packet, step["at"])
            else:
                _fix_transport(packet, step)
        yield bytes(packet), values
