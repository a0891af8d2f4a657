# SPDX-License-Identifier: Apache-2.0
"""`packetwarp capture`: what a running packetwarp's packets look like on their way, read by other programs."""
from __future__ import annotations

import contextlib
import json
import os
import pathlib
import select
import shutil
import signal
import subprocess
import tempfile

import pytest
from harness import DONE, FAILED, WRONG_USAGE, Running
from live import FLOWS, FULL_RATE, GATEWAY_MAC, HOST_MAC, LEFT_MAC, NAT44, ROUTED, flows, live, routed, wait_until
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Dot1Q, Ether
from scapy.utils import PcapNgReader


def capture(running, file, *options):
    """A capture that ends by itself."""
    done = running.ask("capture", "-w", str(file), *options)
    assert done.status == DONE, f"{done}\n{running.running.stderr()}"
    return done


def fields(file: pathlib.Path, *names: str, display: str = "") -> list[tuple[str, ...]]:
    """tshark's fields of each packet."""
    words = [word for name in names for word in ("-e", name)]
    chosen = ["-Y", display] if display else []
    read = said_by_wireshark("tshark", "-n", "-r", str(file), "-T", "fields", *words, *chosen)
    return [tuple(line.split("\t")) for line in read.splitlines()]


def said_by_wireshark(program: str, *words: str) -> str:
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed: it reads what was captured")
    return subprocess.run([program, *words], capture_output=True, text=True, check=True, timeout=60).stdout


def facts(file: pathlib.Path) -> str:
    return said_by_wireshark("capinfos", str(file))


def count(file: pathlib.Path) -> int:
    """The packets of a large file, which takes tshark long. It is read to its end."""
    said = said_by_wireshark("capinfos", "-c", "-M", str(file))
    return int(said.split("Number of packets:")[1].split()[0])


def test_packets_come_in_and_leave_as_the_function_makes_them(packetwarp):
    came, left = packetwarp.folder / "rx.pcapng", packetwarp.folder / "tx.pcapng"
    with routed(packetwarp, {**ROUTED, "nat44": NAT44}) as running:
        wait_until(running, lambda: running.json("nat", "stats")["live"] == FLOWS, "a session of each flow")
        said = capture(running, came, "--packets", "200", "--port", "left").stdout
        assert said.startswith("200 packets captured, ")
        capture(running, left, "--stage", "tx", "--packets", "200", "--port", "1")
        running.running.interrupt()
    with PcapNgReader(str(came)) as reader:
        packets = list(reader)
    assert len(packets) == 200
    for packet in packets:
        frame = Ether(bytes(packet))
        assert frame.dst == LEFT_MAC and frame[IP].src == "10.0.0.2" and frame[UDP].dport == 53
        assert packet.comment == b"rx" and packet.direction == 1 and packet.sniffed_on == "net_pcap0"
    with PcapNgReader(str(left)) as reader:
        packets = list(reader)
    assert len(packets) == 200
    for packet in packets:
        frame = Ether(bytes(packet))
        assert frame.dst == GATEWAY_MAC and frame[IP].src == "198.51.100.1" and frame[IP].ttl == 63
        assert packet.comment == b"tx" and packet.direction == 2 and packet.sniffed_on == "net_null1"
    assert fields(left, "frame.interface_name", "frame.interface_description", "frame.comment", "ip.src", "ip.checksum.status",
                  "udp.checksum.status")[0] == ("net_null1", "right", "tx", "198.51.100.1", "2", "2")
    assert "Number of packets:   200" in facts(left)


def test_times_are_now_and_in_order(packetwarp):
    file = packetwarp.folder / "times.pcapng"
    with routed(packetwarp, ROUTED, lcores="0") as running:
        before = packetwarp.folder.stat().st_mtime - 60
        capture(running, file, "--packets", "1000")
        running.running.interrupt()
    times = [float(time) for time, in fields(file, "frame.time_epoch")]
    assert len(times) == 1000 and times == sorted(times)
    assert before < times[0] and times[-1] < file.stat().st_mtime + 60
    assert any(time.split(".")[1][6:9] != "000" for time, in fields(file, "frame.time_epoch")), "nanoseconds"
    assert "File timestamp precision:  nanoseconds (9)" in facts(file)


