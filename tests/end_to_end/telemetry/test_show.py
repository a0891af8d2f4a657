# SPDX-License-Identifier: Apache-2.0
"""The output of `packetwarp show` for a running network, beside other sources: its file, Linux at the other end of a wire, and
its report."""
from __future__ import annotations

import collections
import contextlib
import copy
import ipaddress
import itertools
import json
import pathlib
import socket
import tempfile
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from harness import FAILED, ROOT, WRONG_USAGE, Program, resident_bytes
from live import FLOWS, GATEWAY_MAC, HOST_MAC, LEFT_MAC, NAT44, RIGHT_MAC, ROUTED, Live, live, routed, wait_until
from namespaces import wait_for
from router_network import LEFT_HOST_MAC, RIGHT_HOST_MAC, ping, ping_in_vain, router_between, two_networks
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from scapy.utils import wrpcap

IDLE = ("net_null0,no-rx=1", "net_null1,no-rx=1")
MORE_ROUTES = [{"to": "203.0.113.0/24", "via": "198.51.100.3"}, {"to": "203.0.113.128/25", "discard": True},
               {"to": "172.16.0.0/12", "interface": "right"}, {"to": "2001:db8:9::/48", "via": "2001:db8:1::9"}]


def with_more() -> dict[str, Any]:
    file = copy.deepcopy(ROUTED)
    file["interfaces"][0]["addresses"].append("2001:db8:1::1/64")
    file["routes"] += MORE_ROUTES
    return file


def shown(made: Live, noun: str, *words: str) -> Any:
    return made.json("show", noun, *words)


def expected_routes(file: dict[str, Any]) -> set[tuple[str, str, str | None, str | None]]:
    """Prefix, kind, neighbour, interface: what follows from a file, worked out by Python's ipaddress."""
    wires = {ipaddress.ip_interface(address).network: one["name"] for one in file["interfaces"] for address in one["addresses"]}
    made = {(str(prefix), "connected", None, name) for prefix, name in wires.items()}
    for route in file["routes"]:
        via = route.get("via")
        name = route.get("interface") or next((name for prefix, name in wires.items() if via and ipaddress.ip_address(via) in prefix), None)
        made.add((route["to"], "discard" if route.get("discard") else "via" if via else "connected", via, name))
    return made


def as_set(rows: list[dict[str, Any]]) -> set[tuple[str, str, str | None, str | None]]:
    made = {(row["prefix"], row["kind"], row.get("via"), row.get("interface")) for row in rows}
    assert len(made) == len(rows), "each once"
    return made


def lines_of(config: pathlib.Path) -> dict[str, int]:
    """By prefix, where the file has its route: yaml.safe_dump writes a list's entry as '- to: PREFIX', or last the other way round."""
    found = {}
    for number, line in enumerate(config.read_text().splitlines(), start=1):
        if line.lstrip("- ").startswith("to: "):
            found[line.split("to: ")[1]] = number
    return found


def test_routes_are_those_of_the_file_and_of_the_addresses(packetwarp):
    with live(packetwarp, with_more(), *IDLE) as running:
        said = shown(running, "routes")
        assert as_set(said["routes"]) == expected_routes(with_more())
        assert (said["total"], said["connected"], said["changing"]) == (8, 3, False)
        lines = lines_of(running.config)
        for row in said["routes"]:
            if row["origin"] == "file":
                assert row["line"] == lines[row["prefix"]], row
            else:
                assert row["origin"] == "address" and "line" not in row
        text = running.said("show", "routes").splitlines()
        assert text[0].split() == ["prefix", "kind", "via", "interface", "origin"] and len(text) == 9
        assert any(line.split()[:4] == ["203.0.113.0/24", "via", "198.51.100.3", "right"] for line in text)
        running.running.interrupt()


