#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Looks through a program's GPU code for reads that come before their value: python/gpu/stale_reads.py PROGRAM [--cuobjdump FILE].

ptxas 13.0.88 wrote such code: CS2R sets two registers to zero, an instruction under a condition sets them to something else, and a
comparison reads them a few cycles later. ptxas had counted the cycles of the second instruction alone. If the condition is false, the
comparison reads what was there before: an address of an automaton that is null was taken for one that is not, and the GPU was
lost. CS2R is the slowest instruction whose result ptxas waits for by counting cycles, so this one is checked; no other code of
ptxas reads its result sooner than after six, a store after five.

Each instruction of a GPU from Volta on says in bits 105 to 108 how many cycles the next one waits (Jia and others, "Dissecting the
NVIDIA Volta GPU architecture via microbenchmarking", 2018, 2.1). A branch ends the search. Exit status 1: there is such a read."""
from __future__ import annotations

import argparse
import collections
import pathlib
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from typing import NamedTuple

LEAST_CYCLES = 6
LEAST_OF_STORES = 5  # a store reads its data later than other instructions
STORES = ("ST", "RED", "ATOM")
FUNCTION = re.compile(r"\s*Function : (\S+)")
INSTRUCTION = re.compile(r"\s*/\*([0-9a-f]+)\*/\s+(.*?)\s*;\s*/\* 0x[0-9a-f]+ \*/")
SECOND_HALF = re.compile(r"\s*/\* 0x([0-9a-f]+) \*/")
CONDITION = re.compile(r"@!?U?P\w+\s+")
TARGET = re.compile(r"CS2R R(\d+),")
REGISTER = re.compile(r"\bR(\d+)(?:\.reuse)?(\.64)?")
WITHOUT_RESULT = ("ST", "RED", "ISETP", "FSETP", "DSETP", "HSETP", "PLOP", "R2UR", "R2P")
ENDS = ("BRA", "BRX", "JMP", "CALL", "RET", "EXIT", "BSYNC", "WARPSYNC")


class Instruction(NamedTuple):
    function: str
    address: int
    text: str
    cycles: int  # until the next one

    @property
    def words(self) -> tuple[str, str]:
        """The operation and its operands, without a condition."""
        operation, _, operands = CONDITION.sub("", self.text, count=1).partition(" ")
        return operation, operands

    @property
    def has_condition(self) -> bool:
        return CONDITION.match(self.text) is not None


def instructions(lines: Iterable[str]) -> Iterator[Instruction]:
    """The instructions of cuobjdump's listing: two lines each."""
    function, first = "", None
    for line in lines:
        if named := FUNCTION.match(line):
            function, first = named[1], None
        elif found := INSTRUCTION.match(line):
            first = int(found[1], 16), found[2]
        elif (half := SECOND_HALF.match(line)) and first is not None:
            yield Instruction(function, *first, int(half[1], 16) >> 41 & 15)
            first = None


def registers(operands: str) -> set[int]:
    found = set()
    for number, is_pair in REGISTER.findall(operands):
        found.add(int(number))
        if is_pair:
            found.add(int(number) + 1)
    return found


def stale_read(window: collections.deque[Instruction]) -> Instruction | None:
    """The first instruction that reads the result of the window's first one, a CS2R of two registers, too soon."""
    setter = window[0]
    target = TARGET.match(" ".join(setter.words))
    if target is None:
        return None
    waited_for = {int(target[1]), int(target[1]) + 1}
    cycles = setter.cycles
    for one in list(window)[1:]:
        if cycles >= LEAST_CYCLES or one.function != setter.function:
            return None
        operation, operands = one.words
        result, _, others = operands.partition(",")
        has_result = not operation.startswith(WITHOUT_RESULT)
        if registers(others if has_result else operands) & waited_for:
            return None if operation.startswith(STORES) and cycles >= LEAST_OF_STORES else one
        if has_result and not one.has_condition:
            waited_for -= registers(result) | ({number + 1 for number in registers(result)} if "WIDE" in operation or "64" in operation else set())
        if not waited_for or operation.startswith(ENDS):
            return None
        cycles += one.cycles
    return None


def stale_reads(lines: Iterable[str]) -> Iterator[tuple[Instruction, Instruction]]:
    window: collections.deque[Instruction] = collections.deque()
    for one in instructions(lines):
        window.append(one)
        if len(window) <= LEAST_CYCLES:  # an instruction takes a cycle at least
            continue
        if (found := stale_read(window)) is not None:
            yield window[0], found
        window.popleft()
    while window:
        if (found := stale_read(window)) is not None:
            yield window[0], found
        window.popleft()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--cuobjdump", default="cuobjdump", help="NVIDIA's lister, with nvdisasm beside it")
    chosen = parser.parse_args()
    lister = shutil.which(chosen.cuobjdump)
    if lister is None:
        print(f"stale_reads: there is no {chosen.cuobjdump}, which lists GPU code: 'make setup' installs it, or cuda-cuobjdump and "
              "cuda-nvdisasm of the CUDA toolkit do", file=sys.stderr)
        return 1
    folder = str(pathlib.Path(lister).parent)
    with subprocess.Popen([lister, "-sass", str(chosen.program)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env={"PATH": f"{folder}:/usr/bin:/bin"}) as listing:
        assert listing.stdout is not None and listing.stderr is not None
        functions, found = set(), 0

        def counted() -> Iterator[str]:
            for line in listing.stdout or ():
                if named := FUNCTION.match(line):
                    functions.add(named[1])
                yield line

        for setter, reader in stale_reads(counted()):
            found += 1
            print(f"{setter.function}: {setter.address:#x} {setter.text}; {reader.address:#x} {reader.text} reads it too soon")
        said = listing.stderr.read().strip()
    if listing.returncode or not functions:
        print(f"stale_reads: {chosen.program}: no GPU code was listed: {said.splitlines()[-1] if said else 'it has none'}", file=sys.stderr)
        return 1
    print(f"stale_reads: {len(functions)} GPU functions, {found} stale reads")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