def test_a_filter_lets_through_what_it_says_and_bytes_cuts(packetwarp):
    file = packetwarp.folder / "filtered.pcapng"
    with routed(packetwarp, ROUTED) as running:
        capture(running, file, "--filter", "udp src port 4007 or udp src portrange 4010-4011", "--bytes", "50", "--packets", "60")
        running.running.interrupt()
    got = fields(file, "udp.srcport", "frame.cap_len", "frame.len")
    assert len(got) == 60
    assert {source for source, _, _ in got} == {"4007", "4010", "4011"}
    assert {sizes for _, *sizes in map(tuple, got) for sizes in [tuple(sizes)]} == {("50", "64")}


def test_what_is_dropped_has_its_reason_and_nothing_else_is_there(packetwarp):
    file = packetwarp.folder / "dropped.pcapng"
    unrouted = {**ROUTED, "routes": [{"to": "203.0.113.0/24", "discard": True}]}
    with routed(packetwarp, unrouted) as running:
        capture(running, file, "--stage", "dropped", "--packets", "100")
        dropped = running.running.interrupt().packets.dropped
    assert len(dropped) == 1
    assert {comment for comment, in fields(file, "frame.comment")} == {f"dropped: {name}" for name in dropped}


@pytest.mark.parametrize(("actions", "reason"), (
    ("of_push_vlan ethertype 0x8100 / of_set_vlan_vid vlan_vid 9 / drop", "rule_drop"),
    ("of_push_vlan ethertype 0x8100 / of_set_vlan_vid vlan_vid 9 / queue index 0", "front_moved"),
))
def test_what_rules_drop_begins_where_they_moved_its_front(packetwarp, actions, reason):
    file, text = packetwarp.folder / "dropped.pcapng", packetwarp.folder / "tags.txt"
    text.write_text(f"flow create 0 ingress pattern eth / end actions {actions} / end\n")
    with live(packetwarp, {"interfaces": [{"name": "left", "port": 0}, {"name": "right", "port": 1}], "rules": {"file": str(text)}},
              f"net_pcap0,rx_pcap={flows(packetwarp.folder / 'in.pcap')},infinite_rx=1,tx_pcap=/dev/null", "net_null1,no-rx=1") as running:
        capture(running, file, "--stage", "dropped", "--reason", reason, "--packets", "50")
        running.running.interrupt()
    with PcapNgReader(str(file)) as reader:
        packets = list(reader)
    assert len(packets) == 50
    for packet in packets:
        frame = Ether(bytes(packet))
        assert (frame.src, frame.dst) == (HOST_MAC, LEFT_MAC) and frame[Dot1Q].vlan == 9 and frame[UDP].dport == 53, frame


def test_a_reason_chooses_among_what_is_dropped_and_punted(packetwarp):
    """Without a route packets are punted for an ICMP error, which only few of them get."""
    punted, limited = packetwarp.folder / "punted.pcapng", packetwarp.folder / "limited.pcapng"
    with routed(packetwarp, {**ROUTED, "routes": []}) as running:
        capture(running, punted, "--stage", "punted", "--reason", "unreachable", "--packets", "50")
        capture(running, limited, "--stage", "dropped,punted", "--reason", "icmp_limited", "--packets", "50")
        none = packetwarp.folder / "none.pcapng"
        capture(running, none, "--stage", "dropped", "--reason", "no_room", "--duration", "10ms")
        wrong = running.ask("capture", "-w", "-", "--stage", "dropped", "--reason", "arp")
        assert wrong.status == WRONG_USAGE and "'arp' is none of tx_full, " in wrong.errors[0], wrong
        wrong = running.ask("capture", "-w", "-", "--stage", "rx", "--reason", "arp")
        assert wrong.status == WRONG_USAGE and "only packets of --stage dropped or punted" in wrong.errors[0], wrong
        running.running.interrupt()
    assert fields(punted, "frame.comment") == [("punted: unreachable",)] * 50
    assert fields(limited, "frame.comment") == [("dropped: icmp_limited",)] * 50


