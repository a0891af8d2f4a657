# SPDX-License-Identifier: Apache-2.0
"""packetwarp run with nat44: connections of one inside port to several servers, by Linux's own TCP on both sides. The end of
some cuts no other, and neither do forged RSTs (RFC 5382, REQ-5; RFC 7857, 2.2)."""
from __future__ import annotations

import json
import pathlib
import socket
import struct
from collections.abc import Iterator

import pytest
from namespaces import Namespace, wait_for
from raw_interface import RawInterface, entered
from router_network import RIGHT_HOST_MAC, RouterNetwork, router_between, two_networks
from scapy.layers.inet import IP, TCP
from scapy.layers.l2 import Ether

CLIENT, POOL, PORT, OTHER_PORT = "1.1.1.2", "2.2.2.1", 40000, 40001
SERVERS = ["2.2.2.2", "2.2.2.3", "2.2.2.4"]
SERVICE = 8000
PATIENCE = 60


def bound(host: Namespace, address: str, port: int) -> socket.socket:
    """Several may have the same address and port, as long as they go to different servers."""
    with entered(host):
        made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    made.settimeout(PATIENCE)
    made.bind((address, port))
    return made


class Pair:
    """A connection by both its ends."""

    def __init__(self, network: RouterNetwork, server: str, port: int) -> None:
        with bound(network.right, server, SERVICE) as listener:
            listener.listen()
            self.client = bound(network.left, CLIENT, port)
            self.client.connect((server, SERVICE))
            self.server, (seen, self.port) = listener.accept()
        assert seen == POOL
        self.server.settimeout(PATIENCE)

    def talk(self) -> None:
        """The server first: from outside nothing makes a mapping."""
        for sender, receiver in ((self.server, self.client), (self.client, self.server)):
            sender.sendall(b"still there")
            assert receiver.recv(100) == b"still there"

    def close(self) -> None:
        self.client.close()
        assert self.server.recv(100) == b""
        self.server.close()

    def reset(self) -> None:
        self.server.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.server.close()
        with pytest.raises(ConnectionResetError):
            self.client.recv(100)
        self.client.close()


@pytest.fixture
def log(tmp_path) -> pathlib.Path:
    return tmp_path / "sessions.jsonl"


@pytest.fixture
def network(packetwarp, namespaces, log) -> Iterator[RouterNetwork]:
    section = {"inside": ["left"], "outside": ["right"], "pool": [POOL], "log": str(log),
               "timeouts": {"tcp_transitory": 3, "tcp_established": 3600}}
    with router_between(packetwarp, namespaces, two_networks(nat44=section), ipv6=False) as made:
        for server in SERVERS[1:]:
            made.right.address("r0", f"{server}/24")
        made.right.ip("route", "delete", "default")
        yield made


def wait_for_end_of(log: pathlib.Path, port: int) -> None:
    def has_ended() -> bool:
        lines = [json.loads(line) for line in log.read_text().splitlines(keepends=True) if line.endswith("\n")]
        return any(one["event"] == "ended" and one["inside"] == f"{CLIENT}:{port}" for one in lines)
    wait_for(has_ended, f"the session of port {port} to end", seconds=PATIENCE)


def test_connections_of_one_port_end_each_by_itself(network, log):
    stays, resets, closes = (Pair(network, server, PORT) for server in SERVERS)
    assert stays.port == resets.port == closes.port, "one mapping"
    for pair in (stays, resets, closes):
        pair.talk()
    closes.close()
    resets.reset()
    with RawInterface(network.right, "r0") as wire:
        for source, sport in (("2.2.2.66", SERVICE), (SERVERS[0], SERVICE + 1)):
            forged = IP(src=source, dst=POOL) / TCP(sport=sport, dport=stays.port, flags="RA", seq=1, ack=1)
            wire.send(bytes(Ether(src=RIGHT_HOST_MAC, dst="86:19:a0:b8:10:bd") / forged))
    # A mapping whose one connection closes later than these: when it has ended they would have, too.
    last = Pair(network, SERVERS[1], OTHER_PORT)
    last.close()
    wait_for_end_of(log, OTHER_PORT)
    stays.talk()
    stays.close()
    wait_for_end_of(log, PORT)
    network.end()
