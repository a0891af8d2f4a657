# SPDX-License-Identifier: Apache-2.0
"""Errors of a machine are reported in one line each: of a NIC for packetwarp, and of the guest itself."""
from __future__ import annotations

import pathlib

import pytest
from guest import Nic, booted
from guest_image import NoGuest
from harness import FAILED, WRONG_USAGE
from nics_there import IDLE, USED, WITH_ANOTHER, WITHOUT_DRIVER

NOWHERE = "0000:ff:00.0"
ENOUGH = 128
OFF = "vfio-pci takes none while the IOMMU is off; boot with intel_iommu=on or amd_iommu=on, then: dpdk-devbind.py --bind=vfio-pci"


def refused(unprepared, address: str, status: int = FAILED) -> str:
    """The only line."""
    done = unprepared.packetwarp.run("l2fwd", ["--in-memory", "-l", "0-1", "-a", address], [], within=unprepared.guest.command())
    assert (done.status, len(done.errors)) == (status, 1), done
    return done.errors[0]


@pytest.fixture
def hugepages(unprepared):
    """For as long as a test; without them nothing else is checked."""
    file = "/proc/sys/vm/nr_hugepages"
    unprepared.guest.shell(f"echo {ENOUGH} > {file}")
    yield
    unprepared.guest.shell(f"echo 0 > {file}")


def test_no_hugepages(unprepared):
    line = refused(unprepared, unprepared.addresses[WITHOUT_DRIVER], WRONG_USAGE)
    assert "no free hugepages, which a physical port (-a) needs for DMA; run" in line and "echo" in line


@pytest.mark.parametrize(("which", "has_it"), ((USED, "the kernel's igb has it"), (IDLE, "the kernel's igb has it"), (WITHOUT_DRIVER, "no driver has it"),
                                               (WITH_ANOTHER, "the kernel's virtio-pci has it")))
def test_no_iommu(unprepared, hugepages, which, has_it):
    address = unprepared.addresses[which]
    line = refused(unprepared, address)
    assert f"-a {address}: {has_it}, and {OFF} {address}" in line


def test_no_such_device(unprepared, hugepages):
    assert f"-a {NOWHERE}: there is no such device on PCI; lspci -D lists those there are" in refused(unprepared, NOWHERE)


def test_what_the_kernel_refuses_to_bind_stays_as_it_was(unprepared):
    address = unprepared.addresses[WITHOUT_DRIVER]
    with pytest.raises(RuntimeError, match=f"{address} is bound to nothing, not to vfio-pci"):
        unprepared.guest.bind("vfio-pci", address)
    unprepared.guest.shell(f"echo > /sys/bus/pci/devices/{address}/driver_override")


def why_no_guest(debian: pathlib.Path, initial: pathlib.Path, folder: pathlib.Path, *nics: Nic) -> str:
    with pytest.raises(NoGuest) as failed, booted(debian, initial, folder, nics):
        pass
    assert "\n" not in str(failed.value)
    return str(failed.value)


def test_a_guest_whose_kernel_finds_nothing_to_start(debian, tmp_path):
    nothing = tmp_path / "initial.cpio"
    nothing.write_bytes(b"")
    assert "the guest does not boot: " in (why := why_no_guest(debian, nothing, tmp_path)) and "Kernel panic" in why


def test_a_machine_that_qemu_does_not_know(debian, initial_files, tmp_path):
    why = why_no_guest(debian, initial_files, tmp_path, Nic("no-such-nic", "52:54:00:00:02:00", "hubport,id=wire0,hubid=0"))
    assert "the guest does not boot: " in why and "no-such-nic" in why
