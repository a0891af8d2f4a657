# SPDX-License-Identifier: Apache-2.0
"""The generator sends and verifies, through packetwarp's own data plane and on ports, and its status says what it saw."""
from __future__ import annotations

import json
import shutil
import signal
from typing import Any

import pytest
from harness import ALONE, DONE, FAILED, MIXED, ROOT, WRONG_USAGE, Program, Run
from joined import skip_where_missing
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from scapy.utils import wrpcap

FLAWS = ("lost", "duplicates", "reordered", "corrupted")


def generate(packetwarp: Program, options: list[str], eal: list[str] | None = None, **run: Any) -> Run:
    return packetwarp.run("generate", [*ALONE, *(eal or ["-l", "0"])], options, **run)


def flawless(packetwarp: Program, options: list[str], **run: Any) -> dict[str, Any]:
    """The result of a run in which everything came back as it should."""
    done = generate(packetwarp, [*options, "--json", "-"], **run)
    assert done.status == DONE, done
    report = json.loads(done.stdout)
    assert report["flawless"] is True
    assert {flaw: report[flaw] for flaw in FLAWS} == dict.fromkeys(FLAWS, 0)
    assert report["received"]["packets"] == report["sent"]["packets"]
    return report


def test_a_hundred_thousand_packets_go_through_the_cpu_executor(packetwarp: Program):
    report = flawless(packetwarp, ["--through", "-w cpu", "--count", "100000"])
    assert report["sent"]["packets"] == 2 * 100_000
    assert report["expected"] == "mac-swapped"
    assert report["verification"] == "every-byte"
    assert report["latency_us"]["samples"] == 2 * 100_000
    latency = report["data_plane"].pop("latency_us")
    assert 0 < latency["p50"] <= latency["p99"] <= latency["p999"]
    assert report["data_plane"] == {"rx": 200_000, "tx": 200_000, "dropped": 0}
    assert [(d["sent"], d["received"]) for d in report["directions"]] == [(100_000, 100_000)] * 2


def test_fewer_packets_than_queues_are_sent_and_no_more(packetwarp: Program):
    report = flawless(packetwarp, ["--through", "-w cpu -p 4", "--count", "1"], eal=["-l", "0-1"])
    assert [(d["sent"], d["received"]) for d in report["directions"]] == [(1, 1)] * len(report["directions"])
    assert report["sent"]["packets"] == len(report["directions"]) == 2


@pytest.mark.parametrize("workers", ["run-to-completion", "pair", "pair-cpu", "isolated-rx"])
@pytest.mark.parametrize("lcores", ["0", "0-1"])
def test_every_arrangement_on_few_lcores(packetwarp: Program, workers, lcores):
    options = ["--through", f"-w cpu --workers {workers}", "--count", "20k", "--size", "imix",
               "--pattern", "udp.sport=1..50,ipv4.src=10.0.0.1..10.9.9.9:random,flows=500"]
    assert flawless(packetwarp, options, eal=["-l", lcores])["sent"]["packets"] == 40_000


@pytest.mark.parametrize("stream", ["udp", "tcp", "icmp", "udp6", "vlan", "vlan/vlan/ipv6/icmp"])
def test_every_protocol_and_size(packetwarp: Program, stream):
    flawless(packetwarp, ["--through", "-w cpu -p 2", "--count", "2k", "--stream", stream, "--size", "100,1518,9000"])


def test_a_capture_is_replayed(packetwarp: Program):
    report = flawless(packetwarp, ["--through", "-w cpu", "--replay", str(MIXED), "--loop", "3"])
    assert report["sent"]["packets"] == 2 * 3 * 1354
    assert report["verification"] == "replayed"


