# SPDX-License-Identifier: Apache-2.0
"""A router between two wires whose far ends the test holds, without any stack: what goes in is what the test sends, what
comes out it sees whole. `packetwarp run` is the router here, in beside_linux.py Linux is."""
from __future__ import annotations

import collections
import contextlib
import dataclasses
import select
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import pytest
from harness import Program, Running
from joined import OF_ANOTHER, skip_where_missing
from namespaces import Namespace, Namespaces, need_root_and_tools
from raw_interface import RawInterface
from router_network import LEFT_HOST_MAC, RIGHT_HOST_MAC, TWO_NETWORKS, RouterNetwork, routing_in, two_networks
from scapy.layers.inet import IP
from scapy.layers.inet6 import ICMPv6ND_NA, ICMPv6NDOptDstLLAddr, IPv6
from scapy.layers.l2 import ARP, Ether
from scapy.packet import Packet

LEFT, RIGHT = "left", "right"
SIDES = (LEFT, RIGHT)
OWN_MAC = {one["name"]: one["mac"] for one in TWO_NETWORKS["interfaces"]}
HOST_MAC = {LEFT: LEFT_HOST_MAC, RIGHT: RIGHT_HOST_MAC}
# Hosts that the router knows: 1.1.1.2 to 1.1.1.9, 2.2.2.2 to 2.2.2.9, the same of IPv6. A few more are on the right.
HOSTS = {side: [f"{n}.{n}.{n}.{host}" for host in range(2, 10)] for n, side in enumerate(SIDES, start=1)}
HOSTS6 = {side: [f"2001:db8:{n}::{host}" for host in range(2, 10)] for n, side in enumerate(SIDES, start=1)}
FAR, FAR6 = "198.51.100.7", "2001:db8:ff::7"
ROUTES = [{"to": "198.51.100.0/24", "via": HOSTS[RIGHT][0]}, {"to": "2001:db8:ff::/48", "via": HOSTS6[RIGHT][0]}]
# Reports of group membership (RFC 3810): what Linux says of itself without being asked.
MLD_REPORTS = bytes.fromhex("333300000016")

# As it goes by a wire: which, and its bytes.
OnWire = tuple[str, bytes]


def arp_announcement(side: str, address: str) -> OnWire:
    own = OWN_MAC[side]
    said = ARP(op=1, hwsrc=own, psrc=address, hwdst="00:00:00:00:00:00", pdst=address)
    return side, bytes(Ether(src=own, dst="ff:ff:ff:ff:ff:ff") / said) + bytes(18)


def advertisement(side: str, address: str) -> OnWire:
    """To all nodes, without having been asked."""
    frame = Ether(src=OWN_MAC[side], dst="33:33:00:00:00:01") / IPv6(src=address, dst="ff02::1", hlim=255)
    return side, bytes(frame / ICMPv6ND_NA(R=1, S=0, O=1, tgt=address) / ICMPv6NDOptDstLLAddr(lladdr=OWN_MAC[side]))


# Announcements of packetwarp's own addresses, at the start and when a link comes up.
ANNOUNCED = [announcement for n, side in enumerate(SIDES, start=1)
             for announcement in (arp_announcement(side, f"{n}.{n}.{n}.1"), advertisement(side, f"2001:db8:{n}::1"))]


def into(side: str, packet: Packet | bytes) -> OnWire:
    """A packet as a host behind a wire sends it to the router. Bytes are a frame already."""
    return side, packet if isinstance(packet, bytes) else bytes(Ether(src=HOST_MAC[side], dst=OWN_MAC[side]) / packet)


def out_of(side: str, packet: Packet) -> OnWire:
    """A packet as it has to come out: one hop less than is written here, with checksums by scapy."""
    packet = packet.copy()
    if IP in packet:
        packet.ttl -= 1
        del packet.chksum
    else:
        packet.hlim -= 1
    return side, bytes(Ether(src=OWN_MAC[side], dst=HOST_MAC[side]) / packet)


class Wires:
    """The far ends of both wires. Frames beyond the awaited ones are returned by the next call, and announcements of the router's
    own addresses by none: they are kept apart."""

    # More than one frame's worth of queues anywhere on the way.
    WINDOW = 32
    # How long frames are waited for that are to come.
    SECONDS = 10.0

    def __init__(self, left: RawInterface, right: RawInterface) -> None:
        self._ends = {LEFT: left, RIGHT: right}
        self.announced: list[OnWire] = []

    def cross(self, sent: Sequence[OnWire], count: int | None = None) -> list[OnWire]:
        """Sends, and waits for as many frames as are sent, or for `count`."""
        arrived: list[OnWire] = []
        for begin in range(0, len(sent), self.WINDOW):
            some = sent[begin:begin + self.WINDOW]
            for side, frame in some:
                self._ends[side].send(frame)
            arrived += self.receive(len(some) if count is None else 0)
        return arrived + self.receive(count or 0)

    def receive(self, count: int, seconds: float | None = None) -> list[OnWire]:
        """The next frames. Fewer where the rest does not come."""
        arrived: list[OnWire] = []
        deadline = time.monotonic() + (self.SECONDS if seconds is None else seconds)
        while len(arrived) < count and (left := deadline - time.monotonic()) > 0:
            ready, _, _ = select.select(list(self._ends.values()), [], [], left)
            frames = [(side, end.receive()) for side, end in self._ends.items() if end in ready]
            self.announced += [frame for frame in frames if frame in ANNOUNCED]
            arrived += [(side, frame) for side, frame in frames
                        if not frame.startswith(MLD_REPORTS) and (side, frame) not in ANNOUNCED]
        return arrived

    def the_rest(self, quiet: float = 0.2) -> list[OnWire]:
        """All that still comes."""
        arrived: list[OnWire] = []
        while frames := self.receive(1, quiet):
            arrived += frames
        return arrived


