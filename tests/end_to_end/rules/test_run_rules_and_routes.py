# SPDX-License-Identifier: Apache-2.0
"""Flow rules before routes: packets that no rule decides on are routed, and packets that the router routes or sends itself meet
the egress rules."""
from __future__ import annotations

import json

import pytest
import yaml
from harness import ALONE, DONE, WRONG_USAGE, Program, Run
from live import live
from scapy.layers.inet import ICMP, IP, UDP, defragment
from scapy.layers.l2 import ARP, Dot1Q, Ether
from scapy.packet import Raw
from scapy.utils import rdpcap, wrpcap

ANNOUNCEMENTS = (2, 4)  # of the router's own addresses: two, and again after two seconds
LEFT, RIGHT, NEXT, HOST = "02:00:00:00:00:01", "02:00:00:00:00:02", "02:00:00:00:00:99", "02:00:00:00:00:10"

NETWORK = """\
interfaces:
  - {{name: left, port: 0, mac: "{left}", addresses: [192.0.2.1/24]}}
  - {{name: right, port: 1, mac: "{right}", addresses: [198.51.100.1/24], mtu: {mtu}}}
routes:
  - {{to: 203.0.113.0/24, via: 198.51.100.2}}
neighbours:
  - {{interface: right, address: 198.51.100.2, mac: "{next}"}}
  - {{interface: left, address: 192.0.2.9, mac: "{host}"}}
rules: {{file: {flows}{more}}}
"""


def run(packetwarp: Program, flows: str, frames: list[Ether], more: str = "", mtu: int = 1500) -> tuple[Run, list[bytes]]:
    """Lets frames come in on the left; returns the frames that leave on the right, except announcements. Frames that go back are
    in back.pcap."""
    folder = packetwarp.folder
    (folder / "flows.txt").write_text(flows)
    file = packetwarp.write_config(yaml.safe_load(
        NETWORK.format(left=LEFT, right=RIGHT, next=NEXT, host=HOST, mtu=mtu, flows=folder / "flows.txt", more=more)))
    wrpcap(str(folder / "in.pcap"), frames)
    wrpcap(str(folder / "none.pcap"), [])
    out = folder / "out.pcap"
    done = packetwarp.run("run", [*ALONE, "-l", "0", f"--vdev=net_pcap0,rx_pcap={folder}/in.pcap,tx_pcap={folder}/back.pcap",
                                  f"--vdev=net_pcap1,rx_pcap={folder}/none.pcap,tx_pcap={out}"],
                          ["-c", str(file), "--until-idle", "200ms", "--json", "-"])
    return done, [bytes(packet) for packet in rdpcap(str(out)) if ARP not in packet] if done.status == DONE else []


def datagram(port: int, to: str = "203.0.113.5", hops: int = 64) -> Ether:
    return Ether(src=HOST, dst=LEFT) / IP(src="192.0.2.9", dst=to, ttl=hops) / UDP(sport=5, dport=port) / b"data"


def routed(frame: Ether, **changes: str) -> bytes:
    """The router's result for the frame; changes are the egress rules' changes of its IP header."""
    made = frame.copy()
    made.src, made.dst, made[IP].ttl = RIGHT, NEXT, frame[IP].ttl - 1
    for name, value in changes.items():
        setattr(made[IP], name, value)
    del made[IP].chksum, made[UDP].chksum
    return bytes(Ether(bytes(made)))


def test_what_no_rule_decides_on_is_routed(packetwarp: Program) -> None:
    flows = ("flow create 0 ingress pattern udp dst is 7 / end actions drop / end\n"
             "flow create 0 ingress pattern udp dst is 8 / end actions count / end\n"
             "flow create 0 ingress pattern ipv4 / udp dst is 9 / end actions set_ttl ttl_value 5 / port_id id 1 / end\n"
             "flow create 0 ingress pattern udp dst is 10 / end actions passthru / end\n"
             "flow create 0 ingress pattern udp dst is 11 / end actions queue index 0 / end\n")
    frames = [datagram(port) for port in (7, 8, 9, 10, 11, 12)]
    done, out = run(packetwarp, flows, frames)
    assert done.status == DONE, done
    by_rule = datagram(9, hops=5)
    assert out == [routed(frames[1]), bytes(by_rule), routed(frames[3]), routed(frames[5])]
    assert done.packets.dropped == {"rule_drop": 1, "no_kernel_interface": 1}
    assert done.packets.punted == 0
    assert [rule["hits"] for rule in json.loads(done.stdout)["rules"]] == [None, 1, None, None, None]


def test_what_is_routed_meets_the_egress_rules(packetwarp: Program) -> None:
    flows = ("flow create 1 egress pattern eth / ipv4 / udp dst is 7 / end actions set_ipv4_src ipv4_addr 198.51.100.9 / end\n"
             "flow create 1 egress pattern eth / ipv4 / udp dst is 8 / end actions drop / end\n"
             "flow create 0 egress pattern eth / end actions drop / end\n")
    frames = [datagram(port) for port in (7, 8, 9)]
    done, out = run(packetwarp, flows, frames)
    assert out == [routed(frames[0], src="198.51.100.9"), routed(frames[2])], done
    assert done.packets.dropped == {"rule_drop": 1}


def sent_back(packetwarp: Program) -> list[Ether]:
    """Except questions and announcements."""
    return [frame for frame in rdpcap(str(packetwarp.folder / "back.pcap")) if ARP not in frame]


