# SPDX-License-Identifier: Apache-2.0
"""packetwarp run with nat44: the hosts on the left reach the right, which knows of none of them, by the pool's address."""
from __future__ import annotations

import json
import re
import socket
import struct
from typing import Any

import make_captures
import pytest
from namespaces import Namespace
from raw_interface import RawInterface, entered
from router_losses import lost_on_the_way, receive_errors, report_with_each_loss
from router_network import everything_on, fetch, iperf3, ping, ping_in_vain, router_between, serving, two_networks

CLIENT, SERVER, POOL = "1.1.1.2", "2.2.2.2", "2.2.2.1"
ICMP, TCP, UDP = 1, 6, 17


def translated(**more: Any) -> dict[str, Any]:
    return two_networks(nat44={"inside": ["left"], "outside": ["right"], "pool": [POOL], **more})


def ones_complement(data: bytes) -> int:
    """0xffff where the checksum among the data is right (RFC 1071)."""
    data += b"\0" * (len(data) % 2)
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total


class Seen:
    """An IPv4 packet that is whole, its checksums looked at."""

    def __init__(self, frame: bytes) -> None:
        header = 14 + (frame[14] & 15) * 4
        length, = struct.unpack_from("!H", frame, 16)
        self.ttl, self.protocol = frame[22], frame[23]
        self.source, self.to = socket.inet_ntoa(frame[26:30]), socket.inet_ntoa(frame[30:34])
        self.payload = frame[header:14 + length]
        assert ones_complement(frame[14:header]) == 0xFFFF, frame.hex()
        pseudo = b"" if self.protocol == ICMP else frame[26:34] + struct.pack("!HH", self.protocol, len(self.payload))
        assert ones_complement(pseudo + self.payload) == 0xFFFF, frame.hex()

    @property
    def source_port(self) -> int:
        return struct.unpack_from("!H", self.payload, 4 if self.protocol == ICMP else 0)[0]


def seen_from(interface: RawInterface, *sources: str) -> list[Seen]:
    """The IPv4 packets that have arrived, all from these addresses."""
    packets = [Seen(frame) for frame in everything_on(interface) if frame[12:14] == b"\x08\x00"]
    assert packets and {packet.source for packet in packets} == set(sources)
    return packets


@pytest.fixture
def network(request, packetwarp, namespaces):
    """By the file that the test gives. Nothing on the right leads back to the left but translation."""
    with router_between(packetwarp, namespaces, getattr(request, "param", translated()), ipv6=False) as made:
        made.right.ip("route", "delete", "default")
        yield made


def test_the_server_sees_the_pools_address(network):
    with RawInterface(network.right, "r0") as seen:
        pinged = ping(network.left, SERVER)
        requests = seen_from(seen, POOL)
    assert pinged.received == 3, pinged.output
    assert [(one.protocol, one.to, one.ttl) for one in requests] == [(ICMP, SERVER, 63)] * 3
    assert len({one.source_port for one in requests}) == 1, "one session, one identifier"
    assert network.end().packets.dropped == {}


def test_a_file_arrives_whole(network, tmp_path):
    content = make_captures.pattern(1_000_000)
    with RawInterface(network.right, "r0") as seen, serving(network.right, SERVER, tmp_path, content):
        assert fetch(network.left, SERVER, tmp_path) == content
        segments = seen_from(seen, POOL)
    assert {one.protocol for one in segments} == {TCP}
    assert len({one.source_port for one in segments}) == 1 and segments[0].source_port >= 1024
    assert network.end().packets.tx > len(content) // 1500


@pytest.mark.parametrize("options", (["--bitrate", "40M"], ["--udp", "--bitrate", "20M", "--length", "1400"]), ids=("tcp", "udp"))
def test_traffic_by_iperf3(network, options):
    end = iperf3(network.left, network.right, SERVER, *options)
    unread = receive_errors(network.right)
    report = report_with_each_loss(network)
    assert report["packets"]["tx"] > 500
    if "--udp" in options:
        assert end["sum"]["lost_packets"] <= lost_on_the_way(report) + unread, (end["sum"], report)
    else:
        assert end["sum_received"]["bytes"] > 1_000_000


def test_what_nobody_inside_asked_for_is_dropped(network):
    """The right has a route to the left, but no session."""
    network.right.ip("route", "add", "1.1.1.0/24", "via", POOL)
    assert ping_in_vain(network.right, CLIENT, "-W", "1").received == 0
    assert network.end().packets.dropped == {"no_session": 3}


@pytest.mark.parametrize("network", [translated(forwarding=True)], indirect=True)
def test_with_forwarding_it_is_routed(network):
    network.right.ip("route", "add", "1.1.1.0/24", "via", POOL)
    with RawInterface(network.left, "l0") as seen:
        ping_in_vain(network.right, CLIENT, "-W", "1")
        assert len(seen_from(seen, SERVER)) == 3
    network.end()


