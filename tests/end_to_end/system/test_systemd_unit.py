# SPDX-License-Identifier: Apache-2.0
"""The service's unit: systemd reads every line of it, it leaves little to a process that is taken over, and packetwarp
works within what it leaves of that which can be tried without systemd as process 1."""
from __future__ import annotations

import ctypes
import os
import pathlib
import re
import shutil
import subprocess

import pytest
from harness import ALONE, DONE, ROOT

UNIT = ROOT / "deploy" / "systemd" / "packetwarp.service"
MOST_EXPOSED = 30  # tenths: systemd's own services that open devices are rated 4 and more
LIBC = ctypes.CDLL(None, use_errno=True)
CLONE_NEWNET = 0x40000000
PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS, PR_SET_MDWE = 24, 38, 65
CAPABILITIES = {"CAP_NET_ADMIN": 12, "CAP_NET_RAW": 13, "CAP_IPC_LOCK": 14}


def setting(name: str) -> list[str]:
    return [line.split("=", 1)[1] for line in UNIT.read_text().splitlines() if line.startswith(f"{name}=")]


@pytest.fixture
def analyze():
    if shutil.which("systemd-analyze") is None:
        pytest.skip("there is no systemd-analyze")

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(["systemd-analyze", *words], capture_output=True, text=True, check=False, timeout=120)
    return run


def test_systemd_understands_every_line(analyze, binary, tmp_path):
    unit = tmp_path / "packetwarp.service"
    unit.write_text(UNIT.read_text().replace("/usr/local/bin/packetwarp", str(binary)))
    said = analyze("verify", "--man=no", str(unit))
    lines = [line for line in (said.stdout + said.stderr).splitlines() if "packetwarp.service" in line]
    assert said.returncode == 0 and not lines, said


def test_it_is_exposed_to_little(analyze):
    said = analyze("security", "--offline=true", "--no-pager", f"--threshold={MOST_EXPOSED}", str(UNIT))
    assert said.returncode == 0, said.stdout + said.stderr


def test_its_end_takes_away_no_other_programs_files():
    """systemd removes what RuntimeDirectory= names, with all that is in it, unless the unit preserves it."""
    (folders,) = setting("RuntimeDirectory")
    assert "dpdk" in folders.split() and setting("RuntimeDirectoryPreserve") == ["yes"]


def test_cuda_has_a_place_for_what_it_compiles():
    """It has none in a home directory that the unit hides, and would compile at every start."""
    (folder,) = setting("StateDirectory")
    assert setting("ProtectHome") == ["yes"] and f"CUDA_CACHE_PATH=/var/lib/{folder}/cuda" in setting("Environment")


def test_it_is_given_the_time_that_its_end_may_take():
    """2 s for the packets in flight, and 30 s for a disk that does not take NAT44's state."""
    (seconds,) = setting("TimeoutStopSec")
    assert int(seconds) > 2 + 30


@pytest.mark.parametrize("lacks", ("metrics: '192.0.2.1:9464'\n", "eal: [-l, '0', --no-pci, --in-memory, '--vdev=net_af_packet0,iface=nowhere0']\n"))
def test_it_is_started_again_until_the_machine_has_what_the_file_names(packetwarp, lacks):
    """An interface and an address may come after the start. A wrong file does not mend itself."""
    (never_again,) = setting("RestartPreventExitStatus")
    assert setting("Restart") == ["on-failure"] and setting("StartLimitIntervalSec") == ["0"]
    assert "network-online.target" in setting("After")[0].split() and "network-online.target" in setting("Wants")[0].split()
    path = packetwarp.folder / "network.yaml"
    right = "interfaces: [{name: a, port: 0, addresses: [10.0.0.1/24]}]\n"
    path.write_text(lacks + right)
    done = packetwarp.run("run", [], ["-c", str(path), "--control", "none"])
    assert done.status not in (DONE, int(never_again)), done
    path.write_text(lacks + right + "fly: 1\n")
    assert packetwarp.run("run", [], ["-c", str(path), "--control", "none"]).status == int(never_again)


def within_the_unit() -> None:
    """As systemd does it, so far as prctl can: rights, no others by programs, no memory that is written and run."""
    kept = {CAPABILITIES[name] for name in " ".join(setting("CapabilityBoundingSet")).split()}
    last = int(pathlib.Path("/proc/sys/kernel/cap_last_cap").read_text())
    for one in set(range(last + 1)) - kept:
        LIBC.prctl(PR_CAPBSET_DROP, one, 0, 0, 0)
    assert setting("MemoryDenyWriteExecute") == ["yes"]
    LIBC.prctl(PR_SET_MDWE, 1, 0, 0, 0)  # kernels before 6.3 have no such thing
    assert LIBC.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0


@pytest.mark.parametrize("driver", ("net_af_packet", "net_tap"))
def test_packetwarp_works_within_it(packetwarp, namespaces, driver):
    middle = namespaces.add("middle")
    if driver == "net_af_packet":
        namespaces.connect((namespaces.add("other"), "o0"), (middle, "w0"))
    argv = packetwarp.words("l2fwd", [*ALONE, "-l", "0", f"--vdev={driver}0,iface=w0"],
                            ["--duration", "300ms", "--control", "none"])
    with open(f"/run/netns/{middle.command()[-1]}", "rb") as network:
        def enter() -> None:
            assert LIBC.setns(network.fileno(), CLONE_NEWNET) == 0
            within_the_unit()
        done = subprocess.run(argv, capture_output=True, text=True, timeout=120, check=False, preexec_fn=enter)
    assert done.returncode == DONE, done


def test_address_families_are_those_of_the_ports():
    [families] = setting("RestrictAddressFamilies")
    assert {"AF_PACKET", "AF_XDP", "AF_NETLINK", "AF_UNIX", "AF_INET"} <= set(families.split())
    assert re.search(r"^DevicePolicy=closed$", UNIT.read_text(), re.M) and os.path.isabs(setting("ExecStart")[0].split()[0])
