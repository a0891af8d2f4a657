# SPDX-License-Identifier: Apache-2.0
"""Accesses that the IOMMU refuses a NIC: vmxnet3, as QEMU plays it, reads address 0 when it is reset."""
from __future__ import annotations

import re

import pytest
from bed import FAULT, Bed
from doctor_truth import NO_FAULTS, said_by_doctor
from raw_network import SIDES

pytestmark = pytest.mark.devices("vmxnet3")


def faults_of(bed: Bed, side: str) -> list[str]:
    """The kernel's lines about accesses of this side's NIC."""
    name = f"[{bed.addresses[side].partition(':')[2]}]"
    return [line for line in bed.guest.shell("dmesg").splitlines() if FAULT.search(line) and name in line]


def test_the_doctor_tells_of_each_nics_refused_accesses(bed):
    with bed.running("l2fwd", "-w", "cpu"):
        pass
    said = said_by_doctor(bed.guest, str(bed.packetwarp.binary)).verdicts
    for side, address in bed.addresses.items():
        faults = faults_of(bed, side)
        if side not in SIDES:
            assert not faults and said[("iommu-faults", address)] == NO_FAULTS
            continue
        assert faults, f"{side}: the reset caused no fault: {bed.guest.console()[-2000:]}"
        last = re.sub(r"^\[[^\]]*\] *", "", faults[-1])
        assert said[("iommu-faults", address)] == ("warn", f"{len(faults)} in the kernel's log; the last: {last}")
