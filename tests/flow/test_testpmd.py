# SPDX-License-Identifier: Apache-2.0
"""The parser and the arrays it makes, compared with those of the real dpdk-testpmd."""
from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess

import pytest
from flow_commands import Commands
from testpmd_peer import memory_options

TESTPMD = shutil.which("dpdk-testpmd")
GRAMMAR = "22.11"  # whose commands these are; later ones have other arrays, and take more
REFUSALS = ("Bad arguments", "Command not found", "Ambiguous command")
# The output of both programs for a command that they accept.
ANSWERS = re.compile(r"^(@(?:validate|create|isolate) .*|Flow rule .*|ID\tGroup.*|\d+\t.*\t.*|Ingress traffic .*)$", re.MULTILINE)



def why_not() -> str:
    if TESTPMD is None:
        return "dpdk-testpmd is not installed"
    version = subprocess.run(["pkg-config", "--modversion", "libdpdk"], capture_output=True, text=True, check=False).stdout.strip()
    return "" if version.startswith(f"{GRAMMAR}.") else f"dpdk-testpmd is of DPDK {version}; the grammar is {GRAMMAR}'s"


pytestmark = pytest.mark.skipif(bool(why_not()), reason=why_not())


def answers_of_testpmd(nic: pathlib.Path, commands: list[str]) -> list[str | None]:
    """Its answer to each command; None for a refused command."""
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < 2:
        pytest.skip("dpdk-testpmd needs two CPUs")
    done = subprocess.run(
        [TESTPMD, "-l", f"{cores[0]},{cores[1]}", "--no-pci", *memory_options(256), "--vdev=net_null0", "--vdev=net_null1",
         "--", "-i", "--total-num-mbufs=2048"],
        input="\n".join([*commands, "quit", ""]), env={**os.environ, "LD_PRELOAD": str(nic)}, text=True,
        capture_output=True, timeout=280)
    chunks = re.split(r"^testpmd> ", done.stdout, flags=re.MULTILINE)[1:]
    assert len(chunks) == len(commands) + 1, f"answers to {len(chunks)} commands:\n{done.stdout[-2000:]}{done.stderr}"
    answers: list[str | None] = []
    for command, chunk in zip(commands, chunks):
        echo, _, answer = chunk.partition("\n")
        assert echo.strip() == command.strip()
        answers.append(None if answer.startswith(REFUSALS) else answer)
    return answers


def answers_of_packetwarp(program: pathlib.Path, commands: list[str]) -> list[str | None]:
    done = subprocess.run([program], input="\n".join([*commands, ""]), text=True, capture_output=True, check=True)
    chunks = re.split(r"^>\n", done.stdout, flags=re.MULTILINE)[1:]
    assert len(chunks) == len(commands)
    return [None if chunk.startswith("!") else chunk for chunk in chunks]


def essence(answer: str | None) -> list[str] | None:
    """In any order: testpmd destroys the latest rule first."""
    return None if answer is None else sorted(ANSWERS.findall(answer))


@pytest.fixture
def compare(request: pytest.FixtureRequest):
    def run(commands: list[str]) -> list[str | None]:
        theirs = answers_of_testpmd(request.config.getoption("--recording-nic").absolute(), commands)
        ours = answers_of_packetwarp(request.config.getoption("--flow-arrays").absolute(), commands)
        different = [f"{command}\n  testpmd:    {essence(their)}\n  packetwarp: {essence(our)}"
                     for command, their, our in zip(commands, theirs, ours) if essence(their) != essence(our)]
        assert not different, f"{len(different)} of {len(commands)} differ:\n" + "\n".join(different[:20])
        return ours

    return run


def test_generated_commands_are_taken_alike(compare, request: pytest.FixtureRequest) -> None:
    commands = Commands(request.config.getoption("--seed")).make(request.config.getoption("--commands"))
    ours = compare(commands)
    # Neither a set of good commands only, nor of bad ones, would show much.
    taken = sum(answer is not None for answer in ours)
    assert len(commands) * 0.2 < taken < len(commands) * 0.8, f"{taken} of {len(commands)} are good"


def reference_commands() -> list[str]:
    """The output of NVIDIA's create_flows.sh (tests/flow/reference_flows.h has the same for C++)."""
    to_group = [f"flow create {port} group 0 ingress pattern eth / ipv4 / udp / end actions jump group 1 / end"
                for port in (0, 1)]
    leaving = [f"flow create {port} group 0 egress pattern eth / ipv4 / udp / end actions set_mac_dst mac_addr {to} / "
               f"set_mac_src mac_addr {source} / set_ipv4_src ipv4_addr {nat} / dec_ttl / end"
               for port, to, source, nat in [(0, "ec:0d:9a:8a:27:ba", "4A:AC:4F:29:87:80", "2.2.2.1"),
                                             (1, "ec:0d:9a:8a:28:3a", "86:19:A0:B8:10:BD", "1.1.1.1")]]
    coming = [f"flow create {port} group 1 ingress pattern eth / ipv4 src is {source} / udp src is {number} / end actions "
              f"set_tp_src port {number + 1} / queue index {queue} / end"
              for number in range(1002, 6003) for port, source, queue in [(1, "2.2.2.2", 1), (0, "1.1.1.2", 2)]]
    return to_group + leaving + coming


def test_the_references_rules_are_taken_alike(compare, request: pytest.FixtureRequest) -> None:
    commands = reference_commands()
    assert len(commands) == 10006
    chosen = commands if request.config.getoption("--whole-reference") else commands[:200]
    assert None not in compare([*chosen, "flow list 0", "flow list 1"])
