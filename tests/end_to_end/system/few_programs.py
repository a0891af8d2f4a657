# SPDX-License-Identifier: Apache-2.0
"""A machine with few programs, for scripts that say what is missing."""
from __future__ import annotations

import pathlib
import shutil
import subprocess
from collections.abc import Iterable

from harness import ROOT


def folder_of_programs(folder: pathlib.Path, needed: Iterable[str]) -> pathlib.Path:
    """A folder for PATH that holds these programs and no other."""
    folder.mkdir()
    for name in needed:
        (folder / name).symlink_to(shutil.which(name) or name)
    return folder


def add(programs: pathlib.Path, name: str, script: str) -> None:
    (programs / name).unlink(missing_ok=True)
    (programs / name).write_text(f"#!/bin/sh\n{script}\n")
    (programs / name).chmod(0o755)


def said_by(script: str, programs: pathlib.Path, binary: pathlib.Path, **variables: str) -> str:
    """The standard output of a script of ci/, which has to pass."""
    done = subprocess.run([ROOT / "ci" / script, binary], env={"PATH": str(programs), **variables}, capture_output=True, text=True,
                          timeout=60, check=False)
    assert done.returncode == 0, done
    return done.stdout
