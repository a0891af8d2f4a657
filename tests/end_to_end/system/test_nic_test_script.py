# SPDX-License-Identifier: Apache-2.0
"""ci/nic_test.sh where something cannot be had: a line says that nothing was tested, and why."""
from __future__ import annotations

import pathlib
import shutil
import subprocess

import pytest
from harness import ROOT

# The programs that the script calls before it searches for any.
NEEDED = ("bash", "dirname", "realpath", "uname", "mkdir", "id", "tail", "rm")
SKIPPED = "nic-test: skipped, nothing was tested: "


@pytest.fixture
def programs(tmp_path: pathlib.Path) -> pathlib.Path:
    """The only ones that there are."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in NEEDED:
        (folder / name).symlink_to(shutil.which(name) or name)
    return folder


def add(programs: pathlib.Path, name: str, script: str) -> None:
    (programs / name).unlink(missing_ok=True)
    (programs / name).write_text(f"#!/bin/sh\n{script}\n")
    (programs / name).chmod(0o755)


def said(programs: pathlib.Path, binary: pathlib.Path, tmp_path: pathlib.Path) -> str:
    done = subprocess.run([ROOT / "ci/nic_test.sh", binary], env={"PATH": str(programs), "NIC_FOLDER": str(tmp_path / "nic")},
                          capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done
    return done.stdout


def test_no_tools_and_no_way_to_install_them(programs, binary, tmp_path):
    assert said(programs, binary, tmp_path) == f"{SKIPPED}mmdebstrap cpio kmod xz-utils are missing, and there is no apt-get to install them\n"


def test_tools_that_cannot_be_installed(programs, binary, tmp_path):
    add(programs, "id", "echo 0")
    add(programs, "apt-get", "echo 'E: Unable to locate package mmdebstrap' >&2; exit 100")
    assert said(programs, binary, tmp_path) == f"{SKIPPED}mmdebstrap cpio kmod xz-utils cannot be installed: E: Unable to locate package mmdebstrap\n"


def test_a_release_that_cannot_be_had(programs, binary, tmp_path):
    for name in ("cpio", "depmod", "xz"):
        add(programs, name, "exit 0")
    add(programs, "mmdebstrap", "echo 'E: apt-get update failed' >&2; exit 1")
    lines = said(programs, binary, tmp_path).splitlines()
    assert lines[-1] == f"{SKIPPED}Debian trixie cannot be had: E: apt-get update failed"
