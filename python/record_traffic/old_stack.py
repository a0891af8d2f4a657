# SPDX-License-Identifier: Apache-2.0
"""Hosts with an old or small TCP stack at the near end of a line: their connections begin without TCP options, or with the maximum segment size
alone, and with a small window. A relay rewrites the first packet of a connection, which is all that both kernels need: neither
uses an option that was not offered. (TCPOPTSTRIP and nftables would leave bytes without meaning in the place of the options.)"""
from __future__ import annotations

import random
import struct

ETHERNET, IPV4, IPV6, TCP = 14, 0x0800, 0x86DD, 6
SYN, ACK, ECN = 2, 16, 0xC0
MSS_OPTION = 2
# Stacks of 8-bit devices, lwIP, printers, old BSDs and Windows, and health checks have these; 0 is the kernel's own.
WINDOWS = (0, 360, 512, 1024, 1460, 2144, 2920, 4096, 5744, 5840, 8192, 16384, 32768, 65535)


def checksum(data: bytes) -> int:
    """The Internet's (RFC 1071)."""
    data += bytes(len(data) % 2)
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def older(frame: bytes, addresses: bytes, at: int, keeps_mss: bool, window: int) -> bytes:
    """The frame, whose TCP header begins at `at`, without options or with the first one alone, and with this window or a smaller one."""
    end = at + (frame[at + 12] >> 4) * 4
    options = frame[at + 20:end]
    kept = options[:4] if keeps_mss and options[:1] == bytes([MSS_OPTION]) else b""
    shown = min(window or 65535, int.from_bytes(frame[at + 14:at + 16], "big"))
    segment = (frame[at:at + 12] + bytes([(20 + len(kept)) // 4 << 4, frame[at + 13] & ~ECN]) + struct.pack("!H", shown) + bytes(2) + frame[at + 18:at + 20]
               + kept + frame[end:])
    sum_of_all = checksum(addresses + struct.pack("!II", len(segment), TCP) + segment)
    segment = segment[:16] + struct.pack("!H", sum_of_all) + segment[18:]
    head = bytearray(frame[:at])
    if head[12:14] == b"\x86\xdd":
        head[ETHERNET + 4:ETHERNET + 6] = struct.pack("!H", len(segment))
    else:
        head[ETHERNET + 2:ETHERNET + 4] = struct.pack("!H", at - ETHERNET + len(segment))
        head[ETHERNET + 10:ETHERNET + 12] = bytes(2)
        head[ETHERNET + 10:ETHERNET + 12] = struct.pack("!H", checksum(bytes(head[ETHERNET:at])))
    return bytes(head) + segment


class OldStacks:
    """Stacks that some of the addresses at the near end of a line have in place of their kernel's. An address keeps its own."""

    def __init__(self, share: float, seed: str) -> None:
        self._share, self._seed = share, seed

    def _look(self, address: bytes) -> tuple[bool, int] | None:
        numbers = random.Random(f"{self._seed} {address.hex()}")
        return (numbers.random() < 0.4, numbers.choice(WINDOWS)) if numbers.random() < self._share else None

    def passed(self, frame: bytes, goes_up: bool) -> bytes:
        """The frame as it leaves the line: a SYN of such an address is an old stack's, and one to such an address loses its options, so
        that its kernel answers as an old stack does."""
        if not self._share or len(frame) < ETHERNET + 40:
            return frame
        kind = int.from_bytes(frame[12:14], "big")
        if kind == IPV4 and frame[ETHERNET + 9] == TCP:
            at, place, size = ETHERNET + (frame[ETHERNET] & 15) * 4, ETHERNET + 12, 4
        elif kind == IPV6 and frame[ETHERNET + 6] == TCP:
            at, place, size = ETHERNET + 40, ETHERNET + 8, 16
        else:
            return frame
        if len(frame) < at + 20 or frame[at + 13] & (SYN | ACK) != SYN:
            return frame
        addresses = frame[place:place + 2 * size]
        look = self._look(addresses[:size] if goes_up else addresses[size:])
        return older(frame, addresses, at, *look) if look else frame
