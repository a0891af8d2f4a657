#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the packets of alerts as a pcapng file, which Wireshark, tshark and scapy read: alert_packets.py EVE OUT [--sid N]...

EVE: the file of `inspect`'s key `events`, with `events_packets`, or one of Suricata's with `packet: yes`; - for standard input. Each
packet has its alert's time, its interface, and a comment: "sid 1:2000419:3 MESSAGE". Events without a packet are counted.
OUT is replaced when all of EVE is read, and must not be EVE itself.
Exit status: 0 done, 1 if no alert has a packet or OUT cannot be written, 2 if EVE cannot be read, is no EVE, or is OUT.
"""
from __future__ import annotations

import argparse
import base64
import contextlib
import datetime
import json
import os
import pathlib
import stat
import struct
import sys
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

SECTION, INTERFACE, PACKET = 0x0A0D0D0A, 1, 6
COMMENT, NAME, RESOLUTION = 1, 2, 9
NANOSECONDS = 9


def option(code: int, value: bytes) -> bytes:
    return struct.pack("<HH", code, len(value)) + value.ljust(-(-len(value) // 4) * 4, b"\0")


def block(kind: int, body: bytes) -> bytes:
    size = 12 + len(body)
    return struct.pack("<II", kind, size) + body + struct.pack("<I", size)


def interface_block(name: str, link: int) -> bytes:
    options = option(NAME, name.encode()) + option(RESOLUTION, bytes([NANOSECONDS])) + option(0, b"")
    return block(INTERFACE, struct.pack("<HHI", link, 0, 0) + options)


def packet_block(interface: int, when: int, frame: bytes, comment: str) -> bytes:
    head = struct.pack("<IIIII", interface, when >> 32, when & 0xFFFFFFFF, len(frame), len(frame))
    return block(PACKET, head + frame.ljust(-(-len(frame) // 4) * 4, b"\0") + option(COMMENT, comment.encode()) + option(0, b""))


def nanoseconds_of(timestamp: str) -> int:
    seen = datetime.datetime.strptime(timestamp, "%Y-%m-%dT%H:%M:%S.%f%z")
    since = seen - datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
    return (since.days * 86400 + since.seconds) * 1_000_000_000 + since.microseconds * 1000


class NoEve(Exception):
    """A line that is no event of EVE."""


# The exceptions that a line raises which is no JSON, or has other members than an event.
WRONG_LINE = (ValueError, LookupError, TypeError, AttributeError, OverflowError, RecursionError, struct.error)


class Conversion:
    """Makes blocks of a pcapng file from the events of EVE."""

    def __init__(self, sids: set[int]) -> None:
        self.sids = sids
        self.interfaces: dict[tuple[str, int], int] = {}
        self.written = self.without = 0

    def blocks_of(self, lines: Iterable[bytes]) -> Iterator[bytes]:
        yield block(SECTION, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))
        for number, line in enumerate(lines, 1):
            try:
                made = self._block_of(json.loads(line))
            except WRONG_LINE as wrong:
                raise NoEve(f"line {number} is no event of EVE: {type(wrong).__name__}: {wrong}") from None
            yield made

    def _block_of(self, event: dict[str, Any]) -> bytes:
        """The block of an alert's packet, after that of a new interface; empty for other events."""
        if event.get("event_type") != "alert":
            return b""
        alert = event["alert"]
        if self.sids and alert["signature_id"] not in self.sids:
            return b""
        if "packet" not in event:
            self.without += 1
            return b""
        where = (event.get("in_iface", "unknown"), event.get("packet_info", {}).get("linktype", 1))
        head = b"" if where in self.interfaces else interface_block(*where)
        interface = self.interfaces.setdefault(where, len(self.interfaces))
        comment = f"sid {alert['gid']}:{alert['signature_id']}:{alert['rev']} {alert['signature']}"
        made = packet_block(interface, nanoseconds_of(event["timestamp"]), base64.b64decode(event["packet"]), comment)
        self.written += 1
        return head + made


def is_same_file(lines: BinaryIO, out: pathlib.Path) -> bool:
    facts = os.fstat(lines.fileno())
    return stat.S_ISREG(facts.st_mode) and out.exists() and os.path.samestat(facts, out.stat())


@contextlib.contextmanager
def replaced(out: pathlib.Path) -> Iterator[BinaryIO]:
    """A file that takes OUT's place at the end, unless an exception comes before. Devices and pipes are written as they are."""
    if out.exists() and not out.is_file():
        with out.open("wb") as to:
            yield to
        return
    target = out.resolve()  # a link stays
    part = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        with part.open("xb") as to:
            yield to
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("eve")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--sid", type=int, action="append", default=[], help="only alerts of this rule; several times for several")
    given = parser.parse_args()

    def refuse(words: str, status: int) -> int:
        print(f"alert_packets.py: {words}", file=sys.stderr)
        return status

    conversion = Conversion(set(given.sid))
    with contextlib.ExitStack() as files:
        try:
            lines = sys.stdin.buffer if given.eve == "-" else files.enter_context(open(given.eve, "rb"))
        except OSError as wrong:
            return refuse(f"{given.eve}: cannot be read: {wrong.strerror}", 2)
        try:
            if is_same_file(lines, given.out):
                return refuse(f"{given.out}: is the file that is read; give another one for the packets", 2)
            with replaced(given.out) as to:
                for made in conversion.blocks_of(lines):
                    to.write(made)
        except NoEve as wrong:
            return refuse(f"{given.eve}: {wrong}", 2)
        except OSError as wrong:
            return refuse(f"{given.out}: cannot be written: {wrong.strerror}", 1)
    print(f"{conversion.written} packets, {conversion.without} alerts without one", file=sys.stderr)
    return 0 if conversion.written else 1


if __name__ == "__main__":
    sys.exit(main())
