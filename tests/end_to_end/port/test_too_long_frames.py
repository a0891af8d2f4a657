# SPDX-License-Identifier: Apache-2.0
"""Frames that are longer than the kernel interface takes, by which they would leave: each is dropped by name, and costs no other
frame. Their drivers would count them as sent and lose them, or send nothing after them."""
from __future__ import annotations

import make_captures
import pytest
from joined import join
from namespaces import wait_for
from raw_interface import RawInterface

DRIVERS = ("net_af_packet", "net_af_xdp", "net_pcap", "net_tap")
LONG = make_captures.udp_frame(1614, 0)
TAGGED = make_captures.udp_frame(1514, 1)
TAGGED = TAGGED[:12] + b"\x81\x00\x00\x05" + TAGGED[12:]


def raise_mtu(joined, *ends: str) -> None:
    for namespace, interface in (joined.one, joined.other, (joined.middle, "w0"), (joined.middle, "w1")):
        if interface in ends:
            namespace.ip("link", "set", interface, "mtu", "1700")


@pytest.mark.parametrize("executor", ("none", "cpu"))
@pytest.mark.parametrize("driver", DRIVERS)
def test_they_are_dropped_alone(packetwarp, namespaces, driver, executor):
    with join(packetwarp, namespaces, driver, "-w", executor, "--tx-timeout", "10s") as joined:
        raise_mtu(joined, "l0", "w0")
        with RawInterface(*joined.one) as one, RawInterface(*joined.other) as other:
            fitting = [make_captures.udp_frame(length, n) for n, length in enumerate((60, 1514, 900))] + [TAGGED]
            for frame in (fitting[0], LONG, fitting[1], LONG, LONG, *fitting[2:]):
                one.send(frame)
            arrived = [other.receive() for _ in fitting]
            assert [frame and frame[12:] for frame in arrived] == [frame[12:] for frame in fitting]
            assert other.nothing_more()
        packets = joined.forwarding.interrupt().packets
        assert packets.dropped == {"tx_too_long": 3} and packets.tx == len(fitting)


@pytest.mark.parametrize("driver", ("net_af_packet", "net_af_xdp", "net_pcap"))
def test_they_pass_once_the_interface_takes_them(packetwarp, namespaces, driver):
    """An MTU that is changed during the run counts."""
    with join(packetwarp, namespaces, driver, "-w", "none") as joined:
        raise_mtu(joined, "l0", "w0")
        with RawInterface(*joined.one) as one, RawInterface(*joined.other) as other:
            one.send(LONG)
            assert other.nothing_more()
            raise_mtu(joined, "r0", "w1")

            def passes() -> bool:
                one.send(LONG)
                return other.receive(0.1) == LONG

            wait_for(passes, "a long frame to arrive")
        assert joined.forwarding.interrupt().packets.dropped["tx_too_long"] >= 1
