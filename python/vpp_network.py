# SPDX-License-Identifier: Apache-2.0
"""The network that vpp_peer.py gives to VPP, as commands of its CLI: interfaces, neighbours, NAT44 and the frames of its packet
generator. Facts about VPP are those of 25.10; vpp_peer.py names their sources."""
from __future__ import annotations

import dataclasses
import ipaddress
from collections.abc import Sequence

from testpmd_peer import PeerError

LAST_PORT = 65535
LAST_RESERVED_PORT = 1024  # nat44-ed gives a flow that leaves from it, or from one below, another port


@dataclasses.dataclass(frozen=True)
class End:
    """A side of the router, inside or outside: its own addresses, and the addresses of the host behind it."""

    own: str
    host: str
    own_mac: str
    host_mac: str


@dataclasses.dataclass(frozen=True)
class Lane:
    """A worker's own part: flows between two interfaces of its own. Workers that share an interface wait for each other, for a
    packet generator's interface has a lock and no queues. A single lane is bench_network.py's network as it is."""

    worker: int
    own: tuple[str, str]
    hosts: tuple[str, str]
    ports: str

    def interface(self, side: int) -> str:
        return f"pg{2 * self.worker + side}"

    def stream_name(self, side: int) -> str:
        return f"way{side}_{self.worker}"

    def set_up(self, ends: Sequence[End]) -> list[str]:
        return [command for side, end in enumerate(ends) for command in (
            f"create packet-generator interface {self.interface(side)} hw-addr {end.own_mac}",
            f"set interface ip address {self.interface(side)} {self.own[side]}/24",
            f"set interface state {self.interface(side)} up",
            f"set ip neighbor {self.interface(side)} {self.hosts[side]} {end.host_mac} static")]

    def stream(self, side: int, end: End, pool: str | None) -> str:
        """Frames like bench_network.py's: of 60 bytes, without a UDP checksum. Packets back to a pool go to the ports that flows
        left with."""
        back = pool is not None and side == 1
        to, ports = (pool, f"53 -> {self.ports}") if back else (self.hosts[1 - side], f"{self.ports} -> 53")
        return (f"packet-generator new {{ name {self.stream_name(side)} source {self.interface(side)} node ethernet-input "
                f"worker {self.worker} size 60-60 data {{ IP4: {end.host_mac} -> {end.own_mac} UDP: {self.hosts[side]} -> {to} "
                f"UDP: {ports} length 26 checksum 0 incrementing 18 }} }}")


def lanes_of(ends: Sequence[End], workers: int, flows: int) -> list[Lane]:
    """nat44-ed keeps a flow's port only if it is in its worker's share, and all flows of an inside host on one worker: each lane
    has the host and the ports that are its worker's, so that returning packets find their sessions."""
    share = (LAST_PORT - LAST_RESERVED_PORT) // workers
    if not workers <= flows <= workers * share:
        raise PeerError(f"{flows} flows cannot be dealt to {workers} workers with {share} ports each")
    lanes = []
    for worker in range(workers):
        own = [ipaddress.IPv4Address(end.own) + 256 * worker for end in ends]
        inside, outside = (ipaddress.IPv4Address(end.host) + 256 * worker for end in ends)
        inside = next(inside + step for step in range(workers) if nat_worker(inside + step, workers) == worker)
        first = LAST_RESERVED_PORT + 1 + worker * share
        count = flows // workers + (worker < flows % workers)
        lanes.append(Lane(worker, (str(own[0]), str(own[1])), (str(inside), str(outside)), f"{first}-{first + count - 1}"))
    return lanes


def nat_worker(host: ipaddress.IPv4Address, workers: int) -> int:
    """The worker to which nat44-ed gives an inside host: by a sum over its address as it lies in memory."""
    word = int.from_bytes(host.packed, "little")
    return sum(word >> shift for shift in (0, 8, 16, 24)) % 2**32 % workers


def set_up(lanes: Sequence[Lane], ends: Sequence[End], pool: str | None, flows: int, ways: int) -> list[str]:
    """Everything but the start of the streams. With a pool, NAT44 from inside (side 0) to outside."""
    commands = [command for lane in lanes for command in lane.set_up(ends)]
    if pool:
        commands += [f"nat44 plugin enable sessions {max(2 * flows, 65536)}", f"nat44 add address {pool}"]
        commands += [f"set interface nat44 in {lane.interface(0)} out {lane.interface(1)}" for lane in lanes]
    return commands + [lane.stream(side, ends[side], pool) for lane in lanes for side in range(ways)]
