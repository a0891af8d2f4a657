# SPDX-License-Identifier: Apache-2.0
"""Headers that contradict themselves or the frame are dropped by name; nothing outside the frame is read."""
import pytest
from routed import FAR_IP, FAR_IP6, HOST_IP, HOST_IP6, assert_untouched, to_router
from scapy.layers.inet import IP, UDP
from scapy.layers.inet6 import IPv6
from scapy.packet import Raw

SOUND = bytes(to_router(IP(src=HOST_IP[0], dst=FAR_IP) / UDP() / Raw(b"s" * 10)))
SOUND6 = bytes(to_router(IPv6(src=HOST_IP6[0], dst=FAR_IP6) / UDP() / Raw(b"s" * 10)))


def changed(frame: bytes, at: int, new: bytes) -> bytes:
    return frame[:at] + new + frame[at + len(new):]


@pytest.mark.parametrize("length, why", [(0, "runt"), (13, "runt"), (14, "ip_truncated"), (33, "ip_truncated"),
                                         (34, "bad_total_length"), (len(SOUND) - 1, "bad_total_length")])
def test_ipv4_cut_short(router, length, why):
    assert_untouched(router.route(SOUND[:length]), SOUND[:length], "drop", why)


@pytest.mark.parametrize("length, why", [(14, "ip_truncated"), (53, "ip_truncated"), (54, "bad_total_length"),
                                         (len(SOUND6) - 1, "bad_total_length")])
def test_ipv6_cut_short(router, length, why):
    assert_untouched(router.route(SOUND6[:length]), SOUND6[:length], "drop", why)


@pytest.mark.parametrize("at, new, why", [
    (14, b"\x55", "bad_version"), (14, b"\x65", "bad_version"), (14, b"\x44", "bad_header_length"),
    (14, b"\x40", "bad_header_length"), (14, b"\x4f", "ip_truncated"), (16, b"\x00\x13", "bad_total_length"),
    (16, b"\xff\xff", "bad_total_length"), (24, b"\x00\x01", "bad_checksum"), (22, b"\x01", "bad_checksum")])
def test_ipv4_damaged(router, at, new, why):
    frame = changed(SOUND, at, new)
    assert_untouched(router.route(frame), frame, "drop", why)


@pytest.mark.parametrize("at, new, why", [(14, b"\x40", "bad_version"), (18, b"\xff\xff", "bad_total_length")])
def test_ipv6_damaged(router, at, new, why):
    frame = changed(SOUND6, at, new)
    assert_untouched(router.route(frame), frame, "drop", why)


@pytest.mark.parametrize("contiguous", [14, 20, 33])
def test_header_in_two_pieces(router, contiguous):
    assert_untouched(router.route(SOUND, contiguous=contiguous), SOUND, "drop", "ip_truncated")


def test_what_is_behind_ip_is_not_the_routers_to_judge(router):
    """A UDP length that is wrong is for the host that receives it."""
    assert router.route(changed(SOUND, 38, b"\xff\xff")).what == "forward"
