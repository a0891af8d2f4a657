# SPDX-License-Identifier: Apache-2.0
"""Clients that look at tables of a hundred thousand routes: packets and ARP go on meanwhile, and what they see is whole."""
from __future__ import annotations

import contextlib
import itertools
import json
import socket
import threading
from typing import Any

import pytest
from asker import arp_asker
from besieged import Besieged, besieged, host, routed
from harness import DONE, resident_bytes
from stranger import ENOUGH
from test_control_clients import MAD, be_mad
from wire_end import Background

MANY = 100_000
BY_ONE, BY_OTHER = host(1, 2), host(1, 3)


def prefix(n: int) -> str:
    """20.0.0.0/24 and on."""
    return f"{20 + (n >> 16)}.{n >> 8 & 255}.{n & 255}.0/24"


def write(made: Besieged, count: int, via: str) -> None:
    """The file with this many more routes: its last section is its routes, in a form that takes no time to write."""
    short = made.live.packetwarp.write_config(routed(2, data_plane={}, routes=[{"to": "198.18.0.0/15", "via": via}]))
    with short.open("a") as file:
        file.writelines(f"- {{to: {prefix(n)}, via: {via}}}\n" for n in range(count))


def reload_with(made: Besieged, count: int, via: str) -> None:
    write(made, count, via)
    done = made.live.packetwarp.run("reload", ["--control", str(made.live.control)], seconds=300)
    assert done.status == DONE, done


def listed(made: Besieged) -> dict[str, Any]:
    done = made.live.packetwarp.run("show", ["routes", "--limit", "1000000", "--json", "--control", str(made.live.control)], seconds=300)
    assert done.status == DONE, done
    return json.loads(done.stdout)


def of_file(said: dict[str, Any]) -> dict[str, str]:
    """By prefix, where each leads; each is there once."""
    found = {row["prefix"]: row["via"] for row in said["routes"] if row["origin"] == "file"}
    assert len(said["routes"]) == said["total"] == len(found) + said["connected"], said["total"]
    return found


def wanted(count: int, via: str) -> dict[str, str]:
    return {"198.18.0.0/15": via, **{prefix(n): via for n in range(count)}}


ASK = b'{"command":"show routes"}\n'
MAD_ABOUT_ROUTES = {
    **MAD,
    "many lists, none read": ASK * 2000,
    "a list from nowhere": b'{"command":"show routes","arguments":{"from":"' + b"9" * 60_000 + b'"}}\n',
    "a look-up of garbage": b'{"command":"show routes","arguments":{"to":"' + MAD["garbage"].replace(b'"', b"").replace(b"\n", b"") + b'"}}\n',
    "no noun": b'{"command":"show "}\n{"command":"show"}\n{"command":"show ' + b"x" * 60_000 + b'"}\n',
}


@pytest.mark.parametrize("lcores", ("0-1", "0"))
def test_a_hundred_thousand_routes_are_listed_beside_a_stranger(packetwarp, figures, times, lcores):
    """With one lcore the master forwards, too."""
    with besieged(packetwarp, figures, routed(2), lcores=lcores) as made:
        reload_with(made, MANY, BY_ONE)
        made.memory = resident_bytes(made.live.running.process.pid)
        with made.strangers() as flow:
            calm = flow.calm()
            asker = arp_asker(made.ends[0], host(0, 2), host(0, 1))

            def attack() -> None:
                with asker.going():
                    for _ in range(2 * times):
                        assert of_file(listed(made)) == wanted(MANY, BY_ONE)
            attacked = flow.during(attack)
        made.must_go_on("lists of 100,000 routes", calm, attacked)
        assert asker.asked > 0 and asker.share().share >= ENOUGH, asker.share()
        made.end()


def test_mad_clients_of_long_lists_harm_nobody(packetwarp, figures, times):
    """They ask for lists and do not read them, leave in the middle, ask for unknown tables; the list that is read is whole."""
    with besieged(packetwarp, figures, routed(2)) as made:
        reload_with(made, MANY // 5, BY_ONE)
        made.memory = resident_bytes(made.live.running.process.pid)
        with made.strangers() as flow, contextlib.ExitStack() as stack:
            calm = flow.calm()

            def go_mad(ended: threading.Event) -> None:
                for what in itertools.cycle(MAD_ABOUT_ROUTES.values()):
                    if ended.is_set():
                        return
                    be_mad(made, what)

            def leave_in_the_middle(ended: threading.Event) -> None:
                while not ended.is_set():
                    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as client:
                        client.settimeout(0.5)
                        client.connect(str(made.live.control))
                        client.sendall(ASK)
                        client.recv(100)
            for attack in (go_mad, go_mad, leave_in_the_middle, leave_in_the_middle):
                stack.enter_context(Background(attack))

            def look() -> None:
                for _ in range(2 * times):
                    assert of_file(listed(made)) == wanted(MANY // 5, BY_ONE)
                    assert json.loads(made.live.said("show", "routes", "20.0.7.9", "--json"))["next_hop"]["address"] == BY_ONE
            attacked = flow.during(look)
            stack.close()
        made.must_go_on("mad clients of long lists", calm, attacked)
        made.end()


def test_a_list_is_of_before_a_reload_or_of_after_it(packetwarp, figures, times):
    """Reloads change where all routes lead, and how many there are, while they are listed again and again."""
    few, more = MANY // 10, MANY // 8
    states = ((few, BY_ONE), (more, BY_OTHER))
    with besieged(packetwarp, figures, routed(2)) as made:
        reload_with(made, *states[0])

        def keep_reloading(ended: threading.Event) -> None:
            for state in itertools.cycle(reversed(states)):
                if ended.is_set():
                    return
                reload_with(made, *state)
        seen, changing = set(), 0
        with Background(keep_reloading):
            for _ in range(400 * times):
                said = listed(made)
                found = of_file(said)
                which = states.index((len(found) - 1, next(iter(found.values()))))
                assert found == wanted(*states[which]), "all of one state"
                seen.add(said["version"])
                changing += said["changing"]
                if len(seen) > 8 and changing:
                    break
        assert len(seen) > 1, "reloads came in force meanwhile"
        figures.say(f"{len(seen)} versions seen, {changing} lists during a change")
        made.end()
