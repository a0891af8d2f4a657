# SPDX-License-Identifier: Apache-2.0
"""Two namespaces joined by packetwarp through kernel interfaces: frames cross both ways, whole and counted."""
from __future__ import annotations

import sys

import check_l2fwd
import make_captures
import pytest
from harness import ALONE, DONE, FAILED, WRONG_USAGE
from joined import OF_ANOTHER, join, skip_where_missing
from live import live
from namespaces import stop, wait_for
from raw_interface import RawInterface, carry
from router_network import ping, router_between, two_networks

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


def test_frames_cross_rings_of_longer_entries(packetwarp, namespaces):
    """The pair of framesz and blocksz that docs/run.md recommends."""
    with join(packetwarp, namespaces, "net_af_packet", arguments=",framesz=2080,blocksz=266240") as joined:
        with RawInterface(*joined.one) as one, RawInterface(*joined.other) as other:
            for source, target in ((one, other), (other, one)):
                assert not check_l2fwd.describe_difference(check_l2fwd.expected_output(FRAMES * 5, "cpu"),
                                                           carry(source, target, FRAMES * 5), "cpu")
        assert joined.forwarding.interrupt().packets.dropped == {}


@pytest.mark.parametrize("driver", ("net_af_packet",))
@pytest.mark.parametrize("workers", ("pair", "pair-cpu", "isolated-rx"))
def test_arrangements_of_workers_over_kernel_ports(packetwarp, namespaces, driver, workers):
    with join(packetwarp, namespaces, driver, "--workers", workers, "-b", "8") as joined:
        with RawInterface(*joined.one) as one, RawInterface(*joined.other) as other:
            arrived = carry(one, other, FRAMES)
            assert not check_l2fwd.describe_difference(check_l2fwd.expected_output(FRAMES, "cpu"), arrived, "cpu")
        assert joined.forwarding.interrupt().packets.tx == len(FRAMES)


def test_taps_with_two_receive_queues_and_one_worker(packetwarp, namespaces):
    """net_tap refuses to be configured with fewer TX queues than RX queues: one worker sends by one of the two."""
    skip_where_missing("net_tap")
    middle = namespaces.add("middle")
    middle.silence()
    flows = packetwarp.folder / "flows.txt"
    flows.write_text("flow create 0 ingress pattern eth / end actions port_id id 1 / end\n"
                     "flow create 1 ingress pattern eth / end actions port_id id 0 / end\n")
    file = {"interfaces": [{"name": "left", "port": 0}, {"name": "right", "port": 1}], "data_plane": {"pipelines": 4},
            "rules": {"file": str(flows), "on": "auto", "receive_queues": 2}}
    with live(packetwarp, file, "net_tap0,iface=w0", "net_tap1,iface=w1", within=middle.command()) as made:
        with RawInterface(middle, "w0") as one, RawInterface(middle, "w1") as other:
            for source, target in ((one, other), (other, one)):
                assert sorted(carry(source, target, FRAMES)) == sorted(FRAMES)
        done = made.running.interrupt()
        assert (done.packets.rx, done.packets.tx) == (2 * len(FRAMES), 2 * len(FRAMES))
        assert [(one["rx_port"], one["rx_queue"]) for one in done.result["pipelines"]] == [(0, 0), (1, 0), (0, 1), (1, 1)]


def test_taps_that_more_workers_send_by_than_receive_from(packetwarp, namespaces):
    """The driver's own words for it name no way out."""
    skip_where_missing("net_tap")
    middle = namespaces.add("middle")
    config = packetwarp.write_config({"interfaces": [
        {"name": "left", "port": 0, "addresses": ["10.0.0.1/24"]}, {"name": "right", "port": 1, "addresses": ["10.0.1.1/24"]}], "routes": []})
    done = packetwarp.run("run", [*ALONE, "--lcores", "0,1@0,2@0", "--vdev=net_tap0,iface=w0", "--vdev=net_tap1,iface=w1"],
                          ["-c", str(config), "--control", "none", "--duration", "50ms"], within=middle.command())
    assert done.status == WRONG_USAGE and len(done.errors) == 1, done
    assert "port 0 (net_tap0): 2 TX queues and 1 RX queue in use; its driver net_tap takes as many of both: use 4 pipelines" in done.errors[0]


def test_a_router_on_more_cpus_than_its_ports_have_queues(packetwarp, namespaces):
    """As a pod that may use every CPU of its node: net_af_packet has one queue pair unless qpairs says otherwise."""
    more = "1 of 2 workers has nothing to do: port 0 (net_af_packet0) has 1 TX queue"
    with router_between(packetwarp, namespaces, two_networks(), lcores="0@0,1@1,2@1") as made:
        assert ping(made.left, "2.2.2.2").received == 3
        done = made.end()
    assert [note for note in done.result["notices"] if note.startswith(more)], done.result["notices"]


@pytest.mark.parametrize(("pairs", "pipelines", "words"), (
    (1, 4, "2 RX queues needed, the port has 1; use fewer pipelines (-p, or 'pipelines' of data_plane), or give every port more queues (qpairs=2 in"),
    (1, 2, "2 TX queues needed, the port has 1; use fewer pipelines (-p, or 'pipelines' of data_plane), or give every port more queues (qpairs=2 in"),
    (2, 4, None)))
def test_more_queues_of_packet_sockets_are_an_argument_of_their_devices(packetwarp, namespaces, pairs, pipelines, words):
    middle = namespaces.add("middle")
    namespaces.connect((middle, "w0"), (middle, "w1"))
    config = packetwarp.write_config(two_networks(data_plane={"pipelines": pipelines}))
    devices = [f"--vdev=net_af_packet{n},iface=w{n},qpairs={pairs}" for n in range(2)]
    done = packetwarp.run("run", [*ALONE, "--lcores", "0@0,1@1,2@1", *devices], ["-c", str(config), "--control", "none", "--duration", "50ms"],
                          within=middle.command())
    assert done.status == (WRONG_USAGE if words else DONE), done
    assert not words or words in done.errors[0], done


def test_a_queue_that_another_program_has_is_named(packetwarp, namespaces):
    """The driver says "Invalid argument" for any reason."""
    with join(packetwarp, namespaces, "net_af_xdp", "-w", "none") as joined:
        done = packetwarp.run("l2fwd", [*ALONE, "-l", "0-1", "--vdev=net_af_xdp0,iface=w0"], ["--duration", "50ms"], within=joined.middle.command())
        assert done.status == FAILED, done
        assert f"port 0 (net_af_xdp0): setting up RX queue 0 failed: Invalid argument; {OF_ANOTHER}" in done.errors[-1], done
        joined.forwarding.interrupt()


@pytest.mark.parametrize("driver", ("net_af_packet", "net_af_xdp"))
def test_kernel_stacks_talk_through_it(packetwarp, namespaces, tmp_path, driver):
    """With -w none it is a cable: ARP, ping and a file over HTTP go through."""
    content = make_captures.pattern(300_000)
    (tmp_path / "file").write_bytes(content)
    with join(packetwarp, namespaces, driver, "-w", "none") as joined:
        (left, l0), (right, r0) = joined.one, joined.other
        left.address(l0, "10.9.0.1/24")
        right.address(r0, "10.9.0.2/24")
        left.run("ping", "-c", "3", "-i", "0.05", "-w", "20", "10.9.0.2")
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
