# SPDX-License-Identifier: Apache-2.0
"""A running packetwarp run that reads its file again: all of it or nothing, and without losing a packet."""
from __future__ import annotations

import copy
import json
import re
import signal

import pytest
from harness import WRONG_USAGE, resident_bytes
from live import FLOWS, FULL_RATE, GATEWAY_MAC, HOST_MAC, NAT44, ROUTED, live, routed, wait_until

RELOADS = 25


def changed(**sections):
    return {**copy.deepcopy(ROUTED), **copy.deepcopy(sections)}


def with_routes(count, **sections):
    more = [{"to": f"172.16.{n}.0/24", "via": "198.51.100.2"} for n in range(count)]
    return changed(routes=[*ROUTED["routes"], *more], **sections)


@pytest.mark.parametrize("lcores", ("0", "0-1"))
def test_routes_and_neighbours_change_under_traffic(packetwarp, lcores):
    """The flows' own route leads by one neighbour or another, which are both there: nothing may be dropped or punted."""
    other = {"interface": "right", "address": "198.51.100.3", "mac": "02:00:00:00:02:03"}
    with routed(packetwarp, ROUTED, lcores=lcores, pace=FULL_RATE) as running:
        for n in range(RELOADS):
            file = with_routes(n * 10)
            file["neighbours"] = [*ROUTED["neighbours"], other]
            file["routes"].append({"to": "203.0.113.0/24", "via": f"198.51.100.{2 + n % 2}"})
            running.write(file)
            said = running.json("reload")
            assert said["routes"] == (1 if n == 0 else 11) and said["neighbours"] == (1 if n == 0 else 0)
        running.write(ROUTED)
        assert running.json("reload")["routes"] == (RELOADS - 1) * 10 + 1
        packets = running.running.interrupt().packets
    assert packets.dropped == {} and packets.punted == 0 and packets.rx == packets.tx > FLOWS


def test_what_the_file_asks_to_be_dropped_is_and_nothing_else(packetwarp):
    with routed(packetwarp, ROUTED) as running:
        running.write(changed(routes=[{"to": "203.0.113.0/24", "discard": True}, *ROUTED["routes"]]))
        running.said("reload")
        running.running.wait_for_statistics(4)
        running.write(ROUTED)
        running.said("reload")
        running.running.wait_for_statistics(4)
        packets = running.running.interrupt().packets
    assert set(packets.dropped) == {"discard_route"} and packets.punted == 0 and packets.tx > 0


@pytest.mark.parametrize("lcores", ("0", "0-1"))
def test_nat44_changes_under_traffic_and_sessions_stay(packetwarp, lcores):
    pools = (["198.51.100.1"], ["198.51.100.1", "198.18.0.1-198.18.0.9"], ["198.18.1.1", "198.51.100.1"])
    forward = {"protocol": "tcp", "inside": "10.0.0.2:80", "outside": "198.51.100.1:8080"}
    with routed(packetwarp, changed(nat44=NAT44), lcores=lcores, pace=FULL_RATE) as running:
        wait_until(running, lambda: running.json("nat", "stats")["udp"] == FLOWS, "a session of each flow")
        before = {(one["inside"], one["outside"]) for one in running.json("nat", "sessions")["sessions"]}
        for n in range(RELOADS):
            settings = {**NAT44, "pool": pools[n % 3], "timeouts": {"udp": 300 + n}, "per_host": 1000 * (n % 2),
                        "forwarding": n % 2 == 0, "static": [forward] if n % 2 else [{"inside": "10.0.0.77", "outside": "198.18.9.9"}]}
            running.write(changed(nat44=settings))
            running.said("reload")
        running.write(changed(nat44={**NAT44, "static": [forward]}))
        running.said("reload")
        wait_until(running, lambda: running.json("nat", "stats")["configured"] == 1, "the port forward")
        after = {(one["inside"], one["outside"]) for one in running.json("nat", "sessions", "--protocol", "udp")["sessions"]}
        assert after == before, "every session has the mapping that it had"
        packets = running.running.interrupt().packets
    assert packets.dropped == {} and packets.punted == 0 and packets.rx == packets.tx > FLOWS


