# SPDX-License-Identifier: Apache-2.0
"""Virtual functions beside physical ones that the guest's kernel has: what the doctor says of both, what packetwarp says of one
that is not DPDK's, and what becomes of one whose physical function goes down."""
from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest
from bed import Bed, end_well
from doctor_truth import NO_FAULTS, NODE, Truth, must_be, of_a_function, of_a_nic, of_any_guest, said_by_doctor
from harness import DONE, WRONG_USAGE
from raw_network import LEFT, known_hosts
from test_links import all_pass, wait_until, watched_router

pytestmark = pytest.mark.devices("igb-vf")
# The kernel's choice with iommu=pt; while vfio has a device it maps for that device.
PASSED_ON = "passes addresses on (identity)"
BIND = "dpdk-devbind.py --bind=vfio-pci"


def interface_of(bed: Bed, side: str) -> str:
    return bed.guest.shell(f"ls /sys/bus/pci/devices/{bed.physical[side]}/net").strip()


def free_hugepages(bed: Bed) -> int:
    return int(bed.guest.shell("cat /sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages"))


@contextlib.contextmanager
def without_driver(bed: Bed, side: str) -> Iterator[str]:
    address = bed.addresses[side]
    bed.guest.shell(f"echo {address} > /sys/bus/pci/devices/{address}/driver/unbind")
    try:
        yield address
    finally:
        bed.guest.bind(address, "vfio-pci")


def refused(bed: Bed, address: str) -> str:
    done = bed.packetwarp.run("l2fwd", ["--in-memory", "-l", "0-1", "-a", address], [], within=bed.guest.command())
    assert (done.status, len(done.errors)) == (WRONG_USAGE, 1), done
    return done.errors[0]


def test_the_doctor_knows_functions_from_physical_ones(bed):
    free = free_hugepages(bed)
    truth: Truth = of_any_guest(bed.guest) | {("hugepages", NODE): ("warn", f"{free} of 256 x 2.00 MiB free; 1.00 GiB should be")}
    for side, physical in bed.physical.items():
        interface = interface_of(bed, side)
        truth |= of_a_nic(physical, PASSED_ON, ("warn", f"igb: the kernel has it, and {interface} is up"), NO_FAULTS)
        truth |= of_a_function(bed.addresses[side], ("ok", "vfio-pci"), PASSED_ON)
        truth[("pause-frames", physical)] = ("warn", f"{interface}: RX on, TX on")
    said = said_by_doctor(bed.guest, str(bed.packetwarp.binary))
    must_be(truth, said.verdicts)


def test_a_function_without_a_driver_is_bound_by_the_doctors_own_command(bed):
    with without_driver(bed, LEFT) as address:
        assert f"-a {address}: no driver has it; give it to DPDK: {BIND} {address}" in refused(bed, address)
        said = said_by_doctor(bed.guest, str(bed.packetwarp.binary))
        assert said.verdicts[("nic-driver", address)] == ("warn", "none")
        command = said.commands[("nic-driver", address)]
        assert command == f"{BIND} {address}"
        bed.guest.shell(command)
        assert bed.guest.driver_of(address) == "vfio-pci"


def test_what_the_kernel_has_is_told_with_what_would_give_it_to_dpdk(bed):
    physical = bed.physical[LEFT]
    line = refused(bed, physical)
    assert f"-a {physical}: the kernel's igb has it; give it to DPDK, if 'packetwarp doctor --only nic-driver' says that it is not in use: {BIND} {physical}" in line


def test_a_plan_has_the_functions_queues(bed):
    done = bed.packetwarp.run("plan", ["--in-memory", "-l", "0-1", "-a", bed.addresses[LEFT]], ["-w", "cpu"], within=bed.guest.command())
    assert done.status == DONE, done
    assert bed.addresses[LEFT] in done.stdout and bed.device.pmd in done.stdout, done


def test_a_function_whose_physical_one_goes_down_is_down_with_it(bed):
    """The driver of a physical function that is up again has forgotten its functions' queues: the next start has them."""
    with watched_router(bed) as running:
        all_pass(bed, 0)
        bed.guest.shell(f"ip link set {interface_of(bed, LEFT)} down")
        wait_until(bed, "the link to be down", lambda now: now.up["0"] == 0 and len(now.why) == 1)
        bed.guest.shell(f"ip link set {interface_of(bed, LEFT)} up")
        wait_until(bed, "the link to be up", lambda now: now.up == {"0": 1, "1": 1})
        running.interrupt()
    bed.wires.the_rest()
    with bed.routing(known_hosts()) as running:
        all_pass(bed, 1)
        end_well(running, bed.device)
