# SPDX-License-Identifier: Apache-2.0
"""The annotation by which pods start anew: it changes with every key that a reload refuses, and with no other key."""
from __future__ import annotations

from typing import Any

import pytest
from rendering import of_kind, over, values_of

NAT = {"options": {"sessions": 1000, "timeouts": {"udp": "60s"}, "log_room": "1m"}}
SECTIONS = {"rules": {"file": "/etc/rules/flows", "on": "cpu"}, "detect": {"models": ["/etc/models/a.onnx"], "flows": 1000},
            "inspect": {"rules": ["/etc/rules/a.rules"], "flows": 1000}, "neighbours": []}
BEFORE = {"nat44": NAT, "extraFile": SECTIONS}


def start(chart, values: dict[str, Any]) -> str:
    (made,) = of_kind(chart.manifests(over(over(values_of("af_packet"), BEFORE), values)), "StatefulSet")
    return made["spec"]["template"]["metadata"]["annotations"]["packetwarp/start"]


@pytest.mark.parametrize("values", [
    {"nat44": {"options": {"sessions": 1000000}}},
    {"nat44": {"inside": "outside", "outside": "inside"}},
    {"nat44": {"pool": "203.0.112.0/23"}},
    {"nat44": {"block": 27}},
    {"nat44": {"enabled": False}},
    {"metrics": {"port": 9000}},
    {"extraEal": ["--log-level=*:warning"]},
    {"dataPlane": {"burst": 64}},
    {"extraFile": {"punt": {"ttl": {"rate": 1}}}},
    {"extraFile": {"source_routes": "pass"}},
    {"extraFile": {"event_log": "/var/log/packetwarp/events"}},
    {"extraFile": {"control": "none"}},
    {"extraFile": {"chain_as": "general"}},
    {"extraFile": {"rules": {"on": "nic"}}},
    {"extraFile": {"rules": None}},
    {"extraFile": {"detect": {"flows": 2000}}},
    {"extraFile": {"detect": {"mirror_to": "outside"}}},
    {"extraFile": {"inspect": {"flows": 2000}}},
], ids=str)
def test_pods_start_anew_for_what_a_reload_refuses(chart, values):
    assert start(chart, values) != start(chart, {})


@pytest.mark.parametrize("values", [
    {"routes": [{"to": "192.0.2.0/24", "via": "198.51.100.253"}]},
    {"routes": []},
    {"nat44": {"options": {"timeouts": {"udp": "30s"}}}},
    {"nat44": {"options": {"forwarding": [{"protocol": "tcp", "inside": "10.0.0.9:80", "outside": "203.0.113.9:80"}]}}},
    {"extraFile": {"neighbours": [{"interface": "outside", "address": "198.51.100.254", "mac": "52:54:00:00:00:09"}]}},
    {"extraFile": {"rules": {"file": "/etc/rules/others", "isolate": True}}},
    {"extraFile": {"detect": {"models": ["/etc/models/b.onnx"], "action": "drop"}}},
    {"extraFile": {"inspect": {"rules": ["/etc/rules/b.rules"], "variables": {"HOME_NET": "any"}}}},
    {"replicas": 4},
], ids=str)
def test_pods_stay_for_what_they_read_again(chart, values):
    assert start(chart, values) == start(chart, {})
