# SPDX-License-Identifier: Apache-2.0
"""/readyz: whether a run forwards by all of its ports, and which port is why it does not."""
from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from typing import Any

from harness import Running
from namespaces import Namespace, wait_for
from test_metrics import endpoint

# In the network namespace of a program that listens on loopback there.
FETCH = """import json, sys, urllib.request, urllib.error
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
try:
    page = opener.open(sys.argv[1], timeout=60)
except urllib.error.HTTPError as refused:
    page = refused
print(json.dumps([page.status, page.read().decode()]))"""

Asking = Callable[[str], tuple[int, str]]


@contextlib.contextmanager
def forwarding(packetwarp: Any, here: Namespace, *options: str) -> Iterator[tuple[Running, Asking]]:
    here.ip("link", "set", "lo", "up")
    eal = ["-l", "0-1", "--vdev=net_af_packet0,iface=l0", "--vdev=net_null1,no-rx=1"]
    with packetwarp.running(eal, ["--metrics", "0", "--report-age", "20ms", *options], within=here.command()) as running:
        url = endpoint(running.wait_until_forwarding())

        def ask(path: str) -> tuple[int, str]:
            status, text = json.loads(here.run("python3", "-c", FETCH, f"{url}/{path}").stdout)
            return status, text
        yield running, ask


def test_a_link_that_goes_down_and_up(packetwarp, namespaces):
    """The link of the wire's other end, ten times: like a cable that is pulled."""
    here, there = namespaces.add("here"), namespaces.add("there")
    namespaces.connect((here, "l0"), (there, "r0"))
    with forwarding(packetwarp, here) as (running, ask):
        assert ask("readyz") == (200, '{"ready":true,"why":[]}\n')
        for _ in range(10):
            there.ip("link", "set", "r0", "down")
            wait_for(lambda: ask("readyz") == (503, '{"ready":false,"why":["port 0 (net_af_packet0): link down"]}\n'), "the link down")
            assert ask("healthz") == (200, "ok\n"), "it lives"
            assert 'packetwarp_port_up{port="0",name="net_af_packet0"} 0' in ask("metrics")[1]
            there.ip("link", "set", "r0", "up")
            wait_for(lambda: ask("readyz")[0] == 200, "the link up")
            assert 'packetwarp_port_up{port="0",name="net_af_packet0"} 1' in ask("metrics")[1]
        done = running.interrupt()
    assert [len([line for line in done.log if words in line]) for words in ("link down", "link up")] == [10, 10]
    assert [port["state"] for port in done.result["ports"]] == ["up", "up"] and done.result["phase"] == "ended"


def test_an_interface_that_is_deleted(packetwarp, namespaces):
    here = namespaces.add("here")
    namespaces.connect((here, "l0"), (here, "r0"))
    with forwarding(packetwarp, here) as (running, ask):
        here.ip("link", "delete", "l0")
        gone, answers = (503, '{"ready":false,"why":["port 0 (net_af_packet0): kernel interface deleted"]}\n'), []
        with contextlib.suppress(TimeoutError):
            wait_for(lambda: answers.append(ask("readyz")) or answers[-1] == gone, "the interface gone")
        assert answers[-1] == gone, (answers, running.so_far())
        assert ask("healthz")[0] == 200
        metrics = ask("metrics")[1]
        assert 'packetwarp_port_present{port="0",name="net_af_packet0"} 0' in metrics
        assert 'packetwarp_port_present{port="1",name="net_null1"} 1' in metrics
        done = running.interrupt()
    assert [port["state"] for port in done.result["ports"]] == ["lost", "up"]
    assert "port 0 (net_af_packet0): its kernel interface was deleted" in done.stdout
