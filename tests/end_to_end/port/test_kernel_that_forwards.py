# SPDX-License-Identifier: Apache-2.0
"""A kernel that forwards, and a port on its interface with the MAC address of that: it forwards each packet, too."""
from __future__ import annotations

from typing import Any

import pytest
from harness import ALONE, DONE, Program, Run
from namespaces import Namespace
from router_network import two_networks

DEVICES = [f"--vdev=net_af_packet{i},iface=w{i}" for i in range(2)]
FORWARDS = "the kernel forwards its packets, too, past this program, because {} has the same MAC address"


@pytest.fixture
def middle(namespaces) -> Namespace:
    made, other = namespaces.add("middle"), namespaces.add("other")
    for i in range(2):
        namespaces.connect((made, f"w{i}"), (other, f"r{i}"))
    made.sysctls({"net.ipv4.ip_forward": 0, "net.ipv6.conf.all.forwarding": 0})
    return made


def file_of(*without_mac: str) -> dict[str, Any]:
    file = two_networks()
    for one in file["interfaces"]:
        if one["name"] in without_mac:
            del one["mac"]
    return file


def done(packetwarp: Program, middle: Namespace, file: dict[str, Any], command: str = "run", *options: str) -> Run:
    words = ["-c", str(packetwarp.write_config(file)), *options]
    made = packetwarp.run(command, [*ALONE, "-l", "0", *DEVICES], words, within=middle.command())
    assert made.status == DONE, made
    return made


def warnings(packetwarp: Program, middle: Namespace, *without_mac: str) -> list[str]:
    run = done(packetwarp, middle, file_of(*without_mac), "run", "--control", "none", "--duration", "50ms")
    return [line for line in run.warnings_of_the_run if "forwards" in line]


def test_is_named_at_the_start_with_what_to_do(packetwarp: Program, middle: Namespace):
    middle.sysctl("net.ipv4.ip_forward", 1)
    said = warnings(packetwarp, middle, "left")
    assert len(said) == 1, said
    assert "interface left: " + FORWARDS.format("w0") in said[0], said
    assert said[0].endswith('a "mac" of its own, or run: sysctl -w net.ipv4.conf.w0.forwarding=0'), said
    of_left, of_right = warnings(packetwarp, middle, "left", "right")
    assert FORWARDS.format("w0") in of_left and FORWARDS.format("w1") in of_right
    planned = done(packetwarp, middle, file_of("right"), "plan")
    assert FORWARDS.format("w1") in planned.stdout and FORWARDS.format("w0") not in planned.stdout, planned


def test_is_none_with_a_mac_or_without_forwarding(packetwarp: Program, middle: Namespace):
    assert warnings(packetwarp, middle, "left", "right") == []
    middle.sysctl("net.ipv4.ip_forward", 1)
    assert warnings(packetwarp, middle) == []
    middle.sysctl("net.ipv4.conf.w0.forwarding", 0)
    assert warnings(packetwarp, middle, "left") == []


def test_may_forward_ipv6_alone(packetwarp: Program, middle: Namespace):
    middle.sysctl("net.ipv6.conf.all.forwarding", 1)
    said = warnings(packetwarp, middle, "left")
    assert len(said) == 1 and said[0].endswith("sysctl -w net.ipv6.conf.all.forwarding=0"), said
    middle.sysctl("net.ipv6.conf.w0.disable_ipv6", 1)
    assert warnings(packetwarp, middle, "left") == []
