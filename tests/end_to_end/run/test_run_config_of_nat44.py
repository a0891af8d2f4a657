# SPDX-License-Identifier: Apache-2.0
"""Addresses and ports of nat44 that are given twice, or the wrong way round: the line of the entry, and the value."""
from __future__ import annotations

import pytest
from harness import DONE
from test_run_config import PORTS, RIGHT, assert_refused, run_with, write

# Lines of the section after the right file, which has 13; the line of the error, its words.
NAT44 = [
    ("ports: [2048, 1024]", 15, ["nat44.ports", "2048 to 1024 is no range", "give [1024, 2048]"]),
    ("pool: [198.51.100.9-198.51.100.8]", 15, ["nat44.pool[0]", "the first address is above the last", "give 198.51.100.8-198.51.100.9"]),
    *((f"static:\n  - {{{first}}}\n  - {{inside: 192.0.2.8, outside: 198.51.100.8}}\n  - {{{again}}}", 18,
       [f"nat44.static[2].{key}: {value} is that of the entry in line 16 too"]) for first, again, key, value in (
        ("inside: 192.0.2.9, outside: 198.51.100.9", "inside: 192.0.2.10, outside: 198.51.100.9", "outside", "198.51.100.9"),
        ("inside: 192.0.2.9, outside: 198.51.100.9", "inside: 192.0.2.9, outside: 198.51.100.10", "inside", "192.0.2.9"),
        ("protocol: tcp, inside: '192.0.2.9:80', outside: '198.51.100.9:80'", "inside: 192.0.2.10, outside: 198.51.100.9", "outside", "198.51.100.9"),
        ("inside: 192.0.2.10, outside: 198.51.100.9", "protocol: tcp, inside: '192.0.2.9:80', outside: '198.51.100.9:80'", "outside", "198.51.100.9"),
        ("protocol: tcp, inside: '192.0.2.9:80', outside: '198.51.100.9:80'", "protocol: tcp, inside: '192.0.2.9:81', outside: '198.51.100.9:80'",
         "outside", "198.51.100.9:80"),
        ("protocol: tcp, inside: '192.0.2.9:80', outside: '198.51.100.9:80'", "protocol: tcp, inside: '192.0.2.9:80', outside: '198.51.100.9:81'",
         "inside", "192.0.2.9:80"))),
    ("outside: right\n  pool: [198.51.100.9, 198.51.100.2]", 16, ["nat44.pool[1]", "198.51.100.2 is a neighbour's: the route of line 11 leads by it"]),
    ("outside: right\n  static: [{inside: 192.0.2.9, outside: 198.51.100.2}]", 16, ["nat44.static[0].outside", "198.51.100.2 is a neighbour's"]),
    ("outside: right\n  pool: [198.18.0.0-198.18.20.255]", 16, ["nat44.pool", "5376 outside addresses", "at most 4096"]),
    ("pool: [198.51.100.9]\n  static: [{inside: 192.0.2.9, outside: 198.51.100.9}]", 16, ["nat44.static[0].outside", "198.51.100.9 is in 'pool' too"]),
    # A static address is for all ports of its host, and a port forward's answers would leave with it.
    ("static:\n  - {inside: 192.0.2.9, outside: 198.51.100.9}\n  - {protocol: tcp, inside: '192.0.2.9:80', outside: '198.51.100.8:80'}", 17,
     ["nat44.static[1].inside", "192.0.2.9 has the static address of line 16", "leave this port forward out"]),
    ("static:\n  - {protocol: udp, inside: '192.0.2.9:53', outside: '198.51.100.8:53'}\n  - {inside: 192.0.2.9, outside: 198.51.100.9}", 17,
     ["nat44.static[1].inside", "192.0.2.9 has the port forward of line 16", "leave that port forward out"]),
    # No host inside has an address of nat44's own, whichever of the two entries comes first.
    ("pool: [198.51.100.9]\n  static: [{inside: 198.51.100.9, outside: 198.51.100.8}]", 16,
     ["nat44.static[0].inside", "198.51.100.9 is an outside address of nat44's own, of 'pool'"]),
    ("static:\n  - {inside: 198.51.100.9, outside: 198.51.100.8}\n  - {inside: 192.0.2.9, outside: 198.51.100.9}", 16,
     ["nat44.static[0].inside", "198.51.100.9 is an outside address of nat44's own, of 'static'"]),
    ("static:\n  - {protocol: tcp, inside: '198.51.100.9:1', outside: '198.51.100.8:1'}\n  - {protocol: tcp, inside: '192.0.2.9:2', outside: '198.51.100.9:2'}",
     16, ["nat44.static[0].inside", "198.51.100.9 is an outside address of nat44's own, of 'static'"]),
    ("outside: right\n  forwarding: true\n  pool: [198.51.100.9]", 15, ["nat44", "no interface is on the inside", "'inside: NAME'", "'output_feature: true'"]),
]


@pytest.mark.parametrize(("section", "line", "said"), NAT44, ids=[section[:40] for section, _, _ in NAT44])
def test_a_value_that_is_wrong_beside_others_is_told_by_its_own_line(packetwarp, section, line, said):
    done = run_with(packetwarp, f"{RIGHT}nat44:\n  {section}\n")
    assert_refused(done, f"{packetwarp.folder / 'network.yaml'}:{line}: ", *said)


def test_with_output_feature_no_interface_is_inside(packetwarp):
    done = run_with(packetwarp, f"{RIGHT}nat44: {{outside: [left, right], output_feature: true, pool: [198.51.100.9]}}\n")
    assert done.status == DONE, done


def test_protocols_share_endpoints(packetwarp):
    forwards = ", ".join(f"{{protocol: {protocol}, inside: '192.0.2.9:53', outside: '198.51.100.9:53'}}" for protocol in ("tcp", "udp"))
    done = run_with(packetwarp, f"{RIGHT}nat44: {{inside: left, outside: right, static: [{forwards}]}}\n")
    assert done.status == DONE, done


def test_a_plan_refuses_output_feature_on_several_gpus_as_a_run_does(packetwarp):
    """The run itself says so once it has the GPUs."""
    plane = "data_plane: {executor: persistent, gpus: [0, 1], pipelines: 8}\n"
    path = write(packetwarp.folder, f"{RIGHT}nat44: {{outside: [left, right], output_feature: true, pool: [198.51.100.9]}}\n{plane}")
    done = packetwarp.run("plan", PORTS, ["-c", str(path)])
    assert_refused(done, f"{path}:14: nat44 output_feature: several GPUs divide sessions")
    path.write_text(path.read_text().replace("[0, 1]", "[0]"))
    assert packetwarp.run("plan", PORTS, ["-c", str(path)]).status == DONE
