# SPDX-License-Identifier: Apache-2.0
"""Disks without room."""
from __future__ import annotations

import errno
import pathlib

FILLER = "filler"


def fill(folder: pathlib.Path) -> None:
    """Until not a byte more is taken."""
    with (folder / FILLER).open("wb", buffering=0) as file:
        for size in (65536, 4096, 1):
            try:
                while True:
                    file.write(size * b"x")
            except OSError as full:
                assert full.errno == errno.ENOSPC


def make_room(folder: pathlib.Path) -> None:
    (folder / FILLER).unlink()
