# SPDX-License-Identifier: Apache-2.0
"""Frames as bytes, made fast enough for thousands a second. Addresses are text, checksums are right unless it is said."""
from __future__ import annotations

import functools
import ipaddress
import socket
import struct

ICMP, TCP, UDP, FRAGMENT6, ICMP6 = 1, 6, 17, 44, 58
BROADCAST = "ff:ff:ff:ff:ff:ff"
SYN, ACK = 0x02, 0x10


@functools.lru_cache(65536)
def mac_bytes(mac: str) -> bytes:
    return bytes.fromhex(mac.replace(":", ""))


def checksum(data: bytes) -> int:
    """RFC 1071."""
    data += b"\0" * (len(data) % 2)
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    total = (total & 0xFFFF) + (total >> 16)
    return ~(total + (total >> 16)) & 0xFFFF


def ethernet(to: str, source: str, kind: int, payload: bytes) -> bytes:
    return (mac_bytes(to) + mac_bytes(source) + struct.pack("!H", kind) + payload).ljust(60, b"\0")


def ipv4(source: str, to: str, protocol: int, payload: bytes, *, ttl: int = 64, number: int = 0, offset: int = 0,
         more: int = 0, dont_fragment: int = 0) -> bytes:
    """offset: in units of 8 bytes; more, dont_fragment: the flags' bits."""
    head = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(payload), number, dont_fragment << 14 | more << 13 | offset, ttl,
                       protocol, 0, socket.inet_aton(source), socket.inet_aton(to))
    return head[:10] + struct.pack("!H", checksum(head)) + head[12:] + payload


def ipv6(source: str, to: str, header: int, payload: bytes, *, hops: int = 64) -> bytes:
    ends = ipaddress.IPv6Address(source).packed + ipaddress.IPv6Address(to).packed
    return struct.pack("!IHBB", 6 << 28, len(payload), header, hops) + ends + payload


def udp(source: int, to: int, data: bytes) -> bytes:
    """Without a checksum, which IPv4 allows."""
    return struct.pack("!HHHH", source, to, 8 + len(data), 0) + data


def tcp(source: str, to: str, ports: tuple[int, int], flags: int, data: bytes = b"") -> bytes:
    head = struct.pack("!HHIIBBHHH", *ports, 1, 1, 5 << 4, flags, 8192, 0, 0)
    pseudo = socket.inet_aton(source) + socket.inet_aton(to) + struct.pack("!HH", TCP, len(head) + len(data))
    return head[:16] + struct.pack("!H", checksum(pseudo + head + data)) + head[18:] + data


def echo_request(number: int, data: bytes = b"") -> bytes:
    body = struct.pack("!HH", number & 0xFFFF, number >> 16 & 0xFFFF) + data
    return struct.pack("!BBH", 8, 0, checksum(b"\x08\0\0\0" + body)) + body


def arp(operation: int, source: str, source_mac: str, to: str, to_mac: str = "00:00:00:00:00:00") -> bytes:
    return struct.pack("!HHBBH6s4s6s4s", 1, 0x0800, 6, 4, operation, mac_bytes(source_mac), socket.inet_aton(source),
                       mac_bytes(to_mac), socket.inet_aton(to))


def neighbour_solicitation(source: str, source_mac: str, target: str) -> bytes:
    """To the target's solicited-node group (RFC 4861, 4.3); the whole IPv6 packet."""
    to = "ff02::1:ff" + ipaddress.IPv6Address(target).exploded[-7:]
    body = struct.pack("!BBHI", 135, 0, 0, 0) + ipaddress.IPv6Address(target).packed + b"\x01\x01" + mac_bytes(source_mac)
    ends = ipaddress.IPv6Address(source).packed + ipaddress.IPv6Address(to).packed
    sum_ = checksum(ends + struct.pack("!II", len(body), ICMP6) + body)
    return ipv6(source, to, ICMP6, body[:2] + struct.pack("!H", sum_) + body[4:], hops=255)


def group_mac(target: str) -> str:
    """The MAC address of the solicited-node group of an address (RFC 2464, section 7)."""
    tail = ipaddress.IPv6Address(target).packed[-3:]
    return "33:33:ff:" + ":".join(f"{one:02x}" for one in tail)


def nth_address(base: str, n: int) -> str:
    return str(ipaddress.ip_address(base) + n)
