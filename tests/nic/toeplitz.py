# SPDX-License-Identifier: Apache-2.0
"""Receive-side scaling's hash, as Microsoft's specification of RSS defines it."""
from __future__ import annotations

import socket

from scapy.packet import Packet


def hash_of(key: bytes, packet: Packet) -> int:
    """The hash of a TCP or UDP packet in IPv4: addresses, then ports. For each bit that is set, the 32 bits of the key from
    there."""
    what = socket.inet_aton(packet.src) + socket.inet_aton(packet.dst) + packet.sport.to_bytes(2, "big") + packet.dport.to_bytes(2, "big")
    keyed, bits = int.from_bytes(key, "big"), 8 * len(key)
    result = 0
    for place in range(8 * len(what)):
        if what[place // 8] >> (7 - place % 8) & 1:
            result ^= keyed >> (bits - 32 - place) & 0xFFFFFFFF
    return result
