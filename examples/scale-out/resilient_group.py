#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Keeps a resilient nexthop group of Linux equal to the next hops that BGP has for the default route.

FRR up to 9 installs plain nexthop groups, of which a change moves most hosts. A resilient group keeps a bucket at its next
hop until the bucket has had no packet for the idle time, or the next hop is gone. Its route is in a table of its own, which
is asked after all routes of the main table but BGP's default route: FRR would give up a route beside a better one. Every
change of the group is a line on standard output.
"""
from __future__ import annotations

import argparse
import json
import os
import select
import subprocess


def ip(*words: str) -> str:
    return subprocess.run(["ip", *words], capture_output=True, text=True, check=True).stdout


def next_hops() -> list[str]:
    """The gateways of BGP's default route."""
    found = [hop["gateway"] for route in json.loads(ip("-j", "route", "show", "default", "proto", "bgp") or "[]")
             for hop in route.get("nexthops", [route]) if "gateway" in hop]
    return sorted(found)


class Group:
    """The group, its members' nexthop objects, and the route that leads to it."""

    def __init__(self, number: int, device: str, buckets: int, idle: int) -> None:
        self.number, self.device = number, device
        self.kind = ["type", "resilient", "buckets", str(buckets), "idle_timer", str(idle), "unbalanced_timer", "0"]
        self.ids: dict[str, int] = {}
        self.members: list[str] = []
        for words in (["table", "main", "suppress_prefixlength", "0", "priority", "1000"], ["table", str(number), "priority", "1001"]):
            ip("rule", "add", *words)

    def set(self, members: list[str]) -> None:
        if members == self.members:
            return
        for gateway in members:
            if gateway not in self.ids:
                self.ids[gateway] = self.number + 1 + len(self.ids)
                ip("nexthop", "replace", "id", str(self.ids[gateway]), "via", gateway, "dev", self.device)
        if members:
            ip("nexthop", "replace", "id", str(self.number), "group", "/".join(str(self.ids[one]) for one in members), *self.kind)
            ip("route", "replace", "default", "nhid", str(self.number), "table", str(self.number))
        elif self.members:
            ip("route", "delete", "default", "table", str(self.number))
        self.members = members
        print(f"next hops: {' '.join(members) or 'none'}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("device", help="the interface towards the replicas")
    parser.add_argument("--id", type=int, default=1000, help="of the nexthop group and of the table; the members get the next ids (default: %(default)s)")
    parser.add_argument("--buckets", type=int, default=256, help="(default: %(default)s)")
    parser.add_argument("--idle", type=int, default=60, metavar="SECONDS", help="without a packet before a bucket may move (default: %(default)s)")
    given = parser.parse_args()
    group = Group(given.id, given.device, given.buckets, given.idle)
    with subprocess.Popen(["ip", "monitor", "route"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as changes:
        assert changes.stdout
        while changes.poll() is None:
            group.set(next_hops())
            # Each change is read anew as a whole, once a second in any case.
            if select.select([changes.stdout], [], [], 1)[0]:
                os.read(changes.stdout.fileno(), 65536)



if __name__ == "__main__":
    main()
