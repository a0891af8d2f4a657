# SPDX-License-Identifier: Apache-2.0
"""A port that stops taking packets costs those packets, by name, and nothing else: no hang, no leak, a clean end."""
from __future__ import annotations

import signal

import check_l2fwd
import make_captures
import pytest
from harness import DONE, MIXED, Program

# The room of a net_ring port's ring of 1024.
RING = 1023


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    path = tmp_path_factory.mktemp("many") / "many.pcap"
    path.write_bytes(make_captures.pcap(make_captures.udp_frame(64 + n % 100, n) for n in range(4000)))
    return path


@pytest.mark.parametrize("executor", ("none", "cpu"))
@pytest.mark.parametrize("timeout", ("0", "1ms"))
@pytest.mark.parametrize("burst", ("1", "32", "1024"))
def test_a_ring_that_nobody_empties_fills_and_the_rest_is_dropped(packetwarp: Program, many, executor, timeout, burst):
    devices = [f"--vdev=net_pcap0,rx_pcap={many}", "--vdev=net_ring0"]
    options = ["-p", "1", "-w", executor, "-b", burst, "--tx-timeout", timeout, "--until-idle", "200ms"]
    packets = packetwarp.forward(["-l", "0-1", *devices], options).packets
    assert packets.rx == 4000 and packets.tx == RING
    assert packets.dropped == {"tx_full": 4000 - RING}


@pytest.mark.parametrize("workers", ("pair", "pair-cpu", "isolated-rx"))
def test_whatever_the_arrangement(packetwarp: Program, many, workers):
    devices = [f"--vdev=net_pcap0,rx_pcap={many}", "--vdev=net_ring0"]
    options = ["-p", "1", "--workers", workers, "--tx-timeout", "1ms", "--until-idle", "300ms"]
    packets = packetwarp.forward(["-l", "0-1", *devices], options).packets
    assert packets.rx == 4000 and packets.tx == RING
    assert packets.dropped == {"tx_full": 4000 - RING}


def test_a_peer_that_never_comes(packetwarp: Program, tmp_path):
    """net_memif without a client takes nothing at all."""
    devices = [f"--vdev=net_pcap0,rx_pcap={MIXED}", f"--vdev=net_memif0,role=server,socket={tmp_path}/memif,socket-abstract=no"]
    options = ["-p", "1", "--tx-timeout", "1ms", "--until-idle", "200ms"]
    packets = packetwarp.forward(["-l", "0-1", *devices], options).packets
    received = len(check_l2fwd.read_with_scapy(MIXED))
    assert (packets.rx, packets.tx, packets.dropped) == (received, 0, {"tx_full": received})


def test_a_stuck_port_does_not_hold_up_another(packetwarp: Program, many, tmp_path):
    """Ports 0 and 1 are stuck, 2 and 3 are not; all on one worker."""
    result = tmp_path / "out.pcap"
    devices = [f"--vdev=net_pcap0,rx_pcap={many}", f"--vdev=net_memif0,role=server,socket={tmp_path}/memif,socket-abstract=no",
               f"--vdev=net_pcap1,rx_pcap={MIXED}", f"--vdev=net_pcap2,rx_pcap={MIXED},tx_pcap={result}"]
    # EAL numbers ports in the order of the command line.
    options = ["--portmap", "(0,1)(2,3)", "--tx-timeout", "1ms", "--until-idle", "200ms"]
    done = packetwarp.forward(["-l", "0-1", *devices], options)
    frames = check_l2fwd.read_with_scapy(MIXED)
    assert check_l2fwd.read_with_scapy(result) == check_l2fwd.expected_output(frames, "cpu")
    assert done.packets.dropped == {"tx_full": 4000}


def test_packets_that_wait_are_dropped_by_name_when_they_do_not_drain(packetwarp: Program, tmp_path):
    """A port that is allowed to stand still for an hour: the end of the run does not wait for it."""
    devices = [f"--vdev=net_pcap0,rx_pcap={MIXED}", f"--vdev=net_memif0,role=server,socket={tmp_path}/memif,socket-abstract=no"]
    with packetwarp.running(["-l", "0-1", *devices], ["-p", "1", "--tx-timeout", "1h"]) as stuck:
        done = stuck.wait_until_forwarding().send(signal.SIGTERM).finish()
    packets = done.packets
    assert done.status == DONE and packets.tx == packets.in_flight == 0
    assert packets.dropped == {"shutdown": packets.rx} and packets.rx > 0
    assert [line for line in done.warnings if "shutdown" in line], done