def test_no_packet_is_lost_while_captures_come_and_go(packetwarp):
    """At whatever rate this machine has, with a buffer that is too small for it."""
    with live(packetwarp, {"interfaces": [{"name": "left", "port": 0}, {"name": "right", "port": 1}],
                           "rules": {"file": str(forward_all(packetwarp))}}, "net_null0", "net_null1,no-rx=1", pace=FULL_RATE) as running:
        for n in range(10):
            file = packetwarp.folder / f"{n}.pcapng"
            done = capture(running, file, "--stage", "rx,tx,dropped,punted", "--duration", "100ms", "--buffer", "1m")
            captured = int(done.stdout.split()[0])
            assert captured > 0 and count(file) == captured
        packets = running.running.interrupt().packets
    assert packets.dropped == {} and packets.punted == 0 and packets.rx == packets.tx > 0


def test_a_capture_may_follow_another_at_once(packetwarp):
    """Its reader sees its end before the run may have freed the memory for copies."""
    with live(packetwarp, {"interfaces": [{"name": "left", "port": 0}, {"name": "right", "port": 1}],
                           "rules": {"file": str(forward_all(packetwarp))}}, "net_null0", "net_null1,no-rx=1", pace=FULL_RATE, lcores="0") as running:
        for _ in range(8):
            capture(running, packetwarp.folder / "some.pcapng", "--packets", "10")
        running.running.interrupt()


def forward_all(packetwarp) -> pathlib.Path:
    file = packetwarp.folder / "flows.txt"
    file.write_text("flow create 0 ingress pattern eth / end actions port_id id 1 / end\n")
    return file


@pytest.mark.parametrize("ending", ("interrupt", "kill", "reader"))
def test_it_ends_with_whoever_reads_it(packetwarp, ending):
    """The next one begins all the same."""
    file = packetwarp.folder / "first.pcapng"
    with routed(packetwarp, ROUTED) as running:
        words = packetwarp.words("capture", ["-w", "-", "--control", str(running.control)], None)
        with contextlib.ExitStack() as stack:
            out = stack.enter_context(file.open("wb"))
            sink = subprocess.PIPE if ending == "reader" else out
            first = subprocess.Popen(words, stdout=sink, stderr=subprocess.PIPE, text=False)
            try:
                if ending == "reader":
                    assert len(first.stdout.read(100000)) == 100000
                    first.stdout.close()
                else:
                    wait_until(running, lambda: file.stat().st_size > 100000, "a capture that grows")
                    first.send_signal(signal.SIGINT if ending == "interrupt" else signal.SIGKILL)
                first.wait(60)
            finally:
                first.kill()
        if ending == "interrupt":
            assert first.returncode == DONE
            assert b"packets captured" in first.stderr.read()
            assert count(file) > 0, "it is whole"
        if ending == "reader":
            assert_ended_with_its_reader(first)
        wait_until(running, lambda: running.ask("capture", "-w", str(packetwarp.folder / "next.pcapng"), "--packets",
                                                "10").status == DONE, "another capture")
        running.running.interrupt()


def assert_ended_with_its_reader(process: subprocess.Popen[bytes]) -> None:
    said = process.stderr.read().decode()
    assert process.returncode == DONE and said == f"{int(said.split()[0])} packets captured\n", (process.returncode, said)


def test_it_ends_with_its_reader_though_no_packet_comes(packetwarp):
    with routed(packetwarp, ROUTED) as running:
        words = packetwarp.words("capture", ["-w", "-", "--filter", "udp port 9", "--control", str(running.control)], None)
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            assert process.stdout.read(4) == b"\x0a\x0d\x0d\x0a", "the file's beginning"
            process.stdout.close()
            process.wait(60)
        finally:
            process.kill()
        assert_ended_with_its_reader(process)
        running.running.interrupt()


