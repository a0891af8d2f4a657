# SPDX-License-Identifier: Apache-2.0
"""A capture with frames of many kinds, sound and broken, between few hosts, at times that reach across epochs of all
kinds. Scapy makes the frames; this file records them."""
from __future__ import annotations

import pathlib
import random
import struct

from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.inet6 import (ICMPv6DestUnreach, ICMPv6EchoReply, ICMPv6EchoRequest, IPv6, IPv6ExtHdrDestOpt,
                                IPv6ExtHdrFragment, IPv6ExtHdrHopByHop, IPv6ExtHdrRouting)
from scapy.layers.l2 import ARP, GRE, Dot1AD, Dot1Q, Ether
from scapy.packet import Packet, Raw

PORTS = (0, 22, 53, 80, 443, 1023, 1024, 8080, 49151, 49152, 60000, 65535)
GAPS = {0: 300, 20_000: 300, 300_000: 60, 1_000_000: 20, 2_500_000: 20, 40_000_000: 6, 256_000_000: 2, 1_024_000_000: 2,
        9_000_000_000: 1}  # nanoseconds, and how often
TCP_OPTIONS = ([], [], [("MSS", 1460)], [("NOP", None), ("NOP", None), ("Timestamp", (1, 2))], [("NOP", None)] * 40)


class FrameMaker:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def hosts(self, version: int) -> tuple[str, str]:
        form = "10.0.{}.{}" if version == 4 else "2001:db8:{}::{}"
        source, destination = (form.format(self.random.randrange(2), self.random.randrange(1, 5)) for _ in range(2))
        return source, destination

    def ports(self) -> dict[str, int]:
        if self.random.random() < 0.2:
            return {"sport": self.random.choice(PORTS), "dport": self.random.randrange(65536)}
        return {"sport": self.random.choice(PORTS), "dport": self.random.choice(PORTS)}

    def transport(self, version: int) -> Packet:
        pick = self.random.random()
        if pick < 0.5:
            flags = self.random.choice(("S", "SA", "A", "PA", "FA", "R", "RA", "F", "", "FPU", "SF"))
            options = self.random.choice(TCP_OPTIONS)
            return TCP(**self.ports(), flags=flags, window=self.random.choice((0, 1, 512, 65535)), options=options)
        if pick < 0.75:
            return UDP(**self.ports())
        if pick < 0.95 and version == 4:
            return ICMP(type=self.random.choice((0, 3, 4, 5, 8, 11, 12, 13)))
        if pick < 0.95:
            return self.random.choice((ICMPv6EchoRequest, ICMPv6EchoReply, ICMPv6DestUnreach))()
        return GRE()

    def ip(self) -> Packet:
        version = self.random.choice((4, 4, 6))
        source, destination = self.hosts(version)
        body = self.transport(version) / Raw(bytes(self.random.choice((0, 1, 10, 64, 700, 1400))))
        offset, more = (self.random.choice((0, 0, 0, 0, 185, 8191)), self.random.choice((0, 0, 0, 1)))
        if version == 4:
            options = self.random.choice(("", "", "", b"\x01\x01\x01\x00"))
            return IP(src=source, dst=destination, frag=offset, flags=more, options=options) / (Raw(bytes(body)) if offset else body)
        made: Packet = IPv6(src=source, dst=destination)
        for extension in self.random.choices((IPv6ExtHdrHopByHop, IPv6ExtHdrDestOpt, IPv6ExtHdrRouting), k=self.random.choice((0, 0, 1, 3, 9))):
            made = made / extension()
        if self.random.random() < 0.3:
            made = made / IPv6ExtHdrFragment(offset=offset, m=more, nh=17 if isinstance(body, UDP) else 6)
        return made / body

    def frame(self) -> bytes:
        made: Packet = Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02")
        for _ in range(self.random.choice((0, 0, 0, 0, 1, 2, 4, 5))):
            made = made / self.random.choice((Dot1Q(vlan=5), Dot1AD(vlan=6)))
        made = made / (ARP() if self.random.random() < 0.02 else self.ip())
        return self.broken(bytearray(bytes(made)))

    def broken(self, frame: bytearray) -> bytes:
        """Mostly as it is; sometimes with a byte of its headers changed, cut, or with padding."""
        pick = self.random.random()
        if pick < 0.15:
            frame[self.random.randrange(min(len(frame), 90))] ^= 1 << self.random.randrange(8)
        elif pick < 0.25:
            del frame[self.random.randrange(len(frame)):]
        elif pick < 0.35:
            frame += bytes(self.random.randrange(40))
        elif pick < 0.36:
            frame += bytes(66_000)
        return bytes(frame)


def write_capture(path: pathlib.Path, seed: int, count: int) -> None:
    """With a snap length for some packets, and clocks that step back."""
    maker = FrameMaker(seed)
    time = 1_700_000_000 * 10**9 + 123_456_789
    data = bytearray(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 262144, 1))
    for _ in range(count):
        frame = maker.frame()
        recorded = frame[:maker.random.choice((54, 64, 96))] if maker.random.random() < 0.1 else frame
        data += struct.pack("<IIII", time // 10**9, time % 10**9, len(recorded), len(frame)) + recorded
        is_back = maker.random.random() < 0.02
        time += -maker.random.randrange(5_000_000) if is_back else maker.random.choices(list(GAPS), list(GAPS.values()))[0]
    path.write_bytes(data)
