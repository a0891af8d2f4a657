# SPDX-License-Identifier: Apache-2.0
"""NAT44's sessions over restarts, under churn, and when ports or the table run out."""
from __future__ import annotations

import json
import signal
import struct

import pytest
from disks import fill
from harness import ALONE, DONE, FAILED, WRONG_USAGE, Running
from live import FLOWS, NAT44, ROUTED, routed, wait_until
from seeing import Control


def with_nat(**more):
    return {**ROUTED, "nat44": {**NAT44, **more}}


def mappings(running):
    return {(one["inside"], one["outside"]) for one in running.json("nat", "sessions", "--limit", "100000")["sessions"]}


def test_flows_keep_their_mappings_over_a_restart(packetwarp, tmp_path):
    """The second run has more ports to choose from, and would choose others: the flows' own ports."""
    state = tmp_path / "sessions"
    with routed(packetwarp, with_nat(state=str(state), ports=[20000, 29999])) as running:
        wait_until(running, lambda: len(mappings(running)) == FLOWS, "a session of each flow")
        first = mappings(running)
        assert all(int(outside.rpartition(":")[2]) >= 20000 for _, outside in first)
        running.running.interrupt()
    assert state.is_file() and not list(tmp_path.glob("sessions.new"))
    with routed(packetwarp, with_nat(state=str(state))) as running:
        assert f"{FLOWS} sessions go on from {state}" in running.running.stderr()
        assert mappings(running) == first
        packets = running.running.interrupt().packets
    assert packets.dropped == {} and packets.rx == packets.tx


def endpoints(file):
    """The keys of each session's inside and outside endpoint. Its age and TCP state change while packets flow."""
    saved = file.read_bytes()[16:-8]
    return {(inside, outside) for inside, outside, _, _ in struct.iter_unpack("=QQII", saved)}


def test_sessions_are_saved_while_it_runs(packetwarp, tmp_path):
    """So that even one that is killed goes on."""
    state, copy = tmp_path / "sessions", tmp_path / "copy"
    with routed(packetwarp, with_nat(state=str(state))) as running:
        wait_until(running, lambda: len(mappings(running)) == FLOWS, "a session of each flow")
        first = mappings(running)
        assert running.said("nat", "save") == f"{FLOWS} sessions saved to {state}\n"
        assert running.said("nat", "save", "--file", str(copy)) == f"{FLOWS} sessions saved to {copy}\n"
        assert len(endpoints(copy)) == FLOWS and endpoints(copy) == endpoints(state)
        nowhere = running.ask("nat", "save", "--file", str(tmp_path / "no" / "where"))
        assert nowhere.status == 1 and "nat44 sessions" in nowhere.errors[0], nowhere
        assert "it is tried again" not in running.running.stderr()
        running.running.process.kill()
        running.running.process.wait()
    with routed(packetwarp, with_nat(state=str(state))) as running:
        assert mappings(running) == first
        running.running.interrupt()


def test_port_forwards_are_listed_without_age_and_state(packetwarp):
    """They do not age, and their connections are not tracked."""
    forward = {"protocol": "tcp", "inside": "192.0.2.200:80", "outside": "198.51.100.1:8080"}
    with routed(packetwarp, with_nat(static=[forward])) as running:
        wait_until(running, lambda: len(mappings(running)) == FLOWS + 1, "a session of each flow")
        listed = running.json("nat", "sessions")["sessions"]
        assert [one for one in listed if one["origin"] == "configured"] == [{**forward, "origin": "configured"}]
        assert all("idle" in one for one in listed if one["origin"] == "packet")
        running.running.interrupt()


def logged(log):
    return [(one["event"], one.get("inside"), one.get("outside", one.get("restored"))) for one in map(json.loads, log.read_text().splitlines())]


def test_the_log_says_what_a_restart_has_ended(packetwarp, tmp_path):
    """Without a state all sessions of a run; with one the sessions that the next run does not take, here for its pool."""
    state, log = tmp_path / "sessions", tmp_path / "log"
    made = {}
    for name, more in (("alone", {}), ("kept", {"state": str(state)})):
        with routed(packetwarp, with_nat(log=str(log), **more)) as running:
            wait_until(running, lambda: len(mappings(running)) == FLOWS, "a session of each flow")
            made[name] = mappings(running)
            running.running.interrupt()
        lines, before = logged(log), 0 if name == "alone" else 2 * FLOWS + 1
        assert lines[before] == ("run_started", None, 0)
        assert {(inside, outside) for event, inside, outside in lines[before + 1:] if event == "made"} == made[name]
        ended = {(inside, outside) for event, inside, outside in lines[before + 1:] if event == "ended"}
        assert ended == (made[name] if name == "alone" else set())
    before = len(logged(log))
    with routed(packetwarp, with_nat(log=str(log), state=str(state), pool=["198.18.0.1"])) as running:
        wait_until(running, lambda: len(mappings(running)) == FLOWS, "a session of each flow")
        running.running.interrupt()
    lines = logged(log)[before:]
    assert {(inside, outside) for event, inside, outside in lines[:FLOWS] if event == "ended"} == made["kept"]
    assert lines[FLOWS] == ("run_started", None, 0) and {event for event, _, _ in lines[FLOWS + 1:]} == {"made"}


