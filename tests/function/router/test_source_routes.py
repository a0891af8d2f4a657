# SPDX-License-Identifier: Apache-2.0
"""Packets that ask for a way of their own are dropped by name unless they are to pass (RFC 7126, 4.3 and 4.4)."""
import pytest
from routed import FAR_IP, HOST_IP, HOST_MAC, OWN_IP, OWN_MAC, assert_untouched, forwarded, to_router, two_interfaces
from scapy.layers.inet import IP, UDP, IPOption_LSRR, IPOption_NOP, IPOption_Router_Alert, IPOption_SSRR
from scapy.layers.l2 import Ether
from scapy.utils import checksum

WAY = ["192.0.2.7"]
ROUTES = ([IPOption_LSRR(routers=WAY)], [IPOption_SSRR(routers=WAY)],
          [IPOption_NOP(), IPOption_NOP(), IPOption_LSRR(routers=WAY)],
          [IPOption_Router_Alert(), IPOption_SSRR(routers=3 * WAY)],
          # A source route that has been followed to its end.
          [IPOption_LSRR(routers=WAY, pointer=8)])
IDS = ("loose", "strict", "behind-nops", "behind-another", "followed")


@pytest.mark.parametrize("options", ROUTES, ids=IDS)
@pytest.mark.parametrize("to", [FAR_IP, OWN_IP[0], OWN_IP[1]])
def test_they_are_dropped_by_name(router, options, to):
    packet = to_router(IP(src=HOST_IP[0], dst=to, options=options) / UDP())
    assert_untouched(router.route(packet), packet, "drop", "source_routed")


@pytest.mark.parametrize("options", ROUTES, ids=IDS)
def test_they_pass_where_that_is_asked_for(router, options):
    packet = to_router(IP(src=HOST_IP[0], dst=FAR_IP, options=options) / UDP())
    outcome = router.route(packet, table=two_interfaces(source_routes="pass"))
    assert (outcome.what, outcome.to, outcome.frame) == ("forward", 1, forwarded(packet))


LOOSE = bytes([131, 7, 4, 192, 0, 2, 7])


def with_options(options: bytes) -> bytes:
    """A frame whose options need not make sense."""
    plain = bytes(IP(src=HOST_IP[0], dst=FAR_IP) / UDP())
    options += bytes(-len(options) % 4)
    header = bytearray(plain[:20]) + options
    header[0] = 0x40 | len(header) // 4
    header[2:4] = (len(header) + len(plain) - 20).to_bytes(2, "big")
    header[10:12] = bytes(2)
    header[10:12] = checksum(bytes(header)).to_bytes(2, "big")
    return bytes(Ether(src=HOST_MAC[0], dst=OWN_MAC[0], type=0x800)) + bytes(header) + plain[20:]


@pytest.mark.parametrize("options", (
    bytes([7, 7, 4, 131, 137, 131, 137]), b"\0" + LOOSE, bytes([68, 1]) + LOOSE, bytes([68, 0]) + LOOSE,
    bytes([68, 40, 5, 0]), bytes([1, 1, 1, 68]),
), ids=("record-route", "behind-the-end", "behind-a-length-of-1", "behind-a-length-of-0", "beyond-the-header", "cut"))
def test_other_options_pass(router, options):
    """A source route after the end of options, or after an option with an impossible length, does not count."""
    frame = with_options(options)
    outcome = router.route(frame)
    assert (outcome.what, outcome.why, outcome.to) == ("forward", "", 1)
    assert outcome.frame[34:] == frame[34:]


def test_one_at_the_last_place_is_seen(router):
    frame = with_options(33 * b"\1" + LOOSE)
    assert_untouched(router.route(frame), frame, "drop", "source_routed")


@pytest.mark.parametrize("contiguous", range(34, 42))
def test_options_in_another_piece(router, contiguous):
    frame = with_options(LOOSE)
    assert_untouched(router.route(frame, contiguous=contiguous), frame, "drop", "ip_truncated")
