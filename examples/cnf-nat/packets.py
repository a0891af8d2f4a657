#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""packets.py make FOLDER: a UDP packet of each of 5,001 flows from either host. packets.py count FILE: what came out,
checksums checked by scapy, which made them and knows nothing of packetwarp."""
import collections
import sys

from scapy.all import IP, UDP, Ether, rdpcap, wrpcap

PORTS = range(1002, 6003)


def frames(source: str, destination: str, source_mac: str, destination_mac: str) -> list[Ether]:
    return [Ether(src=source_mac, dst=destination_mac) / IP(src=source, dst=destination) / UDP(sport=port, dport=53) / (22 * b"x")
            for port in PORTS]


def make(folder: str) -> None:
    wrpcap(f"{folder}/host0.pcap", frames("1.1.1.2", "2.2.2.2", "ec:0d:9a:8a:27:ba", "4a:ac:4f:29:87:80"))
    wrpcap(f"{folder}/host1.pcap", frames("2.2.2.2", "1.1.1.2", "ec:0d:9a:8a:28:3a", "86:19:a0:b8:10:bd"))
    wrpcap(f"{folder}/none.pcap", [])


def is_intact(packet: Ether) -> bool:
    again = Ether(bytes(packet))
    del again[IP].chksum, again[UDP].chksum
    return bytes(again) == bytes(packet)


def count(file: str) -> None:
    packets = rdpcap(file)
    ways = collections.Counter((p.src, p.dst, p[IP].src, p[IP].dst, p[IP].ttl) for p in packets)
    for (source_mac, mac, source, destination, ttl), n in ways.items():
        print(f"{n} packets {source_mac} > {mac}, {source} > {destination}, ttl {ttl}")
    ports = sorted(p[UDP].sport for p in packets)
    print(f"source ports {ports[0]} to {ports[-1]}, {len(set(ports))} different; {sum(map(is_intact, packets))} intact")


if __name__ == "__main__":
    {"make": make, "count": count}[sys.argv[1]](sys.argv[2])