@pytest.mark.parametrize(("to", "kind", "prefix", "via", "mac", "state"), (
    ("8.8.8.8", "via", "0.0.0.0/0", "198.51.100.2", GATEWAY_MAC, "permanent"),
    ("203.0.113.9", "via", "203.0.113.0/24", "198.51.100.3", None, "unknown"),
    ("203.0.113.129", "discard", "203.0.113.128/25", None, None, None),
    ("10.0.0.2", "connected", "10.0.0.0/24", "10.0.0.2", HOST_MAC, "permanent"),
    ("172.16.9.9", "connected", "172.16.0.0/12", "172.16.9.9", None, "unknown"),
    ("10.0.0.1", "own", "10.0.0.0/24", None, None, None),
    ("10.0.0.255", "broadcast", "10.0.0.0/24", None, None, None),
    ("2001:db8:9::1", "via", "2001:db8:9::/48", "2001:db8:1::9", None, "unknown"),
    ("2001:db8:10::1", "none", None, None, None, None),
    ("224.0.0.1", "never_routed", None, None, None, None),
    ("169.254.0.1", "never_routed", None, None, None, None),
    ("127.0.0.1", "never_routed", None, None, None, None)))
def test_an_address_is_looked_up_as_packets_to_it_are(one_router, to, kind, prefix, via, mac, state):
    said = shown(one_router, "routes", to)
    assert (said["address"], said["kind"]) == (to, kind)
    assert (said["route"] or {}).get("prefix") == prefix
    hop = said["next_hop"] or {}
    assert (hop.get("address"), hop.get("mac"), hop.get("state")) == (via, mac, state)
    text = one_router.said("show", "routes", to)
    assert text.startswith(f"{to}: ") and (mac is None or mac in text)


@pytest.mark.parametrize(("prefix", "found"), (("203.0.113.0/26", "203.0.113.0/24"), ("203.0.113.0/24", "203.0.113.0/24"),
                                               ("203.0.113.192/26", "203.0.113.128/25"), ("203.0.112.0/23", "0.0.0.0/0"),
                                               ("2001:db8:9:1::/64", "2001:db8:9::/48"), ("2001:db8::/32", None)))
def test_a_prefix_is_looked_up_with_the_longest_route_around_it(one_router, prefix, found):
    said = shown(one_router, "routes", prefix)
    assert said["prefix"] == prefix and (said["route"] or {}).get("prefix") == found
    assert one_router.said("show", "routes", prefix).startswith(f"{prefix}: {found or 'no route'}")


@pytest.fixture(scope="module")
def one_router(request, tmp_path_factory):
    """A router for all tests that only read."""
    program = Program(pathlib.Path(request.config.getoption("--packetwarp")), tmp_path_factory.mktemp("one"))
    with live(program, with_more(), *IDLE) as running:
        yield running
        running.running.interrupt()


def test_lists_are_cut_by_limit_and_go_on_from_where_they_say(one_router):
    everything = shown(one_router, "routes")["routes"]
    first = shown(one_router, "routes", "--limit", "3")
    assert first["routes"] == everything[:3] and first["next"] == everything[3]["prefix"]
    rest = shown(one_router, "routes", "--from", first["next"])
    assert rest["routes"] == everything[3:] and "next" not in rest
    text = one_router.said("show", "routes", "--limit", "3").splitlines()
    assert len(text) == 5 and text[-1] == f"3 of 8 are shown; --limit N shows more, --from {first['next']} goes on from there"
    hosts = shown(one_router, "neighbours")["neighbours"]
    one = shown(one_router, "neighbours", "--limit", "1")
    assert one["neighbours"] == hosts[:1] and one["next"] == "right/198.51.100.2"
    assert shown(one_router, "neighbours", "--from", one["next"])["neighbours"] == hosts[1:]


def test_interfaces_are_the_file_s_with_their_counts(packetwarp):
    file = copy.deepcopy(ROUTED)
    file["interfaces"].reverse()
    file["interfaces"][0]["mtu"] = 1400
    with routed(packetwarp, file) as running:
        wait_until(running, lambda: shown(running, "interfaces")["interfaces"][1]["rx_packets"] > 0, "packets")
        before = {one["id"]: one for one in running.report()["ports"]}
        right, left = shown(running, "interfaces")["interfaces"]
        text = running.said("show", "interfaces")
        after = {one["id"]: one for one in running.running.interrupt().result["ports"]}
    assert (left["name"], left["port"], left["device"], left["mac"], left["mtu"]) == ("left", 0, "net_pcap0", LEFT_MAC, 1500)
    assert (right["name"], right["port"], right["driver"], right["mac"], right["mtu"]) == ("right", 1, "net_null", RIGHT_MAC, 1400)
    assert left["addresses"] == ["fe80::ff:fe00:1/64", "10.0.0.1/24"] and left["kernel"] is None and left["state"] == "up"
    for one in (left, right):
        for key in ("rx_packets", "rx_bytes", "tx_packets", "tx_bytes", "imissed", "ierrors", "oerrors", "rx_nombuf"):
            assert before[one["port"]][key] <= one[key] <= after[one["port"]][key], (one["name"], key)
    assert left["received"] > 0 and (left["dropped"], left["punted"], right["received"]) == (0, 0, 0)
    assert all(word in text for word in ("left", "right", LEFT_MAC, RIGHT_MAC, "10.0.0.1/24", "rx packets", "dropped"))


