# SPDX-License-Identifier: Apache-2.0
"""A host keeps its port where that is free and of the pool (RFC 4787, 4.2.1); no port is two hosts' (REQ-3); UDP's stay
even or odd (REQ-4)."""
import pytest
from nat44_packets import OTHER, out
from scapy.layers.inet import ICMP, TCP, UDP

PROTOCOLS = {"udp": lambda port: UDP(sport=port, dport=53), "tcp": lambda port: TCP(sport=port, dport=80),
             "icmp": lambda port: ICMP(id=port)}


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_free_port_is_kept(nat, protocol):
    for port in (1024, 1025, 33333, 65534, 65535):
        nat.leaves(out(PROTOCOLS[protocol](port)))


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_port_below_the_range_is_not(nat, protocol):
    given = [nat.given(out(PROTOCOLS[protocol](port)))[1] for port in (1, 123, 1022, 1023)]
    assert len(set(given)) == 4 and min(given) >= 1024
    if protocol == "udp":
        assert [port % 2 for port in given] == [1, 1, 0, 1]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_port_that_another_host_has_is_not(nat, protocol):
    # A test before may have been given one of these ports at random.
    taken = [nat.given(out(PROTOCOLS[protocol](port)))[1] for port in range(5000, 5010)]
    given = [nat.given(out(PROTOCOLS[protocol](port), host=OTHER))[1] for port in taken]
    assert len(set(given)) == len(taken) and not set(given) & set(taken)
    if protocol == "udp":
        assert [port % 2 for port in given] == [port % 2 for port in taken]


@pytest.mark.parametrize("nat", [{"ports": [1, 65535]}], indirect=True, scope="module")
class TestOfAllPorts:
    """RFC 4787, REQ-3 a."""

    @pytest.mark.parametrize("protocol", ("udp", "tcp"))
    def test_low_ports_stay_low_and_high_ports_high(self, nat, protocol):
        ports = (1, 500, 1023, 1024, 5000)
        for port in ports:
            nat.leaves(out(PROTOCOLS[protocol](port)))
        for host in (OTHER, "1.1.1.4", "1.1.1.5"):
            given = [nat.given(out(PROTOCOLS[protocol](port), host=host))[1] for port in ports]
            assert [port < 1024 for port in given] == [port < 1024 for port in ports] and not set(given) & set(ports)
