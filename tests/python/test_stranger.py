# SPDX-License-Identifier: Apache-2.0
"""A new stage touches its own folders, the list of chains, the list of modules, and nothing else; no compiler runs here
(tests/stranger/stranger.py --build is the whole)."""
from __future__ import annotations

import pathlib

import pytest

import stranger


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    made = tmp_path_factory.mktemp("stranger")
    stranger.copy_tree(made)
    stranger.add_stage(made)
    return made


def test_a_stage_that_does_nothing_touches_its_folders_and_two_lists(tree):
    assert stranger.touched(tree) == [
        "src/function/chains.cmake",
        "src/function/nothing/nothing.h",
        "src/module/modules.cpp",
        "src/module/nothing/CMakeLists.txt",
        "src/module/nothing/nothing_kind.cpp",
        "src/module/nothing/nothing_kind.h",
    ]
    assert stranger.check(tree) == []


def test_another_file_that_names_the_stage_is_found(tree):
    other = tree / "src/network/network_plane.cpp"
    before = other.read_text()
    other.write_text(before + '#include "function/nothing/nothing.h"\n')
    assert "src/network/network_plane.cpp had to change" in stranger.check(tree)
    assert any("only function/nothing" in one for one in stranger.check(tree))
    other.write_text(before)
