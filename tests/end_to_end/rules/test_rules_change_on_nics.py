# SPDX-License-Identifier: Apache-2.0
"""Rules change while packets pass and NICs run them: what these are told, in which order, and what is said of it then.

tests/fixtures/recording_nic.h plays the NICs. It does nothing to packets, so that tables see all of them.
"""
from __future__ import annotations

import contextlib
import dataclasses
import json
import pathlib
import re
from collections.abc import Iterator

import pytest
from harness import FAILED, WRONG_USAGE, Program
from live import FULL_RATE, Live, live
from namespaces import need_root_and_tools
from seeing import Control

NULLS = ("net_null0", "net_null1,no-rx=1")
INTERFACES = {"interfaces": [{"name": "left", "port": 0}, {"name": "right", "port": 1}]}
# rte_flow.h's number.
ITEM_UDP = 11


def rule(priority: int, pattern: str, actions: str, *, port: int = 0, attributes: str = "ingress") -> str:
    return f"create {port} priority {priority} {attributes} pattern eth / {pattern}end actions {actions} / end"


FORWARD = rule(9, "", "port_id id 1")
DROP_ONE = rule(1, "ipv4 src is 192.0.2.1 / ", "drop")
DROP_TWO = rule(2, "ipv4 src is 192.0.2.2 / ", "drop")


def file_of(*rules: str) -> str:
    return "".join(f"flow {line}\n" for line in rules)


@dataclasses.dataclass
class Changing:
    """A network whose NICs record, while it runs."""

    live: Live
    flows: pathlib.Path
    log: pathlib.Path
    read: int = 0

    def told(self) -> list[str]:
        """The NICs' calls since the last time: "create 0 p9" for the rule of port 0 with this priority, "g1p9" in group 1."""
        lines = self.log.read_text().splitlines()
        fresh, self.read = lines[self.read:], len(lines)
        parts = [re.match(r"(\w+ \d+) group (\d+) priority (\d+) ", line) for line in fresh]
        return [f"{part[1]} {'' if part[2] == '0' else 'g' + part[2]}p{part[3]}" for part in parts if part]

    def flow(self, text: str) -> str:
        return self.live.said("flow", *text.split())

    def refused(self, command: str, text: str = "") -> str:
        """The one line that is said, with nothing changed in NICs or lists."""
        before = [self.flow(f"list {port}") for port in (0, 1)]
        rules = self.in_nics()
        done = self.live.ask(command, *text.split())
        assert done.status == WRONG_USAGE and len(done.errors) == 1 and done.stdout == "", done
        assert [self.flow(f"list {port}") for port in (0, 1)] == before
        assert self.in_nics() == rules
        return done.errors[0]

    def sites(self, port: int = 0) -> list[tuple[int, str]]:
        """By number: the site of the rule."""
        lines = [line.split("\t") for line in self.flow(f"list {port}").splitlines()[1:]]
        return sorted((int(words[0]), words[4]) for words in lines)

    def in_nics(self) -> list[str]:
        """Every rule that was created and not destroyed."""
        rules: list[str] = []
        for line in self.log.read_text().splitlines():
            kind, _, what = line.partition(" ")
            if kind == "create":
                rules.append(what)
            elif kind in ("destroy", "full"):
                rules.remove(what)
        return sorted(rules)

    def report(self) -> dict:
        """Made from now on; the first may be of before."""
        with Control(self.live.control) as asking:
            return asking.later_report(asking.report())

    def reload(self, *rules: str) -> str:
        self.flows.write_text(file_of(*rules))
        return self.live.said("reload")


@pytest.fixture
def changing(packetwarp: Program, nic_library: pathlib.Path):
    @contextlib.contextmanager
    def run(*rules: str, nic: str = "", devices: tuple[str, ...] = NULLS, lcores: str = "0", isolated: str = "",
            ends_empty: bool = True, **settings: object) -> Iterator[Changing]:
        flows, log = packetwarp.folder / "flows.txt", packetwarp.folder / "nic.log"
        flows.write_text(isolated + file_of(*rules))
        file = {**INTERFACES, "rules": {"file": str(flows), **settings}}
        env = ("env", f"LD_PRELOAD={nic_library}", f"RECORDING_NIC_LOG={log}", f"RECORDING_NIC={nic}")
        with live(packetwarp, file, *devices, lcores=lcores, within=env, options=("--report-age", "20ms"), pace=FULL_RATE) as running:
            made = Changing(running, flows, log)
            made.told()
            yield made
            made.live.running.interrupt()
            assert not ends_empty or made.in_nics() == [], "what NICs had is gone with the end"
    return run


