# SPDX-License-Identifier: Apache-2.0
"""Interfaces of network namespaces as raw frames: sent frames leave by them, and arriving frames are read whole."""
from __future__ import annotations

import contextlib
import ctypes
import os
import socket
import struct
from collections.abc import Iterator

from namespaces import Namespace

# From <linux/if_packet.h> and <linux/sched.h>; Python has no names for these.
SOL_PACKET, PACKET_AUXDATA, PACKET_IGNORE_OUTGOING = 263, 8, 23
TP_STATUS_VLAN_VALID, TP_STATUS_VLAN_TPID_VALID = 1 << 4, 1 << 6
CLONE_NEWNET = 0x40000000
EVERY_PROTOCOL = 0x0003
AUXDATA = struct.Struct("=IIIHHHH")  # tpacket_auxdata: status, len, snaplen, mac, net, vlan_tci, vlan_tpid

_libc = ctypes.CDLL(None, use_errno=True)


@contextlib.contextmanager
def entered(namespace: Namespace) -> Iterator[None]:
    """This thread, in another network namespace. A socket made there stays there."""
    home = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
    there = os.open(f"/run/netns/{namespace.name}", os.O_RDONLY)

    def enter(which: int) -> None:
        if _libc.setns(which, CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), "setns")

    try:
        enter(there)
        try:
            yield
        finally:
            enter(home)
    finally:
        os.close(home)
        os.close(there)


class RawInterface:
    """The end of a wire whose other end is packetwarp's."""

    def __init__(self, namespace: Namespace, name: str) -> None:
        with entered(namespace):
            self._socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(EVERY_PROTOCOL))
        self._socket.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
        self._socket.setsockopt(SOL_PACKET, PACKET_AUXDATA, 1)
        self._socket.bind((name, 0))

    def __enter__(self) -> RawInterface:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def fileno(self) -> int:
        return self._socket.fileno()

    def send(self, frame: bytes) -> None:
        self._socket.send(frame)

    def receive(self, seconds: float = 10) -> bytes | None:
        """The next frame, None if none comes. The kernel takes the outermost tag out of a frame; it is put back."""
        self._socket.settimeout(seconds)
        try:
            frame, ancillary, _, _ = self._socket.recvmsg(65536, socket.CMSG_SPACE(AUXDATA.size))
        except TimeoutError:
            return None
        for level, kind, data in ancillary:
            if (level, kind) == (SOL_PACKET, PACKET_AUXDATA):
                status, _, _, _, _, tag, protocol = AUXDATA.unpack(data)
                if status & TP_STATUS_VLAN_VALID:
                    protocol = protocol if status & TP_STATUS_VLAN_TPID_VALID else 0x8100
                    return frame[:12] + struct.pack("!HH", protocol, tag) + frame[12:]
        return frame

    def nothing_more(self, seconds: float = 0.2) -> bool:
        return self.receive(seconds) is None


def carry(source: RawInterface, target: RawInterface, frames: list[bytes], window: int = 32) -> list[bytes]:
    """Sends the frames by one interface, a few at a time so that no queue overflows; what arrives on the other."""
    arrived: list[bytes] = []
    for begin in range(0, len(frames), window):
        sent = frames[begin:begin + window]
        for frame in sent:
            source.send(frame)
        for _ in sent:
            if (frame := target.receive()) is None:
                return arrived
            arrived.append(frame)
    return arrived
