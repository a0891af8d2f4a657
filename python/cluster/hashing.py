# SPDX-License-Identifier: Apache-2.0
"""Ways in which a router spreads hosts over replicas, and the hosts' replicas before a failure, after it, and after the return."""
from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Owners = NDArray[np.int64]  # the replica of each host
MAGLEV_TABLE = 65537
RESILIENT_BUCKETS = 16384


@dataclasses.dataclass(frozen=True)
class Episode:
    """A replica fails and comes back. All hosts are active all the time."""

    before: Owners
    failed: Owners
    back: Owners


def mixed(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """splitmix64 (Vigna): a hash of each word."""
    words = words + np.uint64(0x9E3779B97F4A7C15)
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


def hashes_of(hosts: int, seed: int) -> NDArray[np.uint64]:
    return mixed(np.arange(hosts, dtype=np.uint64) + np.uint64(seed << 32))


def without(replicas: int, failed: int) -> NDArray[np.int64]:
    return np.delete(np.arange(replicas), failed)


def modulo(hashes: NDArray[np.uint64], replicas: int, failed: int) -> Episode:
    """The hash modulo the number of next hops."""
    before = (hashes % np.uint64(replicas)).astype(np.int64)
    after = without(replicas, failed)[(hashes % np.uint64(replicas - 1)).astype(np.int64)]
    return Episode(before, after, before)


def threshold(hashes: NDArray[np.uint64], replicas: int, failed: int) -> Episode:
    """A region of the hash per next hop, in their order: Linux's plain nexthop groups, RFC 2992."""
    share = hashes.astype(np.float64) / 2.0**64
    before = np.minimum((share * replicas).astype(np.int64), replicas - 1)
    after = without(replicas, failed)[np.minimum((share * (replicas - 1)).astype(np.int64), replicas - 2)]
    return Episode(before, after, before)


def resilient(hashes: NDArray[np.uint64], replicas: int, failed: int) -> Episode:
    """Buckets that stay where they are while they have packets: Linux's resilient nexthop groups."""
    bucket = (hashes % np.uint64(RESILIENT_BUCKETS)).astype(np.int64)
    owners = np.arange(RESILIENT_BUCKETS) % replicas
    moved = owners.copy()
    lost = np.flatnonzero(owners == failed)
    moved[lost] = np.resize(without(replicas, failed), len(lost))
    # The replica that comes back gets buckets without hosts; all others are busy.
    return Episode(owners[bucket], moved[bucket], moved[bucket])


def maglev_table(replicas: NDArray[np.int64]) -> NDArray[np.int64]:
    """Maglev (Eisenbud and others, NSDI 2016), section 3.4."""
    offsets = (mixed(replicas.astype(np.uint64)) % np.uint64(MAGLEV_TABLE)).astype(np.int64).tolist()
    skips = (mixed(replicas.astype(np.uint64) + np.uint64(1 << 40)) % np.uint64(MAGLEV_TABLE - 1) + np.uint64(1)).astype(np.int64).tolist()
    table, places, filled = [-1] * MAGLEV_TABLE, list(offsets), 0
    while True:
        for n, replica in enumerate(replicas.tolist()):
            place = places[n]
            while table[place] >= 0:
                place = (place + skips[n]) % MAGLEV_TABLE
            table[place], places[n] = replica, (place + skips[n]) % MAGLEV_TABLE
            filled += 1
            if filled == MAGLEV_TABLE:
                return np.array(table)


def maglev(hashes: NDArray[np.uint64], replicas: int, failed: int) -> Episode:
    place = (hashes % np.uint64(MAGLEV_TABLE)).astype(np.int64)
    before = maglev_table(np.arange(replicas))[place]
    return Episode(before, maglev_table(without(replicas, failed))[place], before)


def rendezvous(hashes: NDArray[np.uint64], replicas: int, failed: int) -> Episode:
    """The replica with the highest hash of host and replica (Thaler and Ravishankar, 1998)."""
    best, second = np.zeros_like(hashes), np.zeros_like(hashes)
    owner, next_owner = np.zeros(len(hashes), np.int64), np.zeros(len(hashes), np.int64)
    for replica in range(replicas):
        weight = mixed(hashes ^ mixed(np.array([replica + (1 << 41)], dtype=np.uint64)))
        is_best = weight > best
        is_second = ~is_best & (weight > second)
        second = np.where(is_best, best, np.where(is_second, weight, second))
        next_owner = np.where(is_best, owner, np.where(is_second, replica, next_owner))
        best, owner = np.where(is_best, weight, best), np.where(is_best, replica, owner)
    after = np.where(owner == failed, next_owner, owner)
    return Episode(owner, after, owner)


SCHEMES: dict[str, Callable[[NDArray[np.uint64], int, int], Episode]] = {
    "modulo": modulo, "hash threshold": threshold, "Maglev": maglev, "rendezvous": rendezvous, "resilient": resilient}