def test_what_would_hide_a_new_rule_is_created_again_behind_it(changing) -> None:
    with changing(FORWARD) as made:
        assert made.flow(DROP_ONE) == "Flow rule #1 created\n"
        assert made.told() == ["validate 0 p1", "destroy 0 p9", "create 0 p1", "create 0 p9"]
        assert made.flow(rule(10, "ipv6 / ", "drop")) == "Flow rule #2 created\n"
        assert made.told() == ["validate 0 p10", "create 0 p10"], "nothing is in its way"
        assert made.sites() == [(0, "nic"), (1, "nic"), (2, "nic")]
        assert made.flow("destroy 0 rule 1") == "Flow rule #1 destroyed\n"
        assert made.told() == ["destroy 0 p10", "destroy 0 p9", "destroy 0 p1", "create 0 p9", "create 0 p10"]
        assert made.flow("flush 0") == ""
        assert made.told() == ["destroy 0 p10", "destroy 0 p9"]
        assert made.sites() == []
        made.flow(FORWARD)
        assert made.told() == ["validate 0 p9", "create 0 p9"]
        assert made.sites() == [(0, "nic")]


def test_a_jump_is_away_while_what_is_behind_it_changes(changing) -> None:
    behind = [rule(n, f"ipv4 src is 192.0.2.{n} / ", "drop", attributes="group 1 ingress") for n in (1, 2, 3)]
    with changing(rule(0, "", "jump group 1"), *behind[:2], isolated="flow isolate 0 1\n") as made:
        assert made.sites() == [(0, "nic"), (1, "nic"), (2, "nic")]
        made.flow(behind[2])
        assert made.told() == ["validate 0 g1p3", "destroy 0 p0", "create 0 g1p3", "create 0 p0"]
        made.flow("destroy 0 rule 1")
        assert made.told() == ["destroy 0 p0", "destroy 0 g1p1", "create 0 p0"]
        assert made.sites() == [(0, "nic"), (2, "nic"), (3, "nic")]
        made.flow("isolate 0 0")
        assert made.told() == ["destroy 0 p0", "destroy 0 g1p3", "destroy 0 g1p2"]
        assert made.sites() == [(0, "cpu"), (2, "cpu"), (3, "cpu")]
        assert {one["why"] for one in made.report()["rules"]} == {"it jumps, and its port is not isolated",
                                                                 "no rule of the NIC leads to its group"}


@pytest.mark.parametrize("lcores", ("0", "0-1"))
def test_no_packet_is_lost_while_rules_of_nics_change(changing, lcores: str) -> None:
    """There is always a rule that forwards everything: what is dropped or punted met no rules, or half of them."""
    with changing(FORWARD, lcores=lcores) as made:
        for _ in range(10):
            assert made.flow(DROP_ONE) == "Flow rule #1 created\n"
            assert made.flow("destroy 0 rule 1") == "Flow rule #1 destroyed\n"
        made.reload(DROP_TWO, FORWARD, DROP_ONE)
        made.reload(FORWARD)
        assert made.told().count("create 0 p9") == 22
        packets = made.report()["packets"]
        assert packets["dropped"] == {} and packets["punted"] == 0 and packets["rx"] > 0


def test_the_hits_of_a_rule_stay_wherever_it_goes(changing) -> None:
    """Its NIC reports five hits for every created rule."""
    counts = rule(9, "ipv4 / ", "count / drop")
    with changing(counts, rule(8, "ipv6 / ", "count / queue index 0"), nic="hits=5") as made:
        def hits(number: int) -> str:
            return made.flow(f"query 0 {number} count").split("hits: ")[1].split()[0]
        assert (hits(0), hits(1)) == ("5", "5")
        made.flow(DROP_ONE)
        assert (hits(0), hits(1)) == ("10", "5"), "the one was created again, and the other stayed"
        made.flow(rule(0, "", "passthru"))
        assert made.sites() == [(0, "cpu"), (1, "cpu"), (2, "cpu"), (3, "cpu")]
        assert (hits(0), hits(1)) == ("10", "5"), "the table has had none"
        made.flow("destroy 0 rule 3")
        assert (hits(0), hits(1)) == ("15", "10")
        made.flow("destroy 0 rule 0")
        made.reload(rule(9, "ipv6 / ", "count / drop"))
        assert hits(0) == "5", "another rule begins anew"


def test_a_reload_tells_nics_what_is_new(changing) -> None:
    with changing(DROP_ONE, FORWARD) as made:
        made.reload(DROP_ONE, FORWARD)
        assert made.told() == []
        made.reload(DROP_ONE, DROP_TWO, FORWARD)
        assert made.told() == ["validate 0 p2", "validate 0 p9", "destroy 0 p9", "create 0 p2", "create 0 p9"]
        assert made.sites() == [(0, "nic"), (1, "nic"), (2, "nic")]
        made.flows.write_text("flow create 0 nonsense\n")
        assert "nonsense" in made.refused("reload")
        assert made.told() == []


