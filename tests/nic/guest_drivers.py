# SPDX-License-Identifier: Apache-2.0
"""DPDK's drivers that programs in a guest see. At every start DPDK loads each driver that is installed, 190 with Debian's
packages, which takes a guest without KVM longer than everything else that a start does."""
from __future__ import annotations

import dataclasses
import pathlib
import re
import shutil
import subprocess
from collections.abc import Iterable

# The drivers of the emulated devices.
NAMES = ("bus_pci", "bus_vdev", "mempool_ring", "net_e1000", "net_tap", "net_virtio", "net_vmxnet3")
# DPDK loads from no folder that others may write to, nor from one within such a folder.
ALL = "/run/dpdk"
# The name by which programs are linked with a library; DPDK looks for drivers by the others.
LINKED = re.compile(r".*\.so\.\d+")


@dataclasses.dataclass(frozen=True)
class Drivers:
    """The folder that DPDK loads drivers from, and the files that are kept in it; nothing without such a folder."""

    folder: pathlib.Path | None
    names: frozenset[str] = frozenset()

    def links(self) -> dict[str, str]:
        """The names in the guest's folder, and the files that they lead to."""
        return {name: f"{ALL}/{name}" for name in self.names}


def linked_with(program: pathlib.Path) -> list[pathlib.Path]:
    said = subprocess.run(["ldd", program], capture_output=True, text=True, check=False).stdout
    return [pathlib.Path(words[2]).resolve() for words in map(str.split, said.splitlines()) if len(words) > 2 and words[1] == "=>"]


def drivers_for(binary: pathlib.Path) -> Drivers:
    """The drivers for packetwarp and testpmd: the devices' own, and the libraries that these programs are linked with by the one
    name that they are linked by. testpmd is linked with a dozen drivers of other NICs, which packetwarp need not load."""
    folder = next(pathlib.Path("/usr/lib").glob("*/dpdk/pmds-*"), None)
    if folder is None:
        return Drivers(None)
    testpmd = shutil.which("dpdk-testpmd")
    programs = [binary, *([pathlib.Path(testpmd)] if testpmd else [])]
    drivers = [file for name in NAMES for file in folder.glob(f"librte_{name}.so.*.*")]
    libraries = [library for one in [*programs, *drivers] for library in linked_with(one) if library.parent == folder.resolve()]
    return Drivers(folder, frozenset([*names_of(folder, drivers), *filter(LINKED.fullmatch, names_of(folder, libraries))]))


def names_of(folder: pathlib.Path, files: Iterable[pathlib.Path]) -> Iterable[str]:
    """All names of these files: a program that is linked with librte_net_ring.so.23.0 calls it librte_net_ring.so.23."""
    stems = {file.name.partition(".so")[0] for file in files}
    return (file.name for file in folder.iterdir() if file.name.partition(".so")[0] in stems)
