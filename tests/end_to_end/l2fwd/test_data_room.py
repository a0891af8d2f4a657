# SPDX-License-Identifier: Apache-2.0
"""Frames longer than an mbuf travel as chains: whole where the port sends chains, else dropped by name."""
from __future__ import annotations

import check_l2fwd
import make_captures
import pytest
from harness import MIXED, Program, assert_forwarded

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
