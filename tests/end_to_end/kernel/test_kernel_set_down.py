# SPDX-License-Identifier: Apache-2.0
"""A kernel interface of `packetwarp run` that is set down while it runs, and up again."""
from __future__ import annotations

import json

import pytest
from namespaces import wait_for
from router_network import ping, router_between, two_networks

TWIN, OWN, OWN6 = "left.kni", "1.1.1.1", "2001:db8:1::1"
FETCH = "curl --silent --max-time 30 http://127.0.0.1:9464/readyz"


@pytest.mark.parametrize("pause", (True, False), ids=("seen", "unseen"))
def test_one_that_is_set_down_and_up_is_told_and_gets_its_routes_back(packetwarp, namespaces, tmp_path, pause):
    """The kernel removes IPv6 addresses and routes of an interface that is down, however short the time is."""
    events = tmp_path / "events.jsonl"
    file = two_networks(metrics=9464, event_log=str(events))
    file["interfaces"][0]["kernel"] = {"announce": ["203.0.113.0/26", "2001:db8:99::/48"]}

    def there():
        return [made.middle.ip(*words, "show", "dev", TWIN).stdout.count(what) for words, what in (
            (("-4", "route"), "203.0.113.0/26"), (("-6", "route"), "2001:db8:99::/48"), (("-6", "address"), "inet6 2001"), (("-6", "address"), "inet6 fe80"))]

    with router_between(packetwarp, namespaces, file) as made:
        for wire in ("w0", "w1"):
            made.middle.sysctl(f"net.ipv4.conf.{wire}.arp_ignore", 8)  # these addresses are packetwarp's
        made.middle.ip("link", "set", "lo", "up")
        ready = '{"ready":true,"why":[]}\n'
        wait_for(lambda: made.middle.run(*FETCH.split()).stdout == ready, "links that have just come up to be seen")
        assert there() == [1, 1, 1, 1]
        made.middle.ip("link", "set", TWIN, "down")
        if pause:
            made.routing.wait_for_log(f"kernel interface {TWIN}: it was set down")
            down = f'{{"ready":false,"why":["kernel interface {TWIN}: set down"]}}\n'
            wait_for(lambda: made.middle.run(*FETCH.split()).stdout == down, "the kernel interface to be missed")
            assert there() == [0, 0, 0, 0]
        made.middle.ip("link", "set", TWIN, "up")
        made.routing.wait_for_log(f"kernel interface {TWIN}: it was down and is up again")
        wait_for(lambda: there() == [1, 1, 1, 1], "its addresses and routes")
        wait_for(lambda: made.middle.run(*FETCH.split()).stdout == ready, "the kernel interface to be ready again")
        for own in (OWN, OWN6):
            assert ping(made.left, own).received == 3
        done = made.end()
        assert done.result["kernel"][0]["state"] == "here" and not done.errors
    told = [json.loads(line) for line in events.read_text().splitlines()]
    assert [(one["event"], one["name"]) for one in told if one["event"].startswith("kernel_interface")] == [
        ("kernel_interface_down", TWIN), ("kernel_interface_up", TWIN)]
