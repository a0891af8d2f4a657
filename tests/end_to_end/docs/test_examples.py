# SPDX-License-Identifier: Apache-2.0
"""Every command in examples/ prints what its page says it prints.

A page's ```console blocks are one shell session: `$ ` begins a command, what follows is its output. `...` stands for
anything in a line, and alone on a line for any lines. Runs of spaces are one space, since columns fit their contents.
"""
from __future__ import annotations

import contextlib
import os
import pathlib
import re
import signal
import subprocess

import pytest
from harness import ROOT
from namespaces import need_root_and_tools, run

PAGES = sorted((ROOT / "examples").glob("*/*.md"))
# The programs that namespaces need, and that their hosts may run.
TOOLS = ("ip", "ping", "ethtool", "ss", "curl", "dig", "dnsmasq", "iperf3")
MARK = "--- end of command ---"


def session(page: pathlib.Path) -> list[tuple[str, str]]:
    """Each command and the output that the page gives it."""
    blocks = re.findall(r"^```console\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)
    commands = [part for block in blocks for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
    return [(command, output) for command, _, output in (part.partition("\n") for part in commands)]


def normal(text: str) -> str:
    lines = [re.sub(r"[ \t]+", " ", line).strip() for line in text.strip().splitlines()]
    return "\n".join(lines) + "\n" if lines else ""


def matches(expected: str, got: str) -> bool:
    pattern = "".join("(?:.*\n)*?" if line == "..." else re.escape(line).replace(r"\.\.\.", ".*") + "\n"
                      for line in normal(expected).splitlines())
    return re.fullmatch(pattern, normal(got)) is not None


def workspace(binary: pathlib.Path, folder: pathlib.Path) -> pathlib.Path:
    """Looks like the repository's root with this binary built; what the commands write stays out of the real one."""
    for name in ("tests", "python", "examples", "models", "deploy", ".venv", "LICENSE"):
        (folder / name).symlink_to(ROOT / name)
    (folder / "build").mkdir()
    (folder / "build" / "packetwarp").symlink_to(binary)
    return folder


def run_shell(script: str, folder: pathlib.Path, shell_words: tuple[str, ...] | list[str] = ("bash",)) -> tuple[str, str]:
    """A session of its own, so that nothing that the page left in the background outlives it."""
    shell = subprocess.Popen([*shell_words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                             cwd=folder, start_new_session=True)
    try:
        return shell.communicate(script, timeout=120)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(shell.pid, signal.SIGKILL)
        shell.wait()


def delete_namespaces_of(commands: list[str]) -> None:
    for name in set(re.findall(r"\bpw-\w+", " ".join(commands))) | {f"pw-{host}" for host in ("left", "middle", "right")}:
        if pathlib.Path(f"/run/netns/{name}").exists():
            run("ip", "netns", "delete", name, check=False)


@pytest.mark.parametrize("page", PAGES, ids=[page.parent.name if page.stem == "README" else page.stem for page in PAGES])
def test_the_page_tells_the_truth(binary, tmp_path, page):
    steps = session(page)
    commands = [command for command, _ in steps]
    assert commands, "a page without commands shows nothing"
    needs_namespaces = any("ip netns" in command for command in commands)
    needed = [tool for tool in TOOLS if re.search(rf"\b{tool} ", " ".join(commands))]
    if needs_namespaces and (reason := need_root_and_tools(*needed)):
        pytest.skip(reason)
    script = "".join(f"{command}\necho '{MARK}'\n" for command in commands)
    try:
        stdout, stderr = run_shell(script, workspace(binary, tmp_path))
    finally:
        if needs_namespaces:
            delete_namespaces_of(commands)
    outputs = stdout.split(f"{MARK}\n")[:-1]
    assert len(outputs) == len(steps), f"{stdout}\n{stderr}"
    for (command, expected), got in zip(steps, outputs):
        assert matches(expected, got), f"$ {command}\n--- the page says\n{expected}\n--- it printed\n{got}\n--- and\n{stderr}"


def test_a_page_that_is_wrong_is_noticed():
    assert matches("rx 5   tx ...\n", "rx 5 tx 77\n")
    assert matches("one\n...\nlast\n", "one\n2\n3\nlast\n") and matches("one\n...\nlast\n", "one\nlast\n")
    assert not matches("rx 5\n", "rx 6\n")
    assert not matches("", "something\n")
    assert not matches("one\n", "one\nmore\n")
