# SPDX-License-Identifier: Apache-2.0
"""`packetwarp run` with `inspect`: rules judge every packet in front of routes and NAT44. `packetwarp inspect run` is the judge of
alerts: it reads the same capture with the same rules, by other code for flows, thresholds and the order of rules."""
from __future__ import annotations

import base64
import collections
import json
import os
import pathlib
import subprocess
import sys
from typing import Any

import pytest
from harness import ALONE, DONE, WRONG_USAGE, Program, Run
from live import FLOWS, ROUTED, routed, wait_until
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.inet6 import IPv6, IPv6ExtHdrDestOpt
from scapy.layers.l2 import ARP, Dot1Q, Ether
from scapy.packet import Packet, Raw
from scapy.utils import rdpcap, wrpcap
from sent_frames import sent_frames

TOOL = pathlib.Path(__file__).resolve().parents[3] / "python" / "recording" / "alert_packets.py"
LEFT, RIGHT, NEXT, HOST = "02:00:00:00:00:01", "02:00:00:00:00:02", "02:00:00:00:00:99", "02:00:00:00:00:10"
CLIENT, SERVER = "192.0.2.9", "203.0.113.5"
NETWORK: dict[str, Any] = {
    "interfaces": [{"name": "left", "port": 0, "mac": LEFT, "addresses": ["192.0.2.1/24", "2001:db8:1::1/64"]},
                   {"name": "right", "port": 1, "mac": RIGHT, "addresses": ["198.51.100.1/24", "2001:db8:2::1/64"]}],
    "routes": [{"to": "203.0.113.0/24", "via": "198.51.100.2"}, {"to": "2001:db8:ff::/48", "via": "2001:db8:2::2"}],
    "neighbours": [{"interface": "left", "address": CLIENT, "mac": HOST}, {"interface": "left", "address": "2001:db8:1::9", "mac": HOST},
                   {"interface": "right", "address": "198.51.100.2", "mac": NEXT},
                   {"interface": "right", "address": "2001:db8:2::2", "mac": NEXT}]}
# Every kind of keyword of packets; test_run_inspect_streams.py has those of streams and of HTTP.
RULES = """\
pass tcp-pkt any any -> any any (content:"health-check"; sid:1;)
drop tcp-pkt any any -> any 80 (msg:"sqlmap"; flow:established,to_server; content:"User-Agent|3a| sqlmap"; nocase; sid:2; rev:3; classtype:web-attack; priority:1;)
reject tcp any any -> any 23 (msg:"telnet"; flags:S,12; sid:3;)
alert tcp-pkt any any -> any any (msg:"login"; content:"USER "; startswith; flowbits:set,login; flowbits:noalert; sid:4;)
alert tcp-pkt any any -> any any (msg:"password after login"; content:"PASS "; flowbits:isset,login; sid:5;)
alert udp any any -> any 53 (msg:"name"; dns.query; content:"example.net"; nocase; endswith; sid:6;)
alert tcp-pkt any any -> any 443 (msg:"number"; pcre:"/id=[0-9]{4,}/"; sid:7;)
alert icmp any any -> any any (msg:"ping"; itype:8; threshold:type limit, track by_src, count 2, seconds 600; sid:8;)
alert ip any any -> any any (msg:"long"; dsize:>1000; sid:9;)
alert tcp any any -> any 8080 (msg:"many"; flags:S,12; detection_filter:track by_dst, count 3, seconds 600; sid:10;)
reject udp any any -> any 69 (msg:"tftp"; content:"|00 01|"; depth:2; sid:11;)
alert tcp-pkt any any -> any any (msg:"from the server"; flow:to_client,established; content:"secret"; sid:12;)
alert ip [192.0.2.0/24,!192.0.2.7] any -> $HOME_NET any (msg:"inside"; byte_test:2,>,1000,0; content:"zz"; distance:1; sid:13;)
alert tcp-pkt any any -> any any (msg:"tags"; content:"a"; content:"b"; distance:0; within:3; content:!"c"; sid:14;)
"""


def there(**more: Any) -> Packet:
    return Ether(src=HOST, dst=LEFT) / IP(src=CLIENT, dst=SERVER, **more)


