# SPDX-License-Identifier: Apache-2.0
"""An unmodified ib_write_lat on Linux's software RDMA device, and packetwarp rdma-lat: each answers the other's writes."""
from __future__ import annotations

import contextlib
import re

import pytest
from conftest import SECONDS, finished
from guest_rdma import OWN, PEER
from test_verbs import end_in_guest, providers, start_in_guest  # noqa: F401
from test_write_bw import PATIENCE, ended

# Bytes, writes of an end, and the frames of a hundred that are lost. A counter of one byte wraps after 256 writes.
SHAPES = ((2, 300, 0), (4096, 100, 0), (2, 100, 1))
by_shape = pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: "-".join(map(str, shape)))


def words_of(size: int, writes: int) -> list[str]:
    return ["-s", str(size), "-n", str(writes), "-m", "1024", "-u", PATIENCE]


def lossy(guest, losses: int):
    return guest.losing(losses) if losses else contextlib.nullcontext()


def must_be_printed(said: str, size: int, writes: int) -> None:
    assert re.search(rf"^ {size} +{writes} ", said, re.MULTILINE), said


def must_be_whole(made, size: int, writes: int) -> None:
    [result] = made["results"]
    assert (result["bytes"], result["iterations"]) == (size, writes)
    assert 0 < result["min_us"] <= result["typical_us"] <= result["p99_us"] <= result["max_us"]
    if made["transport"] == "roce":
        assert made["counters"]["messages_executed"] == writes, "each write is executed once"
        assert made["counters"]["bytes_executed"] == size * writes
        assert made["counters"]["invalid_requests"] == made["counters"]["remote_access_errors"] == 0


@by_shape
def test_it_answers_packetwarp(guest, ours, shape):
    *sizes, losses = shape
    server = guest.perftest("ib_write_lat", *words_of(*sizes))
    with lossy(guest, losses):
        made = ours.client("rdma-lat", *words_of(*sizes))
        must_be_printed(ended(server), *sizes)
    must_be_whole(made, *sizes)


@by_shape
def test_packetwarp_answers_it(guest, ours, shape):
    *sizes, losses = shape
    server, result = ours.server("rdma-lat", *words_of(*sizes))
    with lossy(guest, losses):
        must_be_printed(ended(guest.perftest("ib_write_lat", *words_of(*sizes), OWN)), *sizes)
        made = finished(server, result)
    must_be_whole(made, *sizes)


@pytest.mark.usefixtures("providers")
def test_it_answers_packetwarp_by_verbs(guest, ours):
    """Both ends are the guest's, on one device."""
    server = guest.perftest("ib_write_lat", *words_of(2, 300))
    made = end_in_guest(guest, start_in_guest(guest, ours, *words_of(2, 300), PEER, command="rdma-lat"))
    must_be_printed(ended(server), 2, 300)
    must_be_whole(made, 2, 300)


@pytest.mark.usefixtures("providers")
def test_packetwarp_by_verbs_answers_it(guest, ours):
    server = start_in_guest(guest, ours, *words_of(4096, 100), command="rdma-lat")
    assert server.stdout is not None
    assert server.stdout.readline().startswith("waiting for a client")
    must_be_printed(ended(guest.perftest("ib_write_lat", *words_of(4096, 100), PEER)), 4096, 100)
    must_be_whole(end_in_guest(guest, server), 4096, 100)


@pytest.mark.usefixtures("providers")
@pytest.mark.parametrize("role", ("client", "server"))
def test_packetwarp_by_verbs_and_by_roce(guest, ours, role):
    words = words_of(64, 200)
    if role == "client":
        server, result = ours.server("rdma-lat", *words)
        by_verbs = end_in_guest(guest, start_in_guest(guest, ours, *words, OWN, command="rdma-lat"))
        by_roce = finished(server, result)
    else:
        server = start_in_guest(guest, ours, *words, command="rdma-lat")
        by_roce = ours.client("rdma-lat", *words)
        by_verbs = end_in_guest(guest, server)
    assert (by_verbs["transport"], by_verbs["role"]) == ("verbs", role)
    for made in (by_verbs, by_roce):
        must_be_whole(made, 64, 200)


def test_a_peer_that_is_killed_ends_in_an_error(guest, ours):
    server, _ = ours.server("rdma-lat", "-n", "1000000", "-u", "12")
    client = guest.perftest("ib_write_lat", "-n", "1000000", OWN)
    assert server.stdout is not None
    assert any("RDMA write latency" in line for line in server.stdout)
    guest.guest.shell("kill -9 $(pidof ib_write_lat)")
    errors = server.communicate(timeout=SECONDS)[1]
    assert server.returncode == 1
    assert "has ended too early" in errors.splitlines()[-1] or "failed: " in errors.splitlines()[-1], errors
    client.communicate(timeout=SECONDS)
