# SPDX-License-Identifier: Apache-2.0
"""A running packetwarp run, asked and changed through its control socket."""
from __future__ import annotations

import json
import os
import signal
import stat

import pytest
from harness import ALONE, DONE, FAILED, WRONG_USAGE, Program
from live import NAT44, ROUTED, live, routed, wait_until
from seeing import Control

NULLS = ("net_null0", "net_null1,no-rx=1")
FORWARD_ALL = "flow create 0 priority 9 ingress pattern eth / end actions count / port_id id 1 / end\n"
DROP_ALL = ("create", "0", "priority", "1", "ingress", "pattern", "eth", "/", "end", "actions", "count", "/", "drop", "/", "end")
DROP_NONE = ("create", "0", "priority", "1", "ingress", "pattern", "eth", "/", "ipv4", "src", "is", "192.0.2.1", "/", "end",
             "actions", "count", "/", "drop", "/", "end")


def with_rules(packetwarp: Program, text: str = FORWARD_ALL) -> dict:
    file = packetwarp.folder / "flows.txt"
    file.write_text(text)
    return {"interfaces": [{"name": "left", "port": 0}, {"name": "right", "port": 1}], "rules": {"file": str(file)}}


def test_rules_are_listed_with_where_they_run_and_how_often_they_hit(packetwarp):
    with live(packetwarp, with_rules(packetwarp), *NULLS) as running:
        header, rule = running.said("flow", "list", "0").splitlines()
        assert header.split("\t") == ["ID", "Group", "Prio", "Attr", "Site", "Hits", "Rule"]
        number, group, priority, direction, site, hits, what = rule.split("\t")
        assert (number, group, priority, direction, site, what) == ("0", "0", "9", "i--", "cpu" if packetwarp.executor == "cpu" else "gpu", "ETH => COUNT PORT_ID")
        assert int(hits) > 0
        seen = dict(line.split(": ") for line in running.said("flow", "query", "0", "0", "count").splitlines()[1:])
        assert int(seen[" hits"]) >= int(hits) and int(seen[" bytes"]) % 64 == 0
        assert running.said("flow", "list", "1") == ""
        done = running.running.interrupt()
    assert done.packets.dropped == {} and done.packets.punted == 0


@pytest.mark.parametrize("lcores", ("0", "0-1"))
def test_no_packet_is_lost_while_rules_change_at_full_rate(packetwarp, lcores):
    """There is always a rule that forwards everything: whatever is dropped or punted met no rules, or half of them."""
    with live(packetwarp, with_rules(packetwarp), *NULLS, lcores=lcores) as running:
        for n in range(1, 21):
            assert running.said("flow", *DROP_NONE) == "Flow rule #1 created\n"
            assert running.said("flow", "destroy", "0", "rule", "1") == "Flow rule #1 destroyed\n"
        hits = int(running.said("flow", "list", "0").splitlines()[1].split("\t")[5])
        done = running.running.interrupt()
    packets = done.packets
    assert packets.dropped == {} and packets.punted == 0
    assert packets.rx == packets.tx >= hits > 0, "the rule that stayed has counted all along"


def test_a_rule_applies_from_the_answer_on(packetwarp):
    with live(packetwarp, with_rules(packetwarp), *NULLS) as running:
        assert running.said("flow", "validate", *DROP_ALL[1:]) == "Flow rule validated\n"
        assert running.said("flow", *DROP_ALL) == "Flow rule #1 created\n"
        first = running.said("flow", "query", "0", "0", "count")
        wait_until(running, lambda: " hits: 0\n" not in running.said("flow", "query", "0", "1", "count"), "a hit")
        assert running.said("flow", "query", "0", "0", "count") == first, "nothing gets as far as the other rule"
        running.said("flow", "flush", "0")
        assert running.said("flow", "list", "0") == ""
        assert running.said("flow", "isolate", "0", "1") == "Ingress traffic on port 0 is now restricted to the defined flow rules\n"
        with Control(running.control) as asking:
            wait_until(running, lambda: asking.report()["packets"]["dropped"].get("no_rule"), "a packet that no rule is for")
        packets = running.running.interrupt().packets
    # net_null's packets have no receiver: packets that no rule took have no kernel interface to go to.
    assert {"rule_drop", "no_rule"} <= set(packets.dropped) <= {"rule_drop", "no_rule", "no_kernel_interface"}


@pytest.mark.parametrize(("words", "said"), (
    (["create", "0", "ingress", "pattern", "nonsense"], ["'nonsense' is no item"]),
    (["create", "7", "ingress", "pattern", "eth", "/", "end", "actions", "drop", "/", "end"], ["port 7", "0, 1"]),
    (["create", "0", "ingress", "pattern", "eth", "/", "end", "actions", "port_id", "id", "9", "/", "end"], ["port 9"]),
    (["destroy", "0", "rule", "5"], ["port 0 has no flow rule 5"]),
    (["query", "0", "0", "drop"], ["count"]),
    (["create", "0", "pattern", "eth", "/", "end", "actions", "drop", "/", "end"], ["no direction"]),
), ids=lambda value: " ".join(value)[:40])
def test_a_flow_command_that_is_wrong_changes_nothing(packetwarp, words, said):
    with live(packetwarp, with_rules(packetwarp), *NULLS) as running:
        done = running.ask("flow", *words)
        assert done.status == WRONG_USAGE and len(done.errors) == 1 and done.stdout == "", done
        for word in said:
            assert word in done.errors[0], done
        assert len(running.said("flow", "list", "0").splitlines()) == 2
        running.running.interrupt()


