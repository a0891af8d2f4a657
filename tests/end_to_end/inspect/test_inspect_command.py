# SPDX-License-Identifier: Apache-2.0
"""`packetwarp inspect check` and `inspect run` on rules and captures that this test writes: the table, alerts, and refusals. Tests
of suricata-verify run too, where PACKETWARP_SURICATA_VERIFY names its folder."""
from __future__ import annotations

import json
import os
import pathlib
import struct
import subprocess
import sys

import pytest
from harness import DONE, FAILED, ROOT, WRONG_USAGE
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import ARP, Ether

RULES = """\
# Four usable rules, one of each protocol.
alert tcp any any -> $HOME_NET 80 (msg:"request"; flow:established,to_server; content:"GET "; startswith; content:"secret"; distance:0; sid:1; rev:3;)
alert udp any any -> any 53 (msg:"name"; content:"|07|example|03|net|00|"; nocase; flowbits:set,asked; sid:2;)
alert udp any 53 -> any any (msg:"answer"; flowbits:isset,asked; content:"|07|example"; sid:3;)
alert icmp any any -> any any (msg:"ping"; itype:8; threshold:type limit, track by_src, count 1, seconds 60; sid:4;)
"""
OTHERS = """\
alert ssh any any -> any any (tls.certs; content:"a"; sid:5;)
alert tcp any any -> any any (lua:x.lua; sid:6;)
"""


def write_capture(path: pathlib.Path, frames: list[bytes]) -> None:
    """A frame every two milliseconds."""
    data = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, 1)
    for number, frame in enumerate(frames):
        data += struct.pack("<IIII", 1000, 2000 * number, len(frame), len(frame)) + frame
    path.write_bytes(data)


def frames() -> list[bytes]:
    ethernet = Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02")
    there, back = ethernet / IP(src="10.0.0.1", dst="10.0.0.2"), ethernet / IP(src="10.0.0.2", dst="10.0.0.1")
    question = b"\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x07EXAMPLE\x03net\x00\x00\x01\x00\x01"
    six = ethernet / IPv6(src="2001:db8::1", dst="2001:db8::2")
    client, server = TCP(sport=50000, dport=80, flags="PA"), TCP(sport=80, dport=50000, flags="PA")
    return [bytes(frame) for frame in (
        there / TCP(sport=50000, dport=80, flags="S"), back / TCP(sport=80, dport=50000, flags="SA"),
        there / TCP(sport=50000, dport=80, flags="A"), there / client / b"GET /secret HTTP/1.1\r\n\r\n",
        there / client / b"GET /open HTTP/1.1\r\n\r\n", back / server / b"GET /secret", ethernet / ARP(),
        six / UDP(sport=50001, dport=53) / question, six / UDP(sport=50002, dport=53) / b"other",
        Ether() / IPv6(src="2001:db8::2", dst="2001:db8::1") / UDP(sport=53, dport=50001) / question.lower(),
        there / ICMP(type=8), there / ICMP(type=8))]


@pytest.fixture
def ask(binary, tmp_path):
    write_capture(tmp_path / "all.pcap", frames())
    (tmp_path / "cut.pcap").write_bytes((tmp_path / "all.pcap").read_bytes()[:-20])
    (tmp_path / "my.rules").write_text(RULES)
    (tmp_path / "others.rules").write_text(OTHERS)
    (tmp_path / "bad.rules").write_text(RULES + "alert tcp any any -> any any (content:\"|4|\"; sid:9;)\n")

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([binary, "inspect", *words], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)

    return run


def events(done: subprocess.CompletedProcess[str]) -> list[dict]:
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_alerts_come_as_lines_and_counters_come_last(ask):
    done = ask("run", "--rules", "my.rules", "--pcap", "all.pcap")
    assert (done.returncode, done.stderr) == (DONE, "")
    *alerts, stats = events(done)
    assert [(one["alert"]["signature_id"], one["pcap_cnt"]) for one in alerts] == [(1, 4), (2, 8), (3, 10), (4, 11)]
    assert alerts[0] | {"flow_id": 0} == {
        "timestamp": "1970-01-01T00:16:40.006000+0000", "flow_id": 0, "pcap_cnt": 4, "event_type": "alert", "src_ip": "10.0.0.1", "src_port": 50000,
        "dest_ip": "10.0.0.2", "dest_port": 80, "proto": "TCP", "direction": "to_server",
        "alert": {"action": "allowed", "gid": 1, "signature_id": 1, "rev": 3, "signature": "request", "category": "", "severity": 3}}
    assert (alerts[1]["src_ip"], alerts[1]["proto"], alerts[3]["icmp_type"]) == ("2001:db8::1", "UDP", 8)
    assert stats["event_type"] == "stats" and stats["stats"]["packets"] == 12 and stats["stats"]["packets_without_ip"] == 1
    assert stats["stats"]["by_rule"] == [{"gid": 1, "sid": 1, "matches": 1, "alerts": 1}, {"gid": 1, "sid": 2, "matches": 1, "alerts": 1},
                                         {"gid": 1, "sid": 3, "matches": 1, "alerts": 1}, {"gid": 1, "sid": 4, "matches": 2, "alerts": 1}]


