# SPDX-License-Identifier: Apache-2.0
"""The commands of the README that need two CPUs and nothing else run as they stand there, without a word of complaint; and so does
its router between two namespaces, as root."""
from __future__ import annotations

import os
import re
import shlex
import subprocess

import pytest
from alone import alone
from harness import DONE, ROOT, end_with_the_tests
from namespaces import need_root_and_tools
from test_examples import run_shell, workspace

README = (ROOT / "README.md").read_text()


def block_after(words: str) -> list[str]:
    """The commands of the fence after a sentence that ends so."""
    return README[README.index(words):].split("```\n")[1].splitlines()


COMMANDS = block_after("`make test` runs them:")
ROUTER = block_after("takes all of it away.")
# A transfer through that router.
TCP = ("(ip netns exec right python3 -m http.server 8000 >/dev/null 2>&1 &)",
       "ip netns exec left curl -s -o /dev/null --retry 20 --retry-delay 1 --retry-connrefused -m 30 -w 'got %{http_code} %{size_download}\n' http://2.2.2.2:8000/page")


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
    """Commands that name a NIC, a GPU or an interface are not among them."""
    assert len(COMMANDS) >= 5
    for command in COMMANDS:
        words = shlex.split(command)
        assert words[0] == "build/packetwarp" and not {"-a", "run", "device"} & set(words) and "iface=" not in command


def test_the_router_between_two_namespaces_answers(binary, tmp_path):
    if reason := need_root_and_tools("ip", "ping", "ethtool", "curl"):
        pytest.skip(reason)
    if (shell := alone()) is None:
        pytest.skip("namespaces cannot be made here")
    assert len(ROUTER) == 7
    (tmp_path / "page").write_bytes(bytes(200_000))
    stdout, stderr = run_shell("\n".join([*ROUTER, *TCP, "kill %1", "wait %1"]) + "\n", workspace(binary, tmp_path), shell)
    # A router's hop, and its own result: what it forwarded is conserved.
    assert stdout.count("bytes from 2.2.2.2") == stdout.count("ttl=63") >= 3, f"{stdout}\n{stderr}"
    # Finished checksums: TCP passes, too.
    assert "got 200 200000" in stdout, f"{stdout}\n{stderr}"
    assert "ended by signal" in stdout and "NOT CONSERVED" not in stdout, f"{stdout}\n{stderr}"


def test_it_stays_one_page():
    assert len(README.splitlines()) <= 120, "move to a page of docs/ what a first reader does not need"