def test_fragments_meet_the_egress_rules(packetwarp: Program) -> None:
    """Put together they are what the same rule makes of the whole datagram: its address, and UDP's checksum with it."""
    flows = "flow create 1 egress pattern eth / ipv4 / end actions count / set_ipv4_src ipv4_addr 198.51.100.9 / end\n"
    frame = datagram(7)
    frame[UDP].payload = Raw(bytes(range(256)) * 5 + bytes(100))
    frame[IP].id = 77
    done, out = run(packetwarp, flows, [frame], mtu=1280)
    pieces = [Ether(piece) for piece in out]
    assert done.status == DONE and len(pieces) == 2 and pieces[0][IP].flags.MF == 1, done
    for piece in pieces:
        again = piece.copy()
        del again[IP].chksum
        assert bytes(Ether(bytes(again)))[:34] == bytes(piece)[:34], "checksum of the header"
    whole = defragment([Ether(piece) for piece in out])[0]
    del whole[IP].chksum, whole[IP].len
    assert bytes(whole) == routed(frame, src="198.51.100.9")
    result = json.loads(done.stdout)
    assert result["rules"][0]["hits"] == 2 and result["control"]["sent"] - 2 in ANNOUNCEMENTS


def test_answers_of_the_router_meet_the_egress_rules(packetwarp: Program) -> None:
    tagged = ("flow create 0 egress pattern eth / ipv4 / icmp / end actions of_push_vlan ethertype 0x8100 / of_set_vlan_vid vlan_vid 5 / end\n")
    done, _ = run(packetwarp, tagged, [datagram(7, hops=1)])
    [answer] = sent_back(packetwarp)
    assert answer[Dot1Q].vlan == 5 and (answer[ICMP].type, answer[IP].dst) == (11, "192.0.2.9"), done
    assert (answer.dst, answer.src) == (HOST, LEFT)
    assert bytes(answer[ICMP].payload)[:20] == bytes(datagram(7, hops=1)[IP])[:20]


def test_an_answer_that_an_egress_rule_drops_is_counted(packetwarp: Program) -> None:
    done, _ = run(packetwarp, "flow create 0 egress pattern eth / ipv4 / icmp / end actions drop / end\n", [datagram(7, hops=1)])
    control = json.loads(done.stdout)["control"]
    assert sent_back(packetwarp) == []
    assert control["dropped"] == {"time_exceeded": 1, "rule_drop": 1} and control["sent"] in ANNOUNCEMENTS, done


def test_the_routers_own_drops_and_punts_keep_their_names(packetwarp: Program) -> None:
    frames = [datagram(7, to="127.0.0.1"), datagram(7, to="8.8.8.8"), datagram(7, hops=1)]
    done, out = run(packetwarp, "flow create 0 ingress pattern tcp / end actions drop / end\n", frames)
    assert (done.status, out) == (DONE, []), done
    assert done.packets.dropped == {"martian_destination": 1}
    assert json.loads(done.stdout)["control"]["punted"] == {"ttl_exceeded": 1, "unreachable": 1}


def test_an_isolated_port_routes_nothing(packetwarp: Program) -> None:
    done, out = run(packetwarp, "flow create 0 ingress pattern udp dst is 8 / end actions count / end\n",
                    [datagram(7), datagram(8)], more=", isolate: true")
    assert out == [routed(datagram(8))], done
    assert done.packets.dropped == {"no_rule": 1}


def test_a_packet_that_is_held_meets_its_rules_as_it_came(packetwarp: Program) -> None:
    """Its next hop is asked for first and never answers: it is counted whenever it is put in front of the rules, and
    changed by none."""
    done, out = run(packetwarp, "flow create 0 ingress pattern udp / end actions count / end\n",
                    [datagram(7, to="198.51.100.77")])
    assert done.status == DONE, done
    assert json.loads(done.stdout)["rules"][0]["hits"] >= 1
    assert all(Ether(frame).type == 0x0806 for frame in out)


@pytest.mark.parametrize("actions", ("set_tp_src port 9", "set_tp_src port 9 / passthru", "dec_ttl / jump group 1"))
def test_rules_that_change_packets_say_where_they_go(packetwarp: Program, actions: str) -> None:
    flow = f"# one\nflow create 0 ingress pattern eth / ipv4 / udp / end actions {actions} / end\n"
    done, _ = run(packetwarp, flow, [])
    assert done.status == WRONG_USAGE
    assert done.errors[0].startswith(f"packetwarp: error: {packetwarp.folder}/flows.txt:2:1: the rule changes packets"), done


def test_a_typed_rule_that_says_not_where_its_packets_go_is_named_by_its_number(packetwarp: Program) -> None:
    flows = packetwarp.folder / "flows.txt"
    flows.write_text("flow create 0 ingress pattern udp / end actions drop / end\n")
    file = yaml.safe_load(NETWORK.format(left=LEFT, right=RIGHT, next=NEXT, host=HOST, mtu=1500, flows=flows, more=""))
    with live(packetwarp, file, "net_null0,no-rx=1", "net_null1,no-rx=1") as running:
        done = running.ask("flow", *"create 0 ingress pattern eth / ipv4 / end actions dec_ttl / end".split())
    assert (done.status, done.errors) == (WRONG_USAGE, [
        "packetwarp: error: flow rule 1 of port 0: the rule changes packets and leaves it to routes or other rules where they go; "
        "say where (queue, port_id, drop), or leave out routes"])