def test_an_answer_without_its_question_has_no_flowbit(ask, tmp_path):
    (tmp_path / "my.rules").write_text(RULES.replace("|03|net", "|03|org"))
    done = ask("run", "--rules", "my.rules", "--pcap", "all.pcap")
    assert [one["alert"]["signature_id"] for one in events(done)[:-1]] == [1, 4]


def test_a_variable_decides_which_packets_a_rule_is_for(ask):
    done = ask("run", "--rules", "my.rules", "--pcap", "all.pcap", "--var", "HOME_NET=192.0.2.0/24")
    assert [one["alert"]["signature_id"] for one in events(done)[:-1]] == [2, 3, 4]


def test_rules_that_are_left_out_are_named(ask):
    done = ask("run", "--rules", "my.rules", "others.rules", "--pcap", "all.pcap", "--out", "eve.json")
    assert (done.returncode, done.stdout) == (DONE, "")
    assert done.stderr == ("inspect: 2 of 6 rules are left out, for lua (1), protocol 'ssh' (1), tls.certs (1); 'packetwarp inspect check' lists all\n")


def test_check_lists_each_keyword_that_keeps_rules_out(ask, tmp_path):
    done = ask("check", "my.rules", "others.rules", "--json", "seen.json")
    assert (done.returncode, done.stderr) == (DONE, "")
    lines = [line.split() for line in done.stdout.splitlines()]
    assert ["lua", "not", "read", "1", "1", "others.rules:2:31"] in lines
    seen = json.loads((tmp_path / "seen.json").read_text())
    assert (seen["rules_read"], seen["rules_usable"], seen["rules_in_streams"]) == (6, 4, 1)
    assert [one["keyword"] for one in seen["missing"]] == ["lua", "protocol 'ssh'", "tls.certs"]
    assert ask("check", "my.rules", "others.rules", "--strict").returncode == FAILED
    assert ask("check", "my.rules", "--strict").returncode == DONE


def test_a_newer_revision_replaces_a_rule(ask, tmp_path):
    (tmp_path / "newer.rules").write_text('alert icmp any any -> any any (msg:"a ping"; itype:8; sid:4; rev:1;)\n')
    done = ask("check", "my.rules", "newer.rules", "--json", "seen.json")
    assert (done.returncode, done.stderr) == (DONE, "")
    assert "replaced    1 rules: a higher rev of each is there, or the same rule" in done.stdout.splitlines()
    seen = json.loads((tmp_path / "seen.json").read_text())
    assert (seen["rules_read"], seen["rules_replaced"]) == (4, 1)
    done = ask("run", "--rules", "my.rules", "newer.rules", "--pcap", "all.pcap")
    assert done.stderr == "inspect: 1 rules are replaced: a higher rev of each is there, or the same rule\n"
    alerts = events(done)[:-1]
    assert events(ask("run", "--rules", "my.rules", "my.rules", "newer.rules", "--pcap", "all.pcap"))[:-1] == alerts, "no rule is there twice"
    assert [(one["alert"]["rev"], one["alert"]["signature"]) for one in alerts[-2:]] == [(1, "a ping"), (1, "a ping")]


