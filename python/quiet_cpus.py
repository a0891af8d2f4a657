# SPDX-License-Identifier: Apache-2.0
"""The CPUs that no other program uses at the moment: a virtual machine's CPU may be a hyperthread, and does half as much while
its core is busy, which nothing on this side shows. Needs only Python, on Linux."""
from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable

LOOKS = 3
LOOK_NS = 5_000_000


def speed_of(cpu: int) -> int:
    """Rounds of a loop in this time on that CPU."""
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
    """The given number of CPUs, in their order: the ones whose slowest sample was the quickest. A CPU that is slow once may be so
    again."""
    of = list(of)
    looks = [{cpu: speed(cpu) for cpu in of} for _ in range(LOOKS)]
    return sorted(sorted(of, key=lambda cpu: -min(look[cpu] for look in looks))[:count])