def test_what_a_nic_refuses_runs_in_the_table_and_so_does_what_it_would_hide(changing) -> None:
    with changing(FORWARD, nic=f"item={ITEM_UDP}") as made:
        made.flow(rule(1, "ipv4 / udp / ", "drop"))
        assert made.told() == ["validate 0 p1", "destroy 0 p9"]
        assert made.sites() == [(0, "cpu"), (1, "cpu")]
        report = made.report()
        assert [one["why"] for one in report["rules"]] == ["an earlier rule that is in the table may match its packets",
                                                           "its port refuses it: item not supported (Operation not supported)"]
        assert any("flow rules of port 0: 2 of 2 run on cpu; the first is rule 0" in note for note in report["notices"])
        made.flow("destroy 0 rule 1")
        assert made.told() == ["create 0 p9"], "it is not asked again"
        assert not any("flow rules of port 0" in note for note in made.report()["notices"])


def test_a_nic_without_room_gets_nothing_behind_what_it_has_refused(changing) -> None:
    """Three rules are in the way of each other; the NIC has room for the first two of them."""
    with changing(FORWARD, nic="room=2") as made:
        made.reload(rule(3, "ipv4 / ", "drop"), rule(4, "ipv4 / udp / ", "queue index 0"), rule(5, "ipv4 / tcp / ", "drop"),
                    rule(6, "", "queue index 0"))
        assert made.told()[-6:] == ["validate 0 p6", "destroy 0 p9", "create 0 p3", "create 0 p4", "create 0 p5",
                                    "full 0 p5"]
        assert made.sites() == [(0, "nic"), (1, "nic"), (2, "cpu"), (3, "cpu")]
        assert [one["why"] for one in made.report()["rules"]][2:] == [
            "its port refuses it: No space left on device", "its port has refused rule 2 before it"]


def test_a_group_that_a_nic_has_no_room_for_leaves_it_whole(changing) -> None:
    behind = [rule(n, f"ipv4 src is 192.0.2.{n} / ", "drop", attributes="group 1 ingress") for n in (1, 2, 3)]
    with changing(rule(0, "", "jump group 1"), *behind[:2], isolated="flow isolate 0 1\n", nic="room=3") as made:
        made.flow(behind[2])
        assert made.told() == ["validate 0 g1p3", "destroy 0 p0", "create 0 g1p3", "create 0 p0", "full 0 p0",
                               "destroy 0 g1p3", "destroy 0 g1p2", "destroy 0 g1p1"]
        assert {site for _, site in made.sites()} == {"cpu"}


EGRESS = rule(1, "ipv4 / ", "dec_ttl", port=1, attributes="egress")
MORE_EGRESS = rule(2, "ipv6 / ", "dec_ttl", port=1, attributes="egress")


def test_a_rule_that_a_nic_does_not_let_go_of_is_still_there(changing) -> None:
    with changing(FORWARD, nic="destroys=0", ends_empty=False) as made:
        before = made.flow("list 0")
        done = made.live.ask("flow", *"destroy 0 rule 0".split())
        assert done.status == FAILED and done.stdout == "", done
        assert done.errors == ["packetwarp: error: port 0 (net_null0) does not let go of rule 0: rule in use (Device or resource busy); "
                               "the old rules stay in force: try again, or start again"]
        assert made.flow("list 0") == before
        assert made.sites() == [(0, "nic")]


def test_egress_rules_of_a_nic_do_not_change_while_packets_pass(changing) -> None:
    with changing(DROP_ONE, EGRESS) as made:
        assert made.sites(1) == [(0, "nic")]
        for command in (MORE_EGRESS, "destroy 1 rule 0", "flush 1"):
            said = made.refused("flow", command)
            assert "port 1: its NIC runs its egress rules" in said and "start again, or with rules.on: cpu" in said
        made.flows.write_text(file_of(DROP_ONE, MORE_EGRESS))
        assert "port 1: its NIC runs its egress rules" in made.refused("reload")
        made.flow(DROP_TWO)
        assert made.told() == ["validate 0 p2", "create 0 p2"]


def test_new_egress_rules_go_to_the_table_and_what_sends_past_them_too(changing) -> None:
    with changing(FORWARD) as made:
        made.flow(EGRESS)
        assert made.told() == ["validate 1 p1", "destroy 0 p9"]
        assert made.sites(0) + made.sites(1) == [(0, "cpu"), (0, "cpu")]
        assert [one["why"] for one in made.report()["rules"]] == ["port 1 has egress rules, which a NIC would leave out",
                                                                  "NICs get egress rules only when the network starts"]
        made.flow("flush 1")
        assert made.told() == ["create 0 p9"]


