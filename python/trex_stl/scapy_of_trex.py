# SPDX-License-Identifier: Apache-2.0
"""The differences of TRex's scapy (2.4.3, with changes) from the installed one: its defaults for fields that a profile does not
set, and its fragments. Plain scapy would also ask this machine's routes and neighbours for addresses."""
from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import scapy.all
from scapy.config import conf
from scapy.layers import inet
from scapy.layers.dns import DNS
from scapy.layers.inet import IP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Ether
from scapy.packet import Packet

# A layer, a field and its default. Newer scapys have a question in a DNS message of which nothing is said.
DEFAULTS: tuple[tuple[type[Packet], str, Any], ...] = (
    (Ether, "dst", "00:00:00:01:00:00"), (Ether, "src", "00:00:00:02:00:00"), (IP, "src", "16.0.0.1"),
    (IP, "dst", "48.0.0.1"), (IPv6, "src", "::2"), (IPv6, "dst", "::1"), (DNS, "qd", []))


def _field(kind: type[Packet], name: str) -> Any:
    found: Any = next(one for one in kind.fields_desc if one.name == name)
    return getattr(found, "fld", found)  # within Emph(), which only concerns printing


def _forget(kind: type[Packet]) -> None:
    """scapy keeps the defaults of a class from its first packet on."""
    for kept in (Packet.class_default_fields, Packet.class_default_fields_ref, Packet.class_fieldtype, Packet.class_packetfields):
        kept.pop(kind, None)


def fragment(pkt: Packet, fragsize: int = 1480) -> list[Packet]:
    """A datagram in pieces, of fragsize bytes rounded up to a multiple of 8; newer scapys round down."""
    size = max(fragsize + 7, 8) // 8 * 8
    made = []
    for whole in pkt:
        payload = bytes(whole[IP].payload)
        for at in range(0, len(payload), size):
            piece = whole.copy()
            piece[IP].remove_payload()
            del piece[IP].chksum, piece[IP].len
            if at + size < len(payload):
                piece[IP].flags |= 1
            piece[IP].frag += at // 8
            part = conf.raw_layer(load=payload[at:at + size])
            part.overload_fields = whole[IP].payload.overload_fields.copy()
            piece.add_payload(part)  # not `/`, which forgets the whole payload's facts about the header
            made.append(piece)
    return made


@contextlib.contextmanager
def scapy_of_trex() -> Iterator[None]:
    """Within it, scapy makes packets as TRex's does."""
    fields = [(kind, _field(kind, name), value) for kind, name, value in DEFAULTS]
    kept = [field.default for _, field, _ in fields]
    plain = inet.fragment
    try:
        for kind, field, value in fields:
            field.default = value
            _forget(kind)
        inet.fragment = scapy.all.fragment = fragment
        yield
    finally:
        inet.fragment = scapy.all.fragment = plain
        for (kind, field, _), value in zip(fields, kept):
            field.default = value
            _forget(kind)
