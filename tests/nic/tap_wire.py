# SPDX-License-Identifier: Apache-2.0
"""The far end of a NIC's wire as an interface of a network namespace, where Linux's own stack is the host."""
from __future__ import annotations

import fcntl
import os
import struct

from namespaces import Namespace
from raw_interface import entered

# From <linux/if_tun.h>; Python has no names for these.
TUNSETIFF, IFF_TAP, IFF_NO_PI = 0x400454CA, 0x0002, 0x1000


class TapWire:
    """Made in the namespace; nothing of it is ever seen outside."""

    def __init__(self, namespace: Namespace, name: str, mac: str) -> None:
        with entered(namespace):
            self.file = os.open("/dev/net/tun", os.O_RDWR)
            fcntl.ioctl(self.file, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TAP | IFF_NO_PI))
        namespace.ip("link", "set", name, "address", mac)
        # Checksums as on a wire: after this end nothing would fill them in.
        namespace.wire_frames_only(name)
        namespace.ip("link", "set", name, "up")

    def backend(self, name: str) -> str:
        return f"tap,id={name},fd={self.file}"

    def close(self) -> None:
        os.close(self.file)