def back(**more: Any) -> Packet:
    return Ether(src=HOST, dst=LEFT) / IP(src=SERVER, dst=CLIENT, **more)


def handshake(sport: int, dport: int) -> list[Packet]:
    return [there() / TCP(sport=sport, dport=dport, flags="S", seq=10), back() / TCP(sport=dport, dport=sport, flags="SA", seq=20, ack=11),
            there() / TCP(sport=sport, dport=dport, flags="A", seq=11, ack=21)]


def talk(sport: int, dport: int, data: bytes) -> Packet:
    return there() / TCP(sport=sport, dport=dport, flags="PA", seq=11, ack=21) / data


def name_question(name: bytes) -> bytes:
    labels = b"".join(bytes([len(label)]) + label for label in name.split(b"."))
    return b"\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00" + labels + b"\x00\x00\x01\x00\x01"


ATTACK = b"GET /?id=1 HTTP/1.1\r\nHost: a\r\nUser-Agent: SQLMAP/1.7\r\n\r\n"


def mixture() -> list[Packet]:
    """Flows of every rule, and packets near to each rule that match none."""
    six = Ether(src=HOST, dst=LEFT) / IPv6(src="2001:db8:1::9", dst="2001:db8:ff::5")
    frames = [*handshake(4000, 80), talk(4000, 80, ATTACK), *handshake(4020, 80), talk(4020, 80, b"health-check " + ATTACK),
              *handshake(4021, 80), talk(4021, 80, ATTACK.replace(b"SQLMAP", b"curl")),
              talk(4001, 80, ATTACK),  # no connection
              there() / TCP(sport=4002, dport=23, flags="S", seq=77), there() / TCP(sport=4002, dport=23, flags="A", seq=78, ack=1),
              talk(4003, 21, b"PASS early"), talk(4003, 21, b"USER me"), talk(4003, 21, b"PASS x"), talk(4004, 21, b"PASS other flow"),
              there() / UDP(sport=4005, dport=53) / name_question(b"www.EXAMPLE.net"), there() / UDP(sport=4005, dport=53) / name_question(b"example.net.org"),
              talk(4006, 443, b"x?id=12345"), talk(4024, 443, b"x?id=123"), *(there() / ICMP(type=8, id=n) / b"ping" for n in range(5)),
              there() / UDP(sport=4007, dport=9) / (b"L" * 1200), six / UDP(sport=4007, dport=9) / (b"L" * 1001), there() / UDP(sport=4007, dport=9) / (b"L" * 1000),
              *(there() / TCP(sport=5000 + n, dport=8080, flags="S") for n in range(6)),
              there() / UDP(sport=4008, dport=69) / b"\x00\x01boot", there() / UDP(sport=4008, dport=69) / b"\x00\x02boot",
              *handshake(4009, 8000), back() / TCP(sport=8000, dport=4009, flags="PA", seq=21, ack=11) / b"a secret b",
              talk(4009, 8000, b"a secret"), talk(4010, 1, b"xxaxb"), talk(4022, 1, b"xxaxxxb"), talk(4023, 1, b"xxaxbc"),
              six / TCP(sport=4011, dport=1, flags="PA") / b"ab", six / IPv6ExtHdrDestOpt() / TCP(sport=4012, dport=1, flags="PA") / b"ab",
              Ether(src=HOST, dst=LEFT) / ARP(), Ether(src=HOST, dst=LEFT) / Dot1Q(vlan=5) / IP(src=CLIENT, dst=SERVER) / TCP(sport=1, dport=1) / b"ab"]
    sent: collections.Counter[tuple[str, int, int]] = collections.Counter()
    for frame in frames:
        if TCP in frame and IP in frame and Raw in frame:
            flow = (frame[IP].src, frame[TCP].sport, frame[TCP].dport)
            frame[TCP].seq += sent[flow]
            sent[flow] += len(frame[Raw].load)
    return [Ether(bytes(frame)) for frame in frames]


def fragments() -> list[Packet]:
    """A datagram for port 69 in two pieces."""
    frames = [there(flags="MF", frag=0) / UDP(sport=1, dport=69) / (b"\x00\x01" + 30 * b"f"), there(frag=5, proto=17) / Raw(b"\x00\x01later")]
    return [Ether(bytes(frame)) for frame in frames]


