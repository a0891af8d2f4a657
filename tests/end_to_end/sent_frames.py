# SPDX-License-Identifier: Apache-2.0
"""Captures of packetwarp's own ports, without its announcements of its own addresses, which come at their own time."""
from __future__ import annotations

import pathlib

from scapy.utils import rdpcap

ARP, IPV6 = b"\x08\x06", b"\x86\xdd"
ALL_NODES, ADVERTISEMENT = bytes.fromhex("333300000001"), 136
ALL_LISTENER_ROUTERS = bytes.fromhex("333300000016")


def is_announcement(frame: bytes) -> bool:
    """An ARP request of an address about itself, an advertisement to all nodes, or a report of groups."""
    if frame[:6] == ALL_LISTENER_ROUTERS:
        return True
    if frame[12:14] == ARP:
        return frame[28:32] == frame[38:42]
    return frame[12:14] == IPV6 and frame[:6] == ALL_NODES and frame[54] == ADVERTISEMENT


def sent_frames(path: pathlib.Path) -> list[bytes]:
    return [frame for frame in map(bytes, rdpcap(str(path))) if not is_announcement(frame)]
