# SPDX-License-Identifier: Apache-2.0
"""Floods of packets that the master has to work on: they cost their own kind, by name, and neither the answers to others nor
what is forwarded. A capture is received as fast as the data path can, which is much faster than the master works."""
from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from harness import ALONE, DONE, WRONG_USAGE, Program, Run
from make_captures import pcap
from scapy.layers.inet import ICMP, IP, UDP
from scapy.layers.l2 import ARP, Ether
from scapy.utils import rdpcap

HOST, OWN, NEXT = "02:00:00:00:00:10", "02:00:00:00:00:01", "02:00:00:00:00:99"
NETWORK: dict[str, Any] = {
    "interfaces": [{"name": "left", "port": 0, "mac": OWN, "addresses": ["192.0.2.1/24", "10.0.0.1/8"]},
                   {"name": "right", "port": 1, "mac": "02:00:00:00:00:02", "addresses": ["198.51.100.1/24"], "mtu": 1300}],
    "routes": [{"to": "203.0.113.0/24", "via": "198.51.100.2"}],
    "neighbours": [{"interface": "right", "address": "198.51.100.2", "mac": NEXT},
                   {"interface": "left", "address": "192.0.2.9", "mac": HOST}],
}
FLOOD, MODEST = 200_000, 40


def datagram(to: str, size: int = 26, **ip: Any) -> bytes:
    return bytes(Ether(src=HOST, dst=OWN) / IP(src="192.0.2.9", dst=to, **ip) / UDP(sport=7, dport=7) / bytes(size))


FLOODS: dict[str, list[bytes]] = {
    "own_addresses": [datagram("192.0.2.1")],
    "time_exceeded": [datagram("203.0.113.5", ttl=1)],
    "unreachable": [datagram("198.18.0.1")],
    "unknown_neighbours": [datagram(f"10.1.0.{n}") for n in range(1, 200)],
    "arp": [bytes(Ether(src=HOST, dst="ff:ff:ff:ff:ff:ff") / ARP(hwsrc=HOST, psrc="192.0.2.9", pdst=f"192.0.2.{n}"))
            for n in range(100, 200)],
}
ARP_REQUEST = bytes(Ether(src=HOST, dst="ff:ff:ff:ff:ff:ff") / ARP(hwsrc=HOST, psrc="192.0.2.9", pdst="192.0.2.1"))
TOO_BIG = datagram("203.0.113.6", size=1400, flags="DF")
TRACE = datagram("203.0.113.7", ttl=1)
STRANGER = datagram("203.0.113.8")


def run(packetwarp: Program, frames: list[bytes], **sections: Any) -> tuple[Run, list[Ether], list[Ether]]:
    """Lets frames come in on the left; what leaves on the left, and on the right."""
    folder = packetwarp.folder
    file = packetwarp.write_config({**NETWORK, "data_plane": {"poll_sleep": "0"}, **sections})
    (folder / "in.pcap").write_bytes(pcap(frames))
    (folder / "none.pcap").write_bytes(pcap([]))
    done = packetwarp.run("run", [*ALONE, "-l", "0-1", f"--vdev=net_pcap0,rx_pcap={folder}/in.pcap,tx_pcap={folder}/back.pcap",
                                  f"--vdev=net_pcap1,rx_pcap={folder}/none.pcap,tx_pcap={folder}/out.pcap"],
                          ["-c", str(file), "--until-idle", "500ms", "--json", "-"])
    assert done.status == DONE, done
    return done, list(rdpcap(str(folder / "back.pcap"))), list(rdpcap(str(folder / "out.pcap")))


def among(flood: list[bytes], *others: bytes) -> list[bytes]:
    """A modest number of each of the others, spread over the flood."""
    frames = [flood[n % len(flood)] for n in range(FLOOD)]
    places = random.Random(22).sample(range(FLOOD), MODEST * len(others))
    for n, place in enumerate(places):
        frames[place] = others[n % len(others)]
    return frames


def is_arp_answer(frame: Ether) -> bool:
    return ARP in frame and frame[ARP].op == 2


def is_icmp(kind: int, code: int, about: str) -> Callable[[Ether], bool]:
    return lambda frame: (ICMP in frame and (frame[ICMP].type, frame[ICMP].code) == (kind, code) and
                          frame[ICMP].payload.dst == about)