@contextlib.contextmanager
def wires_to_middle() -> Iterator[tuple[Wires, Namespace]]:
    """left l0 --- w0 middle w1 --- r0 right, in namespaces of which none says anything by itself."""
    if reason := need_root_and_tools("ip", "ethtool"):
        pytest.skip(reason)
    with Namespaces("pwtest") as namespaces:
        left, middle, right = (namespaces.add(name) for name in ("left", "middle", "right"))
        for namespace in (left, middle, right):
            namespace.silence()
        namespaces.connect((middle, "w0"), (left, "l0"), macs=(OWN_MAC[LEFT], LEFT_HOST_MAC))
        namespaces.connect((middle, "w1"), (right, "r0"), macs=(OWN_MAC[RIGHT], RIGHT_HOST_MAC))
        with RawInterface(left, "l0") as one, RawInterface(right, "r0") as other:
            yield Wires(one, other), middle


def known_hosts(mtu: Mapping[str, int] = {}, **sections: Any) -> dict[str, Any]:
    """The file of two networks whose hosts need not be asked for. mtu: of sides that are narrower than 1500."""
    neighbours = [{"interface": side, "address": host, "mac": HOST_MAC[side]}
                  for side in SIDES for host in HOSTS[side] + HOSTS6[side]]
    file = two_networks(neighbours=neighbours, routes=ROUTES, **sections)
    for interface in file["interfaces"]:
        interface["mtu"] = mtu.get(interface["name"], 1500)
    return file


def whole_fragments_driver() -> str:
    """XDP sockets, where fragments are as they were sent: before packet sockets the kernel puts them together."""
    with contextlib.suppress(pytest.skip.Exception):
        skip_where_missing("net_af_xdp")
        return "net_af_xdp"
    return "net_af_packet"


@dataclasses.dataclass
class RawRouter:
    """`packetwarp run` between the wires, and what it must have dropped when it ends."""

    wires: Wires
    network: RouterNetwork
    driver: str
    dropped: collections.Counter[str] = dataclasses.field(default_factory=collections.Counter)

    def passes(self, *ways: tuple[OnWire, OnWire]) -> None:
        """Sent packets, and the expected ones."""
        arrived = self.wires.cross([sent for sent, _ in ways])
        self.must_be([wanted for _, wanted in ways], arrived)

    def drops(self, name: str, *sent: OnWire) -> None:
        """Nothing comes of these, and they are counted under this name, by the executor or the master: known at the end."""
        self.wires.cross(sent, count=0)
        self.dropped[name] += len(sent)

    def must_be(self, wanted: list[OnWire], arrived: list[OnWire]) -> None:
        if sorted(arrived) != sorted(wanted):
            missing, more = (collections.Counter(frames) for frames in (wanted, arrived + self.wires.the_rest()))
            pytest.fail(f"missing {described((missing - more).elements())}\n"
                        f"in excess {described((more - missing).elements())}")

    def end(self) -> dict[str, Any]:
        self.must_be([], self.wires.the_rest(0.1))
        report = self.network.end().result
        dropped, by_master = report["packets"]["dropped"], report["control"]["dropped"]
        of_master = {name: count for name, count in by_master.items() if name in self.dropped}
        assert {**dropped, **of_master} == self.dropped, f"dropped {dropped} and {by_master}, not {dict(self.dropped)}"
        return report


def described(frames: Iterable[OnWire]) -> list[str]:
    """In the order of their bytes, as an assertion is to show them."""
    def describe(side: str, frame: bytes) -> str:
        return f"{side}: {Ether(frame).summary()} ({frame.hex()})"
    return [describe(*one) for one in sorted(frames)]


@contextlib.contextmanager
def raw_router(packetwarp: Program, file: dict[str, Any], wires: Wires, middle: Namespace, lcores: str = "0-1") -> Iterator[RawRouter]:
    driver = whole_fragments_driver()
    with contextlib.ExitStack() as ends:
        routing = started(ends, middle, packetwarp, file, driver, lcores)
        yield RawRouter(wires, RouterNetwork(routing, middle, middle, middle), driver)


def started(ends: contextlib.ExitStack, middle: Namespace, packetwarp: Program, file: dict[str, Any], driver: str,
            lcores: str) -> Running:
    """Starts again while the kernel has not freed the queues of the program that had these interfaces before."""
    for _ in range(50):
        try:
            return ends.enter_context(routing_in(middle, packetwarp, file, driver, lcores))
        except AssertionError as error:
            if OF_ANOTHER not in str(error):
                raise
            time.sleep(0.2)
    return ends.enter_context(routing_in(middle, packetwarp, file, driver, lcores))


def need_whole_fragments(router: RawRouter) -> None:
    if router.driver != "net_af_xdp":
        pytest.skip("fragments: this kernel has no XDP sockets, and before packet sockets it puts them together")
