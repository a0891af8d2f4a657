# SPDX-License-Identifier: Apache-2.0
"""An unmodified ib_write_bw on Linux's software RDMA device, and packetwarp rdma-bw: each writes to the other."""
from __future__ import annotations

import contextlib
import json
import re
import subprocess

import pytest
from conftest import SECONDS, finished
from guest_rdma import OWN, PEER

# Bytes, queues, MTU, writes of a queue, and the frames of a hundred that are lost.
SHAPES = ((64, 1, 1024, 1000, 0), (1000, 4, 256, 100, 0), (65536, 1, 1024, 20, 0), (64, 64, 1024, 32, 0), (4096, 1, 1024, 200, 1), (64, 64, 1024, 32, 1),
          (1000, 4, 256, 100, 1),
          (65536, 4, 4096, 20, 0), (20_000, 1, 4096, 100, 1))


# Eight time-outs of 1 s: a guest without KVM may stand still for seconds, where the machine is busy.
PATIENCE = "18"


def words_of(size: int, queues: int, mtu: int) -> list[str]:
    return ["-s", str(size), "-q", str(queues), "-m", str(mtu), "-u", PATIENCE]


def row_of(said: str, size: int) -> list[str]:
    """The columns of perftest's table."""
    [row] = re.findall(rf"^ {size}\s+(\d+)\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)$", said, re.MULTILINE)
    return list(row)


def ended(process: subprocess.Popen[str]) -> str:
    said, errors = process.communicate(timeout=SECONDS)
    assert process.returncode == 0, f"{said}\n{errors}"
    return said