IS_TOO_BIG, IS_TRACE = is_icmp(3, 4, "203.0.113.6"), is_icmp(11, 0, "203.0.113.7")
ENOUGH = 0.95 * MODEST


@pytest.mark.parametrize("flood", FLOODS)
def test_a_flood_of_one_kind_leaves_the_others_answered(packetwarp: Program, flood: str) -> None:
    """ARP, path MTU discovery and traceroute from the very port that the flood comes in by."""
    others = [STRANGER, TOO_BIG, *([] if flood == "arp" else [ARP_REQUEST]), *([] if flood == "time_exceeded" else [TRACE])]
    done, back, out = run(packetwarp, among(FLOODS[flood], *others))
    forwarded = [frame for frame in out if ARP not in frame]  # beside announcements
    assert len(forwarded) == MODEST == done.packets.tx, "forwarded as if nothing was"
    assert sum(map(IS_TOO_BIG, back)) >= ENOUGH
    assert flood == "time_exceeded" or sum(map(IS_TRACE, back)) >= ENOUGH
    assert flood == "arp" or sum(map(is_arp_answer, back)) >= ENOUGH
    assert set(done.packets.dropped) <= {"punt_full", "punt_limited", "no_kernel_interface"}
    if flood == "own_addresses":
        assert done.packets.dropped == {"no_kernel_interface": FLOOD - MODEST * len(others)}, "and the master saw none"
        assert "to_kernel" not in done.result["control"]["punted"]


def test_each_class_says_what_it_took_and_what_it_did_not(packetwarp: Program) -> None:
    """The limits are the file's, of each reason by itself."""
    frames = [ARP_REQUEST] * 100 + [TRACE] * 100 + [TOO_BIG] * 100
    none = {"per_second": 0}
    done, back, _ = run(packetwarp, frames, punt={"neighbours": none, "icmp_errors": {"per_second": 1, "at_once": 7}})
    classes = done.result["control"]["classes"]
    assert classes["neighbours"] == {"taken": 0, "full": 0, "limited": 100}
    assert classes["icmp_errors"]["full"] == 0 and 14 <= classes["icmp_errors"]["taken"] <= 30
    assert sum(one["taken"] + one["full"] + one["limited"] for one in classes.values()) == len(frames)
    assert done.packets.dropped == {"punt_limited": classes["icmp_errors"]["limited"] + 100}
    assert not any(map(is_arp_answer, back))


def test_the_plan_says_the_limits(packetwarp: Program) -> None:
    file = packetwarp.write_config({**NETWORK, "punt": {"neighbours": {"per_second": 5000, "at_once": 200}}})
    planned = packetwarp.run("plan", [*ALONE, "-l", "0-1", "--vdev=net_null0", "--vdev=net_null1"], ["-c", str(file)])
    assert planned.status == DONE and "neighbours 5000/s (200 at once, 1024 may wait)" in planned.stdout, planned
    assert "icmp_errors 10000/s (128 at once, 512 may wait)" in planned.stdout, planned


@pytest.mark.parametrize(("punt", "said"), (
    ("{all: {per_second: 1}}", ":1: punt: no key 'all'"),
    ("{neighbours: {per_second: 10000001}}", ":1: punt.neighbours.per_second"),
    ("{fragments: {at_once: 0}}", ":1: punt.fragments.at_once"),
    ("{fragments: {at_once: 4097}}", ":1: punt.fragments.at_once"),
    ("{others: 5}", ":1: punt.others"),
    ("{icmp_errors: {rate: 5}}", ":1: punt.icmp_errors: no key 'rate'; there are per_second, at_once")))
def test_limits_that_are_wrong(packetwarp: Program, punt: str, said: str) -> None:
    path = packetwarp.folder / "network.yaml"
    path.write_text(f"punt: {punt}\ninterfaces:\n  - {{name: left, port: net_null0}}\n")
    done = packetwarp.run("run", [*ALONE, "-l", "0", "--vdev=net_null0"], ["-c", str(path)])
    assert done.status == WRONG_USAGE and len(done.errors) == 1 and f"{path}{said}" in done.errors[0], done
