# SPDX-License-Identifier: Apache-2.0
"""The plans and commands of python/record_traffic: the same for a seed, within their bounds, and towards the plan's own addresses only."""
from __future__ import annotations

import ipaddress
import itertools
import json
import random
import re

import pytest

from record_traffic.families import FAMILIES
from record_traffic.line import LONGEST_QUEUE, Direction
from record_traffic.plan import NORMAL, POOLS, Line, is_flood
from record_traffic.recording import LONGEST
from record_traffic.scenarios import ATTACK, MIXED, listed
from record_traffic.services import PACKAGES

PACKETS = 20_000
CASES = [(scenario, seed, tools) for scenario in listed().values() for seed in range(1, 7) for tools in ("usual", "other", "drawn")]


def words_of(scenario, seed, tools):
    return [command.argv for job in scenario.jobs(scenario.plan(seed, tools, PACKETS)) for command in job.commands]


def test_a_plan_is_the_same_for_the_same_seed_and_another_for_another():
    for scenario in listed().values():
        assert scenario.plan(4, "usual", PACKETS) == scenario.plan(4, "usual", PACKETS)
        assert words_of(scenario, 4, "usual") == words_of(scenario, 4, "usual")
        plans = [scenario.plan(seed, "usual", PACKETS) for seed in range(20)]
        for part, fewest in (("victim", 20), ("pages", 20), ("services", 10)):
            assert len({getattr(plan, part) for plan in plans}) >= fewest, part


def test_hosts_have_prefixes_of_their_own():
    for scenario, seed, tools in CASES:
        plan = scenario.plan(seed, tools, PACKETS)
        hosts = (plan.victim, *plan.outside)
        for one, other in itertools.combinations(hosts, 2):
            assert not one.prefix.overlaps(other.prefix) and not one.prefix6.overlaps(other.prefix6)
        for host in hosts:
            assert any(host.prefix.subnet_of(pool) for pool in POOLS) and host.prefix6.is_private
            assert host.address in host.prefix and host.address != host.gateway and host.address6 in host.prefix6
        assert set(plan.addresses) <= set(plan.victim.prefix.hosts()) - {plan.victim.gateway}
        for attacker in plan.attackers:
            forged = plan.forged_sources(attacker)
            assert set(forged) <= set(attacker.prefix.hosts()) - {attacker.address, attacker.gateway}


def test_the_victim_has_activities_of_its_own_in_some_scenarios():
    for scenario in listed().values():
        jobs = scenario.jobs(scenario.plan(1, "usual", PACKETS))
        assert [job.host.name for job in jobs].count("victim") == len(scenario.victims_own)
    assert listed()["gateway"].victims_own and listed()["gateway"].label == NORMAL


def test_the_label_of_a_host_is_its_role():
    for scenario in listed().values():
        plan = scenario.plan(1, "usual", PACKETS)
        assert [host.label for host in plan.clients] == [NORMAL] * len(scenario.activities)
        assert tuple(host.label for host in plan.attackers) == scenario.families
        assert scenario.label == (NORMAL if not plan.attackers else MIXED if plan.clients else ATTACK)


def addresses_in(text):
    """Everything in a word that is an address or a prefix."""
    for part in re.findall(r"[0-9a-f]*:[0-9a-f:]+|\d+\.\d+\.\d+\.\d+(?:/\d+)?", text):
        try:
            yield ipaddress.ip_network(part)
        except ValueError:
            pass


def test_commands_go_to_addresses_of_the_victim_only_and_the_victims_own_to_its_client():
    found = 0
    for scenario, seed, tools in CASES:
        plan = scenario.plan(seed, tools, PACKETS)
        victim = (plan.victim.prefix, plan.victim.prefix6, *(host.prefix for host in plan.clients if scenario.victims_own))
        for argv in words_of(scenario, seed, tools):
            for network in itertools.chain.from_iterable(map(addresses_in, argv)):
                assert any(network.version == own.version and network.subnet_of(own) for own in victim), argv
                found += 1
    assert found > len(CASES)


def option(argv, name):
    return argv[argv.index(name) + 1]


