# SPDX-License-Identifier: Apache-2.0
"""benchmarks/peers.yaml: peers and limits, their sources, and whether they are of the machine at hand."""
from __future__ import annotations

import collections
import dataclasses
import pathlib
from collections.abc import Iterable
from typing import Any

import yaml

from .results import Beside, Machine, ReportError
from .slices import Slice

PEER_KEYS = {"name", "source", "machine", "function", "placement", "frame_bytes", "burst", "lcores", "unit", "by", "rates",
             "rate"}
LIMIT_KEYS = {"name", "source", "machine", "placement", "frame_bytes", "Mpps", "Gb/s", "GB/s", "us"}
WIRE_OVERHEAD = 20
DOES_THE_SAME_AS = {"io": "none", "macswap": "cpu"}  # testpmd's modes and executors


@dataclasses.dataclass(frozen=True)
class PeerMachine:
    words: str
    cpu: str
    gpu: str

    def is_here(self, machine: Machine) -> bool:
        return self.cpu.lower() in machine.cpu.lower() and self.gpu.lower() in (machine.gpu or "").lower()


@dataclasses.dataclass(frozen=True)
class Peer:
    name: str
    source: str
    machine: PeerMachine
    function: str
    placement: str
    frame_bytes: int | None
    burst: int | None
    lcores: int
    unit: str
    by: str | None
    rates: dict[str, dict[int, float]]  # by executor
    rate: float | None


@dataclasses.dataclass(frozen=True)
class Limit:
    name: str
    source: str
    machine: PeerMachine | None
    placement: str | None
    frame_bytes: int | None
    value: Any
    unit: str

    def mpps(self, frame_bytes: int) -> Any:
        """A range, or rates by burst; nothing if it has none for such frames."""
        if self.frame_bytes not in (None, frame_bytes):
            return None
        if isinstance(self.value, dict):
            return self.value
        low, high = self.value if isinstance(self.value, list) else (self.value, self.value)
        per_packet = {"Mpps": 1.0, "Gb/s": 1e3 / 8 / (frame_bytes + WIRE_OVERHEAD), "GB/s": 1e3 / (frame_bytes - 4), "us": None}
        factor = per_packet[self.unit]
        return None if factor is None else (low * factor, high * factor)


@dataclasses.dataclass(frozen=True)
class Known:
    """Everything in the file, and the machine that it is compared with."""

    here: Machine
    peers: tuple[Peer, ...]
    limits: tuple[Limit, ...]

    def is_here(self, machine: PeerMachine | None) -> bool:
        return machine is None or machine.is_here(self.here)

    def series(self, one: Slice, unit: str) -> list[Peer]:
        """The peers along the slice's first axis under its conditions; for each name those of the nearest number of lcores."""
        fitting = [peer for peer in self.peers if peer.by in (one.axes[0], None) and peer.unit == unit and fits(peer, one)]
        nearest: dict[tuple[str, str], int] = {}
        for peer in fitting:
            distance = abs(peer.lcores - one.polling_lcores)
            key = (peer.name, peer.machine.words)
            nearest[key] = min(nearest.get(key, distance), distance)
        return [peer for peer in fitting
                if abs(peer.lcores - one.polling_lcores) == nearest[peer.name, peer.machine.words]]

    def foreign(self, one: Slice) -> list[Peer]:
        """The peers of another machine, among the ones that are drawn beside the slice."""
        return [peer for peer in self.series(one, "Mpps") if not self.is_here(peer.machine)
                and (peer.rate is not None or set(peer.rates) & set(one.executors))]

    def rate_limits(self, placement: str, frame_bytes: int) -> list[tuple[Limit, Any]]:
        found = [(limit, limit.mpps(frame_bytes)) for limit in self.limits if limit.placement in (None, placement)]
        return [(limit, rates) for limit, rates in found if rates is not None]

    def with_testpmd(self, beside: Iterable[Beside]) -> Known:
        """A peer that the bench itself runs replaces the file's entry."""
        here = PeerMachine(str(self.here), self.here.cpu, self.here.gpu or "")
        rates: dict[tuple[str, int, int], dict[int, float]] = collections.defaultdict(dict)
        for one in beside:
            if one.mpps:
                rates[one.mode, one.frame_bytes, one.lcores][one.burst] = one.mpps.median
        own = [Peer(f"testpmd {mode}", "run beside packetwarp by the same bench", here, "forward", "host", frame_bytes, None,
                    max(lcores - 1, 1), "Mpps", "burst", {DOES_THE_SAME_AS.get(mode, mode): by_burst}, None)
               for (mode, frame_bytes, lcores), by_burst in rates.items()]
        names = {peer.name for peer in own}
        return dataclasses.replace(self, peers=(*own, *(peer for peer in self.peers if peer.name not in names)))

    def latency_limits(self) -> list[Limit]:
        return [limit for limit in self.limits if limit.unit == "us"]