def test_no_save_replaces_a_file_of_the_runs_own(packetwarp, tmp_path):
    """By any name, and while the file is not yet there; another name of the state's file is the state's."""
    state, log, events = (tmp_path / name for name in ("sessions", "log", "events"))
    with routed(packetwarp, with_nat(state=str(state), log=str(log)), options=("--event-log", str(events))) as running:
        result = Running.file(packetwarp.folder / "run1", "json")
        wait_until(running, lambda: len(mappings(running)) == FLOWS, "a session of each flow")
        (tmp_path / "link").symlink_to(running.config)
        before = running.config.read_bytes()
        capture = packetwarp.folder / "flows.pcap"
        for file in (running.config, tmp_path / "link", log, events, result, running.control, capture, tmp_path):
            done = running.ask("nat", "save", "--file", str(file))
            assert done.status == WRONG_USAGE and len(done.errors) == 1, done
            assert f"nat save: {file}: " in done.errors[0] and "give a" in done.errors[0], done
        assert running.config.read_bytes() == before and not result.exists() and running.control.is_socket()
        assert events.read_text().startswith("{") and capture.stat().st_size > 0
        (tmp_path / "again").symlink_to(state)
        for file in (state, tmp_path / "again", tmp_path / "new"):
            assert running.said("nat", "save", "--file", str(file)) == f"{FLOWS} sessions saved to {file}\n"
        assert "it is tried again" not in running.running.stderr()
        running.running.interrupt()


@pytest.mark.parametrize("content", (b"", b"something else, and long enough", b"pwnat441" + (9).to_bytes(8, "little")),
                         ids=("empty", "foreign", "cut"))
def test_a_router_comes_up_beside_a_bad_state_file_which_is_kept_aside(packetwarp, tmp_path, content):
    state = tmp_path / "sessions"
    state.write_bytes(content)
    config = packetwarp.write_config(with_nat(state=str(state)))
    done = packetwarp.run("run", [*ALONE, "-l", "0", "--vdev=net_null0,no-rx=1", "--vdev=net_null1,no-rx=1"], ["-c", config, "--duration", "50ms"])
    assert done.status == DONE, done
    aside = next(tmp_path.glob("sessions.corrupt-*"))
    assert aside.read_bytes() == content
    assert len([line for line in done.warnings if str(state) in line and str(aside) in line]) == 1, done
    assert state.stat().st_size == 24, "an empty table's"


def test_a_killed_router_goes_on_with_what_was_saved_last(packetwarp, tmp_path):
    state = tmp_path / "sessions"
    with routed(packetwarp, with_nat(state=str(state), state_period=1)) as running:
        wait_until(running, lambda: len(mappings(running)) == FLOWS, "a session of each flow")
        first = mappings(running)
        wait_until(running, lambda: state.exists() and state.stat().st_size == 24 + 24 * FLOWS, "a save of all sessions")
        running.running.process.kill()
        running.running.process.wait()
    assert state.stat().st_mode & 0o777 == 0o600
    with routed(packetwarp, with_nat(state=str(state))) as running:
        assert f"{FLOWS} sessions go on from {state}" in running.running.stderr()
        assert mappings(running) == first
        running.running.interrupt()


def test_a_full_disk_leaves_the_state_of_before(packetwarp, tmp_path, small_disk):
    """Saves fail, which is said once; the router goes on, and the exit status tells that the last save failed too."""
    state = small_disk / "sessions"
    with routed(packetwarp, with_nat(state=str(state))) as running:
        wait_until(running, lambda: len(mappings(running)) == FLOWS, "a session of each flow")
        running.said("nat", "save")
        before = state.read_bytes()
        fill(small_disk)
        running.write(with_nat(state=str(state)))
        assert "No space left" in running.ask("nat", "save").errors[0]
        done = running.running.send(signal.SIGINT).finish()
    assert done.status == FAILED and "No space left" in done.errors[-1], done
    assert done.packets.in_flight == 0 and state.read_bytes() == before
    assert [path.name for path in small_disk.iterdir() if path.name.startswith("sessions")] == ["sessions"]


