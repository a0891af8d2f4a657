# SPDX-License-Identifier: Apache-2.0
"""Which CPUs nobody else uses just now: a virtual machine's CPU may be a hyperthread, and does half as much while somebody is on
its core, which nothing on this side tells. Needs nothing but Python, on Linux."""
from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable

LOOKS = 3
LOOK_NS = 5_000_000


def speed_of(cpu: int) -> int:
    """Rounds of a loop in so much time on that CPU."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {cpu})
    try:
        rounds, end = 0, time.perf_counter_ns() + LOOK_NS
        while time.perf_counter_ns() < end:
            for _ in range(500):
                pass
            rounds += 1
        return rounds
    finally:
        os.sched_setaffinity(0, before)


def quietest(count: int, of: Iterable[int], speed: Callable[[int], int] = speed_of) -> list[int]:
    """So many, in their order: those whose slowest look was the quickest. One that is slow once may be so again."""
    of = list(of)
    looks = [{cpu: speed(cpu) for cpu in of} for _ in range(LOOKS)]
    return sorted(sorted(of, key=lambda cpu: -min(look[cpu] for look in looks))[:count])
