# SPDX-License-Identifier: Apache-2.0
"""A guest in which nothing is prepared: no IOMMU, no hugepages, and NICs as a machine has them that has just booted."""
from __future__ import annotations

import dataclasses
import pathlib
import sys
from collections.abc import Iterator

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from bed import GuestProgram  # noqa: E402
from guest import Guest, Nic, Settings, booted  # noqa: E402
from nics_there import MODELS, USED  # noqa: E402
from taken import UNPREPARED, note  # noqa: E402


@dataclasses.dataclass
class Unprepared:
    """addresses: of PCI, by the purpose of a NIC."""

    guest: Guest
    packetwarp: GuestProgram
    addresses: dict[str, str]


@pytest.fixture(scope="package")
def unprepared(request: pytest.FixtureRequest, binary: pathlib.Path, debian: pathlib.Path, initial_files: pathlib.Path,
               tmp_path_factory: pytest.TempPathFactory) -> Iterator[Unprepared]:
    # Wires that lead nowhere.
    nics = [Nic(model, f"52:54:00:00:01:0{i}", f"hubport,id=wire{i},hubid={i}") for i, model in enumerate(MODELS.values())]
    folder = tmp_path_factory.mktemp("unprepared")
    with booted(debian, initial_files, folder, nics, Settings(iommu="off", hugepages=0)) as guest:
        addresses = dict(zip(MODELS, guest.addresses_of_nics(), strict=True))
        guest.load("vfio-pci", "igb")
        guest.shell(f"ip link set $(ls /sys/bus/pci/devices/{addresses[USED]}/net) up")
        yield Unprepared(guest, GuestProgram(binary, folder), addresses)
        note(request.config, UNPREPARED, guest)
