# SPDX-License-Identifier: Apache-2.0
"""The programs of python/record_traffic: the packets of packet_sender.py, read by scapy, with their headers, checksums, fragments, ports
and bound; the crowds of ends.py, whose servers answer from the address that was asked, and whose clients ask from many."""
from __future__ import annotations

import json
import random
import socket
import threading
import time

import pytest
from scapy.layers.dns import DNS
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Ether
from scapy.packet import Raw

from record_traffic import ends, packet_sender
from record_traffic.drawn_attacks import sending
from record_traffic.old_stack import WINDOWS, OldStacks
from record_traffic.packet_sender import MF, Sender, checksum

TARGET = socket.inet_aton("127.0.0.1")


def spec(**changes):
    usual = {"protocol": 6, "targets": ["127.0.0.1"], "rate": 1000, "count": 10, "options": "none"}
    return json.loads(sending(random.Random(1), **usual | changes).argv[2])


def made(port=80, **changes):
    return [IP(packet) for packet in Sender(spec(**changes)).packets(TARGET, port)]


def is_right(packet, layer):
    """Whether the checksum is the one that scapy computes."""
    again = packet.copy()
    del again[layer].chksum
    return packet[layer].chksum == IP(bytes(again))[layer].chksum


@pytest.mark.parametrize("data", (b"", b"\1", b"\1\2\3", bytes(range(256)), b"\xff" * 1501))
def test_the_checksum_is_the_sum_of_words_by_their_definition(data):
    total = sum(data[at] << 8 | (data[at + 1] if at + 1 < len(data) else 0) for at in range(0, len(data), 2))
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    assert checksum(data) == total ^ 0xFFFF


@pytest.mark.parametrize("options", ("none", "mss", "usual"))
@pytest.mark.parametrize("size", (0, 1, 700))
def test_a_segment_has_the_flags_ports_and_bytes_of_the_spec(options, size):
    (packet,) = made(flags=0x12, source_port=443, sizes=[size, size], window=512, ttl=77, options=options)
    assert (packet.src, packet.dst, packet.ttl) == ("127.0.0.1", "127.0.0.1", 77)
    assert (packet[TCP].flags, packet[TCP].sport, packet[TCP].dport, packet[TCP].window) == (0x12, 443, 80, 512)
    assert is_right(packet, TCP) and len(packet[Raw].load if Raw in packet else b"") == size
    assert bool(packet[TCP].options) == (options != "none")


ETHER = Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02")
LINUX = [("MSS", 1460), ("SAckOK", b""), ("Timestamp", (7, 0)), ("NOP", None), ("WScale", 7)]


def frame(network, flags="SEC", options=LINUX, load=b""):
    return bytes(ETHER / network / TCP(sport=40000, dport=80, flags=flags, window=64240, options=options) / load)


def sources(version):
    return [IP(src=f"10.0.0.{n}", dst="10.1.0.1") if version == 4 else IPv6(src=f"fd00::{n}", dst="fd01::1") for n in range(1, 101)]


@pytest.mark.parametrize("version", (4, 6))
@pytest.mark.parametrize("load", (b"", b"odd"))
def test_an_old_stack_begins_a_connection_with_few_options_and_its_checksums_are_right(version, load):
    stacks, looks = OldStacks(1, "seed"), set()
    for network in sources(version):
        passed = stacks.passed(frame(network, load=load), True)
        packet = Ether(passed)
        segment = packet[TCP]
        assert segment.options in ([], LINUX[:1]) and segment.flags == "S" and segment.window in (*WINDOWS, 64240)
        assert (segment.sport, segment.dport, bytes(segment.payload)) == (40000, 80, load)
        looks.add((len(segment.options), segment.window))
        again = packet.copy()
        del again[TCP].chksum
        for layer, names in ((IP, ("chksum", "len")), (IPv6, ("plen",))):
            for name in names if layer in again else ():
                delattr(again[layer], name)
        assert bytes(Ether(bytes(again))) == passed == stacks.passed(frame(network, load=load), True)
    assert len(looks) > 15


def test_an_old_stack_gets_a_syn_without_the_options_that_it_does_not_know():
    passed = Ether(OldStacks(1, "seed").passed(frame(IP(src="10.1.0.1", dst="10.0.0.1")), False))
    assert passed[TCP].options in ([], LINUX[:1])


def test_other_packets_and_other_hosts_pass_as_they_are():
    some, none = OldStacks(0.3, "seed"), OldStacks(0, "seed")
    syns = [frame(network) for network in sources(4)]
    assert 15 < sum(some.passed(syn, True) != syn for syn in syns) < 45
    assert all(none.passed(syn, True) == syn for syn in syns)
    network = IP(src="10.0.0.1", dst="10.1.0.1")
    others = [frame(network, "A", [("NOP", None)] * 4, b"data"), frame(network, "SA"), frame(network, "R", []), bytes(ETHER / network / UDP() / bytes(40)),
              frame(network)[:50], bytes(60), b""]
    assert all(OldStacks(1, "seed").passed(other, True) == other for other in others)


