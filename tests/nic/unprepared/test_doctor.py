# SPDX-License-Identifier: Apache-2.0
"""The output of the doctor and of a plan on an unprepared machine."""
from __future__ import annotations

from nics_there import IDLE, USED, WITH_ANOTHER, WITHOUT_DRIVER
from doctor_truth import NODE, Truth, must_be, of_a_nic, of_any_guest, said_by_doctor

OFF = "vfio-pci takes no device while the IOMMU is off"


def interface_of(unprepared, which: str) -> str:
    return unprepared.guest.shell(f"ls /sys/bus/pci/devices/{unprepared.addresses[which]}/net").strip()


def test_each_verdict_is_the_truth(unprepared):
    there = unprepared.addresses
    used = interface_of(unprepared, USED)
    drivers = {USED: ("warn", f"igb: the kernel has it, and {used} is up"), IDLE: ("warn", f"igb: the kernel has it, and {OFF}"),
               WITHOUT_DRIVER: ("warn", f"none, and {OFF}"), WITH_ANOTHER: ("warn", "virtio-pci: the kernel has it")}
    truth: Truth = of_any_guest(unprepared.guest) | {("hugepages", NODE): ("fail", "none; 1.00 GiB should be")}
    for which, driver in drivers.items():
        truth |= of_a_nic(there[which], "off", driver, ("skip", "the IOMMU is off"))
    for which in (USED, IDLE):
        truth[("pause-frames", there[which])] = ("warn", f"{interface_of(unprepared, which)}: RX on, TX on")
    said = said_by_doctor(unprepared.guest, str(unprepared.packetwarp.binary))
    must_be(truth, said.verdicts)
    assert len(truth) >= 30
    # No step takes away a NIC that is in use, and none is bound to a driver that refuses it.
    assert [said.commands[("nic-driver", address)] for address in there.values()] == [None] * len(there)


def test_a_plan_without_hugepages_says_what_is_missing(unprepared):
    done = unprepared.packetwarp.run("plan", ["-l", "0-1", "-a", unprepared.addresses[IDLE]], [], within=unprepared.guest.command())
    assert (done.status, len(done.errors)) == (2, 1), done
    assert "no free hugepages" in done.errors[0] and "nr_hugepages" in done.errors[0]
