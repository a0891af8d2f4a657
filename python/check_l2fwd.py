#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that a capture of forwarded packets is l2fwd's output for its input: count, order and every byte.

It shares no code with packetwarp: scapy and tshark read the captures, each on its own, and l2fwd's work is written down here
again. `none` changes nothing; `cpu` swaps the MAC addresses and drops packets without room for them (under 14 bytes). Exit
status: 0 as expected, 1 different, 2 the check failed."""
from __future__ import annotations

import argparse
import collections
import dataclasses
import hashlib
import pathlib
import shutil
import subprocess
import sys

from rich.console import Console
from rich.table import Table
from scapy.error import Scapy_Exception
from scapy.utils import RawPcapReader

ETHERNET_HEADER = 14
WORKLOADS = ("none", "cpu")


class Unusable(Exception):
    """The captures cannot be compared: a file is no capture, or a tool is missing."""


# --- what l2fwd has to do -----------------------------------------------------------------------------------------------


def is_dropped(frame: bytes, workload: str) -> bool:
    return workload == "cpu" and len(frame) < ETHERNET_HEADER


def transform(frame: bytes, workload: str) -> bytes:
    return frame[6:12] + frame[0:6] + frame[12:] if workload == "cpu" else frame


def expected_output(frames: list[bytes], workload: str) -> list[bytes]:
    return [transform(frame, workload) for frame in frames if not is_dropped(frame, workload)]


# --- the two readers ----------------------------------------------------------------------------------------------------


def read_with_scapy(path: pathlib.Path) -> list[bytes]:
    """Every whole frame. A record that the file cuts short is no frame: its last bytes were never there."""
    try:
        with RawPcapReader(str(path)) as reader:
            return [frame for frame, about in reader if len(frame) == getattr(about, "caplen", len(frame))]
    except (Scapy_Exception, OSError, EOFError) as error:
        raise Unusable(f"{path}: {error}") from error


@dataclasses.dataclass(frozen=True)
class Seen:
    """A frame, as tshark sees it."""

    digest: str
    source: str
    destination: str
    protocol: str


# The first of these that occurs among tshark's layers names the packet.
NAMES = {
    "http": "HTTP", "dns": "DNS", "mdns": "mDNS", "icmp": "ICMP", "icmpv6": "ICMPv6", "arp": "ARP", "tcp": "TCP", "udp": "UDP",
    "ipv6": "IPv6, other", "ip": "IPv4, other",
}
TAGS = {"ieee8021ad": "QinQ", "vlan": "802.1Q"}


def protocol_name(layers: str) -> str:
    """ "eth:ethertype:vlan:ethertype:ip:tcp" -> "802.1Q TCP" """
    present = layers.split(":")
    tag = next((name for layer, name in TAGS.items() if layer in present), "")
    name = next((name for layer, name in NAMES.items() if layer in present), "Ethernet, other")
    return f"{tag} {name}".strip()


def read_with_tshark(path: pathlib.Path) -> list[Seen]:
    """Each frame's digest, addresses and protocol. No frame may be explained by another one, hence no reassembly."""
    if not (tshark := shutil.which("tshark")):
        raise Unusable("tshark is not installed (ci/setup.sh installs it)")
    fields = ("frame.md5_hash", "eth.src", "eth.dst", "frame.protocols")
    options = ("frame.generate_md5_hash:TRUE", "ip.defragment:FALSE", "ipv6.defragment:FALSE", "tcp.desegment_tcp_streams:FALSE")
    command = [tshark, "-n", "-r", str(path), "-T", "fields", "-E", "occurrence=f"]
    command += [part for option in options for part in ("-o", option)] + [part for field in fields for part in ("-e", field)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    # It complains about a capture that was cut short after it has printed the frames.
    if result.returncode != 0 and "cut short" not in result.stderr:
        raise Unusable(f"{path}: {result.stderr.strip().splitlines()[-1] if result.stderr.strip() else 'tshark failed'}")
    rows = (line.split("\t") for line in result.stdout.splitlines())
    return [Seen(digest, source, destination, protocol_name(layers)) for digest, source, destination, layers in rows]


def read(path: pathlib.Path) -> tuple[list[bytes], list[Seen]]:
    """Both readers' view of a file; where they differ, neither can be trusted."""
    frames, seen = read_with_scapy(path), read_with_tshark(path)
    if [hashlib.md5(frame).hexdigest() for frame in frames] != [one.digest for one in seen]:
        raise Unusable(f"{path}: scapy and tshark do not read the same frames ({len(frames)} and {len(seen)})")
    return frames, seen


# --- the comparison -----------------------------------------------------------------------------------------------------


def differing_byte(one: bytes, other: bytes) -> int:
    return next((i for i, (a, b) in enumerate(zip(one, other)) if a != b), min(len(one), len(other)))


def hex_line(frame: bytes | None, around: int) -> str:
    """48 bytes from a little before `around`: jumbo frames do not fit on a line, and the difference must be on it."""
    if frame is None:
        return "(no packet)"
    start = max(0, around - 16) // 16 * 16
    more = f" ... {len(frame)} bytes" if start + 48 < len(frame) else f" ({len(frame)} bytes)"
    return f"{start:04x}: {frame[start:start + 48].hex(' ')}{more}"


def explain(index: int, expected: list[bytes], got: list[bytes], workload: str) -> str:
    """The most likely cause of the first difference."""
    if index >= len(got):
        return f"{len(expected) - index} packets are missing at the end"
    if index >= len(expected):
        return "one more came out than went in" if got[index] not in expected else "it is a duplicate"
    frame = got[index]
    if workload == "cpu" and frame == transform(expected[index], "cpu"):
        return "its MAC addresses are not swapped"
    if frame in expected[:index]:
        return f"it is a duplicate of, or was overtaken by, packet {expected.index(frame) + 1}"
    if frame in expected[index + 1:]:
        place = expected.index(frame, index + 1) + 1
        return f"what came out is packet {place}: the ones before it are missing, or late"
    return f"byte {differing_byte(frame, expected[index])} is the first that differs"


@dataclasses.dataclass
class Report:
    """The result of one comparison."""

    workload: str
    received: int = 0
    sent: int = 0
    runts: int = 0
    difference: str = ""
    # By protocol: in, out, as expected.
    table: dict[str, list[int]] = dataclasses.field(default_factory=lambda: collections.defaultdict(lambda: [0, 0, 0]))

    @property
    def ok(self) -> bool:
        return not self.difference

    @property
    def verdict(self) -> str:
        counts = f"{self.received} in, {self.sent} out, {self.runts} runts"
        if not self.ok:
            return f"check_l2fwd: FAIL: {counts}, workload {self.workload}: {self.difference.splitlines()[0]}"
        done = "with its MAC addresses swapped" if self.workload == "cpu" else "unchanged"
        return f"check_l2fwd: PASS: {counts}: every packet {done}, in order, every byte"


def describe_difference(expected: list[bytes], got: list[bytes], workload: str) -> str:
    """"" without a difference; else a line that names the first one and the two packets in hex."""
    if expected == got:
        return ""
    pairs = zip(expected, got)
    index = next((i for i, (one, other) in enumerate(pairs) if one != other), min(len(expected), len(got)))
    wanted = expected[index] if index < len(expected) else None
    actual = got[index] if index < len(got) else None
    around = differing_byte(wanted or b"", actual or b"")
    return (f"packet {index + 1} of the output differs: {explain(index, expected, got, workload)}\n"
            f"  expected {hex_line(wanted, around)}\n"
            f"  got      {hex_line(actual, around)}")


def addresses_differ(seen_in: list[Seen], seen_out: list[Seen], workload: str) -> str:
    """tshark's own opinion on the addresses, in its own words."""
    for number, (before, after) in enumerate(zip(seen_in, seen_out), start=1):
        wanted = (before.destination, before.source) if workload == "cpu" else (before.source, before.destination)
        if (after.source, after.destination) != wanted:
            return (f"packet {number} of the output has other addresses than expected, tshark says\n"
                    f"  expected {wanted[0]} > {wanted[1]}\n  got      {after.source} > {after.destination}")
    return ""


def check(source: pathlib.Path, result: pathlib.Path, workload: str) -> Report:
    """Compares two captures. Raises Unusable if they cannot be read."""
    frames, seen = read(source)
    got, seen_out = read(result)
    kept = [i for i, frame in enumerate(frames) if not is_dropped(frame, workload)]
    expected = expected_output(frames, workload)
    report = Report(workload, received=len(frames), sent=len(got), runts=len(frames) - len(kept))
    for one in seen:
        report.table[one.protocol][0] += 1
    for one in seen_out:
        report.table[one.protocol][1] += 1
    for place, i in enumerate(kept):
        report.table[seen[i].protocol][2] += place < len(got) and got[place] == expected[place]
    report.difference = describe_difference(expected, got, workload) or addresses_differ([seen[i] for i in kept], seen_out, workload)
    return report


def show(report: Report, console: Console) -> None:
    table = Table("protocol", box=None, pad_edge=False)
    for name in ("in", "out", "swapped ok" if report.workload == "cpu" else "unchanged"):
        table.add_column(name, justify="right")
    for protocol, counts in sorted(report.table.items(), key=lambda item: (-item[1][0], item[0])):
        table.add_row(protocol, *map(str, counts))
    totals = [sum(counts[column] for counts in report.table.values()) for column in range(3)]
    table.add_row("total", *map(str, totals), style="bold")
    console.print(table)
    if not report.ok:
        console.print(report.difference, markup=False, highlight=False, soft_wrap=True)
    console.print(report.verdict, markup=False, highlight=False, soft_wrap=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("input", type=pathlib.Path, help="what l2fwd received")
    parser.add_argument("output", type=pathlib.Path, help="what it sent")
    parser.add_argument("-w", "--workload", choices=WORKLOADS, default="cpu")
    arguments = parser.parse_args()
    try:
        report = check(arguments.input, arguments.output, arguments.workload)
    except Unusable as error:
        print(f"check_l2fwd: error: {error}", file=sys.stderr)
        return 2
    show(report, Console())
    return 0 if report.ok else 1


if __name__ == "__main__":
    sys.exit(main())
