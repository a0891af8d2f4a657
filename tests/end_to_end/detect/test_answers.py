# SPDX-License-Identifier: Apache-2.0
"""`action: answer` of `packetwarp run`: packets that are sent back with their class, against scapy."""
from __future__ import annotations

import pathlib
from typing import Any

import pytest
from harness import ALONE, DONE, Program, Run
from onnx_tree import question
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import ARP, Dot1Q, Ether
from scapy.packet import Packet, Raw
from scapy.utils import wrpcap
from sent_frames import sent_frames

LEFT, HOST = "02:00:00:00:00:01", "02:00:00:00:00:10"
NETWORK: dict[str, Any] = {"interfaces": [{"name": "left", "port": 0, "mac": LEFT, "addresses": ["192.0.2.1/24", "2001:db8:1::1/64"]},
                                          {"name": "right", "port": 1, "addresses": ["198.51.100.1/24"]}],
                           "routes": [{"to": "203.0.113.0/24", "via": "198.51.100.2"}],
                           "neighbours": [{"interface": "right", "address": "198.51.100.2", "mac": HOST}]}
NORMAL, ANOMALOUS = 3, 7
MAGIC = b"PwA1"


@pytest.fixture
def syn(packetwarp: Program) -> pathlib.Path:
    """A tree that calls each SYN anomalous: one step of its score above the threshold, and all others one step below."""
    (packetwarp.folder / "syn.onnx").write_bytes(question("syn", 0, threshold="0.5"))
    (packetwarp.folder / "udp.onnx").write_bytes(question("udp", 0, threshold="0.5"))
    return packetwarp.folder


def run(packetwarp: Program, frames: list[Packet], model: str, action: str, **plane: Any) -> tuple[Run, list[bytes]]:
    """Lets frames come in on the left; returns the frames that go back there."""
    folder = packetwarp.folder
    file = packetwarp.write_config({**NETWORK, "detect": {"models": [model], "action": action}, **plane})
    wrpcap(str(folder / "in.pcap"), frames)
    wrpcap(str(folder / "none.pcap"), [])
    done = packetwarp.run("run", [*ALONE, "-l", "0", f"--vdev=net_pcap0,rx_pcap={folder}/in.pcap,tx_pcap={folder}/back.pcap",
                                  f"--vdev=net_pcap1,rx_pcap={folder}/none.pcap,tx_pcap={folder}/out.pcap"],
                          ["-c", str(file), "--until-idle", "200ms", "--json", "-"], cwd=folder)
    assert done.status == DONE, done
    return done, sent_frames(folder / "back.pcap")


def frame(*layers: Packet, tag: int | None = None) -> Packet:
    made = Ether(src=HOST, dst=LEFT)
    if tag is not None:
        made = made / Dot1Q(vlan=tag)
    for layer in layers:
        made = made / layer
    return Ether(bytes(made))


def ip(**of: Any) -> Packet:
    return IP(src="192.0.2.9", dst="203.0.113.5", tos=1, **of)


def six(**of: Any) -> Packet:
    return IPv6(src="2001:db8:1::9", dst="2001:db8:ff::5", tc=2, **of)


def answer_to(asked: Packet, is_anomalous: bool, record: bool = False) -> bytes:
    """The answer as scapy builds it, with checksums of its own."""
    made = Ether(bytes(asked))
    made.src, made.dst = asked.dst, asked.src
    inner = made[IP] if IP in made else made[IPv6]
    inner.src, inner.dst = inner.dst, inner.src
    dscp = (ANOMALOUS if is_anomalous else NORMAL) << 2
    if IP in made:
        inner.tos = inner.tos & 3 | dscp
        del inner.chksum
    else:
        inner.tc = inner.tc & 3 | dscp
    for kind in (TCP, UDP):
        if kind in made:
            made[kind].sport, made[kind].dport = made[kind].dport, made[kind].sport
            if not record:
                continue
            del made[kind].chksum
    return bytes(made)


def segment(flags: str, **of: Any) -> Packet:
    return frame(ip(**of), TCP(sport=1000, dport=80, flags=flags), Raw(b"data"))


ASKED = [segment("S"), segment("A"), segment("PA", ttl=1), frame(ip(), UDP(sport=5, dport=53), Raw(b"query")), frame(ip(), ICMP(), Raw(b"ping")),
         frame(six(), TCP(sport=7, dport=80, flags="S"), Raw(b"data")), frame(six(), UDP(sport=7, dport=80), Raw(40 * b"x")),
         frame(ip(), TCP(sport=9, dport=10, flags="S"), tag=5), frame(ip(proto=47), Raw(30 * b"g"))]