def must_have_lost(counters: dict[str, int], losses: int, signs: tuple[str, ...]) -> None:
    """signs: counters of which one is above 0 if frames were lost, doubled or changed. At least 800 go each way."""
    if losses == 0:
        assert counters["bad_icrc"] == counters["malformed"] == 0, counters
    else:
        assert sum(counters[name] for name in signs) > 0, counters


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: "-".join(map(str, shape)))
def test_it_takes_what_packetwarp_writes(guest, ours, shape):
    size, queues, mtu, writes, losses = shape
    server = guest.perftest("ib_write_bw", *words_of(size, queues, mtu), "-n", str(writes))
    with guest.losing(losses) if losses else contextlib.nullcontext():
        made = ours.client("rdma-bw", *words_of(size, queues, mtu), "-n", "4", "--posts", str(writes // 4))
    said = ended(server)
    total = writes // 4 * 4 * queues
    assert row_of(said, size)[0] == str(total), "the server prints what it was told"
    assert (made["role"], made["mtu"], made["peer"]) == ("client", mtu, f"{PEER}:18515")
    counters = made["counters"]
    packets = total * -(-size // mtu)
    assert counters["packets_sent"] - counters["packets_sent_again"] == packets
    assert counters["fatal_naks_received"] == 0
    must_have_lost(counters, losses, ("packets_sent_again",))


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: "-".join(map(str, shape)))
def test_packetwarp_takes_what_it_writes(guest, ours, shape):
    size, queues, mtu, writes, losses = shape
    server, result = ours.server("rdma-bw", *words_of(size, queues, mtu))
    with guest.losing(losses) if losses else contextlib.nullcontext():
        said = ended(guest.perftest("ib_write_bw", *words_of(size, queues, mtu), "-n", str(writes), OWN))
        made = finished(server, result)
    row = row_of(said, size)
    told = made["told"]
    assert (told["bytes"], told["iterations"]) == (size, int(row[0]))
    assert told["average_mib_per_second"] == pytest.approx(float(row[2]), abs=0.006)
    counters = made["counters"]
    assert counters["messages_executed"] == int(row[0]), "each write is executed once"
    assert counters["bytes_executed"] == int(row[0]) * size
    assert counters["invalid_requests"] == counters["remote_access_errors"] == 0
    must_have_lost(counters, losses, ("out_of_sequence", "duplicates", "bad_icrc"))


@pytest.mark.parametrize("shape", ((4096, 1, 1024, 400, 0), (1000, 4, 256, 100, 1), (65536, 4, 4096, 20, 0)), ids=lambda shape: "-".join(map(str, shape)))
@pytest.mark.parametrize("server", ("perftest", "packetwarp"))
def test_both_write_at_the_same_time(guest, ours, shape, server):
    size, queues, mtu, writes, losses = shape
    words = [*words_of(size, queues, mtu), "-b"]
    own = [*words, "-n", "4", "--posts", str(writes // 4)]
    with guest.losing(losses) if losses else contextlib.nullcontext():
        if server == "perftest":
            peer = guest.perftest("ib_write_bw", *words, "-n", str(writes))
            made = ours.client("rdma-bw", *own)
        else:
            process, result = ours.server("rdma-bw", *own)
            peer = guest.perftest("ib_write_bw", *words, "-n", str(writes), OWN)
            made = finished(process, result)
        row = row_of(ended(peer), size)
    [wrote], told, counters = made["results"], made["told"], made["counters"]
    both = wrote["average_bytes_per_second"] / 2**20 + told["average_mib_per_second"]
    assert float(row[2]) == pytest.approx(both, abs=0.02), "perftest prints the sum of both ends"
    assert (wrote["bytes"], wrote["iterations"], told["bytes"], told["iterations"]) == (size, 4, size, int(row[0]))
    assert counters["messages_executed"] == told["iterations"], "each write of the peer is executed once"
    packets = writes // 4 * 4 * queues * -(-size // mtu)
    assert counters["packets_sent"] - counters["packets_sent_again"] == packets
    assert counters["fatal_naks_received"] == counters["invalid_requests"] == counters["remote_access_errors"] == 0
    must_have_lost(counters, losses, ("out_of_sequence", "duplicates", "bad_icrc", "packets_sent_again"))


def test_a_client_that_alone_writes_to_a_server_with_both_ways_is_one_clear_line(guest, ours):
    server, _ = ours.server("rdma-bw", *words_of(64, 1, 1024), "-b")
    client = guest.perftest("ib_write_bw", *words_of(64, 1, 1024), "-n", "100", OWN)
    errors = server.communicate(timeout=SECONDS)[1]
    client.communicate(timeout=SECONDS)
    assert server.returncode == 1
    assert errors.splitlines()[-1].endswith(": this end has -b, and the peer has not: give both ends -b and the same -s"), errors


@pytest.mark.parametrize("both", [(), ("-b",)], ids=["one_way", "both_ways"])
def test_rates_that_are_told_in_gigabits_are_taken_as_such(guest, ours, both):
    words = [*words_of(4096, 1, 1024), *both]
    server, result = ours.server("rdma-bw", *words, *(("-n", "4", "--posts", "125") if both else ()))
    said = ended(guest.perftest("ib_write_bw", *words, "-n", "500", "--report_gbits", OWN))
    told = finished(server, result)["told"]
    assert "BW average[Gb/sec]" in said
    assert told["average_mib_per_second"] == pytest.approx(4096 * told["millions_per_second"] * 1e6 / 2**20, rel=0.001)
    assert told["peak_mib_per_second"] >= told["average_mib_per_second"] * 0.99
    if not both:
        assert told["average_mib_per_second"] == pytest.approx(float(row_of(said, 4096)[2]) * 1e9 / 8 / 2**20, rel=0.1)


def test_a_write_that_packetwarp_refused_is_not_the_peers_fault_alone(guest, ours):
    server, result = ours.server("rdma-bw", *words_of(64, 1, 1024))
    client = guest.perftest("ib_write_bw", *words_of(131072, 1, 1024), "-n", "10", OWN)
    said, errors = server.communicate(timeout=SECONDS)
    client.communicate(timeout=SECONDS)
    assert server.returncode == 1
    assert errors.splitlines()[-1].endswith("; this end refused a write beyond its -s: give both ends the same -s"), errors
    assert "1 remote access errors" in said
    assert json.loads(result.read_text())["counters"]["remote_access_errors"] == 1


def test_writes_of_another_connection_type_are_one_clear_line(guest, ours):
    """An unreliable connection (UC) has no acknowledgements, so that perftest calls its writes done once they are sent."""
    server, _ = ours.server("rdma-bw", *words_of(4096, 1, 1024))
    said = ended(guest.perftest("ib_write_bw", *words_of(4096, 1, 1024), "-c", "UC", "-n", "500", OWN))
    errors = server.communicate(timeout=SECONDS)[1]
    assert row_of(said, 4096)[0] == "500"
    assert server.returncode == 1
    line = errors.splitlines()[-1]
    assert " tells of 500 writes, and this end has executed 0; dropped: " in line, errors
    assert "of another connection type (-c RC is needed)" in line, errors


@pytest.mark.parametrize("program", ["ib_send_bw", "ib_read_bw"])
def test_an_operation_that_is_refused_ends_in_that_error_at_the_peer(guest, ours, program):
    server, _ = ours.server("rdma-bw", *words_of(64, 1, 1024))
    client = guest.perftest(program, *words_of(64, 1, 1024), "-n", "100", OWN)
    said = "".join(client.communicate(timeout=SECONDS))
    server.communicate(timeout=SECONDS)
    assert "Failed status 9" in said, said  # IBV_WC_REM_INV_REQ_ERR


def test_more_queues_than_the_peer_has_are_one_clear_line(guest, ours):
    peer = guest.perftest("ib_write_bw", "-q", "1", "-s", "64")
    process, _ = ours.start("rdma-bw", "-q", "4", "-s", "64", PEER)
    errors = process.communicate(timeout=SECONDS)[1]
    assert process.returncode == 1
    assert "-q" in errors.strip().splitlines()[-1]
    peer.communicate(timeout=SECONDS)


def test_a_peer_that_is_killed_ends_in_an_error(guest, ours):
    server = guest.perftest("ib_write_bw", "-s", "64")
    process, _ = ours.start("rdma-bw", "-s", "64", "-n", "1000000", "-u", "12", PEER)
    assert "writing to" in next(line for line in process.stdout if "RDMA write" in line)
    guest.guest.shell("kill -9 $(pidof ib_write_bw)")
    errors = process.communicate(timeout=SECONDS)[1]
    assert process.returncode == 1
    last = errors.strip().splitlines()[-1]
    assert "queue 0 failed" in last and ("retries exceeded" in last or "remote" in last), last
    server.communicate(timeout=SECONDS)


def test_an_mtu_beyond_the_ring_is_one_clear_line(guest, ours):
    process, _ = ours.start("rdma-bw", "-m", "2048", PEER, rings="framesz=2048")
    errors = process.communicate(timeout=SECONDS)[1]
    assert process.returncode == 2
    assert errors.splitlines()[-1] == ("packetwarp: error: rdma: port net_af_packet0: an MTU of 2048 takes packets of 2108 bytes; the port has 1968: "
                                       "give a smaller -m, or 'ip link set wire mtu 2108' and framesz=8192,blocksz=8192 among the words of --vdev")
