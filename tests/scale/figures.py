# SPDX-License-Identifier: Apache-2.0
"""The figures of a run of the scale-out test, as text."""
from __future__ import annotations

import datetime
import os
import platform
import subprocess

import frr


def commit() -> str:
    return subprocess.run(["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=False).stdout.strip()


class Figures:
    def __init__(self) -> None:
        model = next((line.split(": ")[1].strip() for line in open("/proc/cpuinfo", encoding="utf-8") if line.startswith("model name")), "?")
        self.lines = [f"make scale-test, {datetime.date.today()}, commit {commit()}",
                      f"{len(os.sched_getaffinity(0))} CPUs ({model}), Linux {platform.release()}, {frr.version()}"]

    def add(self, what: str, value: float | int | str) -> None:
        """Seconds are floating-point numbers."""
        self.lines.append(f"{what}: {value:.2f} s" if isinstance(value, float) else f"{what}: {value}")

    def text(self) -> str:
        return "\n".join(self.lines) + "\n"
