# SPDX-License-Identifier: Apache-2.0
"""Ports that take nothing, come and go, or are gone: what is to leave by the other ports leaves, and is not late."""
from __future__ import annotations

import time

import pytest
from besieged import besieged, host, host_mac, router_mac, routed
from frames import UDP, ethernet, ipv4, udp
from make_captures import pcap
from stranger import ENOUGH, udp_flow
from wire_end import flooding

# Beside the two wires: a port that receives a capture over and over and drops its sent packets, and a port without a
# peer.
BUSY, STUCK = 2, 3


def mostly_back(count: int = 100) -> list[bytes]:
    """A packet in a hundred to the stuck port."""
    to = [host(BUSY, 3)] * (count - 1) + [host(STUCK)]
    return [ethernet(router_mac(BUSY), host_mac(BUSY), 0x0800, ipv4(host(BUSY), one, UDP, udp(1 + n, 9, b"?"))) for n, one in enumerate(to)]


def sent_by(report: dict, port: int) -> int:
    return next(one["tx_packets"] for one in report["ports"] if one["id"] == port)


@pytest.mark.first
def test_a_port_without_a_peer_costs_only_what_is_for_it(packetwarp, figures, times, tmp_path):
    """With the same traffic once to a port that takes it. 13 million per second became 0.24 million once."""
    rates = {}
    capture = tmp_path / "busy.pcap"
    capture.write_bytes(pcap(mostly_back()))
    busy = f"net_pcap0,rx_pcap={capture},infinite_rx=1"
    for what, last in (("takes all", "net_null0,no-rx=1"), ("takes nothing", f"net_memif0,role=server,socket={tmp_path}/memif,socket-abstract=no")):
        with besieged(packetwarp, figures, routed(4), more_devices=(busy, last)) as made:
            with made.strangers() as flow:
                calm = flow.calm(0)
                began = time.monotonic()
                during = flow.during(lambda: time.sleep(2 * times))
            if what == "takes nothing":
                made.must_go_on("a stuck port", during, during)
            report = made.end().result
            rates[what] = sent_by(report, BUSY) / report["seconds"] if report.get("seconds") else sent_by(report, BUSY) / (time.monotonic() - began)
            assert set(report["packets"]["dropped"]) <= {"tx_full", "shutdown", "egress_stuck"}, report["packets"]
            del calm
    figures.say(", ".join(f"beside a port that {what}: {rate / 1e6:.2f} Mpps" for what, rate in rates.items()))
    # It is a twentieth where a stuck port holds up the others; another's load on this machine does not make a tenth of it.
    assert rates["takes nothing"] > rates["takes all"] / 10, rates


def test_a_flapping_port_leaves_others_alone(packetwarp, figures, times):
    """Traffic to it goes on while its link goes down and up."""
    with besieged(packetwarp, figures, routed(3)) as made:
        with made.strangers() as flow:
            calm = flow.calm()
            to_it = [udp_flow(made.ends[0], host(0, 9), host(2), port=9)(0, b"?")]
            with flooding(made.ends[0], to_it, 500):
                attacked = flow.during(lambda: flap(made.middle, "w2", 8 * times))
            made.must_go_on("a flapping port", calm, attacked)
            # And it is back.
        with made.stranger(0, 2).going() as flow:
            flow.calm(0)
            again = flow.during(lambda: time.sleep(0.5))
        assert again.share >= ENOUGH, again
        made.end()


def flap(namespace, name: str, count: int) -> None:
    for _ in range(count):
        namespace.ip("link", "set", name, "down")
        time.sleep(0.15)
        namespace.ip("link", "set", name, "up")
        time.sleep(0.15)


def test_a_deleted_port_leaves_others_alone(packetwarp, figures, times):
    with besieged(packetwarp, figures, routed(3)) as made:
        with made.strangers() as flow:
            calm = flow.calm()
            to_it = [udp_flow(made.ends[0], host(0, 9), host(2), port=9)(0, b"?")]
            with flooding(made.ends[0], to_it, 500):
                first = flow.sent
                made.middle.ip("link", "delete", "w2")
                time.sleep(2 * times)
                attacked = flow.since(first)
            made.must_go_on("a deleted port", calm, attacked)
        made.end()
