# SPDX-License-Identifier: Apache-2.0
"""STLPktBuilder: the bytes of a packet, and the offsets of its layers and fields."""
from __future__ import annotations

import pathlib
from typing import Any

from scapy.error import Scapy_Exception
from scapy.layers.l2 import Ether
from scapy.packet import NoPayload, Packet, Padding
from scapy.utils import RawPcapReader

from .instructions import STLScVmRaw
from .problems import ProfileError, require_type

LEAST_BYTES, MOST_BYTES = 14, 9600 - 4
LEAST_FRAME = 60  # a frame is padded to this length, without its check sequence (IEEE 802.3)


class PacketOffsets:
    """Offsets of layers, "IP" or "IP:1" (the second one), and of their fields, "UDP.sport". A layer has scapy's name or that
    of its class: "Ethernet" or "Ether". In a field's name "|" stands for a dot of the layer's: "802|1Q.vlan"."""

    def __init__(self, packet: Packet | None) -> None:
        self._layers: list[tuple[str, int, Packet]] = []
        layer: Any = packet
        end = len(bytes(packet)) if packet is not None else 0
        while layer is not None and not isinstance(layer, NoPayload):
            self._layers.append((type(layer).__name__, end - len(bytes(layer)), layer))
            layer = layer.payload

    def _find(self, name: str) -> tuple[int, Packet]:
        kind, _, index = name.partition(":")
        if index and not index.isdigit():
            raise ProfileError(f"offset '{name}': behind a colon stands a number, as IP:1")
        same = [one for one in self._layers if kind.replace("|", ".") in (one[2].name, one[0])]
        if not same:
            there = "/".join(one[0] for one in self._layers) or "bytes without names"
            raise ProfileError(f"offset '{name}': the packet has no layer {kind}; it is {there}")
        if int(index or 0) >= len(same):
            raise ProfileError(f"offset '{name}': the packet has {len(same)} of {kind}, counted from 0")
        return same[int(index or 0)][1:]

    def layer(self, name: str | int) -> int:
        return name if isinstance(name, int) else self._find(name)[0]

    def field(self, name: str | int) -> int:
        if isinstance(name, int):
            return name
        path, _, wanted = name.rpartition(".")
        if not path:
            raise ProfileError(f"offset '{name}': is no field; give layer and field, as IP.src, or a number")
        start, layer = self._find(path)
        built: Any = b""  # a tuple while scapy is within a byte
        for field in layer.fields_desc:
            if field.name == wanted:
                return start + len(built if isinstance(built, bytes) else built[0])
            built = field.addfield(layer, built, layer.getfieldval(field.name))
        fields = ", ".join(field.name for field in layer.fields_desc)
        raise ProfileError(f"offset '{name}': {path} has no field {wanted}; it has {fields}")


def first_of_capture(name: str, folder: pathlib.Path) -> bytes:
    path = pathlib.Path(name) if pathlib.Path(name).is_absolute() else folder / name
    try:
        with RawPcapReader(str(path)) as packets:
            for data, _ in packets:
                return bytes(data)
    except (OSError, Scapy_Exception, EOFError) as error:
        raise ProfileError(f"STLPktBuilder: {path} cannot be read as a capture: {error}") from None
    raise ProfileError(f"STLPktBuilder: {path} holds no packet")


class STLPktBuilder:
    """A packet: of scapy, of bytes, or the first one of a capture; and its varying parts."""

    folder = pathlib.Path()  # of the profile that is being read

    def __init__(self, pkt: Any = None, pkt_buffer: bytes | None = None, vm: Any = None,
                 path_relative_to_profile: bool = False, build_raw: bool = False, remove_fcs: bool = True) -> None:
        if (pkt is None) == (pkt_buffer is None):
            raise ProfileError("STLPktBuilder: give either pkt or pkt_buffer")
        if isinstance(pkt, str):
            pkt_buffer = first_of_capture(pkt, self.folder if path_relative_to_profile else pathlib.Path())
        if pkt_buffer is not None:
            self.packet = Ether(require_type("STLPktBuilder: pkt_buffer", pkt_buffer, bytes))
            if remove_fcs and isinstance(self.packet.lastlayer(), Padding) and build_raw:
                self.packet.lastlayer().underlayer.remove_payload()
            self.data = bytes(self.packet) if build_raw else pkt_buffer
        else:
            self.packet = require_type("STLPktBuilder: pkt", pkt, Packet)
            self.data = bytes(self.packet)
        if not LEAST_BYTES <= len(self.data) <= MOST_BYTES:
            raise ProfileError(f"STLPktBuilder: a packet of {len(self.data)} bytes; allowed are {LEAST_BYTES} to "
                               f"{MOST_BYTES}, without the frame check sequence")
        self.vm = self._vm_of(vm)
        self.offsets = PacketOffsets(self.packet)

    @staticmethod
    def _vm_of(vm: Any) -> STLScVmRaw:
        if vm is None or isinstance(vm, (list, tuple)):
            return STLScVmRaw(vm)
        return require_type("STLPktBuilder: vm", vm, STLScVmRaw)

    def get_pkt_len(self) -> int:
        return len(self.data)
