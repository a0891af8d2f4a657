# SPDX-License-Identifier: Apache-2.0
"""A capture in, a capture out: every packet, in order, every byte, however the work is dealt out."""
from __future__ import annotations

import functools
import itertools
import os
import pathlib
import subprocess

import check_l2fwd
import make_captures
import pytest
from harness import ALONE, FAILED, MIXED, Program, assert_forwarded

EXECUTORS = ("none", "cpu")
WORKERS = ("run-to-completion", "pair", "pair-cpu", "isolated-rx")
FORWARDABLE = [capture.name for capture in make_captures.CAPTURES if capture.forwardable]


@functools.cache
def read(path: pathlib.Path) -> list[bytes]:
    return check_l2fwd.read_with_scapy(path)


def source_of(name: str, captures: dict[str, pathlib.Path]) -> pathlib.Path:
    return MIXED if name == MIXED.name else captures[name]


def runts_among(frames: list[bytes], executor: str) -> dict[str, int]:
    runts = sum(check_l2fwd.is_dropped(frame, executor) for frame in frames)
    return {"runt": runts} if runts else {}


# mergecap cannot read a file that is cut.
ALONE_TO_TSHARK = [(MIXED.name, "none"), ("cut_file.pcap", "cpu")]


@pytest.mark.parametrize(("name", "executor"), ALONE_TO_TSHARK)
def test_both_readers_find_every_packet_forwarded(packetwarp: Program, captures, tmp_path, name, executor):
    source, result = source_of(name, captures), tmp_path / "out.pcap"
    packets = packetwarp.forward_capture(source, result, ["-w", executor]).packets
    report = check_l2fwd.check(source, result, executor)
    assert report.ok, report.difference
    assert (packets.rx, packets.tx, packets.punted) == (report.received, report.sent, 0)
    assert packets.dropped == runts_among(read(source), executor)


@pytest.fixture(scope="module")
def forwarded() -> list[tuple[pathlib.Path, pathlib.Path]]:
    """Captures, and the captures that came out for each: tshark starts for longer than it works, so it reads all at once."""
    return []


@pytest.mark.parametrize("name", [name for name in (MIXED.name, *FORWARDABLE) if (name, "cpu") not in ALONE_TO_TSHARK])
def test_every_packet_is_forwarded(packetwarp: Program, captures, tmp_path, forwarded, name):
    source, result = source_of(name, captures), tmp_path / "out.pcap"
    packets = packetwarp.forward_capture(source, result, ["-w", "cpu"]).packets
    assert_forwarded(read(source), result, "cpu")
    assert (packets.rx, packets.tx, packets.punted) == (len(read(source)), len(read(result)), 0)
    assert packets.dropped == runts_among(read(source), "cpu")
    forwarded.append((source, result))


def test_both_readers_find_every_packet_of_these_forwarded(forwarded, tmp_path):
    """Packets of the test before. mergecap opens files as tshark does."""
    sides = tmp_path / "in.pcapng", tmp_path / "out.pcapng"
    for merged, files in zip(sides, zip(*forwarded, strict=True), strict=True):
        subprocess.run(["mergecap", "-a", "-w", merged, *files], check=True)
    report = check_l2fwd.check(*sides, "cpu")
    assert report.ok, report.difference
    assert report.sent == sum(len(read(result)) for _, result in forwarded) > 0


@pytest.fixture(scope="module")
def everything(captures, tmp_path_factory) -> pathlib.Path:
    """The frames of all captures in one file, so that each way to deal out the work needs one run."""
    frames = itertools.chain.from_iterable(read(source_of(name, captures)) for name in (*FORWARDABLE, MIXED.name))
    path = tmp_path_factory.mktemp("everything") / "everything.pcap"
    path.write_bytes(make_captures.pcap(frames))
    return path


@pytest.mark.parametrize("executor", EXECUTORS)
@pytest.mark.parametrize("workers", WORKERS)
@pytest.mark.parametrize(("burst", "lcores"), ((1, "0-1"), (3, "0"), (32, "0-1"), (1024, "0")))
def test_every_arrangement_forwards_alike(packetwarp: Program, everything, tmp_path, executor, workers, burst, lcores):
    result = tmp_path / "out.pcap"
    options = ["-w", executor, "--workers", workers, "-b", str(burst)]
    packets = packetwarp.forward_capture(everything, result, options, lcores).packets
    frames = read(everything)
    assert_forwarded(frames, result, executor)
    assert packets.rx == len(frames) and packets.dropped == runts_among(frames, executor)


