# SPDX-License-Identifier: Apache-2.0
"""A router one of whose ports takes nothing: its packets are dropped by name, and those for other ports go on as before."""
from __future__ import annotations

import contextlib
import pathlib
from collections.abc import Iterator
from typing import Any

from harness import Program, Running
from make_captures import pcap
from namespaces import Namespace, Namespaces, wait_for
from raw_interface import RawInterface
from raw_network import HOST_MAC, LEFT, OWN_MAC, RIGHT
from router_network import everything_on
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether

# No more than a host's socket holds.
WINDOW = 128
NEXT = "02:00:00:00:03:02"


def network(**plane: Any) -> dict[str, Any]:
    """A route to 10.<n>.0.0/16 by each of the three interfaces, by a neighbour whose MAC address is configured."""
    interfaces = [{"name": name, "port": port, "mac": mac, "addresses": [f"10.{port}.0.1/16"]}
                  for port, (name, mac) in enumerate({**OWN_MAC, "third": "02:00:00:00:03:01"}.items())]
    neighbours = [{"interface": name, "address": f"10.{port}.0.2", "mac": mac}
                  for port, (name, mac) in enumerate({**HOST_MAC, "third": NEXT}.items())]
    return {"data_plane": {"executor": "cpu", **plane}, "interfaces": interfaces, "neighbours": neighbours}


def datagram(to: int, number: int) -> bytes:
    """From the left to the host behind a port."""
    return bytes(Ether(src=HOST_MAC[LEFT], dst=OWN_MAC[LEFT]) / IP(src="10.0.0.2", dst=f"10.{to}.0.2") /
                 UDP(sport=1000, dport=number))


TO_RIGHT, TO_THIRD = [[datagram(to, n) for n in range(WINDOW)] for to in (1, 2)]


def datagrams_on(interface: RawInterface) -> list[bytes]:
    """Without the router's announcements of its own addresses."""
    return [frame for frame in everything_on(interface) if frame[12:14] == b"\x08\x00"]


@contextlib.contextmanager
def ends(namespaces: Namespaces, wires: int) -> Iterator[tuple[Namespace, list[RawInterface]]]:
    """The far ends of w0, w1, ... in a namespace `middle`."""
    middle = namespaces.add("middle")
    middle.silence()
    with contextlib.ExitStack() as stack:
        opened = []
        for n in range(wires):
            host = namespaces.add(f"host{n}")
            host.silence()
            namespaces.connect((host, f"l{n}"), (middle, f"w{n}"))
            opened.append(stack.enter_context(RawInterface(host, f"l{n}")))
        yield middle, opened


def devices(wires: int) -> list[str]:
    return [f"--vdev=net_af_packet{n},iface=w{n},framecnt=8192" for n in range(wires)]


def send(left: RawInterface, routing: Running, *frames: list[bytes]) -> None:
    """A window of each, mixed, and time for them: no more at once than any queue on the way holds."""
    for row in zip(*frames, strict=True):
        for frame in row:
            left.send(frame)
    routing.wait_for_statistics(2)


def running(packetwarp: Program, middle: Namespace, file: dict[str, Any], ports: list[str]):
    return packetwarp.running(["-l", "0-1", *ports], ["-c", str(packetwarp.write_config(file))], within=middle.command(),
                              command="run")


def a_peer_of(packetwarp: Program, socket: pathlib.Path, out: pathlib.Path):
    """The other side of the memif port: what it takes goes into a capture, and nothing comes back."""
    return packetwarp.running([f"--vdev=net_memif0,role=client,socket={socket},socket-abstract=no", "-l", "0-1",
                               f"--vdev=net_pcap0,rx_pcap={out.parent}/none.pcap,tx_pcap={out}", "--file-prefix=peer"], [])


def test_a_port_without_a_peer_loses_its_own_packets_alone(packetwarp, namespaces, tmp_path):
    """Half of all packets are for it. If each 64 of them were waited for anew, a second each, most others would be lost."""
    memif = f"--vdev=net_memif0,role=server,socket={tmp_path}/memif,socket-abstract=no"
    with ends(namespaces, 2) as (middle, (left, right)), \
            running(packetwarp, middle, network(tx_timeout="1s"), [*devices(2), memif]) as routing:
        routing.wait_until_forwarding()
        send(left, routing, TO_THIRD)
        # The time-out, and the two seconds at most for which its queue may be shut.
        routing.wait_for_statistics(64)
        windows, arrived = 16, 0
        for _ in range(windows):
            send(left, routing, TO_THIRD, TO_RIGHT)
            arrived += len(datagrams_on(right))
        assert arrived >= 0.95 * windows * WINDOW
        packets = routing.interrupt().packets
        assert packets.tx == arrived
        assert packets.dropped == {"tx_full": packets.rx - arrived} and packets.rx >= 1.9 * windows * WINDOW


def test_a_port_that_gets_a_peer_serves_again(packetwarp, namespaces, tmp_path):
    (tmp_path / "none.pcap").write_bytes(pcap([]))
    socket, out = tmp_path / "memif", tmp_path / "out.pcap"
    memif = f"--vdev=net_memif0,role=server,socket={socket},socket-abstract=no"
    with ends(namespaces, 2) as (middle, (left, _)), \
            running(packetwarp, middle, network(tx_timeout="1ms"), [*devices(2), memif]) as routing:
        routing.wait_until_forwarding()
        send(left, routing, TO_THIRD)
        routing.wait_for_statistics(4)
        with a_peer_of(packetwarp, socket, out) as peer:
            peer.wait_until_forwarding()
            wait_for(lambda: send(left, routing, TO_THIRD) or out.stat().st_size > 100, "a packet by the port that has a peer")
            taken = peer.interrupt().packets
        packets = routing.interrupt().packets
        assert taken.rx > 0 and packets.tx >= taken.rx
        assert packets.dropped["tx_full"] >= WINDOW - 1 and set(packets.dropped) == {"tx_full"}


def test_a_deleted_and_a_flapping_port_cost_the_others_nothing(packetwarp, namespaces):
    with ends(namespaces, 3) as (middle, (left, right, _)), \
            running(packetwarp, middle, network(tx_timeout="1s"), devices(3)) as routing:
        routing.wait_until_forwarding()
        windows = arrived = 0
        for state in ("down", "up", "down", "up"):
            middle.ip("link", "set", "w2", state)
            for _ in range(2):
                send(left, routing, TO_THIRD, TO_RIGHT)
                arrived += len(datagrams_on(right))
                windows += 1
        middle.ip("link", "delete", "w2")
        routing.wait_for_log("its kernel interface w2 is gone")
        for _ in range(8):
            send(left, routing, TO_THIRD, TO_RIGHT)
            arrived += len(datagrams_on(right))
            windows += 1
        assert arrived >= 0.95 * windows * WINDOW
        packets = routing.interrupt().packets
        assert set(packets.dropped) <= {"tx_full"} and packets.tx >= arrived
