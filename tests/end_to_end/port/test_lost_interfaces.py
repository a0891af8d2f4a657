# SPDX-License-Identifier: Apache-2.0
"""Interfaces that go down, come back or are deleted under a running packetwarp: it says so and goes on with the rest."""
from __future__ import annotations

import check_l2fwd
import make_captures
import pytest
from harness import FAILED, Running
from joined import join
from namespaces import wait_for
from raw_interface import RawInterface, carry

DRIVERS = ("net_af_packet", "net_af_xdp")
FRAMES = [make_captures.udp_frame(64 + n, n) for n in range(100)]
MANY = FRAMES * 30
WAKE = make_captures.udp_frame(99, 9999)
SWAPPED = check_l2fwd.expected_output(FRAMES, "cpu")


def wake(source: RawInterface, target: RawInterface) -> None:
    """Sends until something arrives: what a driver kept while its link was down leaves with a later packet."""
    wait_for(lambda: source.send(WAKE) or target.receive(0.1), "a frame to cross the link that is up again")
    while target.receive(0.5):
        pass


def send_unheard(source: RawInterface, frames: list[bytes], forwarding: Running) -> None:
    """A window at a time, so that the receiving side's queue is not what overflows."""
    for begin in range(0, len(frames), 256):
        for frame in frames[begin:begin + 256]:
            source.send(frame)
        forwarding.wait_for_statistics(2)


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("end", ("near", "far"))
def test_a_link_that_goes_down_and_up_forwards_again(packetwarp, namespaces, driver, end):
    """The port's own interface, or the one at the wire's other end. More packets than a driver's ring holds."""
    with join(packetwarp, namespaces, driver) as joined:
        namespace, name = (joined.middle, "w1") if end == "near" else joined.other
        with RawInterface(*joined.one) as one, RawInterface(*joined.other) as other:
            assert carry(one, other, FRAMES) == SWAPPED
            namespace.ip("link", "set", name, "down")
            joined.forwarding.wait_for_log(f"({driver}1): link down")
            send_unheard(one, MANY, joined.forwarding)
            namespace.ip("link", "set", name, "up")
            joined.forwarding.wait_for_log(f"({driver}1): link up")
        # New sockets: a packet socket reports once that its interface was down.
        with RawInterface(*joined.one) as one, RawInterface(*joined.other) as other:
            wake(one, other)
            assert carry(one, other, FRAMES) == SWAPPED
        packets = joined.forwarding.interrupt().packets
        assert packets.rx > 2 * len(FRAMES) + len(MANY)
        assert packets.dropped == {"tx_full": len(MANY)}, "as many as came while the log said that the link was down"


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_link_that_is_down_does_not_hold_up_the_end(packetwarp, namespaces, driver):
    with join(packetwarp, namespaces, driver) as joined:
        with RawInterface(*joined.one) as one:
            joined.middle.ip("link", "set", "w1", "down")
            joined.forwarding.wait_for_log(f"({driver}1): link down")
            send_unheard(one, MANY, joined.forwarding)
            packets = joined.forwarding.interrupt().packets
            assert (packets.rx, packets.tx, packets.dropped) == (len(MANY), 0, {"tx_full": len(MANY)})


@pytest.mark.parametrize("driver", DRIVERS)
def test_one_deleted_interface_leaves_the_other(packetwarp, namespaces, driver):
    with join(packetwarp, namespaces, driver, "--tx-timeout", "1ms") as joined:
        with RawInterface(*joined.one) as one, RawInterface(*joined.other) as other:
            assert carry(one, other, FRAMES) == SWAPPED
            joined.middle.ip("link", "delete", "w1")
            joined.forwarding.wait_for_log(f"({driver}1): its kernel interface w1 is gone")
            for frame in FRAMES:
                one.send(frame)
        done = joined.forwarding.interrupt()
        assert (done.packets.rx, done.packets.tx, done.packets.dropped) == (2 * len(FRAMES), len(FRAMES), {"tx_full": len(FRAMES)})
        assert len(done.errors) == 1, "each loss is said once"


@pytest.mark.parametrize("driver", DRIVERS)
def test_without_any_interface_left_it_ends(packetwarp, namespaces, driver):
    with join(packetwarp, namespaces, driver) as joined:
        with RawInterface(*joined.one) as one, RawInterface(*joined.other) as other:
            assert carry(one, other, FRAMES) == SWAPPED
        joined.middle.ip("link", "delete", "w0")
        joined.middle.ip("link", "delete", "w1")
        done = joined.forwarding.finish()
        assert done.status == FAILED, done
        assert done.result["ended_by"] == "ports gone"
        assert [line for line in done.errors if "every port has lost its kernel interface" in line], done
        assert done.packets.tx == len(FRAMES) and done.packets.in_flight == 0


def test_a_tap_moved_to_another_namespace_forwards_on(packetwarp, namespaces):
    """As a container gets its interface: it keeps its file, so it is not gone, only elsewhere."""
    container = namespaces.add("container")
    container.silence()
    with join(packetwarp, namespaces, "net_tap") as joined:
        joined.middle.ip("link", "set", "w1", "netns", container.name)
        container.ip("link", "set", "w1", "up")
        with RawInterface(*joined.one) as one, RawInterface(container, "w1") as other:
            assert carry(one, other, FRAMES) == SWAPPED
            joined.forwarding.wait_for_statistics(25)  # it has looked at its ports meanwhile
            assert carry(other, one, FRAMES) == SWAPPED
        done = joined.forwarding.interrupt()
        assert done.packets.tx == 2 * len(FRAMES) and not done.errors


def test_a_tap_that_is_down_takes_nothing(packetwarp, namespaces):
    with join(packetwarp, namespaces, "net_tap") as joined:
        with RawInterface(*joined.one) as one, RawInterface(*joined.other) as other:
            assert carry(one, other, FRAMES) == SWAPPED
            joined.middle.ip("link", "set", "w1", "down")
            send_unheard(one, FRAMES, joined.forwarding)
        packets = joined.forwarding.interrupt().packets
        assert (packets.tx, packets.dropped) == (len(FRAMES), {"tx_full": len(FRAMES)})


def test_taps_that_are_deleted_are_lost(packetwarp, namespaces):
    """The first is told, and its packets are dropped by name; with the second the run ends."""
    with join(packetwarp, namespaces, "net_tap") as joined:
        with RawInterface(*joined.one) as one, RawInterface(*joined.other) as other:
            assert carry(one, other, FRAMES) == SWAPPED
            joined.middle.ip("link", "delete", "w1")
            joined.forwarding.wait_for_log("(net_tap1): its kernel interface w1 is gone")
            send_unheard(one, FRAMES, joined.forwarding)
        joined.middle.ip("link", "delete", "w0")
        done = joined.forwarding.finish()
        assert done.status == FAILED and done.result["ended_by"] == "ports gone", done
        assert [port["state"] for port in done.result["ports"]] == ["lost", "lost"]
        assert (done.packets.tx, done.packets.dropped) == (len(FRAMES), {"tx_full": len(FRAMES)})


def test_a_tap_that_moved_is_lost_when_it_is_deleted_there(packetwarp, namespaces):
    container = namespaces.add("container")
    with join(packetwarp, namespaces, "net_tap") as joined:
        joined.middle.ip("link", "set", "w1", "netns", container.name)
        container.ip("link", "set", "w1", "name", "eth0")
        container.ip("link", "delete", "eth0")
        joined.forwarding.wait_for_log("(net_tap1): its kernel interface w1 is gone")
        assert [port["state"] for port in joined.forwarding.interrupt().result["ports"]] == ["up", "lost"]
