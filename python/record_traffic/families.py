# SPDX-License-Identifier: Apache-2.0
"""The families of attacks: the usual tool and another one for each, and the victim's services that they need."""
from __future__ import annotations

import dataclasses

from . import attacks as usual
from . import other_attacks as other
from .benign import Activity


@dataclasses.dataclass(frozen=True)
class Family:
    usual: Activity
    other: Activity
    services: frozenset[str]


EVERY = frozenset({"web", "ssh", "transfer"})
FAMILIES: dict[str, Family] = {
    "syn_scan": Family(usual.scan("-sS", 300, 1500), other.syn_scan, EVERY),
    "connect_scan": Family(usual.scan("-sT", 200, 1000), other.connect_scan, EVERY),
    "udp_scan": Family(usual.scan("-sU", 60, 300, "--min-rate", "20"), other.udp_scan, frozenset({"names"})),
    "flag_scan": Family(usual.flag_scan, other.flag_scan, EVERY),
    "slow_scan": Family(usual.slow_scan, other.slow_scan, EVERY),
    "ping_sweep": Family(usual.ping_sweep, other.ping_sweep, EVERY),
    "syn_flood": Family(usual.flood("-S"), other.flood("--tcp", "--flags", "syn"), frozenset({"web"})),
    "udp_flood": Family(usual.flood("-2"), other.flood("--udp", "--data-length", "100"), frozenset({"names"})),
    "icmp_flood": Family(usual.flood("-1"), other.icmp_flood, frozenset()),
    "ssh_brute_force": Family(usual.guess("ssh"), other.guess_ssh, frozenset({"ssh"})),
    "web_brute_force": Family(usual.guess("http"), other.guess_web, frozenset({"web"})),
    "slow_http": Family(usual.slow_http, other.slow_http, frozenset({"web"})),
}
