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
