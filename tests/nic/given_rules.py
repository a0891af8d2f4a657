# SPDX-License-Identifier: Apache-2.0
"""The 40 rules that a device's port is asked about, and the queues that they name."""
from __future__ import annotations

import itertools

from bed import Bed

QUEUES = 4
PATTERNS = ("eth / ipv4 src is 10.0.0.{n} dst is 10.0.1.{n} proto is 17 / udp src is 10{n} dst is 20{n}",
            "eth / ipv4 src is 10.0.0.{n} dst is 10.0.1.{n} proto is 6 / tcp src is 10{n} dst is 20{n}",
            "eth / ipv4 dst is 10.1.1.{n}", "eth / ipv4 / udp dst is 30{n}", "eth / ipv6 dst is 2001:db8:7::{n} / udp dst is 30{n}",
            "eth type is 0x88{n}", "eth / vlan vid is 1{n}", "eth dst is 02:00:00:00:00:{n}")
ACTIONS = ("queue index {last}", "drop", "count / drop", "mark id 7 / queue index {last}", "rss queues {all} end")


def queues_of(bed: Bed) -> int:
    return min(QUEUES, bed.device.queues)


def rules_on(queues: int) -> list[str]:
    actions = [action.format(last=queues - 1, all=" ".join(map(str, range(queues)))) for action in ACTIONS]
    return [f"ingress pattern {pattern.format(n=10 + number)} / end actions {action} / end"
            for number, (pattern, action) in enumerate(itertools.product(PATTERNS, actions))]
