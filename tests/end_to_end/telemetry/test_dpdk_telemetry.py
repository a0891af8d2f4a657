# SPDX-License-Identifier: Apache-2.0
"""A run's report by DPDK's telemetry socket, asked with DPDK's own dpdk-telemetry.py."""
from __future__ import annotations

import json
import os
import shutil
import subprocess
from typing import Any

import pytest
from live import NAT44, ROUTED, routed, wait_until
from namespaces import wait_for
from seeing import seen_l2fwd
from test_live_report import with_rules

ASKS = shutil.which("dpdk-telemetry.py")
pytestmark = pytest.mark.skipif(ASKS is None, reason="dpdk-telemetry.py is not installed (Debian's package dpdk)")

COMMANDS = {f"/packetwarp/{name}" for name in
            ("info", "pipelines", "pipeline", "workers", "ports", "drops", "latency", "control", "nat", "rules")}


def prefix() -> str:
    """The prefix of this test's processes alone: two with one prefix would have one socket's name."""
    return f"pwtel{os.getpid()}"


def eal() -> tuple[str, ...]:
    return (f"--file-prefix={prefix()}",)


def ask(*commands: str) -> list[dict[str, Any]]:
    """It answers a line each."""
    done = subprocess.run([ASKS, "-f", prefix()], input="".join(f"{command}\n" for command in commands), capture_output=True, text=True,
                          timeout=60, check=True)
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def asked(command: str) -> Any:
    (answer,) = ask(command)
    assert list(answer) == [command.split(",")[0]], answer
    return answer[command.split(",")[0]]


def test_it_has_commands_beside_dpdks_own(packetwarp):
    with seen_l2fwd(packetwarp, eal=eal()) as (running, _):
        listed = set(asked("/"))
        assert COMMANDS | {"/ethdev/list", "/eal/params"} <= listed
        for command in COMMANDS - {"/packetwarp/pipeline"}:
            assert ask(f"/help,{command}")[0]["/help"][command]
        running.interrupt()


def test_what_it_says_is_what_the_result_says(packetwarp):
    with seen_l2fwd(packetwarp, eal=eal()) as (running, _):
        first = asked("/packetwarp/info")
        wait_for(lambda: asked("/packetwarp/info")["rx"] > first["rx"], "more packets", seconds=60)
        info = asked("/packetwarp/info")
        assert asked("/packetwarp/pipelines") == [0, 1]
        one = asked("/packetwarp/pipeline,1")
        workers, ports = asked("/packetwarp/workers"), asked("/packetwarp/ports")
        latency = asked("/packetwarp/latency")
        assert asked("/packetwarp/drops") == asked("/packetwarp/control") == asked("/packetwarp/nat") == asked("/packetwarp/rules") == {}
        for wrong in ("/packetwarp/pipeline,2", "/packetwarp/pipeline,x", "/packetwarp/pipeline", "/packetwarp/pipeline,-1"):
            assert asked(wrong) is None, "there is no such pipeline"
        done = running.interrupt().result
    assert (info["command"], info["executor"], info["burst"]) == ("l2fwd", "cpu", 32)
    assert info["rx"] == info["tx"] + info["punted"] + info["in_flight"] + info["dropped"]
    assert first["rx"] < info["rx"] <= done["packets"]["rx"]
    last = done["pipelines"][1]
    assert (one["rx_port"], one["tx_port"]) == (last["rx_port"], last["tx_port"]) and 0 < one["rx"] <= last["rx"]
    assert set(workers) == {"lcore_0", "lcore_1"} and workers["lcore_1"]["role"] == "forwarding"
    assert 0 < ports["port_0"]["rx_packets"] <= done["ports"][0]["rx_packets"] and ports["port_1"]["name"] == "net_null1"
    assert 0 < latency["p50_ns"] <= latency["p99_ns"] <= latency["p999_ns"]


def test_a_network_s_tables_too(packetwarp):
    with routed(packetwarp, {**ROUTED, "nat44": NAT44}, eal=eal()) as running:
        wait_until(running, lambda: asked("/packetwarp/nat")["live"] == 64, "a session of each flow")
        nat = asked("/packetwarp/nat")
        assert nat == {"live": 64, "udp": 64, "tcp": 0, "icmp": 0, "configured": 0, "room": 65536, "made": 64, "ended": 0}
        assert set(asked("/packetwarp/control")) == {"sent", "put_back", "punted", "dropped"}
        running.running.interrupt()


def test_rules_by_port_and_number(packetwarp):
    from live import live
    with live(packetwarp, with_rules(packetwarp), "net_null0", "net_null1,no-rx=1", eal=eal()) as running:
        hits = asked("/packetwarp/rules")
        assert list(hits) == ["0/0"] and hits["0/0"] > 0
        running.running.interrupt()


def test_without_telemetry_it_runs_all_the_same(packetwarp):
    with seen_l2fwd(packetwarp, eal=(*eal(), "--no-telemetry")) as (running, _):
        assert subprocess.run([ASKS, "-f", prefix()], input="", capture_output=True, text=True, timeout=60).stdout.startswith("Error connecting")
        running.interrupt()
