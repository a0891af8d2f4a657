# SPDX-License-Identifier: Apache-2.0
"""Two namespaces joined by packetwarp through kernel interfaces: frames cross both ways, whole and counted."""
from __future__ import annotations

import contextlib
import socket
import sys
from collections.abc import Callable, Iterator

import check_l2fwd
import make_captures
import pytest
from harness import Program, Running
from namespaces import Namespace, Namespaces, run, stop, wait_for
from raw_interface import RawInterface, carry

DRIVERS = ("net_af_packet", "net_tap", "net_af_xdp")
AF_XDP = 44

# Every size a wire carries, and tags that the kernel likes to take out of frames.
FRAMES = [make_captures.udp_frame(length, n) for n, length in enumerate((*range(60, 1515, 13), 1514))] + [
    frame for frame in make_captures.vlan_stack() if len(frame) <= 1514]


def skip_where_missing(driver: str) -> None:
    """The kernel's half of a driver; what is compiled out cannot be tested."""
    try:
        if driver == "net_af_xdp":
            socket.socket(AF_XDP, socket.SOCK_RAW).close()
        elif driver == "net_tap":
            open("/dev/net/tun", "rb").close()
    except OSError as error:
        pytest.skip(f"{driver}: this kernel has no {'XDP sockets' if driver == 'net_af_xdp' else '/dev/net/tun'}: {error}")


class Joined:
    """packetwarp in a namespace of its own, between two others."""

    def __init__(self, forwarding: Running, one: tuple[Namespace, str], other: tuple[Namespace, str]) -> None:
        self.forwarding, self.one, self.other = forwarding, one, other


@pytest.fixture
def join(packetwarp: Program, namespaces: Namespaces) -> Callable[..., contextlib.AbstractContextManager[Joined]]:
    @contextlib.contextmanager
    def join(driver: str, *options: str) -> Iterator[Joined]:
        skip_where_missing(driver)
        left, middle, right = (namespaces.add(name) for name in ("left", "middle", "right"))
        for namespace in (left, middle, right):
            namespace.silence()
        ends = [(left, "l0"), (right, "r0")]
        if driver == "net_tap":  # it makes its interfaces itself: their kernel side is the wire's far end
            ends = [(middle, "w0"), (middle, "w1")]
        else:
            namespaces.connect((left, "l0"), (middle, "w0"))
            namespaces.connect((right, "r0"), (middle, "w1"))
        devices = [f"--vdev={driver}{i},iface=w{i}" for i in range(2)]
        with packetwarp.running(["-l", "0-1", *devices], options, within=middle.command()) as forwarding:
            forwarding.wait_until_forwarding()
            yield Joined(forwarding, *ends)

    return join


@pytest.mark.parametrize("executor", ("none", "cpu"))
@pytest.mark.parametrize("driver", DRIVERS)
def test_frames_cross_both_ways_whole(join, driver, executor):
    with join(driver, "-w", executor) as joined:
        with RawInterface(*joined.one) as one, RawInterface(*joined.other) as other:
            expected = check_l2fwd.expected_output(FRAMES, executor)
            for source, target in ((one, other), (other, one)):
                difference = check_l2fwd.describe_difference(expected, carry(source, target, FRAMES), executor)
                assert not difference, f"{difference}\n{joined.forwarding.so_far()}"
            assert one.nothing_more() and other.nothing_more()
        packets = joined.forwarding.interrupt().packets
        assert (packets.rx, packets.tx, packets.dropped) == (2 * len(FRAMES), 2 * len(FRAMES), {})


@pytest.mark.parametrize("workers", ("pair", "pair-cpu", "isolated-rx"))
def test_arrangements_of_workers_over_kernel_ports(join, workers):
    with join("net_af_packet", "--workers", workers, "-b", "8") as joined:
        with RawInterface(*joined.one) as one, RawInterface(*joined.other) as other:
            arrived = carry(one, other, FRAMES)
            assert not check_l2fwd.describe_difference(check_l2fwd.expected_output(FRAMES, "cpu"), arrived, "cpu")
        assert joined.forwarding.interrupt().packets.tx == len(FRAMES)


@pytest.mark.parametrize("driver", ("net_af_packet", "net_af_xdp"))
def test_kernel_stacks_talk_through_it(join, tmp_path, driver):
    """With -w none it is a cable: ARP, ping and a file over HTTP go through."""
    content = make_captures.pattern(300_000)
    (tmp_path / "file").write_bytes(content)
    with join(driver, "-w", "none") as joined:
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


@pytest.fixture(autouse=True, scope="module")
def tools():
    missing = [tool for tool in ("ping", "curl", "ss") if run("sh", "-c", f"command -v {tool}", check=False).returncode]
    if missing:
        pytest.skip(f"needs {', '.join(missing)}")