@contextlib.contextmanager
def between_linux(packetwarp, namespaces, file):
    """A router between two Linux hosts, with a control socket."""
    with tempfile.TemporaryDirectory(prefix="pw") as folder:
        control = f"{folder}/s"
        with router_between(packetwarp, namespaces, {**file, "control": control}) as network:
            def ask(noun: str, *words: str) -> Any:
                done = packetwarp.run("show", [noun, *words, "--json", "--control", control])
                assert done.status == 0, done
                return json.loads(done.stdout)
            yield network, ask


def test_neighbours_are_what_linux_says_of_itself(packetwarp, namespaces):
    """The other ends' own MAC and IP addresses; an absent one is incomplete, with its waiting packets."""
    with between_linux(packetwarp, namespaces, two_networks()) as (network, ask):
        assert ping(network.left, "2.2.2.2").received == ping(network.left, "2001:db8:2::2").received == 3
        truth = {}
        for host, interface, name in ((network.left, "l0", "left"), (network.right, "r0", "right")):
            link = json.loads(host.ip("-j", "addr", "show", "dev", interface).stdout)[0]
            for address in link["addr_info"]:
                truth[address["local"]] = (name, link["address"])
        said = {one["address"]: one for one in ask("neighbours")["neighbours"]}
        for address in ("1.1.1.2", "2.2.2.2", "2001:db8:1::2", "2001:db8:2::2"):
            one = said[address]
            assert (one["interface"], one["mac"]) == truth[address], one
            assert one["state"] in ("reachable", "stale") and 0 <= one["age"] < 600 and one["waiting"] == 0
        assert {one["mac"] for one in said.values()} == {LEFT_HOST_MAC, RIGHT_HOST_MAC}
        # Linux has the router's addresses with the MAC addresses that `show interfaces` says.
        macs = {one["name"]: one["mac"] for one in ask("interfaces")["interfaces"]}
        linux = {one["dst"]: one.get("lladdr") for one in json.loads(network.left.ip("-j", "neigh").stdout)}
        assert linux["1.1.1.1"] == macs["left"]
        hop = ask("routes", "2.2.2.2")["next_hop"]
        assert (hop["mac"], hop["interface"]) == (RIGHT_HOST_MAC, "right")
        asking = network.left.popen("ping", "-n", "-c", "40", "-i", "0.05", "2.2.2.77")
        with asking:
            found = wait_for(lambda: [one for one in ask("neighbours")["neighbours"] if one["address"] == "2.2.2.77"], "the question")
            assert found[0]["state"] == "incomplete" and found[0]["mac"] is None and found[0]["waiting"] > 0, found
        network.end()


def test_packets_that_linux_counted_are_the_interfaces(packetwarp, namespaces):
    with between_linux(packetwarp, namespaces, two_networks()) as (network, ask):
        assert ping(network.left, "2.2.2.2", count=10).received == 10
        ping_in_vain(network.left, "9.9.9.9", count=2)
        link = json.loads(network.middle.ip("-j", "-s", "link", "show", "dev", "w0").stdout)[0]["stats64"]
        left = next(one for one in ask("interfaces")["interfaces"] if one["name"] == "left")
        # Linux has counted what packetwarp has received, and perhaps not received yet.
        assert 12 <= left["rx_packets"] <= link["rx"]["packets"] + 50 and left["tx_packets"] >= 10
        done = network.end().result
        assert left["punted"] > 0
        assert left["rx_packets"] <= next(one for one in done["ports"] if one["id"] == left["port"])["rx_packets"]