def is_syn(asked: Packet) -> bool:
    return TCP in asked and asked[TCP].flags == "S"


def test_each_packet_goes_back_with_its_class(packetwarp, syn):
    done, back = run(packetwarp, ASKED, "syn.onnx", "answer-all")
    assert back == [answer_to(asked, is_syn(asked)) for asked in ASKED]
    packets = done.result["packets"]
    assert packets["rx"] == packets["tx"] == len(ASKED) and packets["dropped"] == {}, done
    assert done.result["detect"]["action"] == "answer-all"


def test_only_anomalous_packets_go_back_and_the_others_are_routed(packetwarp, syn):
    frames = [segment(flags) for flags in ("S", "A", "S", "FA")]
    done, back = run(packetwarp, frames, "syn.onnx", "answer")
    assert back == [answer_to(asked, True) for asked in frames if is_syn(asked)]
    assert len(sent_frames(packetwarp.folder / "out.pcap")) == 2, done


@pytest.mark.parametrize("size", (23, 24, 200))
def test_a_datagram_with_room_has_the_score_in_its_payload(packetwarp, syn, size):
    asked = frame(ip(), UDP(sport=5, dport=53), Raw(bytes(range(size))))
    _, (back,) = run(packetwarp, [asked], "udp.onnx", "answer-all")
    has_room = size >= 8 + 16
    payload = back[42:]
    assert (payload[:4] == MAGIC) == has_room
    if not has_room:
        assert back == answer_to(asked, True)
        return
    excess = int.from_bytes(payload[4:8], "big", signed=True)
    assert excess > 0
    expected = Ether(bytes(asked))
    expected[UDP].payload = Raw(payload[:8] + bytes(range(8, size)))
    assert back == answer_to(expected, True, record=True)


def test_what_cannot_be_answered_is_dropped_by_name_and_arp_is_not_asked_about(packetwarp, syn):
    whole = bytes(segment("A"))
    fragments = [frame(ip(flags="MF", frag=0), UDP(sport=1, dport=2, len=100, chksum=0), Raw(32 * b"f")), frame(ip(frag=5), Raw(32 * b"f"))]
    groups = [frame(IP(src="192.0.2.9", dst="224.0.0.5"), UDP(sport=1, dport=2)), frame(IP(src="192.0.2.9", dst="255.255.255.255"), UDP(sport=1, dport=2)),
              Ether(src=HOST, dst="ff:ff:ff:ff:ff:ff") / ip() / UDP(sport=1, dport=2)]
    answers = [segment("A", ) for _ in range(2)]
    for made, dscp in zip(answers, (NORMAL, ANOMALOUS)):
        made[IP].tos = dscp << 2
        del made[IP].chksum
    arp = Ether(src=HOST, dst="ff:ff:ff:ff:ff:ff") / ARP(op="who-has", hwsrc=HOST, psrc="192.0.2.9", pdst="192.0.2.1")
    frames = [*fragments, *groups, *answers, Ether(whole[:40]), arp]
    done, back = run(packetwarp, frames, "syn.onnx", "answer-all")
    assert done.result["packets"]["dropped"] == {"unanswerable_fragment": 2, "unanswerable_address": 3, "unanswerable_answer": 2,
                                                 "unanswerable_header": 1}, done
    reply, = back
    assert ARP in Ether(reply) and Ether(reply)[ARP].op == 2


def test_an_answer_is_never_answered(packetwarp, syn):
    """Two machines that answer all would send a packet back and forth for ever."""
    _, back = run(packetwarp, ASKED, "syn.onnx", "answer-all")
    done, again = run(packetwarp, [Ether(one) for one in back], "syn.onnx", "answer-all")
    assert again == [] and done.result["packets"]["dropped"] == {"unanswerable_answer": len(ASKED)}, done


def test_nat44_behind_it_sees_none_of_what_is_answered(packetwarp, syn):
    done, back = run(packetwarp, ASKED, "syn.onnx", "answer-all", nat44={"inside": ["left"], "outside": ["right"], "pool": ["198.51.100.1"]})
    assert back == [answer_to(asked, is_syn(asked)) for asked in ASKED], done
