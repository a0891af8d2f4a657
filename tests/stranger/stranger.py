#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Adds a stage to a copy of the tree, as an engineer would who knows no other one, and says which files that touched.

    tests/stranger/stranger.py            adds the stage, runs the checks that need no compiler
    tests/stranger/stranger.py --build    builds packetwarp with the stage too, and runs a network with `chain: [nothing, router]`;
                                       minutes, for the copy is compiled from nothing, without CUDA

The stage is tests/stranger/src: a header in function/nothing, a module in module/nothing. Beside its files it needs its name in the
list of chains and in that of modules. Any other file that has to change is a fault of the interfaces. Exit status: 0 when all is as
said, 1 when not.
"""
from __future__ import annotations

import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
STAGE = "nothing"
CHAINS = "src/function/chains.cmake"
MODULES = "src/module/modules.cpp"


def run(tree: pathlib.Path, *words: str) -> str:
    done = subprocess.run(words, cwd=tree, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"stranger: {' '.join(words)}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def copy_tree(to: pathlib.Path) -> None:
    """The files of the tree as they are now, and a commit of them to compare with."""
    listed = run(ROOT, "git", "ls-files", "--cached", "--others", "--exclude-standard", "-z")
    for name in filter(None, listed.split("\0")):
        if not (ROOT / name).is_file():
            continue  # removed, and not committed yet
        (to / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, to / name, follow_symlinks=False)
    (to / ".venv").symlink_to(ROOT / ".venv")
    run(to, "git", "init", "-q")
    run(to, "git", "add", "-A")
    run(to, "git", "-c", "user.name=stranger", "-c", "user.email=stranger@localhost", "commit", "-q", "-m", "as it was")


def replace_once(path: pathlib.Path, pattern: str, by: str) -> None:
    text, count = re.subn(pattern, by, path.read_text(), count=1, flags=re.MULTILINE)
    if count != 1:
        sys.exit(f"stranger: {path.name} has no place for another one ({pattern})")
    path.write_text(text)


def add_stage(tree: pathlib.Path) -> None:
    shutil.copytree(tree / "tests/stranger/src", tree / "src", dirs_exist_ok=True)
    # The last line of the list ends with its own bracket.
    replace_once(tree / CHAINS, r"^(set\(PACKETWARP_CHAINS\n(?:.*\n)*?)\)$", rf'\1  "{STAGE},router"\n)')
    replace_once(tree / MODULES, r"^(#include \"module/nat44/.*)$", rf'\1\n#include "module/{STAGE}/{STAGE}_kind.h"')
    replace_once(tree / MODULES, r"(one_of_each<.*)>\(\)", rf"\1, {STAGE}_kind>()")


def touched(tree: pathlib.Path) -> list[str]:
    listed = run(tree, "git", "status", "--porcelain", "--untracked-files=all")
    return sorted(line[3:] for line in listed.splitlines() if line[3:] != ".venv")


def allowed(name: str) -> bool:
    own = (f"src/function/{STAGE}/", f"src/module/{STAGE}/", "tests/")
    return name.startswith(own) or name in (CHAINS, MODULES)


def check(tree: pathlib.Path) -> list[str]:
    """The faults of the tree with the stage; no compiler runs."""
    wrong = [f"{name} had to change" for name in touched(tree) if not allowed(name)]
    for words in (["ci/layers.sh"], ["ci/sizes.sh"], [sys.executable, "python/check_docs.py"]):
        done = subprocess.run(words, cwd=tree, capture_output=True, text=True)
        wrong += [f"{words[-1]}: {line}" for line in done.stderr.splitlines()] if done.returncode else []
    return wrong


def build_and_run(tree: pathlib.Path) -> list[str]:
    cmake = str(ROOT / ".venv/bin/cmake")
    run(tree, cmake, "--preset", "release", "-DPACKETWARP_CUDA=OFF", "-DPACKETWARP_TESTS=OFF", "-DPACKETWARP_BENCHMARKS=OFF",
        "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1")
    run(tree, cmake, "--build", "build/release", "--target", "packetwarp")
    program = str(tree / "build/release/src/cli/packetwarp")
    file, result = str(tree / "tests/stranger/network.yaml"), tree / "result.json"
    run(tree, program, "run", "-c", file, "--duration", "0.2s", "--json", str(result))
    said = json.loads(result.read_text())
    print(f"stranger: {said['packets']['rx']} packets through [{STAGE}, router]")
    return [] if said["packets"]["rx"] > 0 else ["the network received nothing"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", action="store_true", help="build packetwarp with the stage and run it")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="stranger-") as folder:
        tree = pathlib.Path(folder)
        copy_tree(tree)
        add_stage(tree)
        print("stranger: touched\n  " + "\n  ".join(touched(tree)))
        wrong = check(tree)
        if not wrong and options.build:
            wrong = build_and_run(tree)
    for one in wrong:
        print(f"stranger: {one}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
