# SPDX-License-Identifier: Apache-2.0
"""The commands of the README that need two CPUs and nothing else run as they stand there, without a word of complaint."""
from __future__ import annotations

import os
import re
import shlex
import subprocess

import pytest
from harness import DONE, ROOT, end_with_the_tests
from test_examples import workspace

README = (ROOT / "README.md").read_text()
# The block behind the sentence that says so.
BEHIND = "`make test` runs them:\n\n```\n"
COMMANDS = README[README.index(BEHIND) + len(BEHIND):].partition("```")[0].splitlines()


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="one CPU; the README asks for two")
@pytest.mark.parametrize("command", COMMANDS)
def test_it_runs_as_it_stands(binary, tmp_path, command):
    done = subprocess.run(["bash", "-c", command], cwd=workspace(binary, tmp_path), capture_output=True, text=True, timeout=120,
                          check=False, preexec_fn=end_with_the_tests)
    assert done.returncode == DONE and done.stdout, f"{done.stdout}\n{done.stderr}"
    assert "packetwarp: error" not in done.stderr, done.stderr
    for word in shlex.split(command):
        for file in re.findall(r"(?:tx_pcap=)([^,]+)", word) + ([word] if word.endswith(".json") else []):
            assert (tmp_path / file).stat().st_size > 0, file


def test_every_other_command_says_what_it_needs():
    """What names a NIC, a GPU or an interface is not among them."""
    assert len(COMMANDS) >= 5
    for command in COMMANDS:
        words = shlex.split(command)
        assert words[0] == "build/packetwarp" and not {"-a", "run", "device"} & set(words) and "iface=" not in command
