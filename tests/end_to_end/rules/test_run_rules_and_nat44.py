# SPDX-License-Identifier: Apache-2.0
"""Flow rules before NAT44: ingress rules see packets as they came, egress rules as they leave, and packets that no rule decides
on are translated."""
from __future__ import annotations

import json

import yaml
from harness import ALONE, DONE, Program, Run
from live import FLOWS, NAT44, ROUTED, routed, wait_until
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import ARP, Ether
from scapy.utils import rdpcap, wrpcap

LEFT, RIGHT, INSIDE_HOST, OUTSIDE_HOST = "02:00:00:00:00:01", "02:00:00:00:00:02", "02:00:00:00:00:10", "02:00:00:00:00:99"
INSIDE, POOL, SERVER = "192.0.2.9", "198.51.100.7", "198.51.100.2"

NETWORK = f"""\
interfaces:
  - {{name: left, port: 0, mac: "{LEFT}", addresses: [192.0.2.1/24]}}
  - {{name: right, port: 1, mac: "{RIGHT}", addresses: [198.51.100.1/24]}}
neighbours:
  - {{interface: left, address: {INSIDE}, mac: "{INSIDE_HOST}"}}
  - {{interface: right, address: {SERVER}, mac: "{OUTSIDE_HOST}"}}
nat44:
  inside: [left]
  outside: [right]
  pool: [{POOL}]
  static: [{{protocol: udp, inside: "{INSIDE}:80", outside: "{POOL}:8080"}}]
"""


def run(packetwarp: Program, flows: str, left: list[Ether], right: list[Ether]) -> tuple[Run, list[bytes], list[bytes]]:
    """Lets frames come in on both sides; what leaves on the left and on the right, except ARP that announces the pool."""
    folder = packetwarp.folder
    (folder / "flows.txt").write_text(flows)
    file = packetwarp.write_config({**yaml.safe_load(NETWORK), "rules": {"file": str(folder / "flows.txt")}})
    ports = []
    for number, frames in enumerate((left, right)):
        wrpcap(str(folder / f"in{number}.pcap"), frames)
        ports.append(f"--vdev=net_pcap{number},rx_pcap={folder}/in{number}.pcap,tx_pcap={folder}/out{number}.pcap")
    done = packetwarp.run("run", [*ALONE, "-l", "0", *ports], ["-c", str(file), "--until-idle", "200ms", "--json", "-"])
    assert done.status == DONE, done
    return done, *([bytes(packet) for packet in rdpcap(str(folder / f"out{number}.pcap")) if ARP not in packet] for number in range(2))


def outward(port: int) -> Ether:
    return Ether(src=INSIDE_HOST, dst=LEFT) / IP(src=INSIDE, dst=SERVER) / UDP(sport=5000, dport=port) / b"data"


def inward(port: int) -> Ether:
    return Ether(src=OUTSIDE_HOST, dst=RIGHT) / IP(src=SERVER, dst=POOL) / UDP(sport=53, dport=port) / b"data"


def translated(frame: Ether, **changes: object) -> bytes:
    """The packet that leaves on the other side; changes are of its addresses and ports."""
    made = frame.copy()
    made.src, made.dst = (RIGHT, OUTSIDE_HOST) if frame.dst == LEFT else (LEFT, INSIDE_HOST)
    made[IP].ttl -= 1
    for name, value in changes.items():
        setattr(made[UDP] if name.endswith("port") else made[IP], name, value)
    del made[IP].chksum, made[UDP].chksum
    return bytes(Ether(bytes(made)))


def test_what_no_rule_decides_on_is_translated(packetwarp: Program) -> None:
    flows = ("flow create 0 ingress pattern udp dst is 7 / end actions drop / end\n"
             "flow create 0 ingress pattern ipv4 src is 192.0.2.9 / udp dst is 8 / end actions count / end\n"
             "flow create 0 ingress pattern ipv4 / udp dst is 9 / end actions set_ttl ttl_value 5 / port_id id 1 / end\n")
    frames = [outward(port) for port in (7, 8, 9, 10)]
    done, _, out = run(packetwarp, flows, frames, [])
    by_rule = frames[2].copy()
    by_rule[IP].ttl = 5
    assert out == [translated(frames[1], src=POOL), bytes(by_rule), translated(frames[3], src=POOL)], done
    assert done.packets.dropped == {"rule_drop": 1}
    assert [rule["hits"] for rule in json.loads(done.stdout)["rules"]] == [None, 1, None]


def test_egress_rules_see_outside_addresses(packetwarp: Program) -> None:
    flows = (f"flow create 1 egress pattern ipv4 src is {POOL} / udp dst is 7 / end actions set_tp_dst port 70 / end\n"
             f"flow create 1 egress pattern ipv4 src is {POOL} / udp dst is 8 / end actions drop / end\n"
             f"flow create 1 egress pattern ipv4 src is {INSIDE} / end actions drop / end\n")
    frames = [outward(port) for port in (7, 8, 9)]
    done, _, out = run(packetwarp, flows, frames, [])
    assert out == [translated(frames[0], src=POOL, dport=70), translated(frames[2], src=POOL)], done
    assert done.packets.dropped == {"rule_drop": 1}


def test_what_comes_in_meets_rules_with_its_outside_address(packetwarp: Program) -> None:
    flows = (f"flow create 1 ingress pattern ipv4 dst is {POOL} / udp dst is 8080 / end actions count / end\n"
             f"flow create 1 ingress pattern ipv4 dst is {INSIDE} / end actions drop / end\n"
             f"flow create 0 egress pattern ipv4 dst is {INSIDE} / udp dst is 80 / end actions set_ttl ttl_value 9 / end\n")
    done, out, _ = run(packetwarp, flows, [], [inward(8080)])
    assert out == [translated(inward(8080), dst=INSIDE, dport=80, ttl=9)], done
    assert [rule["hits"] for rule in json.loads(done.stdout)["rules"]] == [None, 1, None]


def test_drops_keep_their_names(packetwarp: Program) -> None:
    done, out, _ = run(packetwarp, "flow create 1 ingress pattern udp dst is 7 / end actions drop / end\n", [],
                       [inward(7), inward(8080), inward(9999)])
    assert out == [translated(inward(8080), dst=INSIDE, dport=80)], done
    assert done.packets.dropped == {"rule_drop": 1, "no_session": 1}


def test_rules_and_nat44_change_under_traffic_and_sessions_stay(packetwarp: Program) -> None:
    rules = packetwarp.folder / "flows.txt"
    count = "flow create 0 ingress pattern eth / ipv4 / udp / end actions count / end\n"
    rules.write_text(count)
    file = {**ROUTED, "nat44": NAT44, "rules": {"file": str(rules)}}
    with routed(packetwarp, file) as running:
        wait_until(running, lambda: running.json("nat", "stats")["udp"] == FLOWS, "a session of each flow")
        before = {(one["inside"], one["outside"]) for one in running.json("nat", "sessions")["sessions"]}
        for n in range(10):
            rules.write_text(count + "".join(
                f"flow create 0 ingress pattern ipv4 src is 172.16.{n}.{i} / end actions drop / end\n" for i in range(n)))
            running.write({**file, "nat44": {**NAT44, "timeouts": {"udp": 300 + n}}})
            running.said("reload")
        assert {(one["inside"], one["outside"]) for one in running.json("nat", "sessions")["sessions"]} == before
        hits = int(running.said("flow", "list", "0").splitlines()[1].split("\t")[5])
        packets = running.running.interrupt().packets
    assert packets.dropped == {} and packets.punted == 0 and packets.rx == packets.tx >= hits > FLOWS
