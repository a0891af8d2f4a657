# SPDX-License-Identifier: Apache-2.0
"""The features of a capture's packets, written from docs/features.md: plain dictionaries, no table, one packet after the
other. It shares no code with packetwarp."""
from __future__ import annotations

import dataclasses
import pathlib
import struct
from collections import defaultdict

from headers import Facts, facts_of

NAMES = """length ipv6 tcp udp icmp other_protocol fin syn rst psh ack urg payload window tcp_options fragment source_port
destination_port to_service flow_packets flow_packets_back flow_bytes flow_bytes_back flow_mean flow_min flow_max flow_syn
flow_fin flow_rst flow_age flow_idle flow_rate source_packets source_bytes source_syn source_rst source_flows source_ports
source_peers source_got_packets source_got_rst source_got_icmp destination_packets destination_bytes destination_syn
destination_flows destination_ports destination_peers destination_sent_packets destination_sent_rst source_got_bytes
source_got_syn source_got_flows source_got_ports source_got_peers destination_sent_flows destination_sent_icmp
source_slow_ports source_slow_peers source_slow_refused destination_slow_ports destination_slow_refused
destination_sent_slow_ports destination_sent_slow_peers""".split()

KEYS = 0x243F6A8885A308D3, 0x13198A2E03707345
ALL = 2**64 - 1


def level(count: int) -> int:
    if count == 0:
        return 0
    highest = count.bit_length() - 1
    digits = bin(count)[3:] + "00"
    return min(127, 1 + 4 * highest + int(digits[:2], 2))


def port_scale(port: int) -> int:
    return 32 if port < 1024 else 64 if port < 49152 else 96


def folded(a: int, b: int) -> int:
    product = a * b
    return (product & ALL) ^ (product >> 64)


def mix(word: int) -> int:
    first, second = KEYS
    return folded(folded(word ^ first, second) ^ second, first)


def host_hash(address: bytes) -> int:
    if len(address) == 4:
        return mix(int.from_bytes(address, "big")) or 1
    return mix(mix(int.from_bytes(address[:8], "big")) ^ int.from_bytes(address[8:], "big")) or 1


