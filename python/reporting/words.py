# SPDX-License-Identifier: Apache-2.0
"""Figures and settings in the words of tables, pictures and sentences."""
from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any


def figure(value: float) -> str:
    """Three digits that mean something: 284, 42.3, 6.87."""
    if value >= 99.95:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 9.995 else f"{value:.2f}"


def percent(share: float) -> str:
    return f"{share * 100:.0f} %" if abs(share) >= 0.0095 or share == 0 else f"{share * 100:.1f} %"


def times(ratio: float) -> str:
    return f"{ratio:.0f} x" if ratio >= 9.95 else f"{ratio:.1f} x" if ratio >= 1.95 else f"{ratio:.2f} x"


def duration(nanoseconds: int) -> str:
    if nanoseconds == 0:
        return "no work"
    return f"{nanoseconds / 1000:g} us" if nanoseconds >= 1000 else f"{nanoseconds} ns"


def listed(parts: Iterable[str]) -> str:
    """a, b and c"""
    *most, last = list(parts) or [""]
    return f"{', '.join(most)} and {last}" if most else last


def listed_range(low: str, high: str) -> str:
    return low if low == high else f"{low} to {high}"


VALUES = {
    "burst": "bursts of {}",
    "frame_bytes": "{} B",
    "placement": "{} memory",
    "pipelines": "{} pipelines",
    "lcores": "{} lcores",
    "runs": "{} runs",
    "cases": "{} cases",
    "other settings": "{} other settings",
    "polling lcores": "{} polling lcores",
    "function": "{}",
    "workers": "{}",
    "offered_mpps": "{:g} Mpps offered",
}

COUNTED = ("pipelines", "lcores", "runs", "cases", "other settings", "polling lcores")


def value_of(setting: str, value: Any) -> str:
    if setting == "packet_time_ns":
        return "no work" if value == 0 else f"{duration(value)} of work a packet"
    if setting == "offered_mpps" and value is None:
        return "at full rate"
    if value == 1 and setting in COUNTED:
        return f"1 {setting[:-1]}"
    return VALUES[setting].format(value)


def values_of(settings: dict[str, Any]) -> str:
    return ", ".join(value_of(name, value) for name, value in settings.items())


def without_folders(command: str) -> str:
    """A command whose files have their names alone: a machine's folders concern no reader."""
    return re.sub(r"""(?:(?<=^)|(?<=[\s=,"']))[^\s=,"']*/(?=[^\s/=,"'])""", "", command)