@pytest.fixture
def folder(packetwarp: Program) -> pathlib.Path:
    (packetwarp.folder / "my.rules").write_text(RULES)
    return packetwarp.folder


def run(packetwarp: Program, frames: list[Packet], inspect: Any, **sections: Any) -> tuple[Run, list[bytes], list[bytes]]:
    """Lets frames come in on the left; returns the frames that leave on the right, and the frames that leave on the left."""
    folder = packetwarp.folder
    file = packetwarp.write_config({**NETWORK, "inspect": {"rules": ["my.rules"], **inspect}, **sections})
    wrpcap(str(folder / "in.pcap"), frames)
    wrpcap(str(folder / "none.pcap"), [])
    done = packetwarp.run("run", [*ALONE, "-l", "0", f"--vdev=net_pcap0,rx_pcap={folder}/in.pcap,tx_pcap={folder}/back.pcap",
                                  f"--vdev=net_pcap1,rx_pcap={folder}/none.pcap,tx_pcap={folder}/out.pcap"],
                          ["-c", str(file), "--until-idle", "200ms", "--json", "-"], cwd=folder)
    if done.status != DONE:
        return done, [], []
    return done, *(sent_frames(folder / name) for name in ("out.pcap", "back.pcap"))


Key = tuple[int, str, int, str, int, str]


def key_of(event: dict[str, Any]) -> Key:
    return (event["alert"]["signature_id"], event["src_ip"], event.get("src_port", 0), event["dest_ip"], event.get("dest_port", 0), event["proto"])


