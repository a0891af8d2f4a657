# SPDX-License-Identifier: Apache-2.0
"""Wrong arguments of the scripts for planned restarts: one line each, and nothing changes."""
from __future__ import annotations

import contextlib
import pathlib
import socket
import subprocess
import sys

import pytest
from bed import EXAMPLE


def said(script: str, *words: str) -> str:
    done = subprocess.run([sys.executable, str(EXAMPLE / script), *words], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 1 and not done.stdout, done
    return done.stderr


def test_a_control_socket_that_is_not_there(tmp_path: pathlib.Path) -> None:
    line = said("planned_restart.py", str(tmp_path / "s"), str(tmp_path))
    assert line == f"error: {tmp_path}/s is no control socket; give the path of packetwarp's, its file's `control`\n"


@pytest.mark.parametrize("script", ("planned_restart.py", "before_pod_restart.py"))
def test_a_folder_without_bfdd(tmp_path: pathlib.Path, script: str) -> None:
    with contextlib.closing(socket.socket(socket.AF_UNIX)) as control:
        control.bind(str(tmp_path / "s"))
        line = said(script, *([str(tmp_path / "s")] if script == "planned_restart.py" else []), str(tmp_path))
    assert line == f"error: {tmp_path} has no socket bfdd.vty; give the folder in which FRR's daemons have theirs, such as /run/frr\n"


def test_bfdd_that_does_not_answer(tmp_path: pathlib.Path) -> None:
    with contextlib.closing(socket.socket(socket.AF_UNIX)) as silent:
        silent.bind(str(tmp_path / "bfdd.vty"))
        line = said("before_pod_restart.py", str(tmp_path))
    assert line.startswith("error: vtysh") and len(line.splitlines()) == 1, line