def test_sessions_are_listed_counted_and_filtered(packetwarp):
    forward = {"protocol": "tcp", "inside": "10.0.0.9:80", "outside": "198.51.100.1:8080"}
    with routed(packetwarp, {**ROUTED, "nat44": {**NAT44, "static": [forward]}}) as running:
        wait_until(running, lambda: running.json("nat", "stats")["live"] == 65, "a session of each flow")
        sessions = running.json("nat", "sessions")["sessions"]
        assert len(sessions) == 65
        assert {(one["protocol"], one["origin"]) for one in sessions} == {("udp", "packet"), ("tcp", "configured")}
        one = running.json("nat", "sessions", "--inside", "10.0.0.2:4007")["sessions"]
        assert [(it["inside"], it["outside"]) for it in one] == [("10.0.0.2:4007", "198.51.100.1:4007")]
        assert len(running.json("nat", "sessions", "--protocol", "tcp")["sessions"]) == 1
        assert len(running.json("nat", "sessions", "--outside", "198.51.100.1", "--limit", "10")["sessions"]) == 10
        assert running.json("nat", "sessions", "--outside", "198.51.100.2")["sessions"] == []
        lines = running.said("nat", "sessions", "--inside", "10.0.0.9").splitlines()
        assert lines[0].split() == ["protocol", "inside", "outside", "idle", "s", "state"]
        assert lines[1].split() == ["tcp", "10.0.0.9:80", "198.51.100.1:8080", "-", "configured"]
        assert running.said("nat", "stats").startswith("sessions  65 of 65536: udp 64, tcp 1, icmp 0; 1 of them configured\n")
        assert running.ask("nat", "sessions", "--inside", "10.0.0").status == WRONG_USAGE
        assert running.ask("nat", "sessions", "--protocol", "sctp").status == WRONG_USAGE
        assert running.ask("flow", "list", "0").status == WRONG_USAGE, "it has no rules"
        assert running.ask("nat", "save").status == WRONG_USAGE, "nor a state file"
        running.running.interrupt()


def test_a_long_list_comes_whole(packetwarp):
    """More than a page of it, from a table of which most is empty."""
    with routed(packetwarp, {**ROUTED, "nat44": {**NAT44, "sessions": 100000}}, count=5000) as running:
        wait_until(running, lambda: running.json("nat", "stats")["live"] == 5000, "a session of each flow")
        sessions = running.json("nat", "sessions", "--limit", "100000")["sessions"]
        assert len({one["inside"] for one in sessions}) == len(sessions) == 5000
        running.running.interrupt()


def test_what_a_client_sends_cannot_harm(packetwarp):
    """Lines that are no request, too long, cut, or many at once; and a client that never reads."""
    with live(packetwarp, with_rules(packetwarp), *NULLS) as running:
        with running.client() as deaf, running.client() as one, running.client() as cut:
            deaf.sendall(b'{"command":"flow","arguments":{"text":"flow list 0"}}\n' * 500)
            cut.sendall(b'{"command":"fl')
            one.sendall(b"what?\n\xff\xfe\n{}\n" + b'{"command":"flow","arguments":{"text":"flow list 0"}}\n')
            lines = one.makefile()
            answers = [json.loads(lines.readline()) for _ in range(4)]
            assert [answer["status"] for answer in answers] == [2, 2, 2, 0]
            assert "ID\tGroup" in answers[3]["result"]["text"]
        with running.client() as long:
            long.sendall(b"x" * 65536)
            assert "longer than 65536 bytes" in json.loads(long.makefile().readline())["error"]
        assert running.said("flow", "list", "0")
        assert running.running.interrupt().packets.dropped == {}


def test_the_socket_is_this_users_alone_and_goes_with_the_process(packetwarp):
    with live(packetwarp, with_rules(packetwarp), *NULLS) as running:
        assert stat.S_IMODE(os.stat(running.control).st_mode) == 0o600
        again = packetwarp.run("run", [*ALONE, "-l", "0", *(f"--vdev={device}" for device in NULLS)],
                               ["-c", str(running.config), "--control", str(running.control), "--duration", "50ms"])
        assert again.status == WRONG_USAGE and "another packetwarp listens there" in again.errors[0], again
        running.running.send(signal.SIGKILL).process.wait()
        assert running.control.exists()
        again = packetwarp.run("run", [*ALONE, "-l", "0", *(f"--vdev={device}" for device in NULLS)],
                               ["-c", str(running.config), "--control", str(running.control), "--duration", "50ms"])
        assert again.status == DONE and not running.control.exists(), again


@pytest.mark.parametrize("words", (["nat", "stats"], ["flow", "list", "0"], ["reload"]), ids=" ".join)
def test_where_nobody_listens_it_is_said_what_to_do(packetwarp, tmp_path, words):
    done = packetwarp.run(words[0], [*words[1:], "--control", "/tmp/pw-nobody"])
    assert done.status == FAILED and len(done.errors) == 1, done
    assert "/tmp/pw-nobody" in done.errors[0] and "packetwarp run" in done.errors[0], done


@pytest.mark.parametrize(("words", "said"), (
    (["nat"], "sessions, stats, save"), (["nat", "list"], "sessions, stats, save"), (["nat", "stats", "--inside", "1.1.1.1"], "--inside"),
    (["nat", "sessions", "--limit", "0"], "--limit"), (["flow"], "flow"), (["flow", "list", "zero"], "zero"),
    (["flow", "list", "0", "--control"], "--control"), (["reload", "now"], "now")), ids=lambda value: "".join(value))
def test_a_wrong_command_line_is_told_whether_something_runs_or_not(packetwarp, words, said):
    done = packetwarp.run(words[0], words[1:])
    assert done.status == WRONG_USAGE and len(done.errors) == 1 and said in done.errors[0], done
