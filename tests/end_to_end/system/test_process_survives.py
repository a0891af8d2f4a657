# SPDX-License-Identifier: Apache-2.0
"""Readers that go away, pipes and disks that take nothing, and a process that is stopped: packets go on, what is lost of
logs is counted, and the end is the usual one."""
from __future__ import annotations

import fcntl
import json
import os
import signal
import socket
import subprocess
import time

import pytest
from disks import fill, make_room
from harness import ALONE, DONE, FAILED, end_with_the_tests, packets_of
from live import FLOWS, NAT44, ROUTED, routed, wait_until
from namespaces import wait_for
from seeing import NULLS, seen_l2fwd

F_SETPIPE_SZ = 1031  # fcntl(2)
COMMAND = [*ALONE, "-l", "0", *(f"--vdev={device}" for device in NULLS), "--"]


def logs_of(report):
    return {log["name"]: log for log in report["logs"]}



@pytest.mark.parametrize("closed", ["<&- >&- 2>&-", ">&-", "<&-", "2>&-"])
def test_a_run_without_standard_files_writes_into_no_other_file(packetwarp, tmp_path, closed):
    """DPDK's files would get their numbers, and a report that is printed would be written into memory that DPDK maps."""
    result = tmp_path / "result.json"
    command = [str(packetwarp.binary), "l2fwd", *COMMAND, "--duration", "1s", "--stats-period", "100ms", "--json", str(result)]
    process = subprocess.run(["sh", "-c", f'exec "$@" {closed}', "sh", *command], timeout=120, check=False, preexec_fn=end_with_the_tests)
    assert process.returncode == (FAILED if ">&-" in closed.split() else DONE), "standard output alone has a result to lose"
    packets = packets_of(json.loads(result.read_text()))
    assert packets.tx > 0 and packets.rx == packets.tx + sum(packets.dropped.values())


def said_to(packetwarp, tmp_path, *, stdout, stderr):
    """A run in the background that says much, its result's file, and the file of its events."""
    result, events = tmp_path / "result.json", tmp_path / "events.jsonl"
    command = [str(packetwarp.binary), "l2fwd", *COMMAND, "--control", "none", "--stats-period", "10ms", "--poll-sleep", "200us",
               "--json", str(result), "--event-log", str(events)]
    return subprocess.Popen(command, stdout=stdout, stderr=stderr, preexec_fn=end_with_the_tests), result, events


def end_when_lines_are_lost(process, events):
    try:
        wait_for(lambda: process.poll() is not None or (events.exists() and '"log_lines_lost","log":"stderr"' in events.read_text()),
                 "lines that are lost")
        process.send_signal(signal.SIGINT)
        return process.wait(60)
    finally:
        process.kill()


def test_a_run_whose_log_nobody_reads_any_more_goes_on(packetwarp, tmp_path):
    """Like `packetwarp l2fwd 2>&1 | head -1`: both outputs break after the first line."""
    reader, writer = os.pipe()
    process, result, events = said_to(packetwarp, tmp_path, stdout=writer, stderr=writer)
    os.close(writer)
    assert os.read(reader, 1)
    os.close(reader)
    assert end_when_lines_are_lost(process, events) == FAILED, "the result on standard output is lost, which is an error of its own"
    report = json.loads(result.read_text())
    assert packets_of(report).tx > 0 and report["ended_by"] == "signal"
    assert logs_of(report)["stderr"]["lost"] > 0


def test_a_run_whose_log_is_not_read_does_not_wait_for_it(packetwarp, tmp_path):
    """A pipe holds 4 KiB here, and has no reader: no line is waited for."""
    reader, writer = os.pipe()
    fcntl.fcntl(writer, F_SETPIPE_SZ, 4096)
    process, result, events = said_to(packetwarp, tmp_path, stdout=subprocess.DEVNULL, stderr=writer)
    os.close(writer)
    assert end_when_lines_are_lost(process, events) == DONE
    os.close(reader)
    report = json.loads(result.read_text())
    assert packets_of(report).tx > 0 and logs_of(report)["stderr"]["lost"] > 0


