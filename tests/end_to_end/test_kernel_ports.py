# SPDX-License-Identifier: Apache-2.0
"""Two namespaces joined by packetwarp through kernel interfaces: frames cross both ways, whole and counted."""
from __future__ import annotations

import sys

import check_l2fwd
import make_captures
import pytest
from joined import join
from namespaces import stop, wait_for
from raw_interface import RawInterface, carry

DRIVERS = ("net_af_packet", "net_tap", "net_af_xdp")

# Every size a wire carries, and tags that the kernel likes to take out of frames.
FRAMES = [make_captures.udp_frame(length, n) for n, length in enumerate((*range(60, 1515, 13), 1514))] + [
    frame for frame in make_captures.vlan_stack() if len(frame) <= 1514]


@pytest.mark.parametrize("executor", ("none", "cpu"))
@pytest.mark.parametrize("driver", DRIVERS)
def test_frames_cross_both_ways_whole(packetwarp, namespaces, driver, executor):
    with join(packetwarp, namespaces, driver, "-w", executor) as joined:
        with RawInterface(*joined.one) as one, RawInterface(*joined.other) as other:
            expected = check_l2fwd.expected_output(FRAMES, executor)
            for source, target in ((one, other), (other, one)):
                difference = check_l2fwd.describe_difference(expected, carry(source, target, FRAMES), executor)
                assert not difference, f"{difference}\n{joined.forwarding.so_far()}"
            assert one.nothing_more() and other.nothing_more()
        packets = joined.forwarding.interrupt().packets
        assert (packets.rx, packets.tx, packets.dropped) == (2 * len(FRAMES), 2 * len(FRAMES), {})


@pytest.mark.parametrize("driver", ("net_af_packet",))
@pytest.mark.parametrize("workers", ("pair", "pair-cpu", "isolated-rx"))
def test_arrangements_of_workers_over_kernel_ports(packetwarp, namespaces, driver, workers):
    with join(packetwarp, namespaces, driver, "--workers", workers, "-b", "8") as joined:
        with RawInterface(*joined.one) as one, RawInterface(*joined.other) as other:
            arrived = carry(one, other, FRAMES)
            assert not check_l2fwd.describe_difference(check_l2fwd.expected_output(FRAMES, "cpu"), arrived, "cpu")
        assert joined.forwarding.interrupt().packets.tx == len(FRAMES)


@pytest.mark.parametrize("driver", ("net_af_packet", "net_af_xdp"))
def test_kernel_stacks_talk_through_it(packetwarp, namespaces, tmp_path, driver):
    """With -w none it is a cable: ARP, ping and a file over HTTP go through."""
    content = make_captures.pattern(300_000)
    (tmp_path / "file").write_bytes(content)
    with join(packetwarp, namespaces, driver, "-w", "none") as joined:
        (left, l0), (right, r0) = joined.one, joined.other
        left.address(l0, "10.9.0.1/24")
        right.address(r0, "10.9.0.2/24")
        left.run("ping", "-c", "3", "-i", "0.05", "-W", "5", "10.9.0.2")
        server = right.popen(sys.executable, "-m", "http.server", "--bind", "10.9.0.2", "--directory", str(tmp_path), "8000")
        try:
            wait_for(lambda: right.run("ss", "-Hltn", "sport = 8000").stdout, "the web server")
            fetched = tmp_path / "fetched"
            left.run("curl", "--silent", "--fail", "--max-time", "30", "-o", str(fetched), "http://10.9.0.2:8000/file")
            assert fetched.read_bytes() == content
        finally:
            stop(server)
        packets = joined.forwarding.interrupt().packets
        assert packets.tx == packets.rx > len(content) // 1500