def frames_that_are_dropped() -> dict[tuple[str, str], list[bytes]]:
    """By stage and name, frames for the left interface that its function drops, and by no name those that leave."""
    def frame(to: str = LEFT_MAC, **fields: Any) -> Any:
        return Ether(src=HOST_MAC, dst=to) / IP(**{"src": "10.0.0.2", "dst": "203.0.113.9", **fields}) / UDP(sport=4000, dport=53) / (22 * b"x")
    return {("router", "not_for_us"): [frame("02:00:00:00:99:99")] * 7, ("router", "martian_source"): [frame(src="127.0.0.1")] * 5,
            ("router", "bad_checksum"): [frame(chksum=1)] * 3, ("router", "martian_destination"): [frame(dst="127.0.0.9")] * 2,
            ("rules", "rule_drop"): [frame(src="10.0.0.66")] * 11, ("nat44", "protocol"): [frame(proto=132)] * 4, ("", ""): [frame()] * 6}


def test_drops_are_what_scapy_sent_by_stage_and_interface(packetwarp):
    """Each kind of frame once through rules, router and NAT44."""
    sent = frames_that_are_dropped()
    capture, rules = packetwarp.folder / "dropped.pcap", packetwarp.folder / "flows.txt"
    wrpcap(str(capture), [one for frames in sent.values() for one in frames])
    rules.write_text("flow create 0 ingress pattern eth / ipv4 src is 10.0.0.66 / end actions count / drop / end\n")
    file = {**copy.deepcopy(ROUTED), "nat44": NAT44, "rules": {"file": str(rules)}}
    lost = sum(len(frames) for name, frames in sent.items() if name[0])
    with live(packetwarp, file, f"net_pcap0,rx_pcap={capture}", "net_null1,no-rx=1") as running:
        wait_until(running, lambda: shown(running, "interfaces")["interfaces"][0]["dropped"] == lost, "all drops")
        said = shown(running, "drops")["drops"]
        every = shown(running, "drops", "--all")["drops"]
        rule = shown(running, "rules")["rules"]
        text = running.said("show", "drops")
        left, right = shown(running, "interfaces")["interfaces"]
        done = running.running.interrupt()
    dropped = {(one["stage"], one["drop"]): one["packets"] for one in said if one["interface"] == "left"}
    assert dropped == {name: len(frames) for name, frames in sent.items() if name[0]}
    assert all(one["interface"] == "left" and one["port"] == 0 for one in said)
    assert left["dropped"] == sum(dropped.values()) == sum(done.packets.dropped.values()) and right["dropped"] == 0
    assert {one["drop"]: one["packets"] for one in said} == done.packets.dropped
    assert [(one["hits"], one["line"]) for one in rule] == [(11, 1)]
    assert "rule_drop" in text and "11" in text
    # The zero ones are all that there may be, by the names of docs/l2fwd.md and of the functions' pages.
    names = {(one["stage"], one["drop"], one["interface"]) for one in every}
    assert len(names) == len(every) > 60 and {("port", "imissed", "right"), ("data path", "tx_full", "left"), ("nat44", "no_session", "right"),
                                              ("control plane", "icmp_limited", None), ("rules", "no_rule", "left")} <= names
    assert [one for one in every if one["packets"]] == said
    pages = "".join(page.read_text() for page in (ROOT / "docs").rglob("*.md"))
    assert not [one["drop"] for one in every if f"`{one['drop']}`" not in pages], "each name is documented"


def test_drops_of_the_control_plane_are_its_own(packetwarp, namespaces):
    with between_linux(packetwarp, namespaces, two_networks()) as (network, ask):
        assert ping(network.left, "2.2.2.2").received == 3
        assert ask("drops")["drops"], "ARP requests are answered and gone"
        said = {one["drop"]: one["packets"] for one in ask("drops")["drops"] if one["stage"].startswith("control plane")}
        done = network.end().result["control"]["dropped"]
        assert said and all(0 < packets <= done[name] for name, packets in said.items())


