# SPDX-License-Identifier: Apache-2.0
"""Without hugepages it forwards all the same, and says what that costs."""
from __future__ import annotations

import os
import pathlib

import check_l2fwd
import pytest
from harness import ALONE, DONE, MIXED, WRONG_USAGE, Program, assert_forwarded

# A machine without hugepages, for one process: an empty folder where the kernel would list them.
WITHOUT_HUGEPAGES = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs none /sys/kernel/mm/hugepages && exec "$@"', "sh"]


@pytest.fixture
def without_hugepages() -> list[str]:
    if os.geteuid() != 0:
        pytest.skip("needs root, to hide the hugepages")
    return WITHOUT_HUGEPAGES


def test_hidden_hugepages_cost_a_notice(packetwarp: Program, tmp_path, without_hugepages):
    result = tmp_path / "out.pcap"
    done = packetwarp.forward_capture(MIXED, result, within=without_hugepages)
    assert_forwarded(check_l2fwd.read_with_scapy(MIXED), result, "cpu")
    notices = [line for line in done.warnings if "no free hugepages" in line]
    assert len(notices) == 1 and "nr_hugepages" in notices[0], done


@pytest.mark.parametrize("memory", ([], ["-m", "256"], ["-m256"]))
def test_no_huge_is_what_was_asked_for(packetwarp: Program, tmp_path, memory):
    result = tmp_path / "out.pcap"
    device = f"--vdev=net_pcap0,rx_pcap={MIXED},tx_pcap={result}"
    done = packetwarp.run("l2fwd", ["--no-huge", *memory, "--no-pci", "-l", "0", device], ["--until-idle", "100ms", "--json", "-"])
    assert done.status == DONE and done.packets.tx == len(check_l2fwd.read_with_scapy(result)), done
    assert not [line for line in done.warnings if "hugepages" in line], done


def test_a_physical_port_needs_them(packetwarp: Program, without_hugepages):
    done = packetwarp.run("l2fwd", ["-l", "0", "-a", "0000:ff:1f.7"], [], within=without_hugepages)
    assert done.status == WRONG_USAGE and len(done.stderr.splitlines()) == 1, done
    assert "hugepages" in done.errors[0] and "-a" in done.errors[0]


def test_more_packets_than_there_is_memory_for(packetwarp: Program):
    """512 MiB of ordinary pages cannot hold two million packets; the line says how much is needed."""
    eal = [*ALONE[1:], "--no-huge", "-m", "512", "-l", "0", "--vdev=net_null0"]
    done = packetwarp.run("l2fwd", eal, ["--workers", "isolated-rx", "--isolated-ring", "2m", "--duration", "100ms"])
    assert done.status == 1 and done.stdout == "", done
    assert len(done.errors) == 1 and done.stderr.splitlines()[-1] == done.errors[0]
    assert "packets" in done.errors[0] and "needs" in done.errors[0]


def test_fewer_descriptors_than_hugepages(packetwarp: Program):
    """The EAL holds a descriptor per hugepage: where the limit of these is low, memory is free all the same."""
    free = int(pathlib.Path("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages").read_text())
    if free < 500:
        pytest.skip(f"{free} free hugepages of 2 MiB, and 500 are needed")
    eal = [*ALONE, "-l", "0", "--vdev=net_null0,no-rx=1"]
    done = packetwarp.run("l2fwd", eal, ["--workers", "isolated-rx", "--isolated-ring", "256k", "--duration", "50ms"], within=["prlimit", "--nofile=200"])
    assert done.status == 1 and len(done.errors) == 1, done
    assert "LimitNOFILE" in done.errors[0] and "this process may have 200" in done.errors[0], done


def test_more_packets_than_any_hugepages_hold(packetwarp: Program):
    """64 GiB and more: refused before the EAL takes all there is, so that others still find what was free."""
    eal = [*ALONE, "-l", "0", "--vdev=net_null0"]
    done = packetwarp.run("l2fwd", eal, ["--workers", "isolated-rx", "--isolated-ring", "2m", "-d", "32k", "--duration", "100ms"])
    assert done.status == 1 and done.stdout == "", done
    assert len(done.errors) == 1 and "needs" in done.errors[0] and "GiB" in done.errors[0], done
