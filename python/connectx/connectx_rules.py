# SPDX-License-Identifier: Apache-2.0
"""Each form of rule that docs/flow.md lists, with frames that match it: ci/connectx.sh tries them on a NIC one by one.

A case is rules of port 0 and a frame that comes in there. Each such frame hits the rule that counts.
tests/end_to_end/bench/test_connectx.py checks the cases in software, and against the tables of docs/flow.md."""
from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.inet6 import IPv6, IPv6ExtHdrFragment
from scapy.layers.l2 import Dot1Q, Ether
from scapy.packet import Packet, Raw

HERE, THERE = "02:00:00:00:00:01", "02:00:00:00:00:02"
A, B = "10.9.0.2", "10.9.1.3"
A6, B6 = "2001:db8:9::2", "2001:db8:9::3"
BODY = Raw(bytes(range(32)))


@dataclasses.dataclass(frozen=True)
class Case:
    name: str  # "ipv4 src prefix"; what it is of first: an item or an action
    frame: Packet | None  # nothing: it would go out by port 1, over the cable, and come in again
    rules: tuple[str, ...]  # as after `flow create 0`
    counts: int  # the rule among them that every frame hits
    needs: tuple[str, ...] = ()  # "port 1", "switchdev"


def ether() -> Packet:
    return Ether(dst=HERE, src=THERE)


def udp4(**ip: Any) -> Packet:
    return ether() / IP(src=A, dst=B, **ip) / UDP(sport=1002, dport=53) / BODY


def udp6(**ip: Any) -> Packet:
    return ether() / IPv6(src=A6, dst=B6, **ip) / UDP(sport=1002, dport=53) / BODY


def vlan() -> Packet:
    return ether() / Dot1Q(vlan=5, prio=3, dei=1) / IP(src=A, dst=B) / UDP(sport=1002, dport=53) / BODY


def tcp4() -> Packet:
    return ether() / IP(src=A, dst=B) / TCP(sport=1002, dport=80, flags="S")


def echo() -> Packet:
    return ether() / IP(src=A, dst=B) / ICMP(type=8, id=7, seq=9) / BODY


# item, the frame, the items before it in the pattern, its fields with a value of the frame.
FIELDS: tuple[tuple[str, Packet, str, tuple[tuple[str, str], ...]], ...] = (
    ("eth", udp4(), "", (("dst", HERE), ("src", THERE), ("type", "0x0800"), ("has_vlan", "0"))),
    ("vlan", vlan(), "eth / ", (("tci", str(3 << 13 | 1 << 12 | 5)), ("pcp", "3"), ("dei", "1"), ("vid", "5"), ("inner_type", "0x0800"), ("has_more_vlan", "0"))),
    ("ipv4", udp4(tos=8, id=77, ttl=9), "eth / ", (("version_ihl", "0x45"), ("tos", "8"), ("packet_id", "77"), ("fragment_offset", "0"), ("ttl", "9"),
                                                  ("proto", "17"), ("src", A), ("dst", B))),
    ("ipv6", udp6(tc=4, fl=99, hlim=9), "eth / ", (("tc", "4"), ("flow", "99"), ("proto", "17"), ("hop", "9"), ("src", A6), ("dst", B6), ("has_frag_ext", "0"))),
    ("icmp", echo(), "eth / ipv4 / ", (("type", "8"), ("code", "0"), ("ident", "7"), ("seq", "9"))),
    ("udp", udp4(), "eth / ipv4 / ", (("src", "1002"), ("dst", "53"))),
    ("tcp", tcp4(), "eth / ipv4 / ", (("src", "1002"), ("dst", "80"), ("flags", "2"))),
)

# Ways to name bits.
FORMS = (
    ("ipv4 src spec and mask", udp4(), "eth / ipv4 src spec 10.9.0.0 src mask 255.255.0.0"),
    ("ipv4 src spec and prefix", udp4(), "eth / ipv4 src spec 10.9.0.0 src prefix 16"),
    ("ipv6 dst spec and prefix", udp6(), "eth / ipv6 dst spec 2001:db8:: dst prefix 32"),
    ("udp src up to last", udp4(), "eth / ipv4 / udp src spec 1000 src last 1009 src mask 65535"),
    ("eth alone", udp4(), "eth"),
    ("vlan alone", vlan(), "eth / vlan"),
    ("ipv6 alone", udp6(), "eth / ipv6"),
    ("tcp behind ipv6", ether() / IPv6(src=A6, dst=B6) / TCP(sport=1002, dport=80, flags="S"), "eth / ipv6 / tcp"),
    ("ipv6 has_frag_ext of a fragment", ether() / IPv6(src=A6, dst=B6) / IPv6ExtHdrFragment(nh=17, m=1, id=5) / BODY, "eth / ipv6 has_frag_ext is 1"),
    ("void beside others", udp4(), "eth / void / ipv4 / void"),
    ("any num", udp4(), "eth / any num is 1 / udp"),
)