def test_what_changed_of_nat44_is_said(packetwarp):
    with routed(packetwarp, changed(nat44=NAT44)) as running:
        running.write(changed(nat44={**NAT44, "pool": ["198.51.100.1", "198.18.0.1"], "timeouts": {"udp": "5m"}, "per_host": 7}))
        said = running.json("reload")
        assert said["nat44"] == ["pool", "timeouts", "per_host"] and said["routes"] == 0
        assert said["text"].endswith("0 routes and 0 neighbours changed; of nat44 pool, timeouts, per_host changed")
        running.write(changed(nat44=NAT44))
        assert running.json("reload")["nat44"] == ["pool", "timeouts", "per_host"]
        assert "nat44" not in running.json("reload")
        running.running.interrupt()


def test_sessions_of_an_address_that_is_gone_get_another(packetwarp):
    with routed(packetwarp, changed(nat44={**NAT44, "pool": ["198.18.0.1"]})) as running:
        wait_until(running, lambda: running.json("nat", "stats")["live"] == FLOWS, "a session of each flow")
        running.write(changed(nat44={**NAT44, "pool": ["198.18.0.2"]}))
        running.said("reload")
        wait_until(running, lambda: len(running.json("nat", "sessions", "--outside", "198.18.0.2")["sessions"]) == FLOWS
                   and not running.json("nat", "sessions", "--outside", "198.18.0.1")["sessions"], "sessions of the new address")
        packets = running.running.interrupt().packets
    assert packets.dropped == {} and packets.rx == packets.tx


def test_rules_are_read_again_and_those_that_stay_go_on_counting(packetwarp):
    forward = "flow create 0 ingress pattern eth / end actions count / port_id id 1 / end\n"
    rules = packetwarp.folder / "flows.txt"
    rules.write_text(forward)
    file = {"interfaces": [{"name": "left", "port": 0}, {"name": "right", "port": 1}], "rules": {"file": str(rules)}}
    with live(packetwarp, file, "net_null0", "net_null1,no-rx=1", pace=FULL_RATE) as running:
        for n in range(RELOADS):
            rules.write_text(forward + "".join(
                f"flow create 0 group 1 ingress pattern eth / ipv4 src is 10.0.{n}.{i} / end actions drop / end\n" for i in range(1 + n)))
            running.said("reload")
            assert len(running.said("flow", "list", "0").splitlines()) == 3 + n
        hits = int(running.said("flow", "list", "0").splitlines()[1].split("\t")[5])
        packets = running.running.interrupt().packets
    assert packets.dropped == {} and packets.punted == 0 and packets.rx == packets.tx >= hits > 0


def test_rules_of_a_port_that_is_not_there_are_refused_and_those_before_stay(packetwarp):
    forward = "flow create 0 ingress pattern eth / end actions count / port_id id 1 / end\n"
    rules = packetwarp.folder / "flows.txt"
    rules.write_text(forward)
    file = {"interfaces": [{"name": "left", "port": 0}, {"name": "right", "port": 1}], "rules": {"file": str(rules)}}
    with live(packetwarp, file, "net_null0", "net_null1,no-rx=1") as running:
        before = len(running.said("flow", "list", "0").splitlines())
        for wrong, said in (("flow create 5 ingress pattern eth / end actions drop / end\n", f"{rules}:2:1: port 5: none of"),
                            ("flow create 0 ingress pattern eth / end actions port_id id 5 / end\n", f"{rules}:2:1: port 5: none of"),
                            ("flow create 0 ingress pattern eth / end actions queue index 5 / end\n", f"{rules}:2:1: flow rule 1 of port 0: queue 5")):
            rules.write_text(forward + wrong)
            done = running.ask("reload")
            assert done.status == WRONG_USAGE and len(done.errors) == 1 and said in done.errors[0], done
            assert len(running.said("flow", "list", "0").splitlines()) == before
        packets = running.running.interrupt().packets
    assert packets.dropped == {} and packets.rx == packets.tx > 0


def test_sighup_does_it_too_and_says_so_in_the_log(packetwarp):
    with routed(packetwarp, ROUTED) as running:
        running.write(with_routes(3))
        running.running.send(signal.SIGHUP).wait_for_log("is in force: 3 routes and 0 neighbours changed")
        running.write({**ROUTED, "routes": [{"to": "nowhere", "via": "198.51.100.2"}]})
        running.running.send(signal.SIGHUP).wait_for_log(f"{running.config}:")
        assert "'nowhere' is no prefix" in running.running.stderr()
        packets = running.running.interrupt().packets
    assert packets.dropped == {} and packets.rx == packets.tx