@pytest.mark.parametrize("ending", (["--duration", "300ms"], []))
def test_a_reader_that_stands_still_does_not_hold_up_its_end(packetwarp, ending):
    with routed(packetwarp, ROUTED) as running:
        words = packetwarp.words("capture", ["-w", "-", *ending, "--control", str(running.control)], None)
        reader, writer = os.pipe()
        process = subprocess.Popen(words, stdout=writer, stderr=subprocess.PIPE)
        try:
            wait_until(running, lambda: not select.select([], [writer], [], 0)[1], "a full pipe")
            if not ending:
                process.send_signal(signal.SIGTERM)
            assert process.wait(60) == FAILED
        finally:
            process.kill()
            os.close(reader)
            os.close(writer)
        assert b"-w -: its reader has taken nothing for 1000 ms" in process.stderr.read()
        running.running.interrupt()


def test_a_capture_of_a_killed_run_does_not_say_how_much_it_missed(packetwarp):
    file = packetwarp.folder / "cut.pcapng"
    with routed(packetwarp, ROUTED) as running:
        words = packetwarp.words("capture", ["-w", str(file), "--control", str(running.control)], None)
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            wait_until(running, lambda: file.is_file() and file.stat().st_size > 100000, "a capture that grows")
            running.running.process.kill()
            running.running.process.wait()
            out, err = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == FAILED and "the number of missed packets is not known" in err, err
    assert out == f"{int(out.split()[0])} packets captured\n"


def test_a_capture_ends_with_the_run_and_is_whole(packetwarp):
    file = packetwarp.folder / "whole.pcapng"
    with routed(packetwarp, ROUTED) as running:
        words = packetwarp.words("capture", ["-w", str(file), "--control", str(running.control)], None)
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            wait_until(running, lambda: file.is_file() and file.stat().st_size > 100000, "a capture that grows")
            running.running.interrupt()
            out, err = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == DONE, err
    assert len(fields(file, "frame.number")) == int(out.split()[0]) > 0


def test_only_one_is_under_way(packetwarp):
    file = packetwarp.folder / "first.pcapng"
    with routed(packetwarp, ROUTED) as running:
        words = packetwarp.words("capture", ["-w", str(file), "--control", str(running.control), "--filter", "tcp"], None)
        first = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            wait_until(running, lambda: file.is_file() and file.stat().st_size > 0, "the file's beginning")
            done = running.ask("capture", "-w", "/dev/null", "--packets", "1")
            assert done.status == FAILED and "another one is under way" in done.errors[0], done
            first.send_signal(signal.SIGINT)
            assert first.communicate(timeout=60)[0].startswith("0 packets captured, 0 missed")
        finally:
            first.kill()
        running.running.interrupt()


@pytest.mark.parametrize(("options", "said"), (
    (["--filter", "udp prot 53"], "--filter 'udp prot 53': "),
    (["--filter", "udp and inbound"], "the direction is chosen by --stage rx or --stage tx"),
    (["--port", "middle"], "there is no port 'middle'; give one of 0 (net_pcap0, left), 1 (net_null1, right)"),
    (["--stage", "rx,out"], "'out' is none of rx, tx, dropped, punted, kernel"),
    (["--packets", "0"], "--packets"),
    (["--bytes", "65536"], "--bytes"),
    (["--buffer", "1k"], "--buffer"),
    (["--duration", "soon"], "--duration"),
))
def test_what_is_wrong_is_one_line_and_leaves_no_file(packetwarp, options, said):
    file = packetwarp.folder / "wrong.pcapng"
    with routed(packetwarp, ROUTED) as running:
        done = running.ask("capture", "-w", str(file), *options)
        assert done.status == WRONG_USAGE and len(done.errors) == 1 and said in done.errors[0], done
        assert not file.exists()
        running.running.interrupt()


def test_a_file_that_cannot_be_written_is_said_and_nothing_begins(packetwarp):
    with routed(packetwarp, ROUTED) as running:
        done = running.ask("capture", "-w", str(packetwarp.folder / "nowhere" / "x"))
        assert done.status == FAILED and "-w " in done.errors[0]
        capture(running, packetwarp.folder / "x", "--packets", "1")
        running.running.interrupt()


