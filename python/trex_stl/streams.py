# SPDX-License-Identifier: Apache-2.0
"""STLStream, the modes it is sent in, and STLProfile."""
from __future__ import annotations

from typing import Any

from scapy.layers.inet import IP
from scapy.layers.l2 import Ether

from .packets import STLPktBuilder
from .problems import ProfileError, refuse, require_between, require_time, require_type

UNITS = {"pps": "pps", "bps_L1": "bps_l1", "bps_L2": "bps_l2", "percentage": "percent"}
MOST_PACKETS = 2**32 - 1  # as in TRex
MOST_RATE = 1e15


class STLTXMode:
    """The rate: packets or bits per second, or a share of the link."""

    def __init__(self, pps: Any = None, bps_L1: Any = None, bps_L2: Any = None, percentage: Any = None) -> None:
        given = {key: value for key, value in (("pps", pps), ("bps_L1", bps_L1), ("bps_L2", bps_L2),
                                               ("percentage", percentage)) if value is not None}
        if len(given) > 1:
            raise ProfileError(f"{type(self).__name__}: {' and '.join(given)} are both given; a mode has one rate")
        key, value = next(iter(given.items()), ("pps", 1.0))
        what = f"{type(self).__name__}: {key}"
        most = 100 if key == "percentage" else MOST_RATE
        if not 0 < require_type(what, value, int, float) <= most:
            raise ProfileError(f"{what}: {value} is out of range; allowed is more than 0, up to {most:g}")
        self.rate = {"unit": UNITS[key], "value": float(value)}
        self.shape: dict[str, Any] = {"kind": "continuous"}


class STLTXCont(STLTXMode):
    """Without an end."""


class STLTXSingleBurst(STLTXMode):
    def __init__(self, total_pkts: int = 1, **rate: Any) -> None:
        super().__init__(**rate)
        packets = require_between("STLTXSingleBurst: total_pkts", total_pkts, 1, MOST_PACKETS)
        self.shape = {"kind": "bursts", "packets": packets, "bursts": 1, "gap_us": 0.0}


class STLTXMultiBurst(STLTXMode):
    """ibg: microseconds between the last packet of a burst and the first of the next."""

    def __init__(self, pkts_per_burst: int = 1, ibg: float = 0.0, count: int = 1, **rate: Any) -> None:
        super().__init__(**rate)
        require_time("STLTXMultiBurst: ibg", ibg)
        self.shape = {"kind": "bursts", "gap_us": float(ibg),
                      "packets": require_between("STLTXMultiBurst: pkts_per_burst", pkts_per_burst, 1, MOST_PACKETS),
                      "bursts": require_between("STLTXMultiBurst: count", count, 1, MOST_PACKETS)}


class STLFlowStats:
    """Statistics by stream, which packetwarp does not keep: the reader says so."""

    def __init__(self, pg_id: int, vxlan: bool = False, ieee_1588: bool = False) -> None:
        self.pg_id = pg_id


class STLFlowLatencyStats(STLFlowStats):
    """Latency by stream, which would change bytes of the packets: the same."""


STLStreamDstMAC_CFG_FILE, STLStreamDstMAC_PKT, STLStreamDstMAC_ARP = 0, 1, 2


class STLStream:
    def __init__(self, name: str | int | None = None, packet: STLPktBuilder | None = None, mode: STLTXMode | None = None,
                 enabled: bool = True, self_start: bool = True, isg: float = 0.0,
                 flow_stats: STLFlowStats | None = None, next: str | int | None = None, stream_id: Any = None,
                 action_count: int = 0, random_seed: int = 0, mac_src_override_by_pkt: Any = None,
                 mac_dst_override_mode: Any = None, dummy_stream: bool = False, start_paused: bool = False,
                 core_id: int = -1) -> None:
        what = f"STLStream '{name}'" if name else "STLStream"
        self.name = require_type("STLStream: name", name, str, int, type(None))
        self.packet = require_type(f"{what}: packet", packet or STLPktBuilder(Ether() / IP()), STLPktBuilder)
        self.mode = require_type(f"{what}: mode", mode or STLTXCont(), STLTXMode)
        self.next = require_type(f"{what}: next", next, str, int, type(None))
        if self.next is not None and self.mode.shape["kind"] == "continuous":
            raise ProfileError(f"{what}: next: a continuous stream has no end, so nothing comes next")
        require_time(f"{what}: isg", isg)
        refuse(f"{what}: start_paused", start_paused, False)
        self.isg, self.enabled, self.self_start = float(isg), bool(enabled), bool(self_start)
        self.action_count = require_between(f"{what}: action_count", action_count, 0, 65535)
        self.seed = require_between(f"{what}: random_seed", random_seed, 0, 2**32 - 1)
        self.flow_stats, self.is_dummy = flow_stats, bool(dummy_stream)

    def get_name(self) -> str | int | None:
        return self.name


class STLProfile:
    """A list of streams."""

    def __init__(self, streams: Any = None) -> None:
        self.streams = list(streams) if isinstance(streams, (list, tuple)) else [streams] if streams else []

    def get_streams(self, *_args: Any, **_kwargs: Any) -> list[STLStream]:
        return self.streams

    @staticmethod
    def load_pcap(*_args: Any, **_kwargs: Any) -> STLProfile:
        raise ProfileError("STLProfile.load_pcap is not supported; packetwarp generate --replay FILE sends a capture")

    @staticmethod
    def load_py(*_args: Any, **_kwargs: Any) -> STLProfile:
        raise ProfileError("STLProfile.load_py is not supported; give both profiles to --stl, apart by a comma")
