# SPDX-License-Identifier: Apache-2.0
"""The CPU time that each guest took on this machine, for the last lines of a run."""
from __future__ import annotations

import pytest
from guest import Guest

# The guest without a device for packetwarp.
UNPREPARED = "unprepared"
SECONDS = pytest.StashKey[dict[str, float]]()


def note(config: pytest.Config, device: str, guest: Guest) -> None:
    """At the guest's end."""
    config.stash.setdefault(SECONDS, {})[device] = guest.cpu_seconds()


def noted(config: pytest.Config, device: str) -> float:
    return config.stash.get(SECONDS, {}).get(device, 0)