FORWARD = {"protocol": "tcp", "inside": f"{CLIENT}:8000", "outside": f"{POOL}:8080"}


@pytest.mark.parametrize("network", [translated(static=[FORWARD])], indirect=True)
def test_a_port_forward_leads_inside(network, tmp_path):
    """For the right; and for the left itself, which then sees the pool's address (hairpinning, RFC 4787 REQ-9)."""
    content = make_captures.pattern(100_000)
    with serving(network.left, CLIENT, tmp_path, content):
        with RawInterface(network.left, "l0") as seen:
            assert fetch(network.right, POOL, tmp_path, port=8080) == content
            seen_from(seen, SERVER)
            assert fetch(network.left, POOL, tmp_path, port=8080) == content
            seen_from(seen, POOL)
    assert network.end().packets.tx > 2 * len(content) // 1500


ALONE = "203.0.113.99"


@pytest.mark.parametrize("network", [translated(static=[{"inside": CLIENT, "outside": ALONE}])], indirect=True)
def test_a_static_address_is_the_hosts_own(network):
    network.right.ip("route", "add", f"{ALONE}/32", "via", POOL)
    with RawInterface(network.right, "r0") as seen:
        assert ping(network.left, SERVER).received == 3
        seen_from(seen, ALONE)
        assert ping(network.right, ALONE).received == 3
        seen_from(seen, ALONE)
    network.end()


def send_udp(host: Namespace, to: tuple[str, int], data: bytes = b"?") -> socket.socket:
    """A socket that has sent; it hears of ICMP errors."""
    with entered(host):
        sent = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sent.settimeout(10)
    sent.connect(to)
    sent.send(data)
    return sent


def test_a_session_stays_while_time_goes_on(network):
    """A session that was just made, and a packet back to it some ticks of the table's clock later."""
    with entered(network.right):
        server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind((SERVER, 7000))
    server.settimeout(10)
    with server, send_udp(network.left, (SERVER, 7000), b"there") as client:
        data, peer = server.recvfrom(100)
        assert (data, peer[0]) == (b"there", POOL)
        network.routing.wait_for_statistics(60)
        server.sendto(b"and back", peer)
        assert client.recv(100) == b"and back"
    network.end()


def test_an_icmp_error_finds_the_inside_host(network):
    """No program listens there: the right reports it to the pool's address, with the packet as it saw it."""
    with send_udp(network.left, (SERVER, 9)) as client, pytest.raises(ConnectionRefusedError):
        client.recv(1)
    assert network.end().packets.dropped == {}


def test_errors_of_its_own_find_the_inside_host(network):
    pinged = ping_in_vain(network.left, SERVER, "-t", "1")
    assert pinged.says("From 1.1.1.1 icmp_seq=") == 3, pinged.output
    pinged = ping_in_vain(network.left, "2.2.2.99", count=1)
    assert pinged.says("From 1.1.1.1 icmp_seq=1 Destination Host Unreachable") == 1, pinged.output
    network.end()


def test_fragments_are_put_together_and_translated(packetwarp, namespaces):
    """By XDP sockets, as packet sockets have the kernel put them together."""
    with router_between(packetwarp, namespaces, translated(), ipv6=False, driver="net_af_xdp") as network:
        network.right.ip("route", "delete", "default")
        pinged = ping(network.left, SERVER, "-M", "dont", "-s", "4000")
        assert pinged.received == 3 and pinged.says("4008 bytes from") == 3, pinged.output
        control = network.end().result["control"]
        assert control["punted"]["fragment"] == 2 * 3 * 3
        assert control["dropped"]["fragmented"] == 2 * 3


def test_sessions_are_logged(packetwarp, namespaces, tmp_path):
    log = tmp_path / "sessions.jsonl"
    with router_between(packetwarp, namespaces, translated(log=str(log)), ipv6=False) as network:
        with RawInterface(network.right, "r0") as seen:
            assert ping(network.left, SERVER, count=1).received == 1
            request = seen_from(seen, POOL)[0]
        network.end()
    started, *made = [json.loads(line) for line in log.read_text().splitlines()]
    assert started["event"] == "run_started" and started["restored"] == 0
    assert [(one["event"], one["protocol"]) for one in made] == [("made", "icmp"), ("ended", "icmp")], "the session ends with its run"
    assert made[0].keys() == made[1].keys() and all(made[0][key] == made[1][key] for key in ("inside", "outside"))
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", made[0]["time"]), made
    assert made[0]["inside"].startswith(f"{CLIENT}:")
    assert made[0]["outside"] == f"{POOL}:{request.source_port}"
