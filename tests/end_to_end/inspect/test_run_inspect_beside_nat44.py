# SPDX-License-Identifier: Apache-2.0
"""`inspect` in front of `nat44`: the two directions of a translated connection are no pair, which is told for the rules that need one."""
from __future__ import annotations

import pathlib

import pytest
from harness import ALONE, DONE, Program
from test_run_inspect import run


@pytest.fixture
def folder(packetwarp: Program) -> pathlib.Path:
    return packetwarp.folder


def test_rules_that_need_both_directions_are_told_beside_nat44(packetwarp, folder):
    """At the start and in the plan; not of rules for single packets, and not without nat44."""
    nat44 = {"inside": "left", "outside": "right", "pool": ["198.51.100.1"]}
    needing = ("alert tcp any any -> any any (flow:established; content:\"a\"; sid:1;)",
               "alert tcp-pkt any any -> any any (flow:to_client; content:\"a\"; sid:2;)",
               "alert http any any -> any any (http.uri; content:\"a\"; sid:3;)",
               "alert tcp any any -> any any (content:\"a\"; sid:4;)")
    single = ("alert udp any any -> any 53 (dns.query; content:\"a\"; sid:5;)", "alert tcp any any -> any 23 (flags:S,12; sid:6;)")
    for rules, sections, wanted in ((needing + single, {"nat44": nat44}, 1), (single, {"nat44": nat44}, 0), (needing, {}, 0)):
        (folder / "my.rules").write_text("\n".join(rules) + "\n")
        done, _, _ = run(packetwarp, [], {}, **sections)
        assert done.status == DONE, done
        said = [line for line in done.warnings if "inspect beside nat44: 4 rules need both directions of a connection" in line]
        assert len(said) == wanted, done
        planned = packetwarp.run("plan", [*ALONE, "-l", "0", "--vdev=net_null0", "--vdev=net_null1"],
                                 ["-c", str(folder / "network.yaml")], cwd=folder)
        assert planned.stdout.count("inspect beside nat44: 4 rules") == wanted, planned
