#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the captures that a forwarder must survive: runts, headers cut short or lying, odd files, files that are none.

Always the same bytes, so a failure can be written again from its name. Frames are built by scapy; the files are written here,
record by record, because most of them are files that no library would write."""
from __future__ import annotations

import argparse
import dataclasses
import pathlib
import struct
import sys
from collections.abc import Callable, Iterable

from scapy.compat import raw
from scapy.layers.inet import IP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Dot1Q, Ether
from scapy.packet import Raw

ETHERNET, RAW_IP, LINUX_SLL = 1, 101, 113
MICROSECONDS, NANOSECONDS = 0xA1B2C3D4, 0xA1B23C4D
EPOCH = 1_700_000_000


# --- files ------------------------------------------------------------------------------------------------------------


def pcap(frames: Iterable[bytes], link: int = ETHERNET, snap: int = 262144, magic: int = MICROSECONDS, order: str = "<") -> bytes:
    """A capture file of the classic kind; frames longer than `snap` are cut, as by tcpdump -s."""
    parts = [struct.pack(f"{order}IHHiIII", magic, 2, 4, 0, 0, snap, link)]
    for number, frame in enumerate(frames):
        kept = frame[:snap]
        parts.append(struct.pack(f"{order}IIII", EPOCH, number, len(kept), len(frame)) + kept)
    return b"".join(parts)


def pcapng(frames: Iterable[bytes]) -> bytes:
    """Section header, one Ethernet interface, one enhanced packet block per frame."""

    def block(kind: int, body: bytes) -> bytes:
        body += bytes(-len(body) % 4)
        total = struct.pack("<I", len(body) + 12)
        return struct.pack("<I", kind) + total + body + total

    parts = [block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1)), block(1, struct.pack("<HHI", ETHERNET, 0, 0))]
    for number, frame in enumerate(frames):
        parts.append(block(6, struct.pack("<IIIII", 0, 0, number, len(frame), len(frame)) + frame))
    return b"".join(parts)


# --- frames -----------------------------------------------------------------------------------------------------------


def pattern(length: int, seed: int = 0) -> bytes:
    """Bytes that differ from their neighbours and from packet to packet: a shifted or exchanged copy shows."""
    return bytes((seed * 31 + i * 7 + (i >> 8)) & 0xFF for i in range(length))


def udp_frame(length: int, number: int = 0) -> bytes:
    """An Ethernet frame of exactly `length` bytes (without FCS): IPv4 and UDP, counted in the source port."""
    header = Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02") / IP(src="10.0.0.1", dst="10.0.0.2", id=number & 0xFFFF)
    return raw(header / UDP(sport=1024 + number % 60000, dport=9) / Raw(pattern(length - 42, number)))


def among_good(odd: Iterable[bytes]) -> list[bytes]:
    """Each odd frame between good ones, which must come through in order whatever happens to their neighbours."""
    frames = [udp_frame(64, 0)]
    for number, frame in enumerate(odd, start=1):
        frames += [frame, udp_frame(64 + number % 64, number)]
    return frames


def ipv4(**fields: int) -> bytes:
    return raw(Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02") / IP(src="10.0.0.1", dst="10.0.0.2", **fields)
               / UDP(sport=1, dport=2) / Raw(pattern(18)))


def cut_headers() -> list[bytes]:
    """IPv4, IPv6 and tagged frames that end inside a header: after every byte from the EtherType on."""
    ethernet = Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02")
    whole = [raw(ethernet / IP() / UDP()), raw(ethernet / IPv6() / UDP()), raw(ethernet / Dot1Q(vlan=10) / IP() / UDP())]
    return [frame[:length] for frame in whole for length in range(14, len(frame))]


def lying_headers() -> list[bytes]:
    """Header and total lengths that are not true, and invalid versions."""
    return ([ipv4(ihl=value) for value in range(16)] + [ipv4(version=value) for value in range(16)]
            + [ipv4(len=value) for value in (0, 1, 19, 20, 21, 27, 28, 47, 1500, 65535)])


def vlan_stack() -> list[bytes]:
    frames = []
    for depth in range(9):
        frame = Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02")
        for tag in range(depth):
            frame /= Dot1Q(vlan=tag + 1)
        frames.append(raw(frame / IP() / UDP() / Raw(pattern(20, depth))))
    return frames


# --- the set ----------------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Capture:
    """A file of the set."""

    name: str
    about: str
    content: Callable[[], bytes]
    # Ethernet frames that can be forwarded and compared; the other files must be refused or warned about.
    forwardable: bool = True
    largest: int = 1514


CAPTURES = [
    Capture("runts.pcap", "frames of 1 to 13 bytes between good ones", lambda: pcap(among_good(pattern(n, n) for n in range(1, 14)))),
    Capture("zero_length.pcap", "frames of no byte between good ones", lambda: pcap(among_good([b""] * 5))),
    Capture("only_runts.pcap", "70 frames, none of them long enough", lambda: pcap(pattern(n % 14, n) for n in range(70))),
    Capture("fourteen_bytes.pcap", "an Ethernet header and nothing else", lambda: pcap(pattern(14, n) for n in range(100))),
    Capture("cut_headers.pcap", "headers that end too early", lambda: pcap(among_good(cut_headers()))),
    Capture("lying_headers.pcap", "IPv4 lengths and versions that are not true", lambda: pcap(among_good(lying_headers()))),
    Capture("vlan_stack.pcap", "up to eight tags", lambda: pcap(among_good(vlan_stack()))),
    Capture("every_length.pcap", "every length from 14 to 1514 bytes", lambda: pcap(pattern(n, n) for n in range(14, 1515))),
    Capture("jumbo.pcap", "9000-byte frames between small ones",
            lambda: pcap(udp_frame(9000 if n % 3 == 0 else 64 + n, n) for n in range(60)), largest=9000),
    Capture("snapped.pcap", "frames of which the capture kept 60 bytes", lambda: pcap((udp_frame(500, n) for n in range(50)), snap=60)),
    Capture("big_endian.pcap", "written on a big-endian machine", lambda: pcap((udp_frame(64, n) for n in range(50)), order=">")),
    Capture("nanoseconds.pcap", "nanosecond time stamps", lambda: pcap((udp_frame(64, n) for n in range(50)), magic=NANOSECONDS)),
    Capture("pcapng.pcapng", "the newer file format", lambda: pcapng(udp_frame(64 + n, n) for n in range(50))),
    Capture("empty.pcap", "a header and no packet", lambda: pcap([])),
    Capture("cut_file.pcap", "a file that ends inside its last record", lambda: pcap(udp_frame(100, n) for n in range(50))[:-30]),
    Capture("linux_sll.pcap", "link type LINUX_SLL, as tcpdump -i any records", forwardable=False,
            content=lambda: pcap((struct.pack("!HHH8sH", 0, 1, 6, bytes(8), 0x0800) + raw(IP() / UDP()) for _ in range(5)), LINUX_SLL)),
    Capture("raw_ip.pcap", "link type RAW: no Ethernet header", lambda: pcap((raw(IP() / UDP()) for _ in range(5)), RAW_IP), False),
    Capture("not_a_capture.pcap", "a text", lambda: b"This is not a capture, whatever its name says.\n" * 20, False),
    Capture("no_bytes.pcap", "a file of no byte", lambda: b"", False),
    Capture("half_a_header.pcap", "a file that ends inside its own header", lambda: pcap([])[:13], False),
]


def write_all(folder: pathlib.Path) -> dict[str, pathlib.Path]:
    """Writes the set; the path of each file by its name."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = {}
    for capture in CAPTURES:
        paths[capture.name] = folder / capture.name
        paths[capture.name].write_bytes(capture.content())
    return paths


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=pathlib.Path)
    for name, path in write_all(parser.parse_args().directory).items():
        about = next(capture.about for capture in CAPTURES if capture.name == name)
        print(f"{path}  {path.stat().st_size} bytes  {about}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