def test_a_capture_is_replayed_at_its_recorded_times(packetwarp: Program, tmp_path):
    """Its packets are a millisecond apart."""
    frames = [Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02") / IP() / UDP(sport=n) / (22 * b"x") for n in range(1, 21)]
    for n, frame in enumerate(frames):
        frame.time = 1_700_000_000 + n / 1000
    wrpcap(str(tmp_path / "slow.pcap"), frames)
    report = flawless(packetwarp, ["--through", "-w cpu", "--replay", str(tmp_path / "slow.pcap"), "--rate", "recorded", "--loop", "3"])
    assert (report["sent"]["packets"], report["verification"]) == (2 * 3 * 20, "replayed")
    assert report["rate"] == "at the recorded times"
    assert (report["rate_reached"], report["fell_short"]) == (None, False)


def test_packets_without_signatures_are_counted(packetwarp: Program):
    report = flawless(packetwarp, ["--through", "-w none", "--stream", "tcp", "--unsigned", "--count", "5k"])
    assert report["verification"] == "counted"
    assert report["latency_us"] is None


def test_a_rate_and_a_duration_are_kept(packetwarp: Program):
    report = flawless(packetwarp, ["--through", "-w cpu", "--rate", "10kpps", "--duration", "300ms"])
    assert 0 < report["sent"]["packets"] <= 2 * 3001
    assert report["ended_by"] == "duration"


def test_packets_come_back_by_a_vdev_that_loops(packetwarp: Program):
    eal = ["-l", "0", "--vdev=net_ring0"]
    report = flawless(packetwarp, ["--count", "30k", "--expect", "as-sent,same-port", "--rate", "1%"], eal=eal)
    assert report["directions"][0]["from"] == report["directions"][0]["to"] == 0


def test_what_never_comes_back_is_lost_and_the_status_says_so(packetwarp: Program):
    done = generate(packetwarp, ["--count", "1000", "--json", "-"], eal=["-l", "0", "--vdev=net_null0,no-rx=1"])
    report = json.loads(done.stdout)
    assert (done.status, report["lost"], report["flawless"]) == (FAILED, 1000, False), done


def test_what_is_not_as_expected_is_corrupted(packetwarp: Program):
    eal = ["-l", "0", "--vdev=net_ring0"]
    done = generate(packetwarp, ["--count", "100", "--expect", "mac-swapped", "--json", "-"], eal=eal)
    report = json.loads(done.stdout)
    assert (done.status, report["corrupted"], report["lost"]) == (FAILED, 100, 0), done


def test_strangers_are_told_and_no_flaw(packetwarp: Program):
    eal = ["-l", "0", "--vdev=net_null0", "--vdev=net_null1"]
    done = generate(packetwarp, ["--tx-ports", "0", "--rx-ports", "1", "--duration", "20ms", "--json", "-"], eal=eal)
    report = json.loads(done.stdout)
    assert report["unknown"] > 0
    assert report["lost"] == report["sent"]["packets"] > 0


def test_packets_without_signatures_end_their_run_on_a_link_that_is_never_silent(packetwarp: Program):
    """net_null always has packets: more come than were sent, which is a flaw, since some may be duplicates."""
    eal = ["-l", "0", "--vdev=net_null0"]
    done = generate(packetwarp, ["--unsigned", "--count", "1000", "--expect", "same-port", "--linger", "20ms", "--json", "-"], eal=eal)
    report = json.loads(done.stdout)
    assert (done.status, report["flawless"], report["sent"]["packets"], report["lost"]) == (FAILED, False, 1000, 0), done
    assert report["duplicates"] == report["received"]["packets"] - 1000 > 0


def test_a_port_may_only_send(packetwarp: Program):
    eal = ["-l", "0", "--vdev=net_null0"]
    done = generate(packetwarp, ["--rx-ports", "none", "--count", "12345", "--json", "-"], eal=eal)
    report = json.loads(done.stdout)
    assert (done.status, report["sent"]["packets"], report["verification"]) == (DONE, 12345, "none"), done


def test_a_port_that_is_not_there_is_named(packetwarp: Program):
    done = generate(packetwarp, ["--tx-ports", "9"], eal=["-l", "0", "--vdev=net_null0"])
    assert (done.status, len(done.errors)) == (WRONG_USAGE, 1), done
    assert "--tx-ports: port 9 does not exist; there are ports 0 to 0" in done.errors[0]


# The receiving driver, further options, and the words of the refusal; none, and the frames come as they were sent.
SERVICE_TAGS = [
    ("net_af_packet", [], "--stream: net_af_packet makes 0x8100 of a received outermost tag of type 0x88a8"),
    ("net_af_packet", ["--unsigned"], ""),
    ("net_af_packet", ["--check", "signature"], ""),
    ("net_af_packet", ["--rx-ports", "none"], ""),
    ("net_af_packet", ["--stream", "vlan/vlan(type=0x88a8)/ipv4/udp"], ""),
    ("net_af_xdp", [], ""),
    ("net_pcap", [], ""),
]


@pytest.mark.parametrize(("driver", "options", "words"), SERVICE_TAGS)
def test_a_service_tag_is_not_sent_where_it_would_come_changed(packetwarp: Program, namespaces, driver, options, words):
    skip_where_missing(driver)
    middle = namespaces.add("middle")
    middle.silence()
    namespaces.connect((middle, "w0"), (middle, "w1"))
    key = "rx_iface_in=w{0},tx_iface" if driver == "net_pcap" else "iface"
    devices = [f"--vdev={driver}{n},{key.format(n)}=w{n}" for n in range(2)]
    stream = [] if "--stream" in options else ["--stream", "vlan(type=0x88a8)/ipv4/udp"]
    done = generate(packetwarp, [*stream, *options, "--count", "10"], ["-l", "0", *devices], within=middle.command())
    assert done.status == (WRONG_USAGE if words else DONE), done
    if words:
        assert len(done.errors) == 1 and words in done.errors[0] and "receive by net_af_xdp" in done.errors[0], done
    elif "none" not in options:
        assert "flawless" in done.stdout, done


@pytest.mark.parametrize(("size", "status"), [("1518", DONE), ("1519", WRONG_USAGE), ("64,2000", WRONG_USAGE)])
def test_a_frame_that_a_port_does_not_take_is_told_with_the_ports_largest(packetwarp: Program, namespaces, size, status):
    middle = namespaces.add("middle")
    middle.silence()
    namespaces.connect((middle, "w0"), (middle, "w1"))
    devices = [f"--vdev=net_af_packet{n},iface=w{n}" for n in range(2)]
    done = generate(packetwarp, ["--size", size, "--count", "10"], ["-l", "0", *devices], within=middle.command())
    assert done.status == status, done
    if status == WRONG_USAGE:
        largest = size.rpartition(",")[2]
        assert len(done.errors) == 1 and f"port 0 (net_af_packet0): frames of {largest} bytes are to be sent" in done.errors[0], done
        assert "the largest of this port are 1518: give a smaller --size" in done.errors[0], done


def test_the_table_is_for_people_and_json_for_files(packetwarp: Program, tmp_path):
    path = tmp_path / "result.json"
    done = generate(packetwarp, ["--through", "-w cpu", "--count", "100", "--json", str(path)])
    assert done.status == DONE, done
    assert "verified  every-byte, expected mac-swapped: flawless" in done.stdout
    assert json.loads(path.read_text())["sent"]["packets"] == 200


@pytest.mark.parametrize("signals", [1, 2])
def test_ctrl_c_ends_it_in_order(packetwarp: Program, signals):
    options = ["--through", "-w cpu", "--rate", "100kpps"]
    with packetwarp.running(["-l", "0"], options, command="generate") as running:
        running.wait_for_log("   sent ")
        done = running.send(*[signal.SIGINT] * signals).finish()
    report = json.loads(done.json.read_text())
    assert report["ended_by"] == "signal"
    assert report["sent"]["packets"] > 0
    if signals == 1:
        assert (done.status, report["lost"]) == (DONE, 0), done


@pytest.mark.parametrize(("options", "status", "words"), [
    (["--stream", "ipv4/sctp"], WRONG_USAGE, "udp, tcp or icmp"),
    (["--size", "63"], WRONG_USAGE, "64 to 9600 or imix"),
    (["--stream", "tcp", "--size", "64"], WRONG_USAGE, "need 74 or more"),
    (["--pattern", "tcp.sport=1..2"], WRONG_USAGE, "the template has no such layer"),
    (["--rate", "10"], WRONG_USAGE, "has no unit"),
    (["--through", "-w banana"], WRONG_USAGE, "banana"),
    (["--replay", "/no/such.pcap"], WRONG_USAGE, "/no/such.pcap: cannot be read: No such file or directory"),
    (["--replay", "/dev/null"], WRONG_USAGE, "not a pcap or pcapng capture"),
    (["--through", "-w cpu", "--json", "/no/such/file"], FAILED, "cannot be written"),
    ([], WRONG_USAGE, "no port: give a device"),
])
def test_bad_input_is_one_line_and_a_status(packetwarp: Program, options, status, words):
    done = generate(packetwarp, options)
    assert done.status == status, done
    assert len(done.errors) == 1, done
    assert words in done.errors[0]
    assert done.stdout == ""


@pytest.mark.parametrize(("option", "name"), [
    ("--replay", "p.pcap"), ("--benign", "p.pcap"), ("--attack", "p.pcap"), ("--labelled", "p.pcap"), ("--labelled", "p.labels"),
    ("--stl", "p.py")])
def test_the_result_is_not_written_over_a_file_that_is_read(packetwarp: Program, tmp_path, option, name):
    """The file is left as it was."""
    demo = ROOT / "tests" / "data" / "detect" / "demo.pcap"
    shutil.copy(demo, tmp_path / "p.pcap")
    shutil.copy(demo.with_suffix(".labels"), tmp_path / "p.labels")
    shutil.copy(ROOT / "tests" / "profiles" / "imix.py", tmp_path / "p.py")
    before = (tmp_path / name).read_bytes()
    source = tmp_path / ("p.py" if option == "--stl" else "p.pcap")
    done = generate(packetwarp, [option, str(source), "--count", "1", "--json", str(tmp_path / name)],
                    eal=["-l", "0", "--vdev=net_null0,no-rx=1"])
    assert done.status == WRONG_USAGE and len(done.errors) == 1 and "would be read and written" in done.errors[0], done
    assert (tmp_path / name).read_bytes() == before


@pytest.mark.parametrize(("command", "option", "key"), [
    ("generate", "--json", "tx_pcap"), ("generate", "--replay", "tx_pcap"), ("generate", "--json", "rx_pcap"),
    ("l2fwd", "--json", "tx_pcap"), ("l2fwd", "--event-log", "tx_pcap"), ("l2fwd", "--json", "rx_pcap")])
def test_a_capture_of_a_port_is_no_other_file_of_the_run(packetwarp: Program, tmp_path, command, option, key):
    """The file is left as it was."""
    both = tmp_path / "both.pcap"
    shutil.copy(MIXED, both)
    (tmp_path / "link.pcap").symlink_to(both)
    device = f"--vdev=net_pcap0,{'' if key == 'rx_pcap' else f'rx_pcap={MIXED},'}{key}={both}"
    done = packetwarp.run(command, [*ALONE, "-l", "0", device], [option, str(tmp_path / "link.pcap"), "--duration", "50ms"])
    assert done.status == WRONG_USAGE and len(done.errors) == 1, done
    words = "read and written" if (option, key) == ("--replay", "tx_pcap") or key == "rx_pcap" else "for two purposes"
    assert f"the file would be {'' if 'read' in words else 'written '}{words}" in done.errors[0], done
    assert both.read_bytes() == MIXED.read_bytes()


def test_a_rate_that_is_not_reached_is_told_and_fails_where_that_is_asked_for(packetwarp: Program):
    """No lcore writes and checks every byte of a thousand million packets per second."""
    options = ["--through", "-w cpu", "--rate", "1000mpps", "--duration", "200ms"]
    told = generate(packetwarp, options)
    assert told.status == DONE and "\nshortfall " in told.stdout and "flawless, of the sent packets" in told.stdout, told
    strict = generate(packetwarp, [*options, "--strict-rate", "--json", "-"])
    report = json.loads(strict.stdout)
    assert strict.status == FAILED and report["flawless"] is True and report["fell_short"] is True, strict
    assert 0 < report["rate_reached"] < 0.99
    assert all(0 < way["rate_reached"] < 0.99 for way in report["directions"])


def test_a_full_disk_is_told_and_ends_the_run_with_an_error(packetwarp: Program, small_disk):
    """net_pcap counts a packet as sent that its file did not take."""
    device = f"--vdev=net_pcap0,tx_pcap={small_disk / 'out.pcap'}"
    run = generate(packetwarp, ["--rx-ports", "none", "--count", "20000", "--json", "-"], ["-l", "0", device])
    assert run.status == FAILED and len(run.errors) == 1, run
    assert f"tx_pcap={small_disk}/out.pcap: " in run.errors[0] and "give a file on a disk with room" in run.errors[0], run
    assert json.loads(run.stdout)["sent"]["packets"] == 20000


def test_without_a_rate_there_is_none_to_reach(packetwarp: Program):
    report = flawless(packetwarp, ["--through", "-w cpu", "--count", "1k"])
    assert report["rate_reached"] is None and report["fell_short"] is False


def test_a_profile_that_asks_for_too_much_falls_short(packetwarp: Program):
    profile = ROOT / "tests" / "profiles" / "UDP_L3_P0.py"
    options = ["--through", "-w cpu", "--stl", str(profile), "-m", "1000mpps", "--duration", "200ms", "--strict-rate"]
    done = generate(packetwarp, options)
    assert done.status == FAILED and "\nshortfall " in done.stdout, done