# The changed text, and the error.
REFUSED = [
    (lambda file: file["interfaces"][1].update(mtu=1400), r":\d+: interfaces\[1\].mtu: cannot change while it runs"),
    (lambda file: file["interfaces"][0].pop("mac"), r":\d+: interfaces\[0\]: cannot change while it runs"),
    (lambda file: file.update(chain_as="general"), r":\d+: chain_as: cannot change while it runs"),
    (lambda file: file.update(data_plane={"executor": "kernel", "burst": 7}), r":\d+: data_plane(\.\w+)?: cannot change while it runs"),
    (lambda file: file.update(eal=["-l", "0"]), r":\d+: eal: cannot change"),
    (lambda file: file.update(lcores="0-1"), r":\d+: lcores: cannot change"),
    (lambda file: file.pop("nat44"), r":1: 'nat44' cannot change"),
    (lambda file: file["nat44"].update(sessions=100), r":\d+: nat44.sessions: cannot change"),
    (lambda file: file["nat44"].update(outside="left", inside="right", pool="198.18.0.1"), r":\d+: nat44.inside: cannot change"),
    (lambda file: file["nat44"].update(pool="198.18.0.0-198.18.1.0"), r":\d+: nat44 outside addresses: 257 are more than"),
    (lambda file: file["nat44"].update(timeouts={"udp": 0}), r":\d+: nat44.timeouts.udp: '0'"),
    (lambda file: file["routes"].append({"to": "10.9.0.0/16", "via": "192.0.2.1"}), r":\d+: via 192.0.2.1: no interface has it"),
    (lambda file: file["neighbours"].append({"interface": "left", "address": "10.0.0.1", "mac": HOST_MAC}), r":\d+: neighbours\[\d\].address: 10.0.0.1 is interface left"),
    (lambda file: file["neighbours"].append({"interface": "left", "address": "10.0.0.255", "mac": HOST_MAC}), r":\d+: neighbours\[\d\].address: 10.0.0.255 is the broadcast"),
    (lambda file: file["neighbours"].append({"interface": "left", "address": "10.0.0.2", "mac": GATEWAY_MAC}), r":\d+: neighbours\[\d\].address: 10.0.0.2 on interface left is that"),
    (lambda file: file["routes"].append({"to": "10.9.0.0/16", "via": "224.0.0.1", "interface": "right"}), r":\d+: routes\[2\].via: 224.0.0.1 is no host's address"),
    (lambda file: file["nat44"].pop("pool"), r":\d+: nat44: no 'pool'"),
    (lambda file: file["nat44"].update(pool=["198.51.100.1", "127.0.0.9"]), r":\d+: nat44.pool\[1\]: 127.0.0.9 is a loopback address"),
    (lambda file: file["nat44"].update(pool=["10.0.0.1"]), r":\d+: nat44.pool\[0\]: 10.0.0.1 is the own address of 'left'"),
    (lambda file: file["nat44"].update(static=[{"inside": "10.0.0.9", "outside": "239.1.1.1"}]), r":\d+: nat44.static\[0\].outside: 239.1.1.1 is a group"),
    (lambda file: file["routes"].append({"to": "10.9.0.1/16", "via": "198.51.100.2"}), r":\d+: routes\[2\].to: 10.9.0.1/16 has bits"),
    (lambda file: file["routes"].append({"to": "0.0.0.0/0", "discard": True}), r":\d+: routes\[2\].to: 0.0.0.0/0 is that of the route in line \d+"),
    (lambda file: file.update(source_routes="pass"), r":\d+: source_routes: cannot change"),
    (lambda file: file.update(nothing=1), r":\d+: no key 'nothing'"),
]