# Actions on an UDP packet over IPv4, IPv6 or in a VLAN, each with `count`.
ACTIONS = (
    ("drop", udp4(), "drop"), ("queue", udp4(), "queue index 1"), ("rss", udp4(), "rss types ipv4 ipv4-udp end queues 0 1 end"),
    ("mark", udp4(), "mark id 7 / queue index 0"), ("void", udp4(), "void / drop"), ("count identifier", udp4(), ""),
    ("set_mac_src", udp4(), "set_mac_src mac_addr 02:00:00:00:00:09 / queue index 0"), ("set_mac_dst", udp4(), "set_mac_dst mac_addr 02:00:00:00:00:09 / queue index 0"),
    ("set_ipv4_src", udp4(), "set_ipv4_src ipv4_addr 10.9.9.9 / queue index 0"), ("set_ipv4_dst", udp4(), "set_ipv4_dst ipv4_addr 10.9.9.9 / queue index 0"),
    ("set_ipv6_src", udp6(), "set_ipv6_src ipv6_addr 2001:db8::9 / queue index 0"), ("set_ipv6_dst", udp6(), "set_ipv6_dst ipv6_addr 2001:db8::9 / queue index 0"),
    ("set_tp_src", udp4(), "set_tp_src port 1003 / queue index 0"), ("set_tp_dst", udp4(), "set_tp_dst port 1003 / queue index 0"),
    ("set_ttl", udp4(), "set_ttl ttl_value 9 / queue index 0"), ("dec_ttl", udp4(), "dec_ttl / queue index 0"),
    ("of_pop_vlan", vlan(), "of_pop_vlan / queue index 0"),
    ("of_push_vlan, of_set_vlan_vid, of_set_vlan_pcp", udp4(), "of_push_vlan ethertype 0x8100 / of_set_vlan_vid vlan_vid 7 / of_set_vlan_pcp vlan_pcp 2 / queue index 0"),
)


def with_items() -> Iterator[Case]:
    for item, frame, before, fields in FIELDS:
        for field, value in fields:
            yield Case(f"{item} {field}", frame, (f"ingress pattern {before}{item} {field} is {value} / end actions count / drop / end",), 0)
    for name, frame, pattern in FORMS:
        yield Case(name, frame, (f"ingress pattern {pattern} / end actions count / drop / end",), 0)


def with_actions() -> Iterator[Case]:
    for name, frame, actions in ACTIONS:
        pattern = "eth / vlan / ipv4 / udp" if frame.haslayer(Dot1Q) else "eth / ipv6 / udp" if frame.haslayer(IPv6) else "eth / ipv4 / udp"
        do = "count identifier 3 / drop" if name == "count identifier" else f"count / {actions}"
        yield Case(name, frame, (f"ingress pattern {pattern} / end actions {do} / end",), 0)
    second = "group 1 ingress pattern eth / ipv4 / udp / end actions count / drop / end"
    yield Case("jump", udp4(), ("group 0 ingress pattern eth / end actions jump group 1 / end", second), 1)
    yield Case("passthru", udp4(), ("priority 0 ingress pattern eth / ipv4 / end actions count / passthru / end",
                                    "priority 1 ingress pattern eth / ipv4 / end actions drop / end"), 0)
    yield Case("priority", udp4(), ("priority 1 ingress pattern eth / end actions drop / end",
                                    "priority 0 ingress pattern eth / ipv4 / end actions count / drop / end"), 1)
    yield from to_port("ingress ", "", ())


def to_port(attributes: str, before: str, needs: tuple[str, ...]) -> Iterator[Case]:
    """Alone, and with a TTL that keeps a packet from a second round."""
    for action in ("port_id id 1", "represented_port ethdev_port_id 1"):
        name, needed = before + action.split()[0], ("port 1", *needs)
        yield Case(name, None, (f"{attributes}pattern eth / ipv4 / end actions count / {action} / end",), 0, needed)
        yield Case(f"{name} and dec_ttl", udp4(ttl=9), (f"{attributes}pattern eth / ipv4 ttl is 9 / end actions count / dec_ttl / {action} / end",), 0, needed)


def of_transfer() -> Iterator[Case]:
    """Rules for an E-Switch: the NIC has to be in switchdev mode."""
    yield Case("transfer drop", udp4(), ("transfer pattern eth / ipv4 / end actions count / drop / end",), 0, ("switchdev",))
    yield from to_port("transfer ", "transfer ", ("switchdev",))


def cases() -> list[Case]:
    return [*with_items(), *with_actions()]