def test_changes_that_come_at_once_are_made_one_after_the_other(changing) -> None:
    with changing(FORWARD) as made, contextlib.ExitStack() as stack:
        clients = [stack.enter_context(made.live.client()) for _ in range(8)]
        for n, client in enumerate(clients):
            text = "flow " + rule(1, f"ipv4 src is 192.0.2.{n} / ", "drop")
            client.sendall(json.dumps({"command": "flow", "arguments": {"text": text}}).encode() + b"\n")
        said = [json.loads(client.makefile().readline()) for client in clients]
        assert sorted(one["result"]["text"] for one in said) == [f"Flow rule #{n} created\n" for n in range(1, 9)]
        assert made.sites() == [(n, "nic") for n in range(9)]
        assert len(made.in_nics()) == 9


def test_where_nics_run_all_they_get_what_is_new_before_they_lose_what_is_gone(changing) -> None:
    with changing(DROP_ONE, FORWARD, on="nic") as made:
        assert made.flow(DROP_TWO) == "Flow rule #2 created\n"
        assert made.told() == ["validate 0 p2", "create 0 p2"]
        made.flow("destroy 0 rule 0")
        assert made.told() == ["destroy 0 p1"]
        made.reload(DROP_TWO, FORWARD)
        assert made.told() == ["validate 0 p2", "create 0 p2", "destroy 0 p2"], "a number that says something else is another rule"
        assert made.sites() == [(0, "nic"), (1, "nic")]
        assert made.flow(f"validate {DROP_ONE.removeprefix('create ')}") == "Flow rule validated\n"
        assert made.told() == ["validate 0 p1"]
        made.flow("flush 0")
        assert made.told() == ["destroy 0 p9", "destroy 0 p2"]
        assert made.sites() == []


def test_where_nics_run_all_a_refusal_changes_nothing(changing) -> None:
    with changing(DROP_ONE, FORWARD, on="nic", nic=f"item={ITEM_UDP} room=3") as made:
        said = made.refused("flow", rule(3, "udp / ", "drop"))
        assert said.endswith("flow: port 0 (net_null0) refuses the rule: item not supported (Operation not supported); "
                             "rules.on: auto leaves such rules to the executor")
        assert made.told() == ["validate 0 p3"]
        made.flows.write_text(file_of(DROP_ONE, DROP_TWO, FORWARD))
        said = made.refused("reload")
        assert f"{made.flows}:3:1: port 0 (net_null0) refuses the rule: No space left on device" in said
        assert "its NIC runs all of its rules" in made.refused("flow", "isolate 0 1")
        assert "port 7: none of the network's" in made.refused("flow", rule(1, "", "drop", port=7))


def test_a_reload_that_a_nic_refuses_changes_no_neighbour_either(changing) -> None:
    with changing(DROP_ONE, on="nic", nic="room=1") as made:
        neighbour = {"interface": "left", "address": "10.0.0.2", "mac": "02:00:00:00:01:01"}
        made.live.write({**INTERFACES, "rules": {"file": str(made.flows), "on": "nic"}, "neighbours": [neighbour]})
        made.flows.write_text(file_of(DROP_ONE, DROP_TWO))
        assert "No space left on device" in made.refused("reload")
        made.flows.write_text(file_of(DROP_ONE))
        assert made.live.json("reload")["neighbours"] == 1, "it is still to be made"


def test_rules_change_on_a_real_driver(packetwarp: Program) -> None:
    """net_tap makes filters of the kernel's where that has tc flower; else all is the executor's, and changes all the same."""
    if reason := need_root_and_tools("unshare"):
        pytest.skip(reason)
    flows = packetwarp.folder / "flows.txt"
    flows.write_text(file_of(rule(9, "ipv4 / ", "drop")))
    with live(packetwarp, {**INTERFACES, "rules": {"file": str(flows)}}, "net_tap0,iface=pwtap0", "net_null1", lcores="0", within=("unshare", "-n")) as running:
        for n in (1, 2, 3):
            assert running.said("flow", *DROP_ONE.split()) == f"Flow rule #{n} created\n"
        sites = {line.split("\t")[4] for line in running.said("flow", "list", "0").splitlines()[1:]}
        assert sites in ({"nic"}, {"cpu"}, {"nic", "cpu"})
        running.said("flow", "flush", "0")
        assert running.said("flow", "list", "0") == ""
        running.running.interrupt()