def test_nat_is_what_its_sessions_say(packetwarp):
    """Ports in use beside the list of sessions, each of which has a port of its own; mappings beside the file's."""
    pool = ["198.51.100.1", "198.18.0.1-198.18.0.3"]
    static = [{"protocol": "tcp", "inside": "10.0.0.2:80", "outside": "198.51.100.1:8080"}, {"inside": "10.0.0.77", "outside": "198.18.9.9"}]
    file = {**copy.deepcopy(ROUTED), "nat44": {**NAT44, "pool": pool, "static": static, "per_host": 500, "timeouts": {"udp": 301}}}
    with routed(packetwarp, file, hosts=5) as running:
        wait_until(running, lambda: running.json("nat", "stats")["udp"] == FLOWS, "a session of each flow")
        said, stats = shown(running, "nat"), running.json("nat", "stats")
        sessions = running.json("nat", "sessions")["sessions"]
        text = running.said("show", "nat")
        pages = [shown(running, "nat", "--limit", "2"), shown(running, "nat", "--from", "2")]
        running.running.interrupt()
    assert said["sessions"] == stats
    used = collections.Counter((one["outside"].split(":")[0], one["protocol"]) for one in sessions)
    addresses = [one for one in said["outside"] if one["use"] == "pool"]
    assert [one["outside"] for one in addresses] == ["198.51.100.1", "198.18.0.1", "198.18.0.2", "198.18.0.3"]
    for one in addresses:
        assert all(one[kind] == used[one["outside"], kind] for kind in ("udp", "tcp", "icmp")), (one, used)
    assert sum(one["udp"] for one in addresses) == FLOWS and used["198.51.100.1", "tcp"] == 1
    mappings = {(one["use"], one.get("protocol"), one["inside"], one["outside"]) for one in said["outside"] if one["use"] != "pool"}
    assert mappings == {("port_forward", "tcp", "10.0.0.2:80", "198.51.100.1:8080"), ("static", None, "10.0.0.77", "198.18.9.9")}
    assert (said["limits"]["sessions_per_host"], said["limits"]["first_port"], said["settings"]["timeouts"]["udp"]) == (500, 1024, 301)
    assert pages[0]["outside"] + pages[1]["outside"] == said["outside"] and pages[0]["next"] == "2"
    assert "limits     sessions of a host 500" in text and "forward tcp" in text


def test_rules_are_those_of_the_file_and_of_flow_commands_with_their_hits(packetwarp):
    with live(packetwarp, with_rules_alone(packetwarp), "net_null0", "net_null1,no-rx=1") as running:
        typed = "priority 1 ingress pattern eth / ipv4 src is 192.0.2.1 / end actions count / drop / end"
        running.said("flow", "create", "0", *typed.split())
        running.said("flow", "create", "1", "egress", *"pattern eth / end actions drop / end".split())
        def hits() -> int:
            return shown(running, "rules")["rules"][0]["hits"]
        wait_until(running, lambda: hits() > 0, "packets")
        first = shown(running, "rules")
        wait_until(running, lambda: hits() > first["rules"][0]["hits"], "more packets")
        listed = running.said("flow", "list", "0").splitlines()
        text = running.said("show", "rules").splitlines()
        one_page = shown(running, "rules", "--from", "1", "--limit", "1")
        running.running.interrupt()
    assert [(one["interface"], one["port"], one["rule"], one["line"], one["priority"]) for one in first["rules"]] == [
        ("left", 0, 0, 1, 9), ("left", 0, 1, None, 1), ("right", 1, 0, None, 0)]
    assert first["rules"][0]["text"] in RULES and first["rules"][1]["text"] == typed
    assert 0 < first["rules"][0]["hits"] < int(next(line for line in listed if line.startswith("0\t")).split("\t")[5])
    assert first["rules"][1]["hits"] == 0 and first["rules"][2]["hits"] is None
    assert {one["on"] for one in first["rules"]} <= {"cpu", "gpu"}
    assert len(text) == 4 and text[2].endswith(typed) and " command " in text[2]
    assert one_page["rules"][0]["text"] == typed and one_page["next"] == "2" and one_page["total"] == 3


def amounts(said: dict[str, Any]) -> dict[tuple[str, str | None], dict[str, Any]]:
    found = {(one["what"], one["of"]): one for one in said["memory"]}
    assert len(found) == len(said["memory"])
    assert all(one["used"] <= one["room"] for one in said["memory"] if None not in (one["used"], one["room"])), said
    return found