def with_log(path, events="", pool=1):
    nat44 = {**NAT44, "log": str(path), "log_room": "64k", "ports": [20000, 59999], "pool": [f"198.18.0.{pool}"]}
    return {**ROUTED, **({"event_log": str(events)} if events else {}), "nat44": nat44}


def lose_lines(running, path, **more):
    """Another pool: all sessions end, and are made again."""
    before = logs_of(running.report())["nat44"]["lost"]
    for n in range(2, 200):
        running.write(with_log(path, pool=n, **more))
        running.said("reload")
        if logs_of(running.report())["nat44"]["lost"] > before:
            return
    raise AssertionError("no line was lost")


def test_a_session_log_that_nobody_reads_costs_lines_and_nothing_else(packetwarp, tmp_path):
    """A FIFO without a reader, and then with a reader that reads nothing. An interrupt ends the run as ever."""
    fifo, events = tmp_path / "sessions", tmp_path / "events"
    os.mkfifo(fifo)
    with routed(packetwarp, with_log(fifo, events), count=2000, hosts=4, options=("--report-age", "1ms")) as running:
        lose_lines(running, fifo, events=events)
        reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
        lose_lines(running, fifo, events=events)
        lost, sent = logs_of(running.report())["nat44"]["lost"], running.report()["packets"]["tx"]
        wait_until(running, lambda: running.report()["packets"]["tx"] > sent, "packets that go on")
        assert os.read(reader, 65536).startswith(b'{"time":')
        done = running.running.interrupt().result
        os.close(reader)
    assert logs_of(done)["nat44"]["lost"] >= lost > 0 and "nat44" in running.running.so_far().stdout
    assert "lost" in running.running.stderr()
    told = [json.loads(line) for line in events.read_text().splitlines()]
    assert [one["log"] for one in told if one["event"] == "log_lines_lost"][:1] == ["nat44"]


def test_a_session_log_goes_on_when_a_full_disk_has_room_again(packetwarp, small_disk):
    log = small_disk / "sessions.jsonl"
    with routed(packetwarp, with_log(log), count=500, hosts=4, options=("--report-age", "1ms")) as running:
        wait_until(running, lambda: log.stat().st_size > 0, "a line")
        fill(small_disk)
        lose_lines(running, log)
        running.running.wait_for_log("No space left on device")
        make_room(small_disk)
        before = log.stat().st_size
        wait_until(running, lambda: log.stat().st_size > before, "lines that are written again")
        running.running.wait_for_log("it can be written again")
        fill(small_disk)
        packets = running.running.interrupt().packets
    assert packets.tx > FLOWS and running.running.stderr().count("No space left on device") <= 2
    *whole, rest = log.read_text().split("\n")
    assert all(json.loads(line)["event"] in ("run_started", "made", "ended") for line in whole)
    assert log.stat().st_mode & 0o777 == 0o600


def test_an_event_log_on_a_full_disk_counts_what_it_loses(packetwarp):
    with seen_l2fwd(packetwarp, "--event-log", "/dev/full") as (running, _):
        done = running.interrupt().result
    assert logs_of(done)["events"]["written"] == 0 and logs_of(done)["events"]["lost"] >= 2
    assert "event log /dev/full: No space left on device" in running.stderr()


@pytest.mark.parametrize("lcores", ("0", "0-1"))
def test_a_process_that_is_stopped_for_a_while_goes_on(packetwarp, lcores):
    """SIGSTOP and SIGCONT, as a debugger or a cgroup's freezer does it: no session ends, no packet is lost."""
    with routed(packetwarp, {**ROUTED, "nat44": NAT44}, lcores=lcores) as running:
        wait_until(running, lambda: running.json("nat", "stats")["udp"] == FLOWS, "a session of each flow")
        sent = running.report()["packets"]["tx"]
        running.running.send(signal.SIGSTOP)
        time.sleep(2.5)
        running.running.send(signal.SIGCONT)
        wait_until(running, lambda: running.report()["packets"]["tx"] > sent, "packets that go on")
        stats = running.json("nat", "stats")
        assert stats["udp"] == FLOWS and stats["ended"] == 0
        packets = running.running.interrupt().packets
    assert packets.dropped == {} and packets.rx == packets.tx


