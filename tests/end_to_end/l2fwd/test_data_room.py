# SPDX-License-Identifier: Apache-2.0
"""Frames longer than an mbuf travel as chains: whole where the port sends chains, else dropped by name."""
from __future__ import annotations

import check_l2fwd
import make_captures
import pytest
from harness import ALONE, FAILED, MIXED, WRONG_USAGE, Program, assert_forwarded

# net_pcap sends chains up to this length; longer frames go out from one mbuf only.
LONGEST_CHAIN = 16128


@pytest.mark.parametrize("executor", ("none", "cpu"))
@pytest.mark.parametrize("data_room", ("128", "256", "1500"))
@pytest.mark.parametrize("name", (MIXED.name, "jumbo.pcap", "every_length.pcap"))
def test_chains_are_forwarded_whole(packetwarp: Program, captures, tmp_path, name, data_room, executor):
    source, result = captures.get(name, MIXED), tmp_path / "out.pcap"
    packets = packetwarp.forward_capture(source, result, ["-d", data_room, "-w", executor], "0-1").packets
    assert packets.dropped == {}
    assert_forwarded(check_l2fwd.read_with_scapy(source), result, executor)


@pytest.mark.parametrize("workers", ("pair", "pair-cpu", "isolated-rx"))
def test_chains_in_every_arrangement(packetwarp: Program, captures, tmp_path, workers):
    result = tmp_path / "out.pcap"
    packetwarp.forward_capture(captures["jumbo.pcap"], result, ["-d", "128", "--workers", workers], "0-1")
    assert_forwarded(check_l2fwd.read_with_scapy(captures["jumbo.pcap"]), result, "cpu")


@pytest.fixture
def huge(tmp_path):
    """As recorded on a host whose network card joins segments."""
    path = tmp_path / "huge.pcap"
    lengths = (60, LONGEST_CHAIN, LONGEST_CHAIN + 1, 1514, 40_000, 65_400, 60)
    path.write_bytes(make_captures.pcap(make_captures.pattern(length, n) for n, length in enumerate(lengths)))
    return path


def test_chains_that_would_be_cut_are_dropped_by_name(packetwarp: Program, huge, tmp_path):
    result = tmp_path / "out.pcap"
    packets = packetwarp.forward_capture(huge, result).packets
    whole = [frame for frame in check_l2fwd.read_with_scapy(huge) if len(frame) <= LONGEST_CHAIN]
    assert packets.dropped == {"tx_chained": 3} and packets.tx == len(whole)
    assert_forwarded(whole, result, "cpu")


def test_a_data_room_for_the_longest_frame_needs_no_chain(packetwarp: Program, huge, tmp_path):
    result = tmp_path / "out.pcap"
    packets = packetwarp.forward_capture(huge, result, ["-d", "65407"]).packets
    assert packets.dropped == {}
    assert_forwarded(check_l2fwd.read_with_scapy(huge), result, "cpu")


@pytest.mark.parametrize("command", ("l2fwd", "plan"))
@pytest.mark.parametrize(("size", "copy", "options"), ((1514, 1, ["-d", "1024"]), (1514, 0, ["-d", "1024"]), (9000, 1, [])))
def test_a_source_of_frames_beyond_the_data_room_is_refused(packetwarp: Program, command, size, copy, options):
    """net_null would write beyond its mbufs, or send bytes of other packets."""
    done = packetwarp.run(command, [*ALONE, "-l", "0", f"--vdev=net_null0,size={size},copy={copy}"],
                          options + (["--duration", "50ms", "--control", "none"] if command == "l2fwd" else []))
    assert done.status == WRONG_USAGE and done.stdout == "", done
    room = options[1] if options else "2048"
    said = (f"port 0 (net_null0): it makes packets of {size} bytes, and an mbuf has room for {room}; give a data room of {size} "
            f"or more (-d), or size={room} or less")
    assert said in done.errors[-1], done


@pytest.mark.parametrize("command", ("run", "plan"))
def test_a_source_of_frames_beyond_a_network_s_mbufs_is_refused(packetwarp: Program, command):
    path = packetwarp.folder / "n.yaml"
    path.write_text("interfaces: [{name: left, port: 0, mac: '02:00:00:00:00:01', addresses: [192.0.2.1/24]}]\n")
    more = ["--duration", "50ms", "--control", "none"] if command == "run" else []
    done = packetwarp.run(command, [*ALONE, "-l", "0", "--vdev=net_null0,size=9000"], ["-c", str(path), *more])
    assert done.status == WRONG_USAGE and "it makes packets of 9000 bytes" in done.errors[-1], done


def test_a_source_of_frames_that_fill_the_data_room_runs(packetwarp: Program):
    for device in ("copy=1,size=1024", "size=9000,no-rx=1"):
        done = packetwarp.forward(["-l", "0", f"--vdev=net_null0,{device}"], ["-d", "1024", "--duration", "50ms"])
        assert done.packets.dropped == {}, done


def test_a_repeated_capture_of_longer_frames_names_the_remedy(packetwarp: Program, captures):
    """The driver says that an argument is invalid."""
    device = f"--vdev=net_pcap0,rx_pcap={captures['jumbo.pcap']},infinite_rx=1"
    done = packetwarp.run("l2fwd", [*ALONE, "-l", "0", device], ["--control", "none", "--duration", "50ms"])
    assert done.status == FAILED, done
    assert "with infinite_rx it takes a capture whose frames fit into an mbuf each: give a larger data room (-d)" in done.errors[-1], done
