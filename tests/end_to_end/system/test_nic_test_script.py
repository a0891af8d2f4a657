# SPDX-License-Identifier: Apache-2.0
"""ci/nic_test.sh where something cannot be had: a line says that nothing was tested, and why."""
from __future__ import annotations

import pathlib

import pytest
from few_programs import add, folder_of_programs, said_by

# The programs that the script calls before it searches for any.
NEEDED = ("bash", "dirname", "realpath", "uname", "mkdir", "id", "tail", "rm")
SKIPPED = "nic-test: skipped, nothing was tested: "


@pytest.fixture
def programs(tmp_path: pathlib.Path) -> pathlib.Path:
    return folder_of_programs(tmp_path / "bin", NEEDED)


def said(programs: pathlib.Path, binary: pathlib.Path, tmp_path: pathlib.Path) -> str:
    return said_by("nic_test.sh", programs, binary, NIC_FOLDER=str(tmp_path / "nic"))


@pytest.mark.parametrize("there", [(), ("cpio", "depmod", "xz"), ("mmdebstrap",)], ids=["none", "all but one", "one"])
def test_no_tools_and_no_way_to_install_them(programs, binary, tmp_path, there):
    for name in there:
        add(programs, name, "exit 0")
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
