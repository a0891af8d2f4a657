# SPDX-License-Identifier: Apache-2.0
"""Streams -> a traffic program: plain values, names resolved, everything checked that can be checked without a port."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .instructions import Program
from .packets import LEAST_FRAME
from .problems import ProfileError
from .streams import STLFlowLatencyStats, STLStream


def _name(stream: STLStream, index: int) -> str | int:
    """A number is a name of its own, as in TRex: 1 is not "1"."""
    return f"stream {index}" if stream.name in (None, "") else stream.name


def _fit_sizes(compiled: Program, name: str, length: int) -> None:
    """Keeps the sizes of a packet within a frame's least and the packet's own, as TRex does: the ends of a range move, a
    list is refused. Other steps that write the variable write the size that is sent."""
    one = next((each for each in compiled.variables if each["name"] == name), None)
    if one is None:
        raise ProfileError(f"STLVmTrimPktSize '{name}': a tuple is no packet size; give a variable of STLVmFlowVar")
    sizes = one.get("list") or [one["min"], one["max"]]
    is_outside = any(not LEAST_FRAME <= size <= length for size in sizes)
    if is_outside and ("list" in one or one["min"] > length or one["max"] < LEAST_FRAME):
        raise ProfileError(f"STLVmTrimPktSize '{name}': sizes {min(sizes)} to {max(sizes)}; allowed are {LEAST_FRAME} to "
                           f"{length}, the packet's own")
    if is_outside:
        low, high = max(one["min"], LEAST_FRAME), min(one["max"], length)
        one |= {"min": low, "max": high, "init": min(max(one["init"], low), high)}


def _check_reach(compiled: Program, length: int) -> None:
    """Every step stays within the packet."""
    for step in compiled.steps + compiled.last_steps:
        if step["do"] == "trim":
            continue
        width = {"write": step.get("size", 0), "fix_ipv4": 20, "fix_l4": 8}[step["do"]]
        if step["at"] < 0 or step["at"] + width > length:
            raise ProfileError(f"field engine: {step['do']} at {step['at']}, {width} bytes, is outside of the packet's "
                               f"{length} bytes")


def _stream_values(stream: STLStream, name: str | int) -> dict[str, Any]:
    compiled = Program()
    for command in stream.packet.vm.commands:
        command.emit(compiled, stream.packet.offsets)
    data = stream.packet.data
    # Shorter frames do not exist on Ethernet: a sender pads them.
    padded = data + bytes(max(0, LEAST_FRAME - len(data)))
    for step in compiled.steps:
        if step["do"] == "trim":
            _fit_sizes(compiled, step["variable"], len(padded))
    _check_reach(compiled, len(data))
    return {"name": str(name), "self_start": stream.self_start, "isg_us": stream.isg, "next": None,
            "action_count": stream.action_count, "seed": stream.seed, "is_dummy": stream.is_dummy,
            "fixed_rate": isinstance(stream.flow_stats, STLFlowLatencyStats),
            "packet": padded.hex(), "mode": stream.mode.shape, "rate": stream.mode.rate,
            "variables": compiled.variables, "steps": compiled.steps + compiled.last_steps}


def compile_program(streams: Sequence[STLStream]) -> dict[str, Any]:
    """The program of streams as get_streams() gave them. Throws ProfileError, which names the stream."""
    enabled = [one for one in streams if one.enabled]
    if not enabled:
        raise ProfileError("get_streams() gives no stream that is enabled")
    names = [_name(one, index) for index, one in enumerate(enabled)]
    notices: list[str] = []
    made: list[dict[str, Any]] = []
    for index, (stream, name) in enumerate(zip(enabled, names)):
        if name in names[:index]:
            raise ProfileError(f"stream '{name}' is there twice; names are one of a kind")
        try:
            values = _stream_values(stream, name)
        except ProfileError as error:
            raise ProfileError(f"stream '{name}': {error}") from None
        if stream.next is not None:
            if stream.next not in names:
                raise ProfileError(f"stream '{name}': next: there is no stream '{stream.next}'")
            values["next"] = names.index(stream.next)
        if stream.flow_stats is not None:
            notices.append(f"stream '{name}': {type(stream.flow_stats).__name__} is left out: packets are counted by port")
        made.append(values)
    if not any(one["self_start"] for one in made):
        raise ProfileError("no stream has self_start: nothing would ever be sent")
    return {"notices": notices, "streams": made}
