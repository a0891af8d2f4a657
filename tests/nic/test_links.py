# SPDX-License-Identifier: Apache-2.0
"""A cable that is pulled and put back under traffic: events, metrics and readiness follow, and then nothing is lost."""
from __future__ import annotations

import contextlib
import dataclasses
import json
import time
from collections.abc import Callable, Iterator
from typing import Any

from bed import Bed, Way, end_well
from frames import routed
from harness import ROOT, Running
from namespaces import stop, wait_for
from raw_network import known_hosts

METRICS = 9464
# Seconds. A guest without KVM that shares its CPU with ten other programs takes a minute to start the program that asks.
PATIENCE = 240
SEEN = "seen"
TIMES = 10
SOME, FEW = 64, 8


@dataclasses.dataclass(frozen=True)
class Said:
    """By HTTP: why it is not ready, and which ports are up, by number."""

    why: list[str]
    up: dict[str, int]


def said(bed: Bed) -> Said | None:
    """The last that watch_http.py has seen. None: nothing yet."""
    file = bed.guest.folder / SEEN
    lines = file.read_text().split("\n")[:-1] if file.exists() else []
    if not lines:
        return None
    seen = json.loads(lines[-1])
    assert (seen["status"] == 200) == (seen["why"] == []), seen
    return Said(seen["why"], seen["up"])


def wait_until(bed: Bed, what: str, holds: Callable[[Said], bool]) -> float:
    """Seconds that it took."""
    since = time.monotonic()
    wait_for(lambda: (now := said(bed)) is not None and holds(now), what, seconds=PATIENCE)
    return time.monotonic() - since


@contextlib.contextmanager
def watching(bed: Bed) -> Iterator[None]:
    file = bed.guest.folder / SEEN
    file.unlink(missing_ok=True)
    watcher = bed.guest.popen(str(ROOT / ".venv/bin/python3"), "-I", "-S", str(ROOT / "tests/nic/watch_http.py"), str(METRICS), str(file))
    try:
        yield
    finally:
        stop(watcher)


def port_events(bed: Bed) -> list[tuple[str, int]]:
    lines = (bed.guest.folder / "events").read_text().splitlines()
    return [(one["event"], one["port"]) for one in map(json.loads, lines) if "port" in one]


@contextlib.contextmanager
def watched_router(bed: Bed) -> Iterator[Running]:
    events = bed.guest.folder / "events"
    events.unlink(missing_ok=True)
    file: dict[str, Any] = known_hosts(metrics=str(METRICS), event_log=str(events))
    # A report is a second old at most unless another age is asked for.
    with bed.routing(file, "--report-age", "100ms") as running, watching(bed):
        wait_until(bed, "both links to be up", lambda now: now == Said([], {"0": 1, "1": 1}))
        yield running


def some(number: int) -> list[Way]:
    """The packets of one pull; no more are made than a test pulls the cable."""
    return routed(SOME * (TIMES + 1))[SOME * number:SOME * (number + 1)]


def all_pass(bed: Bed, number: int) -> None:
    bed.passes(some(number))


def send(bed: Bed, number: int) -> None:
    """Sends some more of the same; the result is open."""
    bed.wires.cross([sent for sent, _ in some(number)[:FEW]], count=0)


def test_a_cable_pulled_and_put_back(bed):
    """Packets sent meanwhile wait in the device, are lost there, or are dropped by name, depending on the device. Afterwards
    everything passes."""
    with watched_router(bed) as running:
        before, took = len(port_events(bed)), []
        for turn in range(TIMES):
            all_pass(bed, turn)
            bed.guest.monitor.do("set_link", name="nic0", up=False)
            took.append(wait_until(bed, "the link to be down", lambda now: now.up == {"0": 0, "1": 1} and len(now.why) == 1))
            send(bed, turn)
            bed.guest.monitor.do("set_link", name="nic0", up=True)
            took.append(wait_until(bed, "the link to be up", lambda now: now == Said([], {"0": 1, "1": 1})))
            bed.wires.the_rest()
        all_pass(bed, TIMES)
        # A virtual function's port is started again with its link.
        wanted = [("link_down", 0), *[("port_restarted", 0)] * bed.device.virtual, ("link_up", 0)] * TIMES
        wait_for(lambda: len(port_events(bed)[before:]) >= len(wanted), "the events to be in the log")
        assert port_events(bed)[before:] == wanted
        print(f"{bed.device.name}: seen by HTTP after {max(took):.2f} s at the latest")
        end_well(running, bed.device)
