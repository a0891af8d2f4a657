# SPDX-License-Identifier: Apache-2.0
"""The list of scenarios: which benign clients and which attackers a recording has."""
from __future__ import annotations

import dataclasses

from .benign import ACTIVITIES, SCRIPT, Command
from .families import FAMILIES
from .plan import NORMAL, Host, Plan, draw, is_flood
from .services import tools_of

ATTACK, MIXED = "attack", "mixed"
# Programs that every recording needs.
ALWAYS = frozenset({"ip", "ethtool", "tcpdump"})


@dataclasses.dataclass(frozen=True)
class Job:
    """The commands of one host, one after another."""

    host: Host
    commands: tuple[Command, ...]

    @property
    def tools(self) -> frozenset[str]:
        return frozenset(command.argv[0] for command in self.commands) - {SCRIPT, "sh"}


@dataclasses.dataclass(frozen=True)
class Scenario:
    name: str
    activities: tuple[tuple[str, ...], ...]  # of each benign client
    families: tuple[str, ...] = ()  # of each attacker
    rounds: int = 1  # times that benign clients begin anew: they outlast the attacks
    victims_own: tuple[str, ...] = ()  # activities of the victim itself

    @property
    def label(self) -> str:
        return MIXED if self.activities and self.families else ATTACK if self.families else NORMAL

    @property
    def services(self) -> frozenset[str]:
        return frozenset().union(*(ACTIVITIES[name][1] for client in self.activities for name in client),
                                 *(FAMILIES[family].services for family in self.families))

    def plan(self, seed: int, tools: str, packets: int) -> Plan:
        return draw(self.name, seed, tools, packets, len(self.activities), self.families)

    def jobs(self, plan: Plan) -> list[Job]:
        """The commands of each host, attackers last."""
        found = []
        for host, names in zip(plan.clients, self.activities, strict=True):
            commands = [command for turn in range(self.rounds) for name in names
                        for command in ACTIVITIES[name][0](plan, host, plan.random(f"{host.name} {name} {turn}"))]
            found.append(Job(host, tuple(commands)))
        found += [Job(plan.victim, tuple(ACTIVITIES[name][0](plan, plan.victim, plan.random(f"victim {name}")))) for name in self.victims_own]
        share = dataclasses.replace(plan, packets=plan.packets // (3 * len(self.families))) if self.label == MIXED else plan
        for host, family in zip(plan.attackers, self.families, strict=True):
            numbers = plan.random(f"{host.name} {family}")
            commands = getattr(FAMILIES[family], plan.tools)(share, host, numbers)
            wait = numbers.uniform(2, 5) if self.activities else 0
            found.append(Job(host, (dataclasses.replace(commands[0], pause=commands[0].pause + wait), *commands[1:])))
        return found

    def tools(self, plan: Plan) -> frozenset[str]:
        """All programs that this recording needs, forged sources by nft among them."""
        forges = any(is_flood(host.label) and plan.forged_sources(host) for host in plan.attackers)
        return ALWAYS.union(tools_of(plan, self.services), *(job.tools for job in self.jobs(plan)), {"nft"} if forges else ())

    def tool_column(self, plan: Plan) -> str:
        """The tools of the attackers, or of the clients if there are none."""
        jobs = [job for job in self.jobs(plan) if job.host.label != NORMAL] or self.jobs(plan)
        return "+".join(sorted(frozenset().union(*(job.tools for job in jobs)))) or "python"


def listed() -> dict[str, Scenario]:
    benign = [
        Scenario("browse", (("browse",), ("browse",))),
        Scenario("busy_web", (("browse_in_parallel",), ("browse_in_parallel",), ("browse",))),
        Scenario("names", (("names",), ("names",))),
        Scenario("transfer", (("transfer",),)),
        Scenario("shell", (("shell",), ("shell",))),
        Scenario("ping", (("ping",), ("ping",))),
        Scenario("check", (("check",),)),
        Scenario("health", (("half_open",), ("half_open", "check"))),
        Scenario("crowd", (("crowd",),)),
        Scenario("gateway", (("serve",),), victims_own=("ask_many",)),
        Scenario("office", (("browse", "names"), ("shell", "browse"), ("ping", "half_open", "check"), ("names", "browse_in_parallel"), ("transfer",))),
    ]
    attacks = [Scenario(family, (), (family,)) for family in FAMILIES]
    several = (("browse", "names"), ("ping", "half_open", "check", "browse"), ("shell",))
    many = (("crowd",), ("browse", "names"))
    mixed = [
        Scenario("mixed_scan", several, ("syn_scan", "ping_sweep"), 2),
        Scenario("mixed_hidden_scan", several, ("slow_scan", "udp_scan"), 2),
        Scenario("mixed_flood", several, ("syn_flood", "udp_flood"), 2),
        Scenario("crowd_scan", many, ("syn_scan", "ping_sweep"), 2),
        Scenario("crowd_flood", many, ("syn_flood", "ack_flood"), 2),
        Scenario("mixed_other_flood", several, ("ack_flood", "icmp_flood"), 2),
        Scenario("mixed_reflection", several, ("amplification", "syn_ack_reflection"), 2),
        Scenario("mixed_brute_force", several, ("ssh_brute_force", "web_brute_force"), 2),
        Scenario("mixed_slow_http", several, ("slow_http", "connect_scan"), 2),
        # Small, for a demonstration: tests/data/detect has a recording of it.
        Scenario("demo", (("browse",), ("ping",), ("names",)), ("syn_scan", "syn_flood")),
    ]
    return {scenario.name: scenario for scenario in (*benign, *attacks, *mixed)}
