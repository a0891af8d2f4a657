# SPDX-License-Identifier: Apache-2.0
"""The far end of a wire to packetwarp: packet sockets that send prebuilt frames at a pace, and that count what arrives."""
from __future__ import annotations

import contextlib
import ctypes
import dataclasses
import errno
import itertools
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence

from namespaces import Namespace
from raw_interface import EVERY_PROTOCOL, PACKET_IGNORE_OUTGOING, SOL_PACKET, entered

SO_ATTACH_FILTER, SO_RCVBUFFORCE, SO_TIMESTAMPNS = 26, 33, 35
# Classic BPF: load half-word or byte at an offset, jump if equal, return so many bytes.
LOAD_HALF, LOAD_BYTE, JUMP_EQUAL, RETURN = 0x28, 0x30, 0x15, 0x06
ETHERTYPE_AT, PROTOCOL_AT, UDP_TO_AT = 12, 23, 36
ENOUGH = 16 << 20
# A frame that a full queue refuses, or an interface that is down or gone meanwhile, is lost as on a wire.
LOST_ON_THE_WIRE = {errno.ENOBUFS, errno.ENETDOWN, errno.ENXIO, errno.EAGAIN}


@dataclasses.dataclass(frozen=True)
class WireEnd:
    """An interface of a namespace, and the MAC addresses of both its ends."""

    namespace: Namespace
    name: str
    mac: str
    router_mac: str

    def socket(self, protocol: int = EVERY_PROTOCOL) -> socket.socket:
        """protocol 0: one that only sends."""
        with entered(self.namespace):
            made = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(protocol))
        if protocol:
            made.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
            made.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, ENOUGH)
            made.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        made.bind((self.name, protocol))
        return made


def only(made: socket.socket, *equal: tuple[int, int, int]) -> None:
    """Has a socket see those frames alone whose (load, offset) has the value, all of them."""
    program = []
    for n, (load, at, value) in enumerate(equal):
        program += [(load, 0, 0, at), (JUMP_EQUAL, 0, 2 * (len(equal) - n) - 1, value)]
    program += [(RETURN, 0, 0, 65535), (RETURN, 0, 0, 0)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *one) for one in program))
    made.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, struct.pack("HL", len(program), ctypes.addressof(code)))


def only_udp(made: socket.socket, port: int) -> None:
    """IPv4 without options."""
    only(made, (LOAD_HALF, ETHERTYPE_AT, 0x0800), (LOAD_BYTE, PROTOCOL_AT, 17), (LOAD_HALF, UDP_TO_AT, port))


def lose_or_send(made: socket.socket, frame: bytes) -> None:
    try:
        made.send(frame)
    except OSError as error:
        if error.errno not in LOST_ON_THE_WIRE:
            raise


def send_paced(made: socket.socket, frames: Iterable[bytes], rate: float, until: Callable[[], bool] = lambda: False) -> int:
    """Sends at a rate per second, a few at a time; when late it catches up by no more than these few. Returns the number."""
    sent, due = 0, time.monotonic()
    few = max(1, int(rate / 500))
    feed = iter(frames)
    while not until() and (some := list(itertools.islice(feed, few))):
        for frame in some:
            lose_or_send(made, frame)
        sent += len(some)
        due = max(due + len(some) / rate, time.monotonic() - 0.02)
        if (early := due - time.monotonic()) > 0:
            time.sleep(early)
    return sent


class Background:
    """A thread that ends with the `with` block; what it raised is raised there."""

    def __init__(self, work: Callable[[threading.Event], None]) -> None:
        self._ended, self._error = threading.Event(), None
        self._thread = threading.Thread(target=self._run, args=(work,), daemon=True)

    def _run(self, work: Callable[[threading.Event], None]) -> None:
        try:
            work(self._ended)
        except BaseException as error:  # noqa: BLE001: raised again where the block ends
            self._error = error

    def __enter__(self) -> Background:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join(60)
        if self._error is not None:
            raise self._error


@contextlib.contextmanager
def flooding(end: WireEnd, frames: Sequence[bytes], rate: float) -> Iterator[None]:
    """The frames, over and over, as long as the block lasts."""
    with end.socket(0) as made, Background(lambda ended: send_paced(made, itertools.cycle(frames), rate, ended.is_set) and None):
        yield


def flood(end: WireEnd, frames: Sequence[bytes], rate: float, seconds: float | None = None) -> None:
    """Sends all of them once, or over and over for this time."""
    with end.socket(0) as made:
        if seconds is None:
            send_paced(made, frames, rate)
        else:
            over = time.monotonic() + seconds
            send_paced(made, itertools.cycle(frames), rate, lambda: time.monotonic() > over)