def test_memory_is_what_plan_counts_and_what_the_lists_have(packetwarp):
    file = {**with_more(), "nat44": NAT44}
    file["neighbours"].append({"interface": "right", "address": "198.51.100.3", "mac": GATEWAY_MAC})
    with routed(packetwarp, file) as running:
        wait_until(running, lambda: running.json("nat", "stats")["udp"] == FLOWS, "a session of each flow")
        found, routes = amounts(shown(running, "memory")), shown(running, "routes")["routes"]
        resident = resident_bytes(running.running.process.pid)
        text = running.said("show", "memory")
        running.running.interrupt()
        planned = packetwarp.run("plan", [*running.running.so_far().command[2:running.running.so_far().command.index("--")]], ["-c", str(running.config)])
    pool = found["packet pool", "packetwarp_packets"]
    assert f"packet pool: {pool['room']} packets" in planned.stdout, planned
    assert pool["bytes"] > pool["room"] * 2048
    for family in ("ipv4", "ipv6"):
        assert found["routes", family]["used"] == sum((":" in row["prefix"]) == (family == "ipv6") for row in routes)
    # A group for 203.0.113.x, whose /25 is longer than 24 bits; /48 and /64 have three and five bytes after the first
    # three.
    assert found["route groups", "ipv4"]["used"] == 1
    # The vias of the routes, and the neighbours of the file: 198.51.100.2, .3, 2001:db8:1::9, 10.0.0.2.
    assert found["next hops", None]["used"] == 4
    assert found["nat44 sessions", None]["used"] == FLOWS and found["nat44 sessions", None]["room"] == 65536
    assert found["neighbours learnt", "left"]["used"] == 0
    assert abs(found["process", None]["bytes"] - resident) < 64 << 20
    assert found["pipeline", "0"]["room"] > 0 and ("pipeline", "1") in found
    assert {of for what, of in found if what == "punted packets"} == {"neighbours", "own_addresses", "icmp_errors", "fragments", "others"}
    assert "packet pool" in text and "route groups" in text


def test_memory_of_neighbours_is_what_is_learnt(packetwarp, namespaces):
    with between_linux(packetwarp, namespaces, two_networks()) as (network, ask):
        before = amounts(ask("memory"))["hosts", "ipv4"]["used"]
        assert ping(network.left, "2.2.2.2").received == 3
        known = [one for one in ask("neighbours")["neighbours"] if one["state"] in ("reachable", "stale")]
        found = amounts(ask("memory"))
        for name in ("left", "right"):
            assert found["neighbours learnt", name]["used"] == sum(one["interface"] == name for one in known)
        assert found["hosts", "ipv4"]["used"] - before <= 2 and found["hosts", "ipv4"]["used"] >= 6  # own, broadcast and the two hosts
        with network.left.popen("ping", "-n", "-c", "40", "-i", "0.05", "2.2.2.77"):
            def waits() -> Any:
                found = amounts(ask("memory"))
                waiting = found["packets that wait for a MAC address", None]["used"]
                return 0 < waiting <= found["packet pool", "packetwarp_packets"]["used"]
            wait_for(waits, "packets of the pool that wait")
        network.end()


RULES = "flow create 0 priority 9 ingress pattern eth / end actions count / port_id id 1 / end\n"


def with_rules_alone(packetwarp) -> dict[str, Any]:
    file = packetwarp.folder / "flows.txt"
    file.write_text(RULES)
    return {"interfaces": [{"name": "left", "port": 0}, {"name": "right", "port": 1}], "rules": {"file": str(file)}}


@contextlib.contextmanager
def answering(pages: Iterator[dict[str, Any]]) -> Iterator[tuple[str, list[dict[str, str]]]]:
    """A control socket that answers each request by the next of these pages: its path, and the arguments of each request."""
    asked: list[dict[str, str]] = []
    with tempfile.TemporaryDirectory(prefix="pw") as folder, socket.socket(socket.AF_UNIX) as listening:
        listening.bind(f"{folder}/s")
        listening.listen()

        def answer() -> None:
            client, _ = listening.accept()
            with client, client.makefile() as lines:
                for line in lines:
                    asked.append(json.loads(line)["arguments"])
                    client.sendall(json.dumps({"status": 0, "result": next(pages)}).encode() + b"\n")
        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        yield f"{folder}/s", asked
        thread.join(20)


def page_of(version: int, prefix: str, following: str | None) -> dict[str, Any]:
    page = {"version": version, "changing": False, "total": 2, "routes": [{"prefix": prefix, "kind": "discard", "origin": "file", "line": version}]}
    return page if following is None else {**page, "next": following}


