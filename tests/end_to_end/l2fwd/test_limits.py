# SPDX-License-Identifier: Apache-2.0
"""The causes of a run's end: the number of packets asked for, silence, time. The result says which."""
from __future__ import annotations

import check_l2fwd
import pytest
from harness import MIXED, Program

ENDLESS = ["--vdev=net_null0", "--vdev=net_null1"]


@pytest.mark.parametrize("lcores", ("0", "0-1"))
@pytest.mark.parametrize("executor", ("none", "cpu"))
def test_it_stops_after_so_many_packets(packetwarp: Program, lcores, executor):
    done = packetwarp.forward(["-l", lcores, *ENDLESS], ["-v", "100k", "-w", executor])
    assert done.result["ended_by"] == "packets"
    # Checked now and then, so that a few more may have come; never fewer.
    assert done.packets.rx >= 100_000 and done.packets.tx == done.packets.rx


def test_a_warm_up_does_not_count(packetwarp: Program):
    done = packetwarp.forward(["-l", "0-1", *ENDLESS], ["-v", "50k", "-z", "200k"])
    assert done.result["ended_by"] == "packets" and done.packets.rx >= 250_000


def test_it_stops_when_nothing_comes(packetwarp: Program, tmp_path):
    done = packetwarp.forward_capture(MIXED, tmp_path / "out.pcap")
    assert done.result["ended_by"] == "idle"
    assert done.packets.tx == len(check_l2fwd.read_with_scapy(MIXED))


def test_it_stops_when_the_time_is_over(packetwarp: Program):
    done = packetwarp.forward(["-l", "0-1", *ENDLESS], ["--duration", "300ms"])
    assert done.result["ended_by"] == "duration" and done.packets.tx > 0


def test_the_first_limit_that_is_reached_ends_it(packetwarp: Program):
    limits = ["-v", "1k", "--duration", "1h", "--until-idle", "1h"]
    assert packetwarp.forward(["-l", "0-1", *ENDLESS], limits).result["ended_by"] == "packets"
    limits = ["-v", "1000000g", "--duration", "200ms", "--until-idle", "1h"]
    assert packetwarp.forward(["-l", "0-1", *ENDLESS], limits).result["ended_by"] == "duration"


def test_a_time_for_each_packet_is_spent(packetwarp: Program, tmp_path):
    """1354 packets at no less than 100 us each cannot take less than 0.135 s, on any machine."""
    options = ["-t", "100us", "-w", "cpu", "-b", "64"]
    done = packetwarp.forward_capture(MIXED, tmp_path / "out.pcap", options)
    assert done.packets.tx == done.packets.rx
    assert done.result["seconds"] >= (done.packets.rx - 64) * 100e-6