@pytest.mark.parametrize(("edit", "said"), REFUSED, ids=[said[:50] for _, said in REFUSED])
def test_a_file_that_cannot_be_is_refused_by_its_line_and_nothing_is_changed(packetwarp, edit, said):
    """Beside what is wrong stands something that could be."""
    right = changed(nat44=NAT44)
    with routed(packetwarp, right) as running:
        wrong = copy.deepcopy(right)
        wrong["routes"].append({"to": "203.0.113.0/24", "discard": True})
        edit(wrong)
        running.write(wrong)
        done = running.ask("reload")
        assert done.status == WRONG_USAGE and len(done.errors) == 1, done
        assert re.search(re.escape(str(running.config)) + said, done.errors[0]), done
        running.write(right)
        assert running.json("reload") | {"text": ""} == {"text": "", "routes": 0, "neighbours": 0}
        packets = running.running.interrupt().packets
    assert packets.dropped == {} and packets.rx == packets.tx


def test_source_routes_need_a_restart_whichever_way_they_change(packetwarp):
    with routed(packetwarp, changed(source_routes="pass")) as running:
        for wrong, said in ((changed(source_routes="drop"), r":\d+: source_routes: cannot change while it runs; start again for it"),
                            (changed(), r":1: 'source_routes' cannot change while it runs; start again for it")):
            running.write(wrong)
            done = running.ask("reload")
            assert done.status == WRONG_USAGE and len(done.errors) == 1, done
            assert re.search(re.escape(str(running.config)) + said, done.errors[0]), done
        running.running.interrupt()


def test_a_neighbour_that_moves_is_followed(packetwarp):
    with routed(packetwarp, ROUTED, pace=FULL_RATE) as running:
        file = copy.deepcopy(ROUTED)
        file["neighbours"][1]["mac"] = "02:00:00:00:02:99"
        for mac in ("02:00:00:00:02:99", GATEWAY_MAC) * 3:
            file["neighbours"][1]["mac"] = mac
            running.write(file)
            assert running.json("reload")["neighbours"] == 1
        packets = running.running.interrupt().packets
    assert packets.dropped == {} and packets.punted == 0


def test_a_neighbour_whose_prefix_comes_with_it_is_found(packetwarp):
    """The flows' destination is a neighbour of a prefix that is on the wire by a route, and both come by the same reload."""
    there = {"interface": "right", "address": "203.0.113.9", "mac": "02:00:00:00:02:09"}
    with routed(packetwarp, changed(routes=[])) as running:
        running.write(changed(routes=[{"to": "203.0.113.0/24", "interface": "right"}], neighbours=[*ROUTED["neighbours"], there]))
        running.said("reload")
        before = running.report()["packets"]["tx"]
        wait_until(running, lambda: running.report()["packets"]["tx"] > before + FLOWS, "packets to the neighbour")
        # A burst that met the route before the neighbour may have been put back once.
        put_back = running.report()["control"]["put_back"]
        before = running.report()["packets"]["tx"]
        wait_until(running, lambda: running.report()["packets"]["tx"] > before + FLOWS, "more packets to the neighbour")
        result = running.running.interrupt().result
    assert result["control"]["put_back"] == put_back, result["control"]
    assert result["control"]["punted"].keys() <= {"unreachable", "neighbour_unknown"}, result["control"]


def test_reloads_take_no_more_memory(request, packetwarp):
    """500 routes, of which one changes each time: the file as it was is gone when another is in force. `--soak`: 1,000 reloads."""
    reloads, warm_up = (1000 if request.config.getoption("--soak") else 200), 20
    with live(packetwarp, with_routes(255), "net_null0,no-rx=1", "net_null1,no-rx=1") as running, running.client() as client:
        answers = client.makefile()
        texts = []
        for n in range(2):
            file = with_routes(255)
            file["routes"] += [{"to": f"172.17.{m}.0/24", "via": "198.51.100.2"} for m in range(245)]
            file["routes"].append({"to": "203.0.113.0/24", "via": f"198.51.100.{2 + n}"})
            running.write(file)
            texts.append(running.config.read_text())

        def reload(n):
            running.config.write_text(texts[n % 2])
            client.sendall(b'{"command":"reload"}\n')
            assert json.loads(answers.readline())["status"] == 0

        for n in range(warm_up):
            reload(n)
        warm = resident_bytes(running.running.process.pid)
        for n in range(reloads - warm_up):
            reload(n)
        more = resident_bytes(running.running.process.pid) - warm
        running.running.interrupt()
    assert more < 16 << 20, f"{more} bytes more after {reloads} reloads"