def test_a_list_begins_anew_where_a_reload_comes_in_force_between_two_pages(packetwarp):
    pages = iter([page_of(1, "10.0.0.0/8", "11.0.0.0/8"), page_of(2, "11.0.0.0/8", None), page_of(2, "10.0.0.0/8", "11.0.0.0/8"), page_of(2, "11.0.0.0/8", None)])
    with answering(pages) as (control, asked):
        said = json.loads(packetwarp.run("show", ["routes", "--json", "--control", control]).stdout)
    assert [(row["prefix"], row["line"]) for row in said["routes"]] == [("10.0.0.0/8", 2), ("11.0.0.0/8", 2)] and said["version"] == 2
    assert [one.get("from") for one in asked] == [None, "11.0.0.0/8", None, "11.0.0.0/8"]
    assert [one["limit"] for one in asked] == ["1000", "999", "1000", "999"]


def test_a_list_that_changes_all_the_time_is_given_up_in_one_line(packetwarp):
    pages = (page_of(n, "10.0.0.0/8", "11.0.0.0/8") for n in itertools.count())
    with answering(pages) as (control, asked):
        one_error(packetwarp.run("show", ["routes", "--control", control]), FAILED, "show routes", "5 times in a row")
    assert len(asked) == 10


def one_error(done, status: int, *words: str) -> None:
    assert done.status == status and len(done.errors) == 1 and done.stdout == "", done
    assert all(word in done.errors[0] for word in words), done.errors


def test_what_is_wrong_is_one_line(one_router):
    for words, says in ((("nonsense",), ("'nonsense'", "interfaces, routes")), ((), ("give one of interfaces",)),
                        (("routes", "300.0.0.1"), ("'300.0.0.1'", "give an address")), (("routes", "10.0.0.0/33"), ("give an address",)),
                        (("routes", "--from", "10.0.0.1"), ("--from '10.0.0.1'", "prefix")), (("routes", "--limit", "0"), ("--limit", "least is 1")),
                        (("routes", "10.0.0.1", "--limit", "1"), ("--limit",)), (("routes", "10.0.0.1", "10.0.0.2"), ("10.0.0.2",)),
                        (("neighbours", "--from", "middle/10.0.0.1"), ("--from 'middle/10.0.0.1'", "left/192.0.2.1")),
                        (("neighbours", "10.0.0.1"), ("10.0.0.1",)), (("nat",), ("show nat", "no nat44")), (("rules",), ("show rules", "no 'rules'")),
                        (("drops", "--limit", "1"), ("--limit",)), (("memory", "x"), ("x",)), (("routes", "--all"), ("--all",)), (("interfaces", "--limit", "1"), ("--limit",))):
        one_error(one_router.packetwarp.run("show", [*words, "--control", str(one_router.control)] if words else []), WRONG_USAGE, *says)
    one_error(one_router.packetwarp.run("show", ["routes", "--control", str(one_router.control) + ".none"]), FAILED, "no packetwarp runs there")


def test_a_run_without_routes_says_so(packetwarp):
    with live(packetwarp, with_rules_alone(packetwarp), *IDLE) as running:
        one_error(running.ask("show", "rules", "--from", "x"), WRONG_USAGE, "--from 'x'", "number of rows")
        for noun in ("routes", "neighbours"):
            one_error(running.ask("show", noun), WRONG_USAGE, f"show {noun}", "rules and no 'routes'")
        assert ("flow rules", None) in amounts(shown(running, "memory")) and shown(running, "drops")["drops"] == []
        assert [one["addresses"] for one in shown(running, "interfaces")["interfaces"]] == [[], []]
        running.running.interrupt()


def test_l2fwd_has_nothing_to_show(packetwarp):
    with tempfile.TemporaryDirectory(prefix="pw") as folder:
        control = f"{folder}/s"
        with packetwarp.running(["-l", "0-1", "--vdev=net_null0,no-rx=1", "--vdev=net_null1,no-rx=1"], ["--control", control]) as forwarding:
            forwarding.wait_until_forwarding()
            one_error(packetwarp.run("show", ["routes", "--control", control]), WRONG_USAGE, "l2fwd", "no 'show'")
            forwarding.interrupt()