def test_a_state_file_that_could_not_be_written_is_told_before_the_start(packetwarp, tmp_path):
    config = packetwarp.write_config(with_nat(state=str(tmp_path / "no" / "where")))
    done = packetwarp.run("run", [*ALONE, "-l", "0", "--vdev=net_null0", "--vdev=net_null1"], ["-c", config, "--duration", "50ms"])
    assert done.status == WRONG_USAGE and "nat44.state" in done.errors[0], done


@pytest.mark.parametrize(("length", "is_too_long"), ((251, False), (252, True), (255, True), (300, True)))
@pytest.mark.parametrize("command", ("run", "plan"))
def test_a_state_file_whose_name_is_too_long_is_told_before_the_start(packetwarp, tmp_path, command, length, is_too_long):
    """A save has 4 more letters, FILE.new, and 255 are the most."""
    config = packetwarp.write_config(with_nat(state=str(tmp_path / ("s" * length))))
    more = ["--duration", "50ms"] if command == "run" else []
    done = packetwarp.run(command, [*ALONE, "-l", "0", "--vdev=net_null0", "--vdev=net_null1"], ["-c", config, *more])
    assert done.status == (WRONG_USAGE if is_too_long else DONE), done
    said = "cannot be written: File name too long; give a shorter name"
    assert not is_too_long or (len(done.errors) == 1 and f"{config}:" in done.errors[0] and "nat44.state: " in done.errors[0] and said in done.errors[0]), done


def test_ports_run_out_by_name_and_come_back(packetwarp):
    """40 ports for 64 flows: 40 go through, the others are dropped as no_port; with more addresses all go through."""
    shares = {"per_host": 0, "per_prefix": 0}  # packets of a burst count side by side on a GPU, and a host's may seem too many
    with routed(packetwarp, with_nat(ports=[30000, 30039], **shares)) as running:
        wait_until(running, lambda: running.json("nat", "stats")["live"] == 40, "a session of each port")
        # Flows without answers take each other's ports, until one has had its port for a second: for about ten of them, longer beside
        # other work.
        with Control(running.control) as asking:
            wait_until(running, lambda: asking.report()["packets"]["dropped"].get("no_port"), "a flow without a port", seconds=90)
        wait_until(running, lambda: len({outside for _, outside in mappings(running)}) == 40, "sessions that stay")
        running.write(with_nat(ports=[30000, 30039], pooling="arbitrary", pool=["198.51.100.1", "198.18.0.1"], **shares))
        running.said("reload")
        wait_until(running, lambda: running.json("nat", "stats")["live"] == FLOWS, "a session of each flow")
        packets = running.running.interrupt().packets
    assert set(packets.dropped) == {"no_port"} and packets.tx > 0


def test_a_full_table_drops_by_name(packetwarp):
    """64 flows without answers: flows that send for more than a second stay, and the others find no room."""
    with routed(packetwarp, with_nat(sessions=50, per_host=0, per_prefix=0)) as running:
        wait_until(running, lambda: running.json("nat", "stats")["live"] == 50, "a full table")
        with Control(running.control) as asking:
            wait_until(running, lambda: asking.report()["packets"]["dropped"].get("table_full"), "a flow without room")
        packets = running.running.interrupt().packets
    assert set(packets.dropped) == {"table_full"} and packets.tx > 0


def live_of(stats: dict) -> int:
    """By the log's counters; ends that it had no room for are counted as unlogged."""
    return stats["made"] - stats["ended"] - stats["unlogged"]


def test_sessions_come_and_go_all_the_time(packetwarp):
    """More flows than ports, time-outs of a second and pools that change: sessions are made and end. A list of sessions
    that change hands while they are listed shows no port's only owner; exhaustion_test and nat44_threads_test do."""
    trusted = {"ports": [30000, 30999], "timeouts": {"udp": 1}, "per_host": 0, "per_prefix": 0}
    with routed(packetwarp, with_nat(**trusted), count=3000, hosts=3) as running:
        for n in range(6):
            running.write(with_nat(**trusted, pool=[f"198.18.0.{1 + n}"]))
            running.said("reload")
            wait_until(running, lambda: len(running.json("nat", "sessions", "--outside", f"198.18.0.{1 + n}")["sessions"]) > 0, "sessions")
        # Sessions of the pools before end by themselves, a port at a time has one: the last pool's are what stays.
        wait_until(running, lambda: live_of(running.json("nat", "stats")) <= 1000, "the sessions of earlier pools to end")
        stats = running.json("nat", "stats")
        assert stats["ended"] >= 1000 and live_of(stats) <= 1000, stats
        packets = running.running.interrupt().packets
    # Whether a flow finds no port depends on which sessions were unused just then.
    assert set(packets.dropped) <= {"no_port"} and packets.tx > 0 and packets.punted == 0