def test_it_overwrites_no_file_of_the_runs_own(packetwarp, tmp_path):
    """By any name, and while the file is not yet there."""
    events = tmp_path / "events"
    with routed(packetwarp, ROUTED, options=("--event-log", str(events))) as running:
        result = Running.file(packetwarp.folder / "run1", "json")
        (tmp_path / "link").symlink_to(running.config)
        before = running.config.read_bytes()
        shown = [Running.file(packetwarp.folder / "run1", name) for name in ("out", "err")]
        (tmp_path / "again").hardlink_to(shown[1])
        for file in (running.config, tmp_path / "link", events, result, packetwarp.folder / "flows.pcap", *shown, tmp_path / "again"):
            done = running.ask("capture", "-w", str(file), "--packets", "1")
            assert done.status == WRONG_USAGE and len(done.errors) == 1 and done.stdout == "", done
            assert "-w: the running packetwarp reads or writes this file itself, as " in done.errors[0], done
        assert running.config.read_bytes() == before and not result.exists() and events.read_text().startswith("{")
        capture(running, tmp_path / "other", "--packets", "1")
        running.running.interrupt()
    assert json.loads(result.read_text())


def test_it_needs_no_temporary_folder_that_both_processes_see(packetwarp, tmp_path):
    """A service has a /tmp of its own (PrivateTmp). Here it is the command that has another folder than the run."""
    (tmp_path / "apart").mkdir()
    apart = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs none "$0" && TMPDIR=$0 exec "$@"', str(tmp_path / "apart")]
    if os.geteuid() != 0 or not shutil.which("unshare") or subprocess.run([*apart, "true"], check=False).returncode != 0:
        pytest.skip("needs root and mount namespaces")
    with routed(packetwarp, ROUTED) as running:
        before = sorted(running.control.parent.iterdir())
        done = packetwarp.run("capture", ["-w", str(tmp_path / "file"), "--packets", "10", "--control", str(running.control)], within=apart)
        assert done.status == DONE and done.stdout.startswith("10 packets captured"), done
        assert sorted(running.control.parent.iterdir()) == before, "its folder is gone"
        running.running.interrupt()


def test_a_stream_that_cannot_be_reached_is_said(packetwarp):
    with routed(packetwarp, ROUTED) as running, running.client() as client:
        client.sendall(b'{"command":"capture","arguments":{"stream":"/nowhere"}}\n')
        answer = json.loads(client.makefile().readline())
        assert answer["status"] == FAILED, answer
        assert answer["error"].startswith("capture: the running packetwarp cannot connect to /nowhere, "), answer
        running.running.interrupt()


def test_its_request_cannot_harm(packetwarp):
    with routed(packetwarp, ROUTED) as running:
        for arguments in ({}, {"stream": "/nowhere"}, {"stream": "x" * 200}, {"stream": str(running.control), "program": "1 2 3"},
                          {"stream": "/nowhere", "packets": "-1"}, {"stream": "/nowhere", "more": ""}, {"stream": "/nowhere", "file": "7"}, {"stream": "/nowhere", "file": "7:x"},
                          {"stream": "/nowhere", "program": "40 0 0 4294963204,6 0 0 1"}):
            with running.client() as client:
                client.sendall(json.dumps({"command": "capture", "arguments": arguments}).encode() + b"\n")
                answer = json.loads(client.makefile().readline())
                assert answer["status"] != DONE and answer["error"], answer
        running.running.interrupt()


def test_l2fwd_s_packets_are_captured_too(packetwarp):
    file = packetwarp.folder / "l2fwd.pcapng"
    with tempfile.TemporaryDirectory(prefix="pw") as folder:
        control = pathlib.Path(folder) / "s"
        eal = ["-l", "0-1", f"--vdev=net_pcap0,rx_pcap={flows(packetwarp.folder / 'in.pcap')},infinite_rx=1,tx_pcap=/dev/null",
               "--vdev=net_null1,no-rx=1"]
        with packetwarp.running(eal, ["--control", str(control)]) as running:
            running.wait_until_forwarding()
            done = packetwarp.run("capture", ["-w", str(file), "--stage", "tx", "--port", "net_null1", "--packets", "100",
                                              "--control", str(control)])
            assert done.status == DONE, done
            running.interrupt()
    assert fields(file, "eth.src", "eth.dst", "frame.comment") == [(LEFT_MAC, HOST_MAC, "tx")] * 100