def test_attacks_are_bounded_in_number_and_time():
    for scenario, seed, tools in CASES:
        for argv in words_of(scenario, seed, tools):
            match argv[0]:
                case "hping3" | "nping" | "ping":
                    assert int(option(argv, "-c")) <= PACKETS // 2 and "--flood" not in argv and "--rand-source" not in argv
                case "nmap":
                    assert "-sn" in argv or (len(option(argv, "-p").split(",")) <= 1500 and option(argv, "--host-timeout"))
                case "slowhttptest":
                    assert int(option(argv, "-l")) <= 12 and int(option(argv, "-c")) <= 300
                case "SCRIPT" if argv[1] == "_send":
                    spec = json.loads(argv[2])
                    assert spec["count"] <= PACKETS // 2 and spec["seconds"] <= 25 and spec["rate"] <= 8000
                case "hydra":
                    assert option(argv, "-P").startswith("WORK/")
        for job in scenario.jobs(scenario.plan(seed, tools, PACKETS)):
            assert all(command.seconds <= 25 and command.pause <= 8 for command in job.commands)
    assert LONGEST <= 60


def test_both_tools_of_a_family_differ():
    for name, family in FAMILIES.items():
        scenario = listed()[name]
        assert {argv[0] for argv in words_of(scenario, 1, "usual")} - {"sh"} != {argv[0] for argv in words_of(scenario, 1, "other")} - {"sh"}
        assert family.usual is not family.other


def test_drawn_attacks_differ_from_seed_to_seed():
    """Otherwise a model learns the headers of one tool."""
    for name, family in FAMILIES.items():
        if family.drawn is family.usual or name in ("connect_scan", "ssh_brute_force", "web_brute_force", "slow_http"):
            continue
        specs = [json.loads(argv[2]) for seed in range(20) for argv in words_of(listed()[name], seed, "drawn") if argv[1] == "_send"]
        assert len(specs) == 20, name
        assert len({round(spec["rate"], 6) for spec in specs}) == 20 and len({spec["ttl"] for spec in specs}) > 10, name


def test_only_floods_may_forge_and_have_no_line():
    for scenario, seed, tools in CASES:
        for host in scenario.plan(seed, tools, PACKETS).attackers:
            assert (host.line is None) == is_flood(host.label) == (host.label.split("_")[-1] in ("flood", "amplification", "reflection"))


def test_every_program_has_the_name_of_its_package():
    for scenario, seed, tools in CASES:
        assert scenario.tools(scenario.plan(seed, tools, PACKETS)) <= set(PACKAGES)


def test_benign_clients_and_attackers_use_both_versions_of_ip():
    """Otherwise a model learns that IPv6 is benign."""
    for name in ("browse", "syn_scan", "connect_scan", "slow_http", "web_brute_force"):
        for tools in ("usual", "other"):
            text = " ".join(" ".join(argv) for seed in range(40) for argv in words_of(listed()[name], seed, tools))
            assert {network.version for network in addresses_in(text)} == {4, 6}, (name, tools)


# --- lines --------------------------------------------------------------------------------------------------------------


def test_a_line_delays_and_keeps_the_order():
    direction = Direction(Line(0.02, 0.01, 100_000_000, 0.0), random.Random(1))
    sent = [number * 0.001 for number in range(200)]
    arrived = [direction.arrival(when, 1000) for when in sent]
    assert arrived == sorted(arrived)
    assert all(0.02 <= there - here <= 0.02 + 0.01 + 0.001 for here, there in zip(sent, arrived, strict=True))


def test_a_line_has_a_rate_and_a_queue_with_an_end():
    direction = Direction(Line(0.0, 0.0, 1_000_000, 0.0), random.Random(1))
    arrived = [direction.arrival(0.0, 1250) for _ in range(100)]  # 10 ms each
    kept = [when for when in arrived if when is not None]
    assert kept == pytest.approx([0.01 * (number + 1) for number in range(len(kept))])
    assert LONGEST_QUEUE / 0.01 - 1 <= len(kept) <= LONGEST_QUEUE / 0.01 + 1 and arrived[len(kept):] == [None] * (100 - len(kept))


def test_a_line_loses_frames_as_often_as_it_says():
    direction = Direction(Line(0.0, 0.0, 1_000_000_000, 0.25), random.Random(1))
    lost = sum(direction.arrival(number, 100) is None for number in range(10_000))
    assert 2_300 < lost < 2_700