def events_in(file: pathlib.Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def judged_by_command(packetwarp: Program, *words: str) -> tuple[collections.Counter[Key], dict[str, Any]]:
    """The alerts of `packetwarp inspect run`, and its counters."""
    folder = packetwarp.folder
    done = packetwarp.run("inspect", ["run", "--rules", str(folder / "my.rules"), "--pcap", str(folder / "in.pcap"), *words])
    assert done.status == DONE, done
    *alerts, stats = (json.loads(line) for line in done.stdout.splitlines())
    return collections.Counter(key_of(event) for event in alerts), stats["stats"]


def conserved(done: Run, received: int) -> dict[str, int]:
    packets = done.result["packets"]
    assert packets["rx"] == received == packets["tx"] + packets["punted"] + sum(packets["dropped"].values()), packets
    return packets["dropped"]


@pytest.mark.parametrize("burst", (1, 7, 64))
def test_alerts_are_those_of_the_command(packetwarp, folder, burst):
    frames = mixture()
    done, _, _ = run(packetwarp, frames, {"events": "eve.json"}, data_plane={"burst": burst})
    assert done.status == DONE, done
    wanted, stats = judged_by_command(packetwarp)
    events = events_in(folder / "eve.json")
    assert collections.Counter(map(key_of, events)) == wanted
    assert {key[0] for key in wanted} == set(range(2, 15)) - {4, 13}, "each rule with an alert has one"
    dropped = conserved(done, len(frames))
    assert dropped["inspect_drop"] == 1, dropped
    counted = done.result["inspect"]
    for name in ("packets", "packets_without_ip", "candidates"):
        assert counted[name] == stats[name], name
    by_rule = {(row["gid"], row["sid"]): (row["matches"], row["alerts"]) for row in counted["by_rule"]}
    assert by_rule == {(row["gid"], row["sid"]): (row["matches"], row["alerts"]) for row in stats["by_rule"]}
    assert counted["alerts"] == len(events) and counted["events"] == {"read": len(events), "lost": 0, "packets_lost": 0}
    assert not any(counted["unjudged"].values()), counted["unjudged"]


def test_an_event_has_what_tools_read(packetwarp, folder):
    run(packetwarp, [*handshake(4000, 80), talk(4000, 80, ATTACK)], {"events": "eve.json"})
    event, = events_in(folder / "eve.json")
    assert 0 < event.pop("flow_id") < 1 << 53 and event.pop("timestamp").endswith("+0000")
    assert event == {"in_iface": "left", "event_type": "alert", "src_ip": CLIENT, "src_port": 4000, "dest_ip": SERVER, "dest_port": 80,
                     "proto": "TCP", "direction": "to_server",
                     "alert": {"action": "blocked", "gid": 1, "signature_id": 2, "rev": 3, "signature": "sqlmap", "category": "web-attack", "severity": 1}}
    assert (folder / "eve.json").stat().st_mode & 0o777 == 0o600


def test_events_have_the_packets_that_alerted(packetwarp, folder):
    """In a file for Wireshark, too, with the rule as each packet's comment; scapy reads it."""
    frames = mixture()
    done, _, _ = run(packetwarp, frames, {"events": "eve.json", "events_packets": "64k"})
    events = events_in(folder / "eve.json")
    assert len(events) > 10 and done.result["inspect"]["events"]["packets_lost"] == 0, done.result["inspect"]["events"]
    packets = [base64.b64decode(event["packet"]) for event in events]
    assert set(packets) <= {bytes(frame) for frame in frames} and all(event["packet_info"] == {"linktype": 1} for event in events)
    there_is = next(packet for event, packet in zip(events, packets) if event["alert"]["signature_id"] == 2)
    assert ATTACK in there_is
    tool = subprocess.run([sys.executable, TOOL, "eve.json", "all.pcapng"], cwd=folder, capture_output=True, text=True, check=True)
    assert tool.stderr == f"{len(events)} packets, 0 alerts without one\n"
    assert [bytes(packet) for packet in rdpcap(str(folder / "all.pcapng"))] == packets
    subprocess.run([sys.executable, TOOL, "eve.json", "one.pcapng", "--sid", "2"], cwd=folder, capture_output=True, check=True)
    one, = rdpcap(str(folder / "one.pcapng"))
    assert bytes(one) == there_is and b"sid 1:2:3 sqlmap" in (folder / "one.pcapng").read_bytes()


def test_packets_of_alerts_beyond_their_room_are_counted(packetwarp, folder):
    (folder / "my.rules").write_text('alert udp any any -> any any (msg:"all"; content:"xxxx"; sid:1;)\n')
    frames = [there() / UDP(sport=4007, dport=9) / (b"x" * 1400) for _ in range(200)]
    done, right, _ = run(packetwarp, frames, {"events": "eve.json", "events_packets": "64k"}, data_plane={"burst": 64})
    counted = done.result["inspect"]
    events = events_in(folder / "eve.json")
    assert len(right) == len(events) == counted["alerts"] == 200
    assert sum("packet" not in event for event in events) == counted["events"]["packets_lost"], counted["events"]


def test_a_bypassed_flow_is_judged_no_more(packetwarp, folder):
    (folder / "my.rules").write_text('alert udp any any -> any 9 (content:"stream"; bypass; sid:1;)\ndrop udp any any -> any any (content:"bad"; sid:2;)\n')
    frames = [there() / UDP(sport=4007, dport=9) / b"stream", there() / UDP(sport=4007, dport=9) / b"bad", back() / UDP(sport=9, dport=4007) / b"bad",
              there() / UDP(sport=4008, dport=9) / b"bad"]
    done, _, _ = run(packetwarp, frames, {"events": "eve.json"})
    assert [event["alert"]["signature_id"] for event in events_in(folder / "eve.json")] == [1, 2]
    counted = done.result["inspect"]
    assert (counted["flows_bypassed"], counted["packets_bypassed"], counted["dropped"]) == (1, 2, 1), counted


def test_drop_takes_the_packet_and_alert_only_takes_none(packetwarp, folder):
    frames = [*handshake(4000, 80), talk(4000, 80, ATTACK)]
    done, right, _ = run(packetwarp, frames, {})
    assert len(right) == 2 and conserved(done, 4) == {"inspect_drop": 1}
    done, right, _ = run(packetwarp, frames, {"verdicts": "alert-only", "events": "eve.json"})
    assert len(right) == 3 and conserved(done, 4) == {}
    event, = events_in(folder / "eve.json")
    assert event["alert"]["action"] == "allowed" and done.result["inspect"]["dropped"] == 0


def test_a_rejected_segment_comes_back_as_a_reset(packetwarp, folder):
    """RFC 9293, 3.10.7.1: of a segment without ACK the RST acknowledges all; scapy judges the checksums."""
    frames = [there() / TCP(sport=4002, dport=23, flags="S", seq=77) / b"data",
              Ether(src=HOST, dst=LEFT) / IPv6(src="2001:db8:1::9", dst="2001:db8:ff::5") / TCP(sport=4003, dport=23, flags="S", seq=5)]
    done, right, left = run(packetwarp, frames, {})
    assert right == [] and done.result["inspect"]["rejected"] == 2 and conserved(done, 2) == {}
    four, six = (Ether(frame) for frame in left)
    assert (four.src, four.dst, four[IP].src, four[IP].dst, four[IP].len, str(four[IP].flags)) == (LEFT, HOST, SERVER, CLIENT, 40, "DF")
    assert (six[IPv6].src, six[IPv6].dst, six[IPv6].plen) == ("2001:db8:ff::5", "2001:db8:1::9", 20)
    assert [(end[TCP].sport, end[TCP].dport, str(end[TCP].flags), end[TCP].seq, end[TCP].ack) for end in (four, six)] == [
        (23, 4002, "RA", 0, 77 + 1 + 4), (23, 4003, "RA", 0, 6)]
    for end in (four, six):
        whole = bytes(end)
        again = Ether(whole)
        if IP in again:
            del again[IP].chksum
        del again[TCP].chksum
        assert bytes(again) == whole, "checksums"


def test_a_rejected_datagram_is_answered_by_icmp(packetwarp, folder):
    done, right, left = run(packetwarp, [there() / UDP(sport=4008, dport=69) / b"\x00\x01boot"], {})
    assert right == []
    answer = Ether(left[0])
    assert answer[IP].dst == CLIENT and answer[ICMP].type == 3 and answer[ICMP].payload.dport == 69, answer
    assert done.result["inspect"]["rejected"] == 1


def test_variables_are_the_files(packetwarp, folder):
    frame = there() / UDP(sport=1, dport=2) / b"\xff\xffzzz"
    for variables, alerts in ({"HOME_NET": "203.0.113.0/24"}, 1), ({"HOME_NET": "10.0.0.0/8"}, 0):
        done, _, _ = run(packetwarp, [frame], {"variables": variables})
        wanted, _ = judged_by_command(packetwarp, "--var", f"HOME_NET={variables['HOME_NET']}")
        assert done.result["inspect"]["alerts"] == sum(wanted.values()) == alerts, done.result["inspect"]


def test_a_variable_that_no_rule_names_gets_a_warning(packetwarp, folder):
    done, _, _ = run(packetwarp, [there() / ICMP()], {"variables": {"HOMENET": "10.0.0.0/8", "MINE": "10.0.0.1", "HOME_NET": "$MINE"}})
    assert done.status == DONE, done
    warning, = [line for line in done.stderr.splitlines() if "inspect.variables" in line]
    assert "inspect.variables.HOMENET: no rule and no other variable names $HOMENET; Suricata's are AIM" in warning, done.stderr


@pytest.mark.parametrize("how", ("together", "headers"))
def test_fragments_are_judged_as_their_datagram_or_by_their_headers(packetwarp, folder, how):
    """The command puts them together, and finds one alert."""
    done, _, _ = run(packetwarp, fragments(), {"events": "eve.json", "fragments": how})
    assert done.status == DONE, done
    wanted, stats = judged_by_command(packetwarp)
    whole = collections.Counter({(11, CLIENT, 1, SERVER, 69, "UDP"): 1})
    assert wanted == whole and collections.Counter(map(key_of, events_in(folder / "eve.json"))) == (wanted if how == "together" else wanted - whole)
    counted = done.result["inspect"]
    assert counted["fragments_by_header_only"] == stats["fragments_by_header_only"] == 2
    assert counted["datagrams_put_together"] == (1 if how == "together" else 0) and counted["fragments_given_up"] == 0, counted
    conserved(done, 2)


def test_it_goes_with_nat44_which_puts_fragments_together(packetwarp, folder):
    """Packets are judged as they came in, and a datagram once more when it is whole."""
    frames = mixture() + fragments()
    done, right, _ = run(packetwarp, frames, {"events": "eve.json", "fragments": "headers"}, nat44={"inside": "left", "outside": "right", "pool": ["198.51.100.1"]})
    assert done.status == DONE, done
    wanted, _ = judged_by_command(packetwarp)
    assert wanted[11, CLIENT, 1, SERVER, 69, "UDP"] == 1
    assert collections.Counter(map(key_of, events_in(folder / "eve.json"))) == wanted
    assert conserved(done, len(frames))["inspect_drop"] == 1 and any(Ether(frame)[IP].src == "198.51.100.1" for frame in right if IP in Ether(frame))


def test_a_full_table_of_flows_is_counted_and_packets_are_inspected_without_state(packetwarp, folder):
    """64 places: more flows at once find none. Rules that need no state still alert."""
    frames = [talk(1000 + n, 443, b"x?id=12345") for n in range(500)]
    done, right, _ = run(packetwarp, frames, {"flows": 64})
    counted = done.result["inspect"]
    assert counted["packets_without_flow_place"] > 0 and len(right) == 500
    assert counted["alerts"] == 500, counted


def test_rules_change_under_load_and_each_packet_is_judged_by_one_set(packetwarp, folder):
    """Both sets have a rule that matches every packet: matches of the two add up to the packets, whenever the reload came."""
    first, second = folder / "first.rules", folder / "second.rules"
    first.write_text('alert udp any any -> any any (msg:"first"; content:"xxxx"; noalert; sid:1;)\n')
    second.write_text('alert udp any any -> any any (msg:"second"; content:"xxxx"; noalert; sid:2;)\nalert udp any any -> any any (content:"never"; sid:3;)\n')
    file = {**ROUTED, "inspect": {"rules": [str(first)]}}
    with routed(packetwarp, file) as running:
        matches = lambda sid: sum(row["matches"] for row in running.json("show", "inspect")["by_rule"] if row["sid"] == sid)  # noqa: E731
        for path, sid in ((second, 2), (first, 1), (second, 2)):
            before = matches(sid)
            running.write({**file, "inspect": {"rules": [str(path)]}})
            assert "rules of 'inspect' are in force" in running.said("reload")
            wait_until(running, lambda: matches(sid) > before, f"matches of rule {sid}")
        done = running.running.interrupt()
    counted = done.result["inspect"]
    assert {row["sid"] for row in counted["by_rule"]} == {1, 2}
    assert sum(row["matches"] for row in counted["by_rule"]) == counted["packets"] == done.packets.rx == done.packets.tx


def test_a_malformed_file_leaves_the_running_rules_in_force(packetwarp, folder):
    good, bad = folder / "good.rules", folder / "bad.rules"
    good.write_text('drop udp any any -> any 53 (content:"xxxx"; sid:1;)\n')
    bad.write_text("drop udp any any -> any 53 (content:; sid:1;)\n")
    file = {**ROUTED, "inspect": {"rules": [str(good)]}}
    with routed(packetwarp, file) as running:
        running.write({**file, "inspect": {"rules": [str(bad)]}})
        refused = running.ask("reload")
        assert refused.status == WRONG_USAGE and f"inspect.rules: {bad}:1:" in refused.errors[0], refused
        dropped = running.json("show", "inspect")["dropped"]
        wait_until(running, lambda: running.json("show", "inspect")["dropped"] > dropped, "packets that the old rules drop")
        running.running.interrupt()


def test_alerts_that_nobody_reads_hold_nothing_up(packetwarp, folder):
    """Every packet alerts, and no program reads the FIFO: records and lines that find no room are counted."""
    rules, fifo = folder / "all.rules", folder / "eve.fifo"
    rules.write_text('alert udp any any -> any any (msg:"all"; sid:1;)\nalert udp any any -> any any (msg:"x"; content:"xxxx"; sid:2;)\n')
    os.mkfifo(fifo)
    with routed(packetwarp, {**ROUTED, "inspect": {"rules": [str(rules)], "events": str(fifo), "events_room": "64k"}}) as running:
        wait_until(running, lambda: running.report()["logs"][-1]["lost"] > 0, "a line that finds no room")
        sent = running.report()["packets"]["tx"]
        wait_until(running, lambda: running.report()["packets"]["tx"] > sent, "packets that go on")
        done = running.running.interrupt()
    counted = done.result["inspect"]
    log, = (log for log in done.result["logs"] if log["name"] == "inspect")
    assert done.packets.rx == done.packets.tx and log["lost"] > 0
    assert counted["events"]["read"] + counted["events"]["lost"] == counted["alerts"] >= done.packets.rx
    assert log["written"] + log["lost"] == counted["events"]["read"]


def test_top_show_and_metrics_have_the_rules(packetwarp, folder):
    rules = folder / "all.rules"
    rules.write_text('drop udp any any -> any 53 (msg:"the x rule"; content:"xxxx"; sid:77;)\n')
    with routed(packetwarp, {**ROUTED, "inspect": {"rules": [str(rules)]}}) as running:
        wait_until(running, lambda: running.json("show", "inspect")["dropped"] >= FLOWS, "dropped packets")
        once, shown = running.said("top", "--once"), running.said("show", "inspect")
        running.running.interrupt()
    for text in (once, shown):
        assert "the x rule" in text and "77" in text, text


REFUSED = [({"rules": []}, "inspect.rules: no file of rules"), ({"rules": ["none.rules"]}, "inspect.rules: none.rules"),
           ({"rules": ["bad.rules"]}, "inspect.rules: bad.rules:1:"), ({"rules": ["lua.rules"]}, "inspect.rules: no rule is usable"),
           ({"rules": ["my.rules", "lua.rules"], "unusable": "refuse"}, "inspect.rules: 1 of 15 rules are left out, for lua (1)"),
           ({"verdicts": "drop"}, "inspect.verdicts: 'drop' is none of apply, alert-only"),
           ({"events": "."}, "inspect.events: '.' is a folder; give a file"),
           ({"variables": {"HOME_NET": None}}, "inspect.variables.HOME_NET: has to be a single value"),
           ({"variables": {"MINE": "[$HOME_NET,10.0.0.0/99]"}}, "inspect.variables.MINE: '10.0.0.0/99' is no address"),
           ({"variables": {"HOME NET": "a"}}, "inspect.variables.HOME NET: "), ({"variables": ["a"]}, "inspect.variables: has to be a map"),
           ({"flows": 3}, "inspect.flows: '3' is no number from 64"), ({"thresholds": "x"}, "inspect.thresholds: 'x' is no number"),
           ({"events_room": "1k"}, "inspect.events_room: '1k' is no size from 64k to 1g"), ({"rule": ["my.rules"]}, "inspect"),
           ({"events_room": "1m"}, "inspect.events_room: it is room for lines of 'events', which the file does not have")]


@pytest.mark.parametrize(("section", "line"), REFUSED, ids=[line for _, line in REFUSED])
def test_a_wrong_section_is_refused_in_a_line(packetwarp, folder, section, line):
    (folder / "bad.rules").write_text("alert tcp any any -> any any (content; sid:1;)\n")
    (folder / "lua.rules").write_text("alert tcp any any -> any any (lua:x.lua; sid:100;)\n")
    done, _, _ = run(packetwarp, [there() / ICMP()], section)
    assert done.status == WRONG_USAGE and len(done.errors) == 1 and line in done.errors[0] and done.errors[0].count("network.yaml") == 1, done


def test_plan_says_what_rules_take_and_which_are_left_out(packetwarp, folder):
    (folder / "lua.rules").write_text("alert tcp any any -> any any (lua:x.lua; sid:100;)\n")
    file = packetwarp.write_config({**NETWORK, "inspect": {"rules": ["my.rules", "lua.rules"], "events": "eve.json"}})
    done = packetwarp.run("plan", [*ALONE, "-l", "0", "--vdev=net_null0", "--vdev=net_null1"], ["-c", str(file)], cwd=folder)
    assert done.status == DONE, done
    assert "inspect: 14 of 15 rules, verdicts apply; memory" in done.stdout and "1 of 15 rules are left out, for lua (1)" in done.stdout
    assert "alerts to eve.json" in done.stdout and "inspect,router" in done.stdout.replace(", ", ","), done.stdout
