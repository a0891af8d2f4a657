# SPDX-License-Identifier: Apache-2.0
"""The families of attacks: the usual tool, another one, and a program that draws what it sends for each, and the victim's services that
they need."""
from __future__ import annotations

import dataclasses

from . import attacks as usual
from . import drawn_attacks as drawn
from . import other_attacks as other
from .benign import Activity


@dataclasses.dataclass(frozen=True)
class Family:
    usual: Activity
    other: Activity
    drawn: Activity
    services: frozenset[str]


EVERY = frozenset({"web", "ssh", "transfer"})
FAMILIES: dict[str, Family] = {
    "syn_scan": Family(usual.scan("-sS", 300, 1500), other.syn_scan, drawn.scan("syn", 20, 3000), EVERY),
    "connect_scan": Family(usual.scan("-sT", 200, 1000), other.connect_scan, usual.scan("-sT", 200, 1000), EVERY),
    "udp_scan": Family(usual.scan("-sU", 60, 300, "--min-rate", "20"), other.udp_scan, drawn.scan("udp", 15, 1500), frozenset({"names"})),
    "flag_scan": Family(usual.flag_scan, other.flag_scan, drawn.scan("flag", 20, 2000), EVERY),
    "slow_scan": Family(usual.slow_scan, other.slow_scan, drawn.scan("syn", 0.7, 12), EVERY),
    "ping_sweep": Family(usual.ping_sweep, other.ping_sweep, drawn.scan("sweep", 10, 1000), EVERY),
    "syn_flood": Family(usual.flood("-S"), other.flood("--tcp", "--flags", "syn"), drawn.flood("syn"), frozenset({"web"})),
    "udp_flood": Family(usual.flood("-2"), other.flood("--udp", "--data-length", "100"), drawn.flood("udp"), frozenset({"names"})),
    "icmp_flood": Family(usual.flood("-1"), other.icmp_flood, drawn.flood("icmp"), frozenset()),
    "ack_flood": Family(usual.flood("-A"), other.flood("--tcp", "--flags", "ack,psh", "--data-length", "300"), drawn.flood("ack"), frozenset({"web"})),
    "frag_flood": Family(usual.flood("-2", "-f"), other.flood("--udp", "--mtu", "64", "--data-length", "400"), drawn.flood("frag"), frozenset()),
    "other_flood": Family(usual.flood("-0", "-H", "47"), drawn.flood("other"), drawn.flood("other"), frozenset()),
    "syn_ack_reflection": Family(usual.flood("-S", "-A", "--keep", "-s", "443"), other.flood("--tcp", "--flags", "syn,ack", "-g", "80"), drawn.flood("reflection"), frozenset({"web"})),
    "amplification": Family(usual.amplification, other.amplification, drawn.flood("amplification"), frozenset()),
    "ssh_brute_force": Family(usual.guess("ssh"), other.guess_ssh, usual.guess("ssh"), frozenset({"ssh"})),
    "web_brute_force": Family(usual.guess("http"), other.guess_web, usual.guess("http"), frozenset({"web"})),
    "slow_http": Family(usual.slow_http, other.slow_http, usual.slow_http, frozenset({"web"})),
}
