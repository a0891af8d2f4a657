# SPDX-License-Identifier: Apache-2.0
"""packetwarp's own writes by libibverbs on Linux's software RDMA device, and every byte that arrives."""
from __future__ import annotations

import contextlib
import json

import pytest
from conftest import SECONDS, finished
from guest_rdma import DEVICE, OWN, PEER, has_providers
from test_write_bw import words_of

# Bytes, queues, MTU, and the frames of a hundred that are lost.
SHAPES = ((4096, 4, 1024, 0), (20_000, 2, 1024, 1))


@pytest.fixture(scope="module", autouse=True)
def providers() -> None:
    if not has_providers():
        pytest.skip("this machine has no ibverbs-providers, with which packetwarp would use the guest's device")


def start_in_guest(guest, ours, *words: str, command: str = "rdma-bw"):
    return guest.guest.popen(str(ours.binary), command, "--transport", "verbs", "-d", DEVICE, *words, "--json", "/tmp/result.json")


def end_in_guest(guest, process):
    said, errors = process.communicate(timeout=SECONDS)
    assert process.returncode == 0, f"{said}\n{errors}"
    return json.loads(guest.guest.shell("cat /tmp/result.json"))


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: "-".join(map(str, shape)))
def test_every_byte_of_a_verbs_client_arrives(guest, ours, shape):
    *sizes, losses = shape
    words = words_of(*sizes)
    server, result = ours.server("rdma-bw", *words, "--validate")
    with guest.losing(losses) if losses else contextlib.nullcontext():
        sent = end_in_guest(guest, start_in_guest(guest, ours, *words, "-n", "2", "--posts", "16", OWN))
        made = finished(server, result)
    assert (sent["transport"], sent["role"], sent["results"][0]["iterations"]) == ("verbs", "client", 2)
    assert made["checked_bytes"] > 0
    assert made["counters"]["messages_executed"] == 32 * shape[1]


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: "-".join(map(str, shape)))
def test_every_byte_arrives_at_a_verbs_server(guest, ours, shape):
    *sizes, losses = shape
    words = words_of(*sizes)
    server = start_in_guest(guest, ours, *words, "--validate")
    with guest.losing(losses) if losses else contextlib.nullcontext():
        process, result = ours.start("rdma-bw", *words, "-n", "2", "--posts", "16", PEER)
        finished(process, result)
        made = end_in_guest(guest, server)
    assert made["checked_bytes"] > 0
    assert made["told"]["iterations"] == 32 * shape[1]


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: "-".join(map(str, shape)))
def test_every_byte_arrives_if_both_ends_write(guest, ours, shape):
    *sizes, losses = shape
    words = [*words_of(*sizes), "-b", "--validate", "-n", "2", "--posts", "16"]
    server = start_in_guest(guest, ours, *words)
    with guest.losing(losses) if losses else contextlib.nullcontext():
        process, result = ours.start("rdma-bw", *words, PEER)
        ends = (finished(process, result), end_in_guest(guest, server))
    for made in ends:
        assert made["checked_bytes"] > 0
        assert made["told"]["iterations"] == 32 * shape[1]


def test_no_device_of_that_name_is_one_clear_line(guest, ours):
    done = guest.guest.run(str(ours.binary), "rdma-bw", "--transport", "verbs", "-d", "mlx5_7", check=False)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].endswith(f"there is no verbs device 'mlx5_7'; there are {DEVICE}")


@pytest.mark.parametrize("command", ("rdma-bw", "rdma-lat"))
@pytest.mark.parametrize("index, of", ((0, "fe80:"), (9, "empty: ")))
def test_a_gid_that_is_no_ipv4_addresss_is_one_clear_line(guest, ours, command, index, of):
    done = guest.guest.run(str(ours.binary), command, "--transport", "verbs", "-x", str(index), OWN, check=False)
    assert done.returncode == 2
    line = done.stderr.splitlines()[-1]
    assert line.startswith(f"packetwarp: error: rdma: GID {index} of {DEVICE} is {of}"), line
    assert line.endswith(f": give -x one of {guest.gid} ({PEER})"), line


@pytest.mark.parametrize("command", ("rdma-bw", "rdma-lat"))
def test_a_device_that_is_no_connectx_is_one_clear_line(guest, ours, command):
    done = guest.guest.run(str(ours.binary), command, "--transport", "mlx5", check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-1] == f"packetwarp: error: rdma: {DEVICE} is no mlx5 device, which --transport mlx5 needs: give --transport verbs"
