# SPDX-License-Identifier: Apache-2.0
"""Virtual functions beside physical ones that the guest's kernel has: what the doctor says of both, what packetwarp says of one
that is not DPDK's, and what becomes of one whose physical function goes down."""
from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator

import pytest
from bed import Bed
from doctor_truth import NO_FAULTS, NODE, Truth, must_be, of_a_function, of_a_nic, of_any_guest, said_by_doctor
from harness import DONE, FAILED
from namespaces import stop, wait_for
from raw_network import LEFT
from test_links import FEW, Said, all_pass, port_events, send, wait_until, watched_router

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
        bed.guest.bind("vfio-pci", address)


IN_A_POD = ("env", "KUBERNETES_SERVICE_HOST=10.96.0.1")


def refused(bed: Bed, address: str, *within: str) -> str:
    done = bed.packetwarp.run("l2fwd", ["--in-memory", "-l", "0-1", "-a", address], [], within=bed.guest.command(*within))
    assert (done.status, len(done.errors)) == (FAILED, 1), done
    return done.errors[0]


@contextlib.contextmanager
def in_use(bed: Bed, address: str) -> Iterator[str]:
    """By a process that has opened its VFIO group, whose file this is."""
    file = "/dev/vfio/" + bed.guest.shell(f"basename $(readlink /sys/bus/pci/devices/{address}/iommu_group)").strip()
    holder = bed.guest.popen("sh", "-c", f"exec 9<>{file} && exec sleep 1000")
    try:
        wait_for(lambda: "sleep" in bed.guest.shell("cat /proc/[0-9]*/comm 2>/dev/null || true"), "the group to be open")
        yield file
    finally:
        stop(holder, signal.SIGTERM)


def passes_again(bed: Bed) -> bool:
    """Sends a few packets; the result is open."""
    send(bed, 1)
    return len(bed.wires.the_rest(1)) == FEW


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


@pytest.mark.part(2)
def test_a_function_without_a_driver_is_bound_by_the_doctors_own_command(bed):
    with without_driver(bed, LEFT) as address:
        assert f"-a {address}: no driver has it; give it to DPDK: {BIND} {address}" in refused(bed, address)
        assert f"-a {address}: no driver has it; have the SR-IOV network operator" in refused(bed, address, *IN_A_POD)
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


@pytest.mark.part(1)
def test_a_function_in_use_is_told_to_a_pod_with_the_field_of_its_manifest(bed):
    address = bed.addresses[LEFT]
    with in_use(bed, address) as group:
        line = refused(bed, address, *IN_A_POD)
    assert f"-a {address}: another process has it ({group} is busy)" in line and "resources.limits.'NAME' of the container" in line


def test_a_plan_has_the_functions_queues(bed):
    done = bed.packetwarp.run("plan", ["--in-memory", "-l", "0-1", "-a", bed.addresses[LEFT]], ["-w", "cpu"], within=bed.guest.command())
    assert done.status == DONE, done
    assert bed.addresses[LEFT] in done.stdout and bed.device.pmd in done.stdout, done


@pytest.mark.part(1)
def test_a_function_whose_physical_one_goes_down_serves_again_with_it(bed):
    """The driver of a physical function that is up again has forgotten its functions' queues: the port is started again."""
    with watched_router(bed) as running:
        before = len(port_events(bed))
        all_pass(bed, 0)
        bed.guest.shell(f"ip link set {interface_of(bed, LEFT)} down")
        wait_for(lambda: ("link_down", 0) in port_events(bed)[before:], "the link to be down", seconds=60)
        send(bed, 0)
        bed.guest.shell(f"ip link set {interface_of(bed, LEFT)} up")
        wait_for(lambda: passes_again(bed), "packets to pass again", seconds=120)
        wait_until(bed, "both links to be up", lambda now: now == Said([], {"0": 1, "1": 1}))
        all_pass(bed, 2)
        done = running.interrupt()
    assert "port 0 (" + bed.addresses[LEFT] + "): its physical function was reset or down; starting the port again" in done.stderr
    # QEMU has the link up for a while that is to be down: it may be more than one.
    first, second = (port["restarts"] for port in done.result["ports"])
    assert first >= 1 and second == 0, done
    events = port_events(bed)[before:]
    assert events == [("link_down", 0), ("port_restarted", 0), ("link_up", 0)] * first
