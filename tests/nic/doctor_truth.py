# SPDX-License-Identifier: Apache-2.0
"""The expected report of `packetwarp doctor` on a guest: each verdict, from the machine's definition and from its own files."""
from __future__ import annotations

import dataclasses
import json

from guest import Guest

# A check's result for a device, a node, or "" for the machine: the status, and words of the reading.
Verdict = tuple[str, str]
Truth = dict[tuple[str, str], Verdict]
MACHINE = ""
NODE = "node0"
NO_FAULTS: Verdict = ("ok", "none in the kernel's log")


@dataclasses.dataclass(frozen=True)
class Said:
    verdicts: Truth
    commands: dict[tuple[str, str], str | None]


def said_by_doctor(guest: Guest, binary: str) -> Said:
    # Exit status 1 says that something fails; here the clock does, whatever else.
    findings = json.loads(guest.run(binary, "doctor", "--json", "-", check=False, seconds=180).stdout)["findings"]
    places = {(one["id"], one["of"] or MACHINE): one for one in findings}
    assert len(places) == len(findings), "two verdicts of one check on one thing"
    return Said({place: (one["status"], one["reading"]) for place, one in places.items()}, {place: one["command"] for place, one in places.items()})


def must_be(truth: Truth, said: Truth) -> None:
    assert set(said) == set(truth), f"missing {set(truth) - set(said)}, in excess {set(said) - set(truth)}"
    wrong = {place: (said[place], verdict) for place, verdict in truth.items() if said[place][0] != verdict[0] or verdict[1] not in said[place][1]}
    assert not wrong, f"said and true: {wrong}"


def of_any_guest(guest: Guest) -> Truth:
    """The properties that QEMU gives to each guest: two CPUs of one node, a clock, no GPU and no NIC of NVIDIA's, and no
    limit."""
    flags = guest.shell("grep -m1 ^flags /proc/cpuinfo").split()
    clock = guest.shell("cat /sys/devices/system/clocksource/clocksource0/current_clocksource").strip()
    # libibverbs, which DPDK's mlx5 brings, has the kernel load ib_core.
    rdma = guest.shell("cat /sys/module/ib_core/parameters/netns_mode 2>/dev/null || true").strip()
    assert guest.shell("cat /proc/swaps").count("\n") == 1
    return {
        ("hugepage-size", MACHINE): ("warn", "no pages of 1 GiB are reserved"),
        ("hugetlbfs", MACHINE): ("ok", "mounted at /dev/hugepages"),
        ("zone-reclaim", MACHINE): ("ok", "vm.zone_reclaim_mode is 0"),
        ("swappiness", MACHINE): ("ok", "there is no swap"),
        ("isolcpus", MACHINE): ("warn", "no CPU is isolated"),
        ("nohz-full", MACHINE): ("warn", "no CPU"),
        ("rcu-nocbs", MACHINE): ("warn", "no CPU"),
        ("watchdogs", MACHINE): ("warn", "NMI watchdog off, soft lockup watchdog on"),
        ("hyperthreads", MACHINE): ("ok", "one CPU a core"),
        ("clocksource", MACHINE): ("ok" if clock == "tsc" else "warn", clock),
        ("tsc", MACHINE): ("fail", "constant_tsc is not among") if "constant_tsc" not in flags else ("ok" if "nonstop_tsc" in flags else "warn", ""),
        ("c-states", MACHINE): ("ok", "the kernel uses none"),
        ("governor", MACHINE): ("skip", "does not scale"),
        ("turbo", MACHINE): ("skip", "no say"),
        ("gpu-driver", MACHINE): ("skip", "no NVIDIA GPU"),
        ("cuda", MACHINE): ("skip", "no NVIDIA GPU"),
        ("gpudirect", MACHINE): ("skip", "no NVIDIA GPU"),
        ("gdrcopy", MACHINE): ("skip", "no NVIDIA GPU"),
        ("gpu-distance", MACHINE): ("skip", "no NVIDIA GPU"),
        ("cqe-compression", MACHINE): ("skip", "no NIC of NVIDIA"),
        ("link-type", MACHINE): ("skip", "no NIC of NVIDIA"),
        ("rdma-netns", MACHINE): {"": ("skip", "ib_core is not loaded"), "Y": ("warn", "shared"), "N": ("ok", "exclusive")}[rdma],
        ("rdma-device", MACHINE): ("skip", "no verbs device"),
        ("rdma-doorbell", MACHINE): ("skip", "no NVIDIA GPU"),
        ("rdma-payload", MACHINE): ("skip", "no NVIDIA GPU"),
        ("rdma-mode", MACHINE): ("skip", "no mlx5 device"),
        ("capabilities", MACHINE): ("ok", "all"),
        ("locked-memory", MACHINE): ("ok", "CAP_IPC_LOCK"),
        ("cpus-allowed", MACHINE): ("ok", "2 of 2 CPUs"),
        ("cpu-quota", MACHINE): ("ok", "no control group has one"),
        ("memory-limit", MACHINE): ("ok", "no control group has one"),
        ("hugetlb-limit", MACHINE): ("ok", "none"),
    }


def of_a_nic(address: str, iommu: str, driver: Verdict, faults: Verdict) -> Truth:
    """A physical function in a root port of the first generation, with one lane."""
    return {("iommu", address): ("ok", iommu), ("iommu-faults", address): faults, ("pcie-link", address): ("ok", "2.5 GT/s x1 of 2.5 GT/s x1"),
            ("max-read-request", address): ("warn", "MaxReadReq 128 bytes"), ("nic-node", address): ("ok", "one NUMA node"),
            ("nic-driver", address): driver}


def of_a_function(address: str, driver: Verdict, iommu: str) -> Truth:
    """A virtual one."""
    return {("iommu", address): ("ok", iommu), ("iommu-faults", address): NO_FAULTS, ("pcie-link", address): ("skip", "virtual function"),
            ("max-read-request", address): ("skip", "physical function's"), ("nic-node", address): ("ok", "one NUMA node"),
            ("nic-driver", address): driver}
