# SPDX-License-Identifier: Apache-2.0
"""packetwarp run and packets that do not fit: fragments pass, what may be is fragmented, of the rest its sender hears."""
from __future__ import annotations

import pytest
from raw_interface import RawInterface
from router_network import LEFT_HOST_MAC, RouterNetwork, everything_on, ping, ping_in_vain, router_between, two_networks
from scapy.layers.inet import ICMP, IP
from scapy.layers.l2 import Ether
from scapy.packet import Raw

NARROW = 1400


def narrow_right() -> dict:
    file = two_networks()
    file["interfaces"][1]["mtu"] = NARROW
    return file


@pytest.mark.parametrize("to", ("2.2.2.2", "2001:db8:2::2"))
def test_fragments_pass(packetwarp, namespaces, to):
    """4000 bytes in three pieces each way, put together by the hosts. By XDP sockets: with packet sockets the kernel puts
    IPv4's together before DPDK's driver sees them."""
    with router_between(packetwarp, namespaces, two_networks(), driver="net_af_xdp") as network:
        pinged = ping(network.left, to, "-s", "4000")
        assert pinged.received == 3 and pinged.says("4008 bytes from") == 3, pinged.output
        done = network.end()
        assert done.packets.tx == 2 * 3 * 3
        assert "fragmented" not in done.result["control"]["dropped"]


@pytest.mark.parametrize(("to", "says", "route"), (
    ("2.2.2.2", "From 1.1.1.1 icmp_seq=1 Frag needed and DF set (mtu = 1400)", "-4"),
    ("2001:db8:2::2", "From 2001:db8:1::1 icmp_seq=1 Packet too big: mtu=1400", "-6")))
def test_the_sender_learns_the_narrower_mtu(packetwarp, namespaces, to, says, route):
    """Not to be fragmented, so its sender is told by how much; what it sends then goes through."""
    with router_between(packetwarp, namespaces, narrow_right(), right_mtu=NARROW) as network:
        refused = ping_in_vain(network.left, to, "-M", "do", "-s", "1450", count=1)
        assert refused.received == 0 and refused.says(says) == 1, refused.output
        assert "mtu 1400" in network.left.ip(route, "route", "get", to).stdout
        fitting = NARROW - (20 if route == "-4" else 40) - 8
        assert ping(network.left, to, "-M", "do", "-s", str(fitting)).received == 3
        control = network.end().result["control"]
        assert control["punted"]["too_big"] == control["dropped"]["too_big"] == 1


def request_pieces(network: RouterNetwork, size: int) -> dict[int, list[IP]]:
    """The pieces that arrive on the right from a ping without DF, by datagram: one, or more while answers are late."""
    with RawInterface(network.right, "r0") as seen:
        pinged = ping(network.left, "2.2.2.2", "-M", "dont", "-s", str(size), count=1)
        assert pinged.received == 1, pinged.output
        packets = [Ether(frame) for frame in everything_on(seen)]
    pieces: dict[int, list[IP]] = {}
    for packet in packets:
        if IP in packet:
            pieces.setdefault(packet[IP].id, []).append(packet[IP])
    return pieces


def test_what_may_be_fragmented_is(packetwarp, namespaces):
    with router_between(packetwarp, namespaces, narrow_right(), right_mtu=NARROW, ipv6=False) as network:
        requests = request_pieces(network, 1472)
        assert {len(pieces) for pieces in requests.values()} == {2}
        pieces = next(iter(requests.values()))
        assert all(piece.len <= NARROW for piece in pieces)
        assert [bool(piece.flags.MF) for piece in pieces] == [True, False]
        whole = bytearray(1480)
        for piece in pieces:
            begin = piece.frag * 8
            whole[begin:begin + piece.len - 20] = bytes(piece)[20:piece.len]
            assert IP(bytes(piece)[:20]).ttl == 63
        message = ICMP(bytes(whole))
        given, message.chksum = message.chksum, None
        assert ICMP(bytes(message)).chksum == given, "the sender's checksum, over the bytes of both pieces"
        assert network.end().result["control"]["dropped"]["fragmented"] == len(requests)


def test_padding_beyond_the_mtu_is_not_sent_on(packetwarp, namespaces):
    """As Linux trims it, with or without DF; a shorter padding stays."""
    with router_between(packetwarp, namespaces, narrow_right(), ipv6=False) as network:
        assert ping(network.left, "2.2.2.2").received == 3
        packet = Ether(src=LEFT_HOST_MAC, dst=network_mac(0)) / IP(src="1.1.1.2", dst="2.2.2.2", flags="DF", proto=253) / Raw(b"padded")
        with RawInterface(network.left, "l0") as left, RawInterface(network.right, "r0") as right:
            left.send(bytes(packet) + bytes(1500 + 14 - len(packet)))
            left.send(bytes(packet) + bytes(60 - len(packet)))
            seen = [frame for frame in everything_on(right) if b"padded" in frame]
        assert sorted(len(frame) for frame in seen) == [len(packet), 60]
        assert all(frame[14:].startswith(bytes(forwarded(packet))) for frame in seen)
        assert network.end().result["control"]["punted"]["needs_fragmentation"] == 1


def network_mac(interface: int) -> str:
    return two_networks()["interfaces"][interface]["mac"]


def forwarded(packet: Ether) -> IP:
    made = packet[IP].copy()
    made.ttl -= 1
    return made
