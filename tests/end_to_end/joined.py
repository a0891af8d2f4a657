# SPDX-License-Identifier: Apache-2.0
"""Two namespaces joined by packetwarp, which runs in a third one between them."""
from __future__ import annotations

import contextlib
import dataclasses
import socket
from collections.abc import Iterator

import pytest
from harness import Program, Running
from namespaces import Namespace, Namespaces

AF_XDP = 44
OF_ANOTHER = "another AF_XDP socket has it"


def skip_where_missing(driver: str) -> None:
    """The kernel's half of a driver; what is compiled out cannot be tested."""
    try:
        if driver == "net_af_xdp":
            socket.socket(AF_XDP, socket.SOCK_RAW).close()
        elif driver == "net_tap":
            open("/dev/net/tun", "rb").close()
    except OSError as error:
        pytest.skip(f"{driver}: this kernel has no {'XDP sockets' if driver == 'net_af_xdp' else '/dev/net/tun'}: {error}")


@dataclasses.dataclass
class Joined:
    """left l0 --- w0 packetwarp w1 --- r0 right; with net_tap, w0 and w1 themselves are the ends."""

    forwarding: Running
    middle: Namespace
    one: tuple[Namespace, str]
    other: tuple[Namespace, str]


@contextlib.contextmanager
def join(packetwarp: Program, namespaces: Namespaces, driver: str, *options: str, arguments: str = "") -> Iterator[Joined]:
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
    devices = [f"--vdev={driver}{i},iface=w{i}{arguments}" for i in range(2)]
    with packetwarp.running(["-l", "0-1", *devices], options, within=middle.command()) as forwarding:
        yield Joined(forwarding.wait_until_forwarding(), middle, *ends)