class Followed:
    """A thing whose snapshot is two epochs old. Subclasses say what an epoch's packets add, and what ages."""

    def __init__(self) -> None:
        self.epoch = 0
        self.pending: dict[int, list] = defaultdict(list)

    def move_to(self, epoch: int) -> None:
        while self.epoch < epoch:
            if not self.pending:
                for _ in range(min(40, epoch // 256 - self.epoch // 256)):
                    self.halve()
                if epoch // 1024 != self.epoch // 1024:
                    self.empty()
                for second in range(max(self.epoch // 1024, epoch // 1024 - 32) + 1, epoch // 1024 + 1):
                    self.forget(second)
                for _ in range(min(40, epoch // 8192 - self.epoch // 8192)):
                    self.halve_slowly()
                self.epoch = epoch
                return
            self.epoch += 1
            self.merge(self.epoch - 2, self.pending.pop(self.epoch - 2, []))
            if self.epoch % 256 == 0:
                self.halve()
            if self.epoch % 1024 == 0:
                self.empty()
                self.forget(self.epoch // 1024)
            if self.epoch % 8192 == 0:
                self.halve_slowly()

    def empty(self) -> None:
        pass

    def forget(self, second: int) -> None:
        pass

    def halve_slowly(self) -> None:
        pass


class Flow(Followed):
    def __init__(self) -> None:
        super().__init__()
        self.packets, self.bytes, self.flags = [0, 0], [0, 0], {"S": 0, "F": 0, "R": 0}
        self.shortest, self.longest, self.rate = 65535, 0, 0
        self.first = self.last = 0

    def is_new(self) -> bool:
        return self.packets == [0, 0]

    def merge(self, epoch: int, adds: list[tuple[Facts, int]]) -> None:
        for facts, direction in adds:
            if self.is_new():
                self.first = epoch
            self.last = epoch
            self.packets[direction] += 1
            self.bytes[direction] += facts.length
            self.rate += 1
            self.shortest = min(self.shortest, facts.length)
            self.longest = max(self.longest, min(facts.length, 65535))
            for flag in self.flags:
                self.flags[flag] = min(65535, self.flags[flag] + (flag in facts.flags))

    def halve(self) -> None:
        self.rate //= 2


class Side:
    """The packets that a host sent, or got."""

    def __init__(self) -> None:
        self.rates = dict.fromkeys(("packets", "bytes", "syn", "rst", "flows", "icmp"), 0)
        self.ports: set[int] = set()
        self.peers: set[int] = set()
        self.slow_ports: set[int] = set()
        self.slow_peers: set[int] = set()
        self.refusals = 0


@dataclasses.dataclass
class Meaning:
    """A packet's counts for both of its hosts."""

    rates: dict[str, int]
    port: int | None


class Host(Followed):
    def __init__(self) -> None:
        super().__init__()
        self.sides = {"sent": Side(), "got": Side()}

    def merge(self, epoch: int, adds: list[tuple[str, Meaning, int]]) -> None:
        for side, meaning, peer in adds:
            for name, amount in meaning.rates.items():
                self.sides[side].rates[name] += amount
            if meaning.port is not None:
                self.sides[side].ports.add(mix(meaning.port) % 64)
                self.sides[side].slow_ports.add(mix(meaning.port) % 32)
            self.sides[side].peers.add(peer % 64)
            self.sides[side].slow_peers.add(peer % 32)
            self.sides[side].refusals += meaning.rates["rst"] + meaning.rates["icmp"]

    def halve(self) -> None:
        for side in self.sides.values():
            for name in side.rates:
                side.rates[name] //= 2

    def empty(self) -> None:
        for side in self.sides.values():
            side.ports, side.peers = set(), set()

    def forget(self, second: int) -> None:
        for side in self.sides.values():
            side.slow_ports.discard(second % 32)
            side.slow_peers.discard(second % 32)

    def halve_slowly(self) -> None:
        for side in self.sides.values():
            side.refusals //= 2


def asks(facts: Facts) -> bool:
    if facts.kind == "tcp":
        return facts.ports is not None and "A" not in facts.flags and "R" not in facts.flags
    if facts.kind == "udp":
        return facts.ports is not None and facts.ports[1] <= facts.ports[0]
    return facts.icmp == "request" if facts.kind == "icmp" else True


def packet_part(facts: Facts) -> dict[str, int]:
    row = {"length": level(facts.length)}
    if facts.version is None:
        return row
    row["ipv6"] = 64 * (facts.version == 6)
    for kind in ("tcp", "udp", "icmp"):
        row[kind] = 64 * (facts.kind == kind)
    row["other_protocol"] = 64 * (facts.kind == "other")
    for name in ("fin", "syn", "rst", "psh", "ack", "urg"):
        row[name] = 64 * (name[0].upper() in facts.flags)
    row |= {"payload": level(facts.payload), "window": level(facts.window), "tcp_options": facts.options,
            "fragment": 64 * facts.is_fragment}
    if facts.ports is not None:
        source, destination = facts.ports
        row |= {"source_port": port_scale(source), "destination_port": port_scale(destination),
                "to_service": 64 * (destination < source)}
    return row


def flow_part(flow: Flow, epoch: int, way: int) -> dict[str, int]:
    if flow.is_new():
        return {}
    counts = {"flow_packets": flow.packets[way], "flow_packets_back": flow.packets[1 - way], "flow_bytes": flow.bytes[way],
              "flow_bytes_back": flow.bytes[1 - way], "flow_mean": sum(flow.bytes) // sum(flow.packets),
              "flow_min": flow.shortest, "flow_max": flow.longest, "flow_syn": flow.flags["S"], "flow_fin": flow.flags["F"],
              "flow_rst": flow.flags["R"], "flow_age": epoch - flow.first, "flow_idle": epoch - flow.last, "flow_rate": flow.rate}
    return {name: level(count) for name, count in counts.items()}


def host_part(source: Host, destination: Host) -> dict[str, int]:
    sent, got = source.sides["sent"], source.sides["got"]
    row = {f"source_{name}": level(sent.rates[name]) for name in ("packets", "bytes", "syn", "rst", "flows")}
    row |= {f"source_got_{name}": level(got.rates[name]) for name in ("packets", "bytes", "syn", "rst", "flows", "icmp")}
    row |= {"source_got_ports": min(127, 2 * len(got.ports)), "source_got_peers": min(127, 2 * len(got.peers)), "source_slow_refused": level(got.refusals),
            "source_slow_ports": 2 * len(sent.slow_ports), "source_slow_peers": 2 * len(sent.slow_peers)}
    row |= {"source_ports": min(127, 2 * len(sent.ports)), "source_peers": min(127, 2 * len(sent.peers))}
    sent, got = destination.sides["sent"], destination.sides["got"]
    row |= {f"destination_{name}": level(got.rates[name]) for name in ("packets", "bytes", "syn", "flows")}
    row |= {f"destination_sent_{name}": level(sent.rates[name]) for name in ("packets", "rst", "flows", "icmp")}
    row |= {"destination_slow_ports": 2 * len(got.slow_ports), "destination_slow_refused": level(got.refusals),
            "destination_sent_slow_ports": 2 * len(sent.slow_ports), "destination_sent_slow_peers": 2 * len(sent.slow_peers)}
    return row | {"destination_ports": min(127, 2 * len(got.ports)), "destination_peers": min(127, 2 * len(got.peers))}


class Observer:
    def __init__(self) -> None:
        self.flows: dict[tuple, Flow] = defaultdict(Flow)
        self.hosts: dict[bytes, Host] = defaultdict(Host)

    def row(self, facts: Facts, epoch: int) -> list[int]:
        row = packet_part(facts)
        if facts.version is not None:
            row |= self.followed(facts, epoch)
        return [row.get(name, 0) for name in NAMES]

    def followed(self, facts: Facts, epoch: int) -> dict[str, int]:
        ports = facts.ports or (0, 0)
        ends = (facts.source, ports[0]), (facts.destination, ports[1])
        flow, way = self.flows[(min(ends), max(ends), facts.protocol)], int(ends[0] > ends[1])
        source, destination = self.hosts[facts.source], self.hosts[facts.destination]
        for one in (flow, source, destination):
            one.move_to(epoch)
        row = flow_part(flow, epoch, way) | host_part(source, destination)
        is_first = not any(direction == way and asks(before) for before, direction in flow.pending[epoch])
        rates = {"packets": 1, "bytes": facts.length, "syn": int("S" in facts.flags and "A" not in facts.flags),
                 "rst": int("R" in facts.flags), "flows": int(asks(facts) and flow.is_new() and is_first),
                 "icmp": int(facts.icmp == "error")}
        meaning = Meaning(rates, facts.ports[1] if facts.ports is not None and asks(facts) else None)
        flow.pending[epoch].append((facts, way))
        source.pending[epoch].append(("sent", meaning, host_hash(facts.destination)))
        destination.pending[epoch].append(("got", meaning, host_hash(facts.source)))
        return row


def packets_of(path: pathlib.Path) -> list[tuple[int, bytes, int]]:
    """Time in nanoseconds, recorded bytes, and length of each packet of a pcap file in this machine's byte order."""
    data = path.read_bytes()
    unit = {0xA1B2C3D4: 1000, 0xA1B23C4D: 1}[struct.unpack_from("<I", data)[0]]
    packets, at = [], 24
    while at < len(data):
        seconds, fraction, recorded, length = struct.unpack_from("<IIII", data, at)
        packets.append((seconds * 10**9 + fraction * unit, data[at + 16:at + 16 + recorded], length))
        at += 16 + recorded
    return packets


def rows_of(path: pathlib.Path) -> list[list[int]]:
    packets = packets_of(path)
    observer, epoch, rows = Observer(), 1, []
    for time, recorded, length in packets:
        epoch = max(epoch, (time - packets[0][0]) // 1_000_000 + 1)
        rows.append(observer.row(facts_of(recorded, length), epoch))
    return rows
