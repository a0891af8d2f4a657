# SPDX-License-Identifier: Apache-2.0
"""Labels by origin: each frame of the victim's capture gets the label of the namespace that is at its other end.

The gateway forwards a packet from a namespace only if its source is of that namespace's prefix (strict reverse path filter), so that
the address outside the victim's prefix says where the packet comes from, or where the flow of an answer began. Frames without such
an address (ARP, neighbour discovery) are the gateway's and the victim's own: normal. ICMP errors of the gateway go by the packet that
they quote."""
from __future__ import annotations

import csv
import dataclasses
import os
import pathlib
import struct
from collections.abc import Iterable, Iterator

from .plan import NORMAL, Host

COLUMNS = ("file", "label", "family", "tool", "seed", "packets")
ETHERNET, IPV4, IPV6 = 14, 0x0800, 0x86DD
MAGIC = 0xA1B2C3D4


class Origins:
    """The label of each prefix outside the victim's."""

    def __init__(self, hosts: Iterable[Host]) -> None:
        self._labels = {4: [], 16: []}
        for host in hosts:
            for prefix in (host.prefix, host.prefix6):
                entry = (int(prefix.network_address), int(prefix.netmask), host.label)
                self._labels[prefix.max_prefixlen // 8].append(entry)

    def of_address(self, address: bytes) -> str | None:
        number = int.from_bytes(address, "big")
        return next((label for base, mask, label in self._labels[len(address)] if number & mask == base), None)

    def of_packet(self, packet: bytes) -> str | None:
        """The label of an IP packet, or of its first bytes, as an ICMP error quotes them."""
        if len(packet) >= 20 and packet[0] >> 4 == 4:
            inner = packet[(packet[0] & 15) * 4 + 8:] if packet[9] == 1 else b""
            source, destination = packet[12:16], packet[16:20]
        elif len(packet) >= 40 and packet[0] >> 4 == 6:
            inner = packet[48:] if packet[6] == 58 else b""
            source, destination = packet[8:24], packet[24:40]
        else:
            return None
        return self.of_address(source) or self.of_address(destination) or (self.of_packet(inner) if inner else None)

    def of_frame(self, frame: bytes) -> str:
        kind = int.from_bytes(frame[12:14], "big")
        return (self.of_packet(frame[ETHERNET:]) if kind in (IPV4, IPV6) else None) or NORMAL


# --- captures -----------------------------------------------------------------------------------------------------------


def read_capture(path: pathlib.Path) -> tuple[bytes, Iterator[tuple[bytes, bytes]]]:
    """The header of a capture of tcpdump's, and its records: header and frame. A record that is cut at the end is left out."""
    data = path.read_bytes()
    if len(data) < 24 or struct.unpack_from("<I", data)[0] != MAGIC:
        raise ValueError(f"{path}: no capture as tcpdump writes it")

    def records() -> Iterator[tuple[bytes, bytes]]:
        at = 24
        while at + 16 <= len(data):
            end = at + 16 + struct.unpack_from("<I", data, at + 8)[0]
            if end > len(data):
                return
            yield data[at:at + 16], data[at + 16:end]
            at = end

    return data[:24], records()


def labelled(raw: pathlib.Path, origins: Origins, output: pathlib.Path, only: str | None) -> dict[str, int]:
    """Writes the capture, with the frames of one label only or all, and for all of them the file of labels; returns their counts."""
    head, records = read_capture(raw)
    counts: dict[str, int] = {}
    lines: list[str] = []
    with open(output, "wb") as capture:
        capture.write(head)
        for header, frame in records:
            label = origins.of_frame(frame)
            if only not in (None, label):
                continue
            capture.write(header + frame)
            counts[label] = counts.get(label, 0) + 1
            lines.append(label + "\n")
    if only is None:
        output.with_suffix(".labels").write_text("".join(lines))
    return counts


def rate_of(path: pathlib.Path) -> float:
    """Packets per second between the first and the last one."""
    times = [seconds + millionths / 1e6 for seconds, millionths in (struct.unpack_from("<II", header) for header, _ in read_capture(path)[1])]
    return len(times) / max(times[-1] - times[0], 1e-3) if times else 0.0


# --- the list of captures -----------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Row:
    file: str
    label: str  # normal, attack, or mixed: then NAME.labels has a line for each packet
    family: str
    tool: str
    seed: int
    packets: int


def add_rows(path: pathlib.Path, rows: Iterable[Row]) -> None:
    """Adds rows to the list of captures, in place of the rows for the same files. The old list stays until the new one is complete."""
    known: dict[str, dict[str, object]] = {}
    if path.exists():
        with open(path, newline="") as text:
            known = {row["file"]: dict(row) for row in csv.DictReader(text)}
    known |= {row.file: dataclasses.asdict(row) for row in rows}
    new = path.with_name(f"{path.name}.new")
    try:
        with open(new, "w", newline="") as text:
            writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(known[name] for name in sorted(known))
        os.replace(new, path)
    finally:
        new.unlink(missing_ok=True)
