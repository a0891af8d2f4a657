# SPDX-License-Identifier: Apache-2.0
"""The field engine: the values that vary from packet to packet, and their places.

Parameters and their meaning are TRex's (TRex Stateless support, "Field Engine"). Each instruction checks itself when the
profile makes it; `emit` adds it to a program, where names of fields have become offsets.
"""
from __future__ import annotations

from typing import Any, Protocol

from .problems import ProfileError, number_of, refuse, require_between, require_type

SIZES = (1, 2, 4, 8)
OPERATIONS = ("inc", "dec", "random")


class Offsets(Protocol):
    """The offsets of a packet's layers and fields in its bytes; numbers stand for themselves."""

    def field(self, name: str | int) -> int: ...
    def layer(self, name: str | int) -> int: ...


class Program:
    """A stream's instructions, in plain values."""

    def __init__(self) -> None:
        self.variables: list[dict[str, Any]] = []
        self.steps: list[dict[str, Any]] = []
        self.last_steps: list[dict[str, Any]] = []  # the steps of a NIC, after all others
        self.sizes: dict[str, int] = {}

    def define(self, values: dict[str, Any], sizes: dict[str, int]) -> None:
        for name in sizes:
            if name in self.sizes:
                raise ProfileError(f"variable '{name}' is defined twice; names are one of a kind in a stream")
        self.variables.append(dict(values))  # trim() of one stream must not change another's
        self.sizes.update(sizes)

    def size_of(self, name: str) -> int:
        if name not in self.sizes:
            known = ", ".join(self.sizes) or "none"
            raise ProfileError(f"variable '{name}' is used and nowhere defined; defined: {known}")
        return self.sizes[name]


def _size(what: str, value: Any) -> int:
    if value not in SIZES:
        raise ProfileError(f"{what}: size {value!r} is not one of 1, 2, 4, 8 bytes")
    return value


class STLVmFlowVar:
    """A variable that counts up or down between two values, goes through a list, or is random."""

    def __init__(self, name: str, init_value: Any = None, min_value: Any = 0, max_value: Any = 255, size: int = 4,
                 step: Any = 1, op: str = "inc", next_var: Any = None, split_to_cores: bool = True,
                 value_list: Any = None) -> None:
        what = f"STLVmFlowVar '{require_type('STLVmFlowVar: name', name, str)}'"
        refuse(f"{what}: next_var", next_var, None)
        if op not in OPERATIONS:
            raise ProfileError(f"{what}: op '{op}' is not one of inc, dec, random")
        most = 2 ** (8 * _size(what, size)) - 1
        self.name, self.size = name, size
        self.values: dict[str, Any] = {"name": name, "op": op, "step": number_of(f"{what}: step", step)}
        require_between(f"{what}: step", self.values["step"], 1, most)
        if value_list is not None:
            self._take_list(what, value_list, most)
            return
        low = require_between(f"{what}: min_value", number_of(f"{what}: min_value", min_value), 0, most)
        high = require_between(f"{what}: max_value", number_of(f"{what}: max_value", max_value), 0, most)
        if low > high:
            raise ProfileError(f"{what}: min_value {low} is above max_value {high}")
        first = high if op == "dec" else low
        if init_value is not None:
            first = require_between(f"{what}: init_value", number_of(f"{what}: init_value", init_value), low, high)
        self.values |= {"min": low, "max": high, "init": first}

    def _take_list(self, what: str, values: Any, most: int) -> None:
        if not isinstance(values, (list, tuple)) or not values:
            raise ProfileError(f"{what}: value_list has to be a list of one value or more")
        self.values["list"] = [
            require_between(f"{what}: value_list", number_of(f"{what}: value_list", one), 0, most) for one in values]

    def emit(self, to: Program, _offsets: Offsets) -> None:
        to.define(self.values, {self.name: self.size})


