# SPDX-License-Identifier: Apache-2.0
"""Packets as they are on the two sides of a NAT44. scapy makes all changes to them, checksums too."""
from __future__ import annotations

from raw_network import HOSTS, LEFT, RIGHT
from scapy.layers.inet import ICMP, IP
from scapy.packet import Packet

HOST, OTHER = HOSTS[LEFT][:2]
SERVER, SERVER2 = HOSTS[RIGHT][:2]


def out(protocol: Packet, to: str = SERVER, host: str = HOST, **fields) -> Packet:
    """From a host inside."""
    return IP(src=host, dst=to, **fields) / protocol


def with_source(packet: Packet, address: str, port: int | None = None) -> Packet:
    """With another source, of ICMP queries another identifier; the same port if none is given."""
    changed = packet.copy()
    changed.src = address
    if port is not None:
        setattr(changed.payload, "id" if ICMP in changed else "sport", port)
    return changed


def with_destination(packet: Packet, address: str, port: int | None = None) -> Packet:
    changed = packet.copy()
    changed.dst = address
    if port is not None:
        setattr(changed.payload, "id" if ICMP in changed else "dport", port)
    return changed


def port_of(packet: Packet) -> int:
    """The source's, of ICMP queries the identifier."""
    return packet.payload.id if ICMP in packet else packet.payload.sport


def answer_to(packet: Packet, to: str | None = None, ttl: int = 64) -> Packet:
    """The same content back, from its destination; to its source, or to another host. A checksum that was wrong, or absent, is so
    again."""
    packet = IP(bytes(packet))
    answer = packet.copy()
    answer.src, answer.dst, answer.ttl = packet.dst, to or packet.src, ttl
    del answer.chksum
    again = packet.copy()
    del again.payload.chksum
    was_right = IP(bytes(again)).payload.chksum == packet.payload.chksum
    if ICMP in answer:
        answer[ICMP].type = "echo-reply"
    else:
        answer.payload.sport, answer.payload.dport = packet.payload.dport, packet.payload.sport
    if was_right:
        del answer.payload.chksum
    return answer


def error_about(packet: Packet, source: str, held: int | None = None, to: str | None = None, **icmp) -> Packet:
    """An ICMP error to a packet's source, with this many bytes of the packet, or all."""
    whole = bytes(packet)
    return IP(src=source, dst=to or packet.src) / ICMP(**icmp) / whole[:held or len(whole)]
