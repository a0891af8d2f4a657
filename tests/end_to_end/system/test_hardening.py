# SPDX-License-Identifier: Apache-2.0
"""The built binary is hardened as cmake/Hardening.cmake says, according to readelf."""
from __future__ import annotations

import re
import shutil
import subprocess

import pytest


@pytest.fixture
def said_of(binary):
    if shutil.which("readelf") is None:
        pytest.skip("there are no binutils")

    def run(*words: str) -> str:
        return subprocess.run([*words, str(binary)], capture_output=True, text=True, check=True).stdout
    if "__asan_init" in run("readelf", "-Ws", "--dyn-syms"):
        pytest.skip("a sanitizer's build looks for mistakes itself")
    return run


def test_its_place_is_drawn_at_each_start(said_of):
    assert re.search(r"Type:\s+DYN", said_of("readelf", "-hW")) and re.search(r"Flags:.*\bPIE\b", said_of("readelf", "-dW"))


def test_what_the_linker_fills_in_is_read_only_before_main(said_of):
    assert "GNU_RELRO" in said_of("readelf", "-lW") and re.search(r"Flags:.*\bNOW\b", said_of("readelf", "-dW"))


def test_frames_are_guarded_and_the_c_library_knows_the_sizes_of_what_it_writes(said_of):
    symbols = said_of("readelf", "-Ws", "--dyn-syms")
    assert "__stack_chk_fail" in symbols and re.search(r"__(memcpy|read|snprintf|vsnprintf|fprintf|realpath)_chk\b", symbols)


def test_nothing_is_writable_and_executable(said_of):
    segments = said_of("readelf", "-lW")
    stack = re.search(r"GNU_STACK.*", segments)
    assert stack and " RW " in stack[0], segments
    assert not re.search(r"^\s+LOAD.*\bRWE\b", segments, re.M), segments