class STLVmFlowVarRepeatableRandom:
    """`limit` random values, then the same ones again."""

    def __init__(self, name: str, size: int = 4, limit: int = 100, seed: int | None = None, min_value: Any = 0,
                 max_value: Any = None, split_to_cores: bool = True, next_var: Any = None) -> None:
        what = f"STLVmFlowVarRepeatableRandom '{require_type('STLVmFlowVarRepeatableRandom: name', name, str)}'"
        refuse(f"{what}: next_var", next_var, None)
        most = 2 ** (8 * _size(what, size)) - 1
        least = 0 if min_value is None else number_of(f"{what}: min_value", min_value)
        low = require_between(f"{what}: min_value", least, 0, most)
        high = most if max_value is None else number_of(f"{what}: max_value", max_value)
        require_between(f"{what}: max_value", high, low, most)
        self.name, self.size = name, size
        self.values = {"name": name, "op": "random", "step": 1, "min": low, "max": high, "init": low,
                       "limit": require_between(f"{what}: limit", limit, 1, 2**32 - 1)}
        if seed is not None:
            self.values["seed"] = require_between(f"{what}: seed", seed, 0, 2**32 - 1)

    def emit(self, to: Program, _offsets: Offsets) -> None:
        to.define(self.values, {self.name: self.size})


# TRex's own earlier spelling.
STLVmFlowVarRepetableRandom = STLVmFlowVarRepeatableRandom


class STLVmTupleGen:
    """Addresses and ports: `name.ip` goes up with every packet, `name.port` each time that the addresses begin anew."""

    def __init__(self, name: str, ip_min: Any = "0.0.0.1", ip_max: Any = "0.0.0.10", port_min: int = 1025,
                 port_max: int = 65535, limit_flows: int = 100000, flags: int = 0) -> None:
        what = f"STLVmTupleGen '{require_type('STLVmTupleGen: name', name, str)}'"
        refuse(f"{what}: flags", flags, 0)
        ips = [require_between(f"{what}: {key}", number_of(f"{what}: {key}", ip), 0, 2**32 - 1)
               for key, ip in (("ip_min", ip_min), ("ip_max", ip_max))]
        ports = [require_between(f"{what}: {key}", port, 0, 65535)
                 for key, port in (("port_min", port_min), ("port_max", port_max))]
        if ips[0] > ips[1]:
            raise ProfileError(f"{what}: ip_min {ip_min} is above ip_max {ip_max}")
        if ports[0] > ports[1]:
            raise ProfileError(f"{what}: port_min {port_min} is above port_max {port_max}")
        self.name = name
        self.values = {"name": name, "op": "tuple", "ip_min": ips[0], "ip_max": ips[1], "port_min": ports[0],
                       "port_max": ports[1], "limit": require_between(f"{what}: limit_flows", limit_flows, 0, 2**32 - 1)}

    def emit(self, to: Program, _offsets: Offsets) -> None:
        to.define(self.values, {f"{self.name}.ip": 4, f"{self.name}.port": 2})


class STLVmWrFlowVar:
    """Writes a variable, plus a constant, into the packet, as many bytes as it has."""

    def __init__(self, fv_name: str, pkt_offset: str | int, offset_fixup: int = 0, add_val: int = 0,
                 is_big: bool = True) -> None:
        what = f"STLVmWrFlowVar '{require_type('STLVmWrFlowVar: fv_name', fv_name, str)}'"
        self.fv_name, self.pkt_offset = fv_name, require_type(f"{what}: pkt_offset", pkt_offset, str, int)
        self.offset_fixup = require_type(f"{what}: offset_fixup", offset_fixup, int)
        self.add_val = require_type(f"{what}: add_val", add_val, int)
        self.is_big = require_type(f"{what}: is_big", is_big, bool)

    def emit(self, to: Program, offsets: Offsets) -> None:
        size = to.size_of(self.fv_name)
        to.steps.append({"do": "write", "variable": self.fv_name, "size": size, "add": self.add_val,
                         "at": offsets.field(self.pkt_offset) + self.offset_fixup,
                         "order": "big" if self.is_big else "little"})