def test_a_datagram_and_an_echo_request():
    (datagram,) = made(protocol=17, sizes=[30, 30], source_port=53)
    assert (datagram[UDP].sport, datagram[UDP].dport, datagram[UDP].len) == (53, 80, 38)
    (echo,) = made(protocol=1, sizes=[30, 30])
    assert (echo[ICMP].type, echo[ICMP].id) == (8, 80) and is_right(echo, ICMP)


def test_fragments_are_the_parts_of_one_datagram():
    pieces = made(protocol=17, sizes=[100, 100], fragments=24)
    assert len({piece.id for piece in pieces}) == 1
    assert [piece.frag * 8 for piece in pieces] == list(range(0, 108, 24))
    assert [piece.flags.MF for piece in pieces] == [True] * 4 + [False] and MF == 0x2000
    assert sum(len(bytes(piece)) - 20 for piece in pieces) == 108


def test_sizes_stay_within_the_spec():
    sender = Sender(spec(protocol=47, sizes=[20, 60]))
    sizes = {len(sender.packets(TARGET, 0)[0]) - 20 for _ in range(500)}
    assert min(sizes) == 20 and max(sizes) == 60


def test_aims_are_each_target_with_each_port():
    scan = Sender(spec(ports=[5, 7], targets=["127.0.0.0/30"]))
    assert [(socket.inet_ntoa(target), port) for target, port in scan.aims()] == [(f"127.0.0.{host}", port) for port in (5, 7) for host in (1, 2)]
    flood = Sender(spec(rounds=50, destination_port="rising"))
    ports = [port for _, port in flood.aims()]
    assert len(ports) == 50 and ports == list(range(ports[0], ports[0] + 50))


@pytest.mark.parametrize("changes", ({"count": 7}, {"rounds": 3, "ports": [1, 2]}))
def test_sending_ends(monkeypatch, changes):
    sent = []

    class Socket(socket.socket):
        def __init__(self, family, kind, protocol=0):
            super().__init__(family, socket.SOCK_DGRAM if kind == socket.SOCK_RAW else kind)

        def sendto(self, packet, where):
            sent.append((packet, where))

    monkeypatch.setattr(packet_sender.socket, "socket", Socket)
    packet_sender.send(json.dumps(spec(**{"rounds": 1000, "rate": 1e6} | changes)))
    assert len(sent) == changes.get("count", 6)
    assert {where for _, where in sent} == {("127.0.0.1", 0)}


# --- crowds ----------------------------------------------------------------------------------------------------------------


@pytest.fixture
def ports(tmp_path):
    """A network of servers on loopback: ports of its web and its names."""
    found = []
    for kind, at in ((socket.SOCK_STREAM, "::"), (socket.SOCK_DGRAM, "")):
        with socket.socket(socket.AF_INET6 if at else socket.AF_INET, kind) as one:
            one.bind((at, 0))
            found.append(str(one.getsockname()[1]))
    (tmp_path / "index.html").write_text("x" * 300)
    threading.Thread(target=ends.serve, args=(str(tmp_path), *found), daemon=True).start()
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", int(found[0])), timeout=1).close()
            break
        except OSError:
            time.sleep(0.05)
    return found


def test_names_are_answered_from_the_address_that_was_asked(ports):
    question = DNS(id=77, qd=b"\4host\7example\0\0\1\0\1")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.settimeout(10)
        one.bind(("127.0.0.5", 0))
        one.sendto(bytes(question), ("127.0.0.9", int(ports[1])))
        answer, sender = one.recvfrom(2000)
    read = DNS(answer)
    assert sender == ("127.0.0.9", int(ports[1]))
    assert (read.id, read.qr, read.ancount) == (77, 1, 1) and read.an[0].rdata == "10.1.2.3"


@pytest.mark.parametrize(("target", "many"), (("127.0.0.9/32", "sources"), ("127.3.0.0/24", "targets")))
def test_a_crowd_has_many_addresses_on_one_side(monkeypatch, target, many):
    asked = []
    for name in ("ask_a_name", "read_a_page"):
        monkeypatch.setattr(ends, name, lambda *words, name=name: asked.append((name, *words)))
    ends.crowd(target, "80", "53", "1000", "0.5", "a seed")
    names, sources, targets, ports = (set(column) for column in list(zip(*asked))[:4])
    assert names == {"ask_a_name", "read_a_page"} and ports == {80, 53}
    few, more = (targets, sources) if many == "sources" else (sources, targets)
    assert len(few) == 1 and len(more) >= 20


def test_a_page_and_a_name_are_read(ports):
    begin = time.monotonic()
    ends.read_a_page("127.0.0.5", "127.0.0.9", int(ports[0]), 0.2)
    ends.ask_a_name("127.0.0.5", "127.0.0.9", int(ports[1]), 0.2)
    ends.read_a_page("127.0.0.5", "127.0.0.9", 1, 0.2)  # a port that is closed
    assert time.monotonic() - begin < 30
