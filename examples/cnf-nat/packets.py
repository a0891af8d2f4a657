#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""packets.py make FOLDER: a UDP packet of each of 5,001 flows from either host. packets.py count FILE: what came out,
checksums checked by scapy, which made them and knows nothing of packetwarp."""
import collections
import socket
import struct
import sys

from scapy.data import DLT_EN10MB
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from scapy.utils import RawPcapReader, checksum, wrpcap

PORTS = range(1002, 6003)
IP_AT, UDP_AT = 14, 34


def udp_checksum(frame: bytes) -> int:
    """0 where it is right already, of a datagram of this length with what there is in its checksum."""
    pseudo_header = frame[IP_AT + 12:UDP_AT] + struct.pack("!HH", socket.IPPROTO_UDP, len(frame) - UDP_AT)
    return checksum(pseudo_header + frame[UDP_AT:])


def frames(source: str, destination: str, source_mac: str, destination_mac: str) -> list[bytes]:
    """One by scapy, the others are that with another port."""
    first = bytes(Ether(src=source_mac, dst=destination_mac) / IP(src=source, dst=destination) /
                  UDP(sport=0, dport=53, chksum=0) / (22 * b"x"))
    made = [first[:UDP_AT] + struct.pack("!H", port) + first[UDP_AT + 2:] for port in PORTS]
    return [frame[:UDP_AT + 6] + struct.pack("!H", udp_checksum(frame)) + frame[UDP_AT + 8:] for frame in made]


def make(folder: str) -> None:
    hosts = (frames("1.1.1.2", "2.2.2.2", "ec:0d:9a:8a:27:ba", "4a:ac:4f:29:87:80"),
             frames("2.2.2.2", "1.1.1.2", "ec:0d:9a:8a:28:3a", "86:19:a0:b8:10:bd"))
    for name, packets in zip(("host0", "host1"), hosts, strict=True):
        wrpcap(f"{folder}/{name}.pcap", packets, linktype=DLT_EN10MB)


def is_intact(frame: bytes) -> bool:
    return checksum(frame[IP_AT:UDP_AT]) == 0 and udp_checksum(frame) == 0


def count(file: str) -> None:
    # Beside them came announcements of packetwarp's own addresses, by ARP.
    packets = [frame for frame, _ in RawPcapReader(file) if frame[12:14] == b"\x08\x00"]
    ways = collections.Counter((frame[6:12], frame[:6], frame[26:30], frame[30:34], frame[22]) for frame in packets)
    for (source_mac, mac, source, destination, ttl), n in ways.items():
        print(f"{n} packets {source_mac.hex(':')} > {mac.hex(':')}, {socket.inet_ntoa(source)} > "
              f"{socket.inet_ntoa(destination)}, ttl {ttl}")
    ports = sorted(int.from_bytes(frame[UDP_AT:UDP_AT + 2], "big") for frame in packets)
    print(f"source ports {ports[0]} to {ports[-1]}, {len(set(ports))} different; {sum(map(is_intact, packets))} intact")


if __name__ == "__main__":
    {"make": make, "count": count}[sys.argv[1]](sys.argv[2])