def test_clients_that_read_from_a_stopped_process_end_and_others_say_that_they_wait(packetwarp):
    """A command that would change something waits on: its user could not know whether the change is made."""
    reads = (["show", "routes"], ["workers"], ["nat", "stats"], ["nat", "sessions"], ["flow", "list", "0"])
    captured = packetwarp.folder / "some.pcapng"
    with routed(packetwarp, {**ROUTED, "nat44": NAT44}) as running:
        asked = [str(packetwarp.binary), "capture", "--control", str(running.control), "--duration", "5s", "-w", str(captured)]
        wait_until(running, lambda: running.json("nat", "stats")["udp"] == FLOWS, "a session of each flow")
        capture = subprocess.Popen(asked, stderr=subprocess.PIPE, text=True, preexec_fn=end_with_the_tests)
        wait_until(running, lambda: captured.exists() and captured.stat().st_size > 1000, "a capture under way")
        running.running.send(signal.SIGSTOP)
        clients = [subprocess.Popen([str(packetwarp.binary), *words, "--control", str(running.control)], stdout=subprocess.DEVNULL,
                                    stderr=subprocess.PIPE, text=True, preexec_fn=end_with_the_tests)
                   for words in (*reads, ["nat", "save", "--file", "/nowhere/file"])]
        said = [client.communicate(timeout=90)[1] for client in (capture, *clients[:-1])]
        assert [client.returncode for client in (capture, *clients[:-1])] == [FAILED] * (len(reads) + 1), said
        assert "capture: packetwarp has sent nothing for 10 s" in said[0], said
        assert all("packetwarp has not answered for 20 s; it may be stopped" in one for one in said[1:]), said
        assert clients[-1].poll() is None
        running.running.send(signal.SIGCONT)
        last = clients[-1].communicate(timeout=90)[1]
        assert clients[-1].returncode == FAILED and "No such file" in last, last
        running.running.interrupt()


def test_silent_clients_lock_neither_the_control_socket_nor_the_metrics(packetwarp):
    """Twice as many as there are places, which say nothing and stay."""
    file = {**ROUTED, "metrics": "0"}
    with routed(packetwarp, file, lcores="0") as running:
        line = next(line for line in running.running.stderr().splitlines() if "metrics: http://" in line)
        port = int(line.rpartition(":")[2].removesuffix("/metrics"))
        silent = [running.client() for _ in range(40)]
        silent += [socket.create_connection(("127.0.0.1", port)) for _ in range(130)]
        sent = running.report()["packets"]["tx"]
        with socket.create_connection(("127.0.0.1", port), timeout=30) as asks:
            asks.sendall(b"GET /healthz HTTP/1.1\r\nHost: here\r\n\r\n")
            assert asks.recv(100).startswith(b"HTTP/1.1 200")
        wait_until(running, lambda: running.report()["packets"]["tx"] > sent, "packets that go on")
        for one in silent:
            one.close()
        running.running.interrupt()


def test_clients_that_ask_without_end_leave_a_plane_of_one_lcore_its_packets(packetwarp):
    """16 connections with as many requests as their sockets hold, for reports of every rule and route."""
    with routed(packetwarp, ROUTED, lcores="0") as running:
        clients = [running.client() for _ in range(16)]
        for client in clients:
            client.setblocking(False)
            try:
                while client.send(100 * b'{"command":"report"}\n') > 0:
                    pass
            except BlockingIOError:
                pass
        sent = running.report()["packets"]["tx"]
        wait_until(running, lambda: running.report()["packets"]["tx"] > sent + FLOWS, "packets that go on")
        for client in clients:
            client.close()
        packets = running.running.interrupt().packets
    assert packets.dropped == {} and packets.rx == packets.tx