def fits(peer: Peer, one: Slice) -> bool:
    """Peers do no extra work and are offered as much as they take."""
    fixed = one.fixed
    return (fixed.get("function") == peer.function and not fixed.get("packet_time_ns") and fixed.get("offered_mpps") is None
            and all(fixed.get(name, getattr(peer, name)) == getattr(peer, name) or getattr(peer, name) is None
                    for name in ("placement", "frame_bytes", "burst")))


# --- reading ------------------------------------------------------------------------------------------------------------


def read(path: pathlib.Path, here: Machine) -> Known:
    try:
        text = path.read_text()
    except OSError as error:
        raise ReportError(f"{path}: cannot be read: {error.strerror}") from None
    try:
        document = yaml.safe_load(text)
        machines = {name: PeerMachine(str(machine["words"]), str(machine["cpu"]), str(machine["gpu"]))
                    for name, machine in document["machines"].items()}
        sources = document["sources"]
        peers = tuple(peer_from(entry, machines, sources) for entry in document["peers"])
        return Known(here, peers, tuple(limit_from(entry, machines, sources) for entry in document["limits"]))
    except yaml.YAMLError as error:
        raise ReportError(f"{path}: is no YAML: {' '.join(str(error).split())}") from None
    except KeyError as error:
        raise ReportError(f"{path}: {error} is missing, or named and not described") from None
    except (AttributeError, TypeError, ValueError) as error:
        raise ReportError(f"{path}: {error}") from None


def require_known_keys(entry: dict[str, Any], keys: set[str]) -> None:
    if unknown := sorted(set(entry) - keys):
        raise ValueError(f"{entry.get('name')}: '{unknown[0]}' is none of {', '.join(sorted(keys))}")


def peer_from(entry: dict[str, Any], machines: dict[str, PeerMachine], sources: dict[str, str]) -> Peer:
    require_known_keys(entry, PEER_KEYS)
    if ("rate" in entry) == ("rates" in entry) or ("rates" in entry) != ("by" in entry):
        raise ValueError(f"{entry['name']}: needs either 'rates' with 'by', or 'rate'")
    if entry["unit"] not in ("Mpps", "Gb/s"):
        raise ValueError(f"{entry['name']}: unit '{entry['unit']}' is neither Mpps nor Gb/s")
    return Peer(entry["name"], sources[entry["source"]], machines[entry["machine"]], entry["function"], entry["placement"],
                entry.get("frame_bytes"), entry.get("burst"), entry["lcores"], entry["unit"], entry.get("by"),
                entry.get("rates", {}), entry.get("rate"))


def limit_from(entry: dict[str, Any], machines: dict[str, PeerMachine], sources: dict[str, str]) -> Limit:
    require_known_keys(entry, LIMIT_KEYS)
    units = [unit for unit in ("Mpps", "Gb/s", "GB/s", "us") if unit in entry]
    if len(units) != 1:
        raise ValueError(f"{entry['name']}: needs one of Mpps, Gb/s, GB/s, us")
    machine = machines[entry["machine"]] if "machine" in entry else None
    return Limit(entry["name"], sources[entry["source"]], machine, entry.get("placement"), entry.get("frame_bytes"),
                 entry[units[0]], units[0])
