# SPDX-License-Identifier: Apache-2.0
"""A NAT44 to send packets to, by the test file's words in NAT44. Its tests share one start of packetwarp."""
from __future__ import annotations

import json
import pathlib
from collections.abc import Callable, Iterator

import pytest
from namespaces import Namespace, wait_for
from nat44_packets import HOST, port_of, with_destination, with_source
from raw_network import HOSTS6, LEFT, RIGHT, OnWire, RawRouter, Wires, into, known_hosts, out_of, raw_router, wires_to_middle
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Ether
from scapy.packet import Packet

POOL = "203.0.113.1"
# Passes whatever NAT44 does: what was sent before it and has not come when it comes, does not come.
ROUTED = IPv6(src=HOSTS6[LEFT][0], dst=HOSTS6[RIGHT][0]) / UDP() / b"behind"


class Nat:
    """left is inside, right is outside, unless the test's file says otherwise. Each step is one packet."""

    def __init__(self, router: RawRouter, log: pathlib.Path) -> None:
        self.router, self._log = router, log

    def leaves(self, sent: Packet, address: str = POOL, port: int | None = None) -> None:
        """From inside: comes out with this source, its own port unless another is given, and nothing else changed."""
        self.router.passes((into(LEFT, sent), out_of(RIGHT, with_source(sent, address, port))))

    def enters(self, sent: Packet, host: str = HOST, port: int | None = None) -> None:
        """From outside: comes out with this destination."""
        self.router.passes((into(RIGHT, sent), out_of(LEFT, with_destination(sent, host, port))))

    def hairpins(self, sent: Packet, source: tuple[str, int | None], destination: tuple[str, int | None]) -> None:
        """From inside to inside: comes out with another source and another destination."""
        wanted = with_destination(with_source(sent, *source), *destination)
        self.router.passes((into(LEFT, sent), out_of(LEFT, wanted)))

    def given(self, sent: Packet, pool: tuple[str, ...] = (POOL,)) -> tuple[str, int]:
        """From inside: the outside endpoint that it has left with. Nothing but the source has changed."""
        [(side, frame)] = arrived = self.router.wires.cross([into(LEFT, sent)])
        left = Ether(frame)[IP]
        assert side == RIGHT and left.src in pool
        self.router.must_be([out_of(RIGHT, with_source(sent, left.src, port_of(left)))], arrived)
        return left.src, port_of(left)

    def answered(self, sent: Packet, pool: tuple[str, ...] = (POOL,)) -> tuple[str, int]:
        """The same of UDP or TCP, and the answer comes in: a session that makes room for no other."""
        address, port = self.given(sent, pool)
        payload = TCP(sport=sent.dport, dport=port, flags="SA") if TCP in sent else UDP(sport=sent.dport, dport=port)
        self.enters(IP(src=sent.dst, dst=address) / payload, sent.src, sent.sport)
        return address, port

    def all_leave(self, sent: list[Packet]) -> None:
        """Many at once, each with its own port."""
        self.router.passes(*((into(LEFT, one), out_of(RIGHT, with_source(one, POOL))) for one in sent))

    def leaves_in_the_end(self, name: str, sent: Packet) -> int:
        """From inside, again and again until it does; those that do not are dropped under this name. The port it got."""
        def arrived() -> list[OnWire]:
            some = self.router.wires.cross([into(LEFT, sent), into(LEFT, ROUTED)], count=1)
            if some == [out_of(RIGHT, ROUTED)]:
                self.router.dropped[name] += 1
                return []
            self.router.must_be([out_of(RIGHT, ROUTED)], self.router.wires.receive(1))
            return some
        [(_, frame)] = frames = wait_for(arrived, f"{name} to be over", seconds=60, interval=0.2)
        self.router.must_be([out_of(RIGHT, with_source(sent, POOL, port_of(Ether(frame)[IP])))], frames)
        return port_of(Ether(frame)[IP])

    def drops(self, name: str, *sent: Packet, side: str = LEFT) -> None:
        """Sends packets one after the other: packets that a GPU has at the same time may take each other's resources."""
        for packet in sent:
            self.router.drops(name, into(side, packet))
            self.router.passes((into(LEFT, ROUTED), out_of(RIGHT, ROUTED)))

    def logged(self) -> list[dict]:
        """The session log so far, without the start of the run."""
        return [one for one in self.log_lines() if one["event"] != "run_started"]

    def log_lines(self) -> list[dict]:
        """All of it."""
        lines = self._log.read_text().splitlines(keepends=True) if self._log.exists() else []
        return [json.loads(line) for line in lines if line.endswith("\n")]

    def wait_for_log(self, says: Callable[[list[dict]], bool]) -> None:
        wait_for(lambda: says(self.logged()), "what the session log has to say", seconds=60)

    def wait_for_end_of(self, *inside: str) -> None:
        """Until the log says that these hosts' sessions, as "udp 1.1.1.2:4000", have ended."""
        self.wait_for_log(lambda lines: set(inside) <= {
            f"{one['protocol']} {one['inside']}" for one in lines if one["event"] == "ended"})


@pytest.fixture(scope="session")
def ends() -> Iterator[tuple[Wires, Namespace]]:
    """The same wires for every start."""
    with wires_to_middle() as made:
        yield made


@pytest.fixture(scope="module")
def nat(request, packetwarp_of_module, ends, tmp_path_factory) -> Iterator[Nat]:
    """The file's NAT44, or a test's own. Dropped packets are compared at the end, by name and number."""
    log = tmp_path_factory.mktemp("log") / "sessions.jsonl"
    section = {"inside": ["left"], "outside": ["right"], "pool": [POOL], "log": str(log),
               **getattr(request, "param", getattr(request.module, "NAT44", {}))}
    with raw_router(packetwarp_of_module, known_hosts(nat44=section), *ends) as router:
        yield Nat(router, log)
        router.end()