class STLVmWrMaskFlowVar:
    """Writes some bits of a variable, shifted, and leaves the others of the field alone."""

    def __init__(self, fv_name: str, pkt_offset: str | int, pkt_cast_size: int = 1, mask: int = 0xFF, shift: int = 0,
                 add_value: int = 0, offset_fixup: int = 0, is_big: bool = True) -> None:
        what = f"STLVmWrMaskFlowVar '{require_type('STLVmWrMaskFlowVar: fv_name', fv_name, str)}'"
        self.fv_name, self.pkt_offset = fv_name, require_type(f"{what}: pkt_offset", pkt_offset, str, int)
        if pkt_cast_size not in (1, 2, 4):
            raise ProfileError(f"{what}: pkt_cast_size {pkt_cast_size!r} is not one of 1, 2, 4")
        self.size = pkt_cast_size
        self.mask = require_between(f"{what}: mask", mask, 0, 2**32 - 1)
        self.shift = require_between(f"{what}: shift", shift, -31, 31)
        self.add_value = require_type(f"{what}: add_value", add_value, int)
        self.offset_fixup = require_type(f"{what}: offset_fixup", offset_fixup, int)
        self.is_big = require_type(f"{what}: is_big", is_big, bool)

    def emit(self, to: Program, offsets: Offsets) -> None:
        to.size_of(self.fv_name)
        to.steps.append({"do": "write", "variable": self.fv_name, "size": self.size, "add": self.add_value,
                         "mask": self.mask, "shift": self.shift,
                         "at": offsets.field(self.pkt_offset) + self.offset_fixup,
                         "order": "big" if self.is_big else "little"})


class STLVmFixIpv4:
    """Computes an IPv4 header's checksum."""

    def __init__(self, offset: str | int) -> None:
        self.offset = require_type("STLVmFixIpv4: offset", offset, str, int)

    def emit(self, to: Program, offsets: Offsets) -> None:
        to.steps.append({"do": "fix_ipv4", "at": offsets.layer(self.offset)})


class CTRexVmInsFixHwCs:
    """The transport protocol of a checksum, with TRex's numbers."""

    L4_TYPE_UDP = 11
    L4_TYPE_TCP = 13
    L4_TYPE_IP = 17


class STLVmFixChecksumHw:
    """Computes the checksums of an IP header and of UDP or TCP over it, when everything else has been written."""

    PROTOCOLS = {CTRexVmInsFixHwCs.L4_TYPE_UDP: "udp", CTRexVmInsFixHwCs.L4_TYPE_TCP: "tcp",
                 CTRexVmInsFixHwCs.L4_TYPE_IP: None}

    def __init__(self, l3_offset: str | int, l4_offset: str | int, l4_type: int) -> None:
        if l4_type not in self.PROTOCOLS:
            raise ProfileError(f"STLVmFixChecksumHw: l4_type {l4_type!r} is not one of CTRexVmInsFixHwCs.L4_TYPE_UDP, "
                               "L4_TYPE_TCP, L4_TYPE_IP")
        self.l3_offset = require_type("STLVmFixChecksumHw: l3_offset", l3_offset, str, int)
        self.l4_offset = require_type("STLVmFixChecksumHw: l4_offset", l4_offset, str, int)
        self.protocol = self.PROTOCOLS[l4_type]

    def emit(self, to: Program, offsets: Offsets) -> None:
        l3, l4 = offsets.layer(self.l3_offset), offsets.layer(self.l4_offset)
        calculates = self.protocol is None and l4 == 0  # TRex's server calculates the header's end
        if l4 < l3 + 8 and not calculates:
            raise ProfileError(f"STLVmFixChecksumHw: l4_offset {l4} does not lie behind the header at l3_offset {l3}")
        if self.protocol is None:
            to.last_steps.append({"do": "fix_ipv4", "at": l3})
        else:
            to.last_steps.append({"do": "fix_l4", "l3_at": l3, "at": l4, "protocol": self.protocol})


class STLVmTrimPktSize:
    """Cuts the packet to the number of bytes in a variable."""

    def __init__(self, fv_name: str) -> None:
        self.fv_name = require_type("STLVmTrimPktSize: fv_name", fv_name, str)

    def emit(self, to: Program, _offsets: Offsets) -> None:
        to.size_of(self.fv_name)
        to.steps.append({"do": "trim", "variable": self.fv_name})