@pytest.mark.parametrize(("words", "status", "says"), [
    (["check"], WRONG_USAGE, "give files of rules"),
    (["chek", "my.rules"], WRONG_USAGE, "give check or run"),
    (["check", "none.rules"], WRONG_USAGE, "none.rules: cannot be read: No such file"),
    (["check", "."], WRONG_USAGE, "is a directory"),
    (["check", "/proc/self/mem"], WRONG_USAGE, "/proc/self/mem: cannot be read: Input/output error"),
    (["check", "/dev/zero"], WRONG_USAGE, "/dev/zero: is larger than 256 MiB"),
    (["check", "bad.rules"], WRONG_USAGE, "bad.rules:6:41: content: '4' is not allowed; give two hexadecimal digits per byte"),
    (["check", "my.rules", "--var", "X"], WRONG_USAGE, "give NAME=VALUE"),
    (["check", "my.rules", "--var", "HOME_NET=10.0.0.0/8", "--var", "HOME_NET=11.0.0.0/8"], WRONG_USAGE, "--var HOME_NET=11.0.0.0/8: HOME_NET is given twice"),
    (["check", "my.rules", "--var", "NO_SUCH=10.0.0.0/99"], WRONG_USAGE, "--var NO_SUCH: '10.0.0.0/99' is neither an address nor a port"),
    (["check", "my.rules", "--var", "HTTP_PORTS=eighty"], WRONG_USAGE, "--var HTTP_PORTS: 'eighty' is neither an address nor a port"),
    (["check", "my.rules", "--var", "SSH_PORTS=[22,70000]"], WRONG_USAGE, "--var SSH_PORTS: '70000' is no port"),
    (["check", "my.rules", "--var", "DC_SERVERS=[10.0.0.1,!10.0.0.x]"], WRONG_USAGE, "--var DC_SERVERS: '10.0.0.x' is no address"),
    (["check", "my.rules", "--var", "DC_SERVERS=$NO_SUCH"], WRONG_USAGE, "--var DC_SERVERS: '$NO_SUCH' has no value"),
    (["check", "my.rules", "--var", "HOME_NET=0.0.0.0/0", "--var", "EXTERNAL_NET=!$HOME_NET"], WRONG_USAGE,
     "--var EXTERNAL_NET: '!$HOME_NET' leaves nothing"),
    (["check", "my.rules", "--var", "A=[$B,1]", "--var", "B=$A"], WRONG_USAGE, "--var A: "),
    (["check", "my.rules", "--var", "HOME_NETT=10.0.0.0/8"], DONE, "warning: --var HOME_NETT: no rule and no other variable names $HOME_NETT; Suricata's are AIM_SERVERS"),
    (["run", "--rules", "my.rules", "--pcap", "all.pcap", "--var", "HOME_NETT=10.0.0.0/8"], DONE, "warning: --var HOME_NETT: no rule"),
    (["check", "my.rules", "--json", "/no/x"], FAILED, "--json: /no/x cannot be written: No such file"),
    (["run", "--rules", "my.rules", "--pcap", "all.pcap", "--out", "/no/x"], FAILED, "--out: /no/x cannot be written: No such file"),
    (["run", "--rules", "my.rules"], WRONG_USAGE, "give the capture"),
    (["run", "--pcap", "all.pcap"], WRONG_USAGE, "give files of rules"),
    (["run", "--rules", "bad.rules", "--pcap", "all.pcap"], WRONG_USAGE, "bad.rules:6:41"),
    (["check", "others.rules"], FAILED, "no rule is usable"),
    (["run", "--rules", "others.rules", "--pcap", "all.pcap"], FAILED, "no rule is usable"),
    (["run", "--rules", "my.rules", "--pcap", "none.pcap"], WRONG_USAGE, "none.pcap"),
    (["run", "--rules", "my.rules", "--pcap", "cut.pcap"], FAILED, "the packets before that were inspected")])
def test_bad_input_gets_a_line_that_says_what_is_allowed(ask, words, status, says):
    done = ask(*words)
    assert done.returncode == status and says in done.stderr, done.stderr


def test_a_variable_that_another_one_names_is_used(ask):
    done = ask("check", "my.rules", "--var", "MINE=10.0.0.0/8", "--var", "HOME_NET=[$MINE,192.0.2.1]", "--var", "DNS_PORTS=[53,1024:]", "--var", "SSH_PORTS=!$DNS_PORTS")
    assert (done.returncode, done.stderr) == (DONE, "")


def test_suricata_verify_has_no_new_differences(binary):
    folder = os.environ.get("PACKETWARP_SURICATA_VERIFY")
    if not folder:
        pytest.skip("PACKETWARP_SURICATA_VERIFY names no folder of suricata-verify's tests")
    script = ROOT / "tests" / "inspect" / "suricata_verify.py"
    done = subprocess.run([sys.executable, str(script), folder, "--packetwarp", binary], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr
