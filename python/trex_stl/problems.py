# SPDX-License-Identifier: Apache-2.0
"""The possible errors of a profile, in one line each."""
from __future__ import annotations

import ipaddress
from typing import Any

MOST_MICROSECONDS = 1e12  # 11 days


class ProfileError(Exception):
    """A profile that cannot be sent: one line that names what is wrong and what is allowed."""


class ProfileHelp(Exception):
    """The profile's tunables asked for its help, which argparse printed: that text."""


def require_type(what: str, value: Any, *types: type) -> Any:
    """The value, if it is of one of the types; a bool is no number."""
    if not isinstance(value, types) or (isinstance(value, bool) and bool not in types):
        wanted = " or ".join("None" if one is type(None) else one.__name__ for one in types)
        raise ProfileError(f"{what}: {value!r} is of type {type(value).__name__}; allowed is {wanted}")
    return value


def require_between(what: str, value: Any, least: int, most: int) -> int:
    require_type(what, value, int)
    if not least <= value <= most:
        raise ProfileError(f"{what}: {value} is out of range; allowed are {least} to {most}")
    return value


def require_time(what: str, value: Any) -> None:
    if not 0 <= require_type(what, value, int, float) <= MOST_MICROSECONDS:
        raise ProfileError(f"{what}: {value} is out of range; allowed are 0 to {MOST_MICROSECONDS:g} microseconds")


def number_of(what: str, value: Any) -> int:
    """A number, or an IPv4 address as text, as TRex takes them."""
    if isinstance(value, str):
        try:
            return int(ipaddress.IPv4Address(value))
        except ValueError:
            raise ProfileError(f"{what}: '{value}' is neither a number nor an IPv4 address") from None
    return require_type(what, value, int)


def refuse(what: str, value: Any, *allowed: Any) -> None:
    """For a parameter that TRex has and packetwarp does not have."""
    if value not in allowed:
        raise ProfileError(f"{what}={value!r} is not supported; leave it out")