INSTRUCTIONS = (STLVmFlowVar, STLVmFlowVarRepeatableRandom, STLVmTupleGen, STLVmWrFlowVar, STLVmWrMaskFlowVar,
                STLVmFixIpv4, STLVmFixChecksumHw, STLVmTrimPktSize)


class STLScVmRaw:
    """A list of instructions. A cache of packets made beforehand, and the way in which TRex's cores share a variable, change
    nothing here: every packet is made when it is sent."""

    def __init__(self, list_of_commands: Any = None, split_by_field: str | None = None,
                 cache_size: int | None = None) -> None:
        self.commands: list[Any] = []
        for one in list_of_commands or []:
            self.add_cmd(one)

    def add_cmd(self, command: Any) -> None:
        if not isinstance(command, INSTRUCTIONS):
            raise ProfileError(f"field engine: {type(command).__name__} is not supported; instructions are "
                               f"{', '.join(one.__name__ for one in INSTRUCTIONS)}")
        self.commands.append(command)


def _is_big(what: str, byte_order: Any) -> bool:
    if byte_order not in ("big", "little"):
        raise ProfileError(f"{what}: byte_order {byte_order!r} is not one of big, little")
    return byte_order == "big"


class STLVM(STLScVmRaw):
    """The same instructions, a method each. Parameters, their order and their defaults are TRex's, and differ from the
    classes' own."""

    def var(self, name: str, min_value: Any, max_value: Any, size: int, op: str, step: Any = 1, **more: Any) -> None:
        self.add_cmd(STLVmFlowVar(name=name, min_value=min_value, max_value=max_value, size=size, op=op, step=step, **more))

    def repeatable_random_var(self, fv_name: str, size: int, limit: int, seed: int | None = None, min_value: Any = None,
                              max_value: Any = None) -> None:
        self.add_cmd(STLVmFlowVarRepeatableRandom(name=fv_name, size=size, limit=limit, seed=seed, min_value=min_value,
                                                  max_value=max_value))

    def tuple_var(self, name: str, ip_min: Any, ip_max: Any, port_min: int, port_max: int, limit_flows: int = 0,
                  **more: Any) -> None:
        self.add_cmd(STLVmTupleGen(name=name, ip_min=ip_min, ip_max=ip_max, port_min=port_min, port_max=port_max,
                                   limit_flows=limit_flows, **more))

    def write(self, fv_name: str, pkt_offset: str | int, offset_fixup: int = 0, add_val: int = 0,
              byte_order: str = "big") -> None:
        self.add_cmd(STLVmWrFlowVar(fv_name=fv_name, pkt_offset=pkt_offset, offset_fixup=offset_fixup, add_val=add_val,
                                    is_big=_is_big("STLVM.write", byte_order)))

    def write_mask(self, fv_name: str, pkt_offset: str | int, pkt_cast_size: int, mask: int, shift: int = 0,
                   offset_fixup: int = 0, add_val: int = 0, byte_order: str = "big") -> None:
        self.add_cmd(STLVmWrMaskFlowVar(fv_name=fv_name, pkt_offset=pkt_offset, pkt_cast_size=pkt_cast_size, mask=mask,
                                        shift=shift, add_value=add_val, offset_fixup=offset_fixup,
                                        is_big=_is_big("STLVM.write_mask", byte_order)))

    def trim(self, fv_name: str) -> None:
        self.add_cmd(STLVmTrimPktSize(fv_name))

    def fix_chksum(self, offset: str | int = "IP") -> None:
        self.add_cmd(STLVmFixIpv4(offset))

    def fix_chksum_hw(self, l3_offset: str | int, l4_offset: str | int, l4_type: int) -> None:
        self.add_cmd(STLVmFixChecksumHw(l3_offset, l4_offset, l4_type))

    def set_cached(self, cache_size: int) -> None:
        """Nothing is made beforehand."""
