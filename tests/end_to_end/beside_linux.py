# SPDX-License-Identifier: Apache-2.0
"""Linux's own router and NAT beside `packetwarp run`: the same addresses, the same packets, the same has to come out."""
from __future__ import annotations

import contextlib
import dataclasses
import pathlib
from collections.abc import Iterator, Mapping

import pytest
from namespaces import Namespace
from raw_network import HOST_MAC, HOSTS, HOSTS6, ROUTES, SIDES, OnWire, RawRouter, Wires, described, wires_to_middle
from router_network import TWO_NETWORKS
from scapy.layers.inet import ICMP, IP, IPerror
from scapy.layers.inet6 import ICMPv6DestUnreach, ICMPv6ND_NS, IPerror6, IPv6
from scapy.layers.l2 import ARP, Ether
from scapy.packet import Packet

# The settings of a Linux router that sends all packets on, and an error about every packet that it does not.
ROUTES_ALL = {"net.ipv4.ip_forward": 1, "net.ipv4.icmp_ratelimit": 0, "net.ipv6.icmp.ratelimit": 0,
              "net.ipv6.conf.all.forwarding": 1, "net.ipv6.auto_flowlabels": 0,
              **{f"net.ipv4.conf.{one}.{key}": 0 for one in ("all", "w0", "w1") for key in ("rp_filter", "send_redirects")},
              **{f"net.ipv6.conf.{one}.{key}": 0 for one in ("w0", "w1") for key in ("accept_dad", "disable_ipv6")}}


@dataclasses.dataclass
class Both:
    linux: Wires
    own: RawRouter

    def cross(self, *sent: OnWire, count: int | None = None) -> list[OnWire]:
        """The packets that come out of both for the same packets: as many as went in, or `count`."""
        by_linux = self.linux.cross(sent, count)
        self.own.must_be(by_linux, self.own.wires.cross(sent, count))
        assert len(by_linux) == (len(sent) if count is None else count), described(by_linux)
        return by_linux

    def lose(self, name: str, *sent: OnWire) -> None:
        """Packets that come out of neither. packetwarp counts them under this name."""
        self.linux.cross(sent, count=0)
        self.own.drops(name, *sent)

    def cross_alone(self, sent: OnWire) -> tuple[Packet, Packet]:
        """The results for one packet, by Linux and by packetwarp, if they may differ."""
        [[(_, by_linux)], [(_, by_own)]] = self.linux.cross([sent]), self.own.wires.cross([sent])
        return Ether(by_linux), Ether(by_own)

    def end(self) -> None:
        assert described(self.linux.the_rest(0.1)) == []
        self.own.end()


def without_identification(frame: Packet) -> bytes:
    """A frame that a router made itself, except the number that it gave it."""
    frame = frame.copy()
    if IP in frame:
        frame[IP].id = 0
        del frame[IP].chksum
    return bytes(frame)


def hop_given_back(error: Packet) -> Packet:
    """Linux has taken a hop from the quoted packet. packetwarp quotes it as it was received."""
    if IPerror in error:
        error[IPerror].ttl += 1
        del error[IPerror].chksum, error[ICMP].chksum
    else:
        error[IPerror6].hlim += 1
        del error[ICMPv6DestUnreach].cksum
    return error


def comparable(arrived: tuple[str, Packet]) -> OnWire:
    """Neighbour solicitations may be from any address of the interface (RFC 4861, 7.2.2): Linux takes the link-local one.
    And it leaves it to the driver to pad what is short."""
    side, frame = arrived
    if ICMPv6ND_NS in frame:
        assert frame[IPv6].src in ("2001:db8:2::1", "fe80::8419:a0ff:feb8:10bd")
        frame[IPv6].src = "::"
        del frame[ICMPv6ND_NS].cksum
    if ARP in frame:
        frame[ARP].remove_payload()
    return side, without_identification(frame)


@contextlib.contextmanager
def kernel_router(nftables: str = "", sysctls: Mapping[str, int] = {}, mtu: Mapping[str, int] = {}) -> Iterator[Wires]:
    """Linux's router with the same addresses and neighbours, MAC addresses among it, and with these rules. mtu: of the
    way there, not of the interface, which would refuse what comes in."""
    if not pathlib.Path("/proc/sys/net/ipv6").is_dir():
        pytest.skip("this kernel has no IPv6")
    with wires_to_middle() as (wires, middle):
        for key, value in {**ROUTES_ALL, **sysctls}.items():
            middle.sysctl(key, value)
        for n, side in enumerate(SIDES):
            address_side(middle, n, side, mtu.get(side, 1500))
        for route in ROUTES:
            middle.ip("route", "add", route["to"], "via", route["via"])
        if nftables:
            middle.run("nft", "-f", "-", input=nftables)
        yield wires


def address_side(middle: Namespace, n: int, side: str, mtu: int) -> None:
    middle.address(f"w{n}", *TWO_NETWORKS["interfaces"][n]["addresses"])
    middle.ip("route", "change", f"{n + 1}.{n + 1}.{n + 1}.0/24", "dev", f"w{n}", "mtu", str(mtu))
    middle.sysctl(f"net.ipv6.conf.w{n}.mtu", mtu)
    for host in HOSTS[side] + HOSTS6[side]:
        middle.ip("neighbour", "add", host, "lladdr", HOST_MAC[side], "nud", "permanent", "dev", f"w{n}")
