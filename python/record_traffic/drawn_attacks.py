# SPDX-License-Identifier: Apache-2.0
"""The same attacks by packet_sender.py, which draws kinds, speeds, sizes, flags and ports anew for each seed: for recordings to train
with, in which no tool's own look is to be learnt. Bounded as the usual ones are."""
from __future__ import annotations

import json
import math
import random

from .benign import SCRIPT, Activity, Command
from .plan import Host, Plan

TCP, UDP, ICMP = 6, 17, 1
SYN, ACK = 2, 16
OTHERS = (4, 41, 47, 50, 51, 89, 97, 132, 150)  # numbers of other protocols
REFLECTORS = (19, 53, 53, 111, 123, 123, 161, 389, 500, 1900, 5353, 11211)  # services that amplify
SERVERS = (22, 25, 80, 80, 443, 443, 8080)
MOST_SECONDS = 25.0


def between(numbers: random.Random, least: float, most: float) -> float:
    """Even over the magnitudes."""
    return math.exp(numbers.uniform(math.log(least), math.log(most)))


def sending(numbers: random.Random, **spec: object) -> Command:
    """A command of packet_sender.py; what the spec does not say is drawn or usual."""
    look = {"seed": numbers.getrandbits(32), "ttl": numbers.randrange(30, 255), "window": numbers.choice((0, 512, 1024, 8192, 29200, 65535)),
            "flags": SYN, "options": numbers.choice(("none", "none", "mss", "usual")), "sizes": [0, 0], "fragments": 0, "source_port": numbers.choice(("random", "rising", numbers.randrange(1024, 65536))),
            "destination_port": "random", "ports": ["spec"], "rounds": 1, "is_uneven": numbers.choice((0, 1)), "seconds": MOST_SECONDS}
    return Command(0.2, (SCRIPT, "_send", json.dumps(look | spec)), MOST_SECONDS)


def sizes(numbers: random.Random, least: int, most: int) -> list[int]:
    one = int(between(numbers, least + 1, most)) - 1
    return [one, one] if numbers.random() < 0.6 else sorted((one, int(between(numbers, least + 1, most)) - 1))


def some_flags(numbers: random.Random) -> int:
    """Any flags of TCP but SYN alone."""
    return numbers.choice([flags for flags in range(64) if flags != SYN])


def flood(kind: str) -> Activity:
    def commands(plan: Plan, host: Host, numbers: random.Random) -> list[Command]:
        services = plan.services
        rate = between(numbers, 300, 8000)
        bound = {"rate": rate, "count": min(plan.packets // 2, int(rate * between(numbers, 1.5, 5))), "rounds": plan.packets, "targets": [str(plan.victim.address)]}
        open_or_not = numbers.choice((services.web, services.web, services.ssh, numbers.randrange(1, 65536), "random"))
        looks = {
            "syn": {"protocol": TCP, "destination_port": open_or_not, "sizes": numbers.choice(([0, 0], [0, 0], sizes(numbers, 1, 900)))},
            "ack": {"protocol": TCP, "destination_port": open_or_not, "flags": numbers.choice((ACK, ACK, ACK | 8, some_flags(numbers))), "options": "none",
                    "sizes": numbers.choice(([0, 0], sizes(numbers, 1, 1300)))},
            "udp": {"protocol": UDP, "destination_port": numbers.choice((services.names, 53, 80, 443, numbers.randrange(1, 65536), "random", "random", "rising")),
                    "sizes": sizes(numbers, 0, 1200)},
            "icmp": {"protocol": ICMP, "destination_port": numbers.choice((1, "random")), "sizes": sizes(numbers, 0, 1200)},
            "frag": {"protocol": numbers.choice((UDP, UDP, TCP, ICMP)), "destination_port": open_or_not, "sizes": sizes(numbers, 200, 1200),
                     "fragments": numbers.choice((24, 64, 200, 560))},
            "other": {"protocol": numbers.choice(OTHERS), "sizes": sizes(numbers, 20, 1200)},
            "reflection": {"protocol": TCP, "source_port": numbers.choice(SERVERS), "destination_port": numbers.choice((services.web, 443, "random", "random")),
                           "flags": numbers.choice((SYN | ACK, SYN | ACK, SYN | ACK, 4 | ACK))},
            "amplification": {"protocol": UDP, "source_port": numbers.choice(REFLECTORS), "destination_port": numbers.choice((80, 443, numbers.randrange(1024, 65536), "random")),
                              "sizes": sizes(numbers, 100, 1200)},
        }
        return [sending(numbers, **looks[kind], **bound)]
    return commands


def scan(kind: str, slowest: float, fastest: float) -> Activity:
    """Ports of one address or of several, or, for a sweep, one or two ports of all addresses of the victim's network."""
    def commands(plan: Plan, host: Host, numbers: random.Random) -> list[Command]:
        rate = between(numbers, slowest, fastest)
        services = plan.services
        count = max(10, min(int(rate * MOST_SECONDS), int(between(numbers, 60, 1200)), plan.packets // 3))
        some = [*numbers.sample(range(1, numbers.choice((1024, 10000, 65536))), min(count, 1000)), services.web, services.ssh]
        targets = list(map(str, plan.addresses if numbers.random() < 0.3 else plan.addresses[:1]))
        if numbers.random() < 0.4:
            some.sort()
        else:
            numbers.shuffle(some)
        fixed = {"source_port": numbers.choice(("random", "rising", numbers.choice((53, 20, 80)), numbers.randrange(1024, 65536)))}
        looks = {"syn": {"protocol": TCP}, "udp": {"protocol": UDP, "sizes": sizes(numbers, 0, 60)},
                 "flag": {"protocol": TCP, "flags": numbers.choice((0, 1, ACK, 1 | 8 | 32, some_flags(numbers))), "options": "none"}}
        if kind == "sweep":
            looks["sweep"] = numbers.choice((looks["syn"], looks["udp"], {"protocol": ICMP, "sizes": sizes(numbers, 0, 100)}, {"protocol": ICMP, "sizes": sizes(numbers, 0, 100)}))
            targets = [str(plan.victim.prefix)]
            some = numbers.sample((22, 23, 80, 443, 445, 3389, services.web), numbers.choice((1, 1, 2)))
        return [sending(numbers, **looks[kind], **fixed, rate=rate, count=count, ports=some, targets=targets)]
    return commands
