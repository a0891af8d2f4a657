# SPDX-License-Identifier: Apache-2.0
"""Routes and neighbours for which the tables of a running packetwarp run have no room: refused before any of them counts."""
from __future__ import annotations

import copy
import re

from harness import DONE, WRONG_USAGE
from live import FLOWS, FULL_RATE, ROUTED, live, routed, wait_until

# A /128 takes up to 13 groups of 65,536: these have none in common.
TOO_MANY = 65536 // 13 + 1


def crowded(first: int, count: int) -> dict:
    """The flows' own destination is dropped, and many routes that take a lot of room follow."""
    file = copy.deepcopy(ROUTED)
    far = [{"to": f"{0x2001 + (n >> 8):x}:{n % 256:02x}00::1/128", "discard": True} for n in range(first, first + count)]
    file["routes"] = [{"to": "203.0.113.0/24", "discard": True}, *ROUTED["routes"], *far]
    return file


def test_a_reload_without_room_is_refused_by_its_line_and_drops_nothing(packetwarp):
    with routed(packetwarp, ROUTED, pace=FULL_RATE) as running:
        running.write(crowded(0, TOO_MANY))
        done = running.ask("reload")
        assert done.status == WRONG_USAGE and len(done.errors) == 1, done
        assert re.search(re.escape(str(running.config)) + r":\d+: route to [0-9a-f:]+/128: no room: this run has room for 65536 groups",
                         done.errors[0]), done
        before = running.report()["packets"]["tx"]
        wait_until(running, lambda: running.report()["packets"]["tx"] > before + FLOWS, "packets after it")
        running.write(ROUTED)
        assert running.json("reload") | {"text": ""} == {"text": "", "routes": 0, "neighbours": 0}
        packets = running.running.interrupt().packets
    assert packets.dropped == {} and packets.punted == 0 and packets.rx == packets.tx > FLOWS


def test_a_start_makes_room_for_its_file_and_for_a_reload_to_as_many_others(packetwarp):
    file = crowded(0, TOO_MANY)
    devices = ["-l", "0-1", "--vdev=net_null0,no-rx=1", "--vdev=net_null1,no-rx=1"]
    assert packetwarp.run("plan", devices, ["-c", str(packetwarp.write_config(file))]).status == DONE
    with live(packetwarp, file, "net_null0,no-rx=1", "net_null1,no-rx=1") as running:
        running.write(crowded(TOO_MANY, TOO_MANY))
        assert running.json("reload")["routes"] == 2 * TOO_MANY
        memory = {(row["what"], row["of"]): row for row in running.json("show", "memory")["memory"]}
        groups = memory["route groups", "ipv6"]
        assert groups["room"] > 65536 and groups["used"] <= groups["room"], groups
        running.running.interrupt()
