#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the packets of alerts as a pcapng file, which Wireshark, tshark and scapy read: alert_packets.py EVE OUT [--sid N]...

EVE: the file of `inspect`'s key `events`, with `events_packets`, or one of Suricata's with `packet: yes`; - for standard input. Each
packet has its alert's time, its interface, and a comment: "sid 1:2000419:3 MESSAGE". Events without a packet are counted.
Exit status: 0 done, 1 if no alert has a packet, 2 for text that is no EVE.
"""
from __future__ import annotations

import argparse
import base64
import contextlib
import datetime
import json
import pathlib
import struct
import sys
from collections.abc import Iterable, Iterator

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


def blocks_of(lines: Iterable[str], sids: set[int], counts: dict[str, int]) -> Iterator[bytes]:
    """The blocks of a file, made from lines of EVE."""
    yield block(SECTION, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))
    interfaces: dict[tuple[str, int], int] = {}
    for line in lines:
        event = json.loads(line)
        alert = event.get("alert")
        if event.get("event_type") != "alert" or (sids and alert["signature_id"] not in sids):
            continue
        if "packet" not in event:
            counts["without"] += 1
            continue
        where = (event.get("in_iface", "unknown"), event.get("packet_info", {}).get("linktype", 1))
        if where not in interfaces:
            interfaces[where] = len(interfaces)
            yield interface_block(*where)
        counts["written"] += 1
        comment = f"sid {alert['gid']}:{alert['signature_id']}:{alert['rev']} {alert['signature']}"
        yield packet_block(interfaces[where], nanoseconds_of(event["timestamp"]), base64.b64decode(event["packet"]), comment)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("eve")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--sid", type=int, action="append", default=[], help="only alerts of this rule; several times for several")
    given = parser.parse_args()
    counts = {"written": 0, "without": 0}
    with contextlib.ExitStack() as files:
        lines = sys.stdin if given.eve == "-" else files.enter_context(open(given.eve, encoding="utf-8"))
        to = files.enter_context(given.out.open("wb"))
        try:
            for one in blocks_of(lines, set(given.sid), counts):
                to.write(one)
        except (ValueError, KeyError) as wrong:
            print(f"{given.eve}: a line is no event of EVE: {wrong}", file=sys.stderr)
            return 2
    print(f"{counts['written']} packets, {counts['without']} alerts without one", file=sys.stderr)
    return 0 if counts["written"] else 1


if __name__ == "__main__":
    sys.exit(main())
