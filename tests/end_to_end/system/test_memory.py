# SPDX-License-Identifier: Apache-2.0
"""However long it forwards, it takes no more memory. `--soak 600` lets it forward for ten minutes."""
from __future__ import annotations

import time

import pytest
from harness import Program, resident_bytes

SLACK = 1 << 20  # bytes: a page fault here and there, no packet
SECONDS = 3


@pytest.mark.parametrize("workers", ("run-to-completion", "isolated-rx"))
def test_memory_does_not_grow(request, packetwarp: Program, workers):
    """At full rate each leaked byte a packet would be megabytes a second."""
    seconds = request.config.getoption("--soak") or SECONDS
    devices = ["--vdev=net_null0", "--vdev=net_null1"]
    with packetwarp.running(["-l", "0-1", *devices], ["--workers", workers]) as forwarding:
        forwarding.wait_until_forwarding().wait_for_statistics(20)
        warm, most = resident_bytes(forwarding.process.pid), 0
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            time.sleep(0.1)
            most = max(most, resident_bytes(forwarding.process.pid))
        packets = forwarding.interrupt().packets
    assert packets.tx > 10_000
    assert most - warm < SLACK, f"{most - warm} bytes more after {packets.rx} packets"


@pytest.mark.parametrize("workers", ("run-to-completion", "pair", "isolated-rx"))
@pytest.mark.parametrize(("capture", "output", "drop"), [("only_runts.pcap", "net_null0", "runt"), ("every_length.pcap", "net_ring0", "tx_full")])
def test_dropped_packets_go_back_to_the_pool(packetwarp: Program, captures, capture, output, drop, workers):
    """A million drops from a pool of some ten thousand: one in a hundred not given back, and it would never end."""
    devices = [f"--vdev=net_pcap0,rx_pcap={captures[capture]},infinite_rx=1", f"--vdev={output}"]
    ring = ["--isolated-ring", "1k"] if workers == "isolated-rx" else []
    options = ["-p", "1", "-v", "1m", "--tx-timeout", "0", "--workers", workers, *ring]
    packets = packetwarp.forward(["-l", "0-1", *devices], options).packets
    assert packets.rx >= 1_000_000
    assert packets.dropped == {drop: packets.rx - packets.tx} and packets.tx <= 1023