@pytest.mark.parametrize("workers", WORKERS)
def test_two_ports_forward_to_each_other(packetwarp: Program, captures, tmp_path, workers):
    one, other = MIXED, captures["vlan_stack.pcap"]
    devices = [f"--vdev=net_pcap{i},rx_pcap={source},tx_pcap={tmp_path / f'out{i}.pcap'}" for i, source in enumerate((one, other))]
    packets = packetwarp.forward(["-l", "0-1", *devices], ["--until-idle", "100ms", "--workers", workers]).packets
    assert packets.tx == len(read(one)) + len(read(other))
    assert_forwarded(read(one), tmp_path / "out1.pcap", "cpu")
    assert_forwarded(read(other), tmp_path / "out0.pcap", "cpu")


def test_a_port_map_sends_back_where_it_came_from(packetwarp: Program, captures, tmp_path):
    sources = [MIXED, captures["jumbo.pcap"], captures["runts.pcap"]]
    devices = [f"--vdev=net_pcap{i},rx_pcap={source},tx_pcap={tmp_path / f'out{i}.pcap'}" for i, source in enumerate(sources)]
    packetwarp.forward(["-l", "0-1", *devices], ["--until-idle", "100ms", "--portmap", "(0,0)(1,1)(2,2)"])
    for i, source in enumerate(sources):
        assert_forwarded(read(source), tmp_path / f"out{i}.pcap", "cpu")


def test_four_ports_are_two_pairs(packetwarp: Program, captures, tmp_path):
    sources = [captures[name] for name in ("big_endian.pcap", "fourteen_bytes.pcap", "lying_headers.pcap", "cut_headers.pcap")]
    devices = [f"--vdev=net_pcap{i},rx_pcap={source},tx_pcap={tmp_path / f'out{i}.pcap'}" for i, source in enumerate(sources)]
    packetwarp.forward(["-l", "0-1", *devices], ["--until-idle", "100ms"])
    for i, source in enumerate(sources):
        assert_forwarded(read(source), tmp_path / f"out{i ^ 1}.pcap", "cpu")


def test_queues_of_one_port_are_pipelines_of_their_own(packetwarp: Program, captures, tmp_path):
    """net_pcap has a queue for each file it is given."""
    sources = [MIXED, captures["every_length.pcap"], captures["vlan_stack.pcap"]]
    files = [f"rx_pcap={source},tx_pcap={tmp_path / f'out{i}.pcap'}" for i, source in enumerate(sources)]
    packetwarp.forward(["-l", "0-1", f"--vdev=net_pcap0,{','.join(files)}"], ["--until-idle", "100ms", "-p", "3"])
    for i, source in enumerate(sources):
        assert_forwarded(read(source), tmp_path / f"out{i}.pcap", "cpu")


def test_a_capture_that_was_cut_short_is_forwarded_up_to_the_cut(packetwarp: Program, captures, tmp_path):
    source, result = captures["cut_file.pcap"], tmp_path / "out.pcap"
    done = packetwarp.forward_capture(source, result)
    assert done.packets.tx == 49
    assert_forwarded(read(source), result, "cpu")
    assert [line for line in done.warnings if str(source) in line and "packet 50" in line], done


def test_a_full_disk_is_told_and_ends_the_run_with_an_error(packetwarp: Program, small_disk):
    """net_pcap counts a packet as sent that its file did not take."""
    device = f"--vdev=net_pcap0,rx_pcap={MIXED},infinite_rx=1,tx_pcap={small_disk / 'out.pcap'}"
    run = packetwarp.run("l2fwd", [*ALONE, "-l", "0", device], ["--packets", "20000", "--json", "-"])
    assert run.status == FAILED and len(run.errors) == 1, run
    size = (small_disk / "out.pcap").stat().st_size
    assert f"tx_pcap={small_disk}/out.pcap: {size} of the " in run.errors[0] and "give a file on a disk with room" in run.errors[0], run
    assert run.packets.tx >= 20000


def test_a_capture_is_read_from_a_pipe(packetwarp: Program, tmp_path):
    pipe, result = tmp_path / "pipe.pcap", tmp_path / "out.pcap"
    os.mkfifo(pipe)
    with subprocess.Popen(["cp", MIXED, pipe]) as writer:
        try:
            packetwarp.forward_capture(pipe, result)
        finally:
            writer.kill()
    assert_forwarded(read(MIXED), result, "cpu")
