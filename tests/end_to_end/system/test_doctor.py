# SPDX-License-Identifier: Apache-2.0
"""The report of `packetwarp doctor` on this machine agrees with the machine's files; --fix reserves hugepages for real, and only
those."""
from __future__ import annotations

import collections
import json
import os
import pathlib
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest
from harness import DONE, FAILED, WRONG_USAGE, Program, Run

STATUSES = {"ok", "warn", "fail", "skip", "unknown"}
SUBJECTS = ["memory", "cpu", "pci", "gpu", "nic", "rdma", "container"]
FINDING = {"id", "subject", "of", "status", "reading", "why", "command", "boot_parameters", "manifest"}
CPUS = pathlib.Path("/sys/devices/system/cpu")
NODES = pathlib.Path("/sys/devices/system/node")


def doctor(packetwarp: Program, *options: str, **run: Any) -> Run:
    """Options come directly after the command: it has none of the EAL's."""
    return packetwarp.run("doctor", options, **run)


def result_of(done: Run) -> dict[str, Any]:
    assert done.status in (DONE, FAILED), done
    result = json.loads(done.stdout)
    statuses = collections.Counter(one["status"] for one in result["findings"])
    assert result["counts"] == {status: statuses[status] for status in STATUSES}
    problems = [fix for fix in result["fixes"] if fix["problem"]]
    assert result["failed"] == (statuses["fail"] > 0)
    assert (done.status == FAILED) == (statuses["fail"] > 0 or bool(problems)), done
    return result


def findings(packetwarp: Program, *options: str, **run: Any) -> dict[str, list[dict[str, Any]]]:
    by_check: dict[str, list[dict[str, Any]]] = {}
    for one in result_of(doctor(packetwarp, *options, "--json", "-", **run))["findings"]:
        by_check.setdefault(one["id"], []).append(one)
    return by_check


def one(packetwarp: Program, check: str, *options: str, **run: Any) -> dict[str, Any]:
    found = findings(packetwarp, "--only", check, *options, **run)[check]
    assert len(found) == 1, found
    return found[0]


def text_of(path: pathlib.Path | str) -> str:
    return pathlib.Path(path).read_text(encoding="ascii", errors="replace").strip()


def cpus_of(text: str) -> set[int]:
    ranges = [part.split("-") for part in text.split(",") if part]
    return {cpu for ends in ranges for cpu in range(int(ends[0]), int(ends[-1]) + 1)}


def free_hugepages(node: pathlib.Path) -> int:
    """In bytes, of all sizes."""
    return sum(int(text_of(pool / "free_hugepages")) * int(pool.name.removeprefix("hugepages-").removesuffix("kB")) * 1024
               for pool in (node / "hugepages").iterdir())


def test_every_check_says_something(packetwarp: Program):
    result = result_of(doctor(packetwarp, "--json", "-"))
    assert result["fixes"] == [] and result["version"]
    for found in result["findings"]:
        assert found.keys() == FINDING and found["status"] in STATUSES and found["subject"] in SUBJECTS, found
        assert found["reading"] and found["why"], found
        assert found["command"] is None or found["status"] != "ok", found
    assert [s for s in SUBJECTS if s in {one["subject"] for one in result["findings"]}] == SUBJECTS


def test_the_table_says_what_the_json_says(packetwarp: Program, tmp_path):
    path = tmp_path / "doctor.json"
    done = doctor(packetwarp, "--json", str(path))
    result = json.loads(path.read_text())
    table = done.stdout.split("\n\n")[0].splitlines()[1:]
    assert [line.split()[:2] for line in table] == [[one["status"], one["id"]] for one in result["findings"]]
    for found in result["findings"]:
        if found["status"] in ("warn", "fail"):
            assert f"{found['id']}: {found['why']}" in done.stdout.splitlines(), done
        if found["command"]:
            assert f"  {found['command']}" in done.stdout.splitlines(), done
    last = done.stdout.splitlines()[-1]
    assert last == ", ".join(f"{count} {status}" for status, count in result["counts"].items())


def test_hugepages_are_those_of_the_nodes(packetwarp: Program):
    nodes = [node for node in sorted(NODES.glob("node[0-9]*")) if (node / "hugepages").is_dir()]
    if not nodes:
        pytest.skip("no NUMA nodes in sysfs")
    free = {node.name: free_hugepages(node) for node in nodes}
    found = {one["of"]: one for one in findings(packetwarp, "--only", "hugepages")["hugepages"]}
    assert found.keys() == free.keys()
    for node, bytes_free in free.items():
        if bytes_free >= 1 << 30:
            expected = {"ok"}
        elif bytes_free:
            expected = {"warn"}
        else:
            expected = {"warn"} if any(free.values()) else {"fail"}
        assert found[node]["status"] in expected, (found[node], free)


def test_cpus_are_those_that_the_kernel_names(packetwarp: Program):
    isolated = cpus_of(text_of(CPUS / "isolated"))
    found = one(packetwarp, "isolcpus")
    assert (found["status"] == "ok") == (bool(isolated) and 0 not in isolated), found
    if isolated:
        assert cpus_of(found["reading"].split()[1].rstrip(";")) == isolated
    clock = text_of("/sys/devices/system/clocksource/clocksource0/current_clocksource")
    found = one(packetwarp, "clocksource")
    assert (found["reading"], found["status"]) == (clock, "ok" if clock == "tsc" else "warn")
    flags = next(line.split() for line in text_of("/proc/cpuinfo").splitlines() if line.startswith("flags"))
    expected = "fail" if "constant_tsc" not in flags else "ok" if "nonstop_tsc" in flags else "warn"
    assert one(packetwarp, "tsc")["status"] == expected


def test_the_process_s_own_limits_are_told(packetwarp: Program):
    cpu = min(os.sched_getaffinity(0))
    found = one(packetwarp, "cpus-allowed", within=["taskset", "-c", str(cpu)])
    assert found["status"] == "warn" and found["reading"].startswith("1 of "), found
    found = one(packetwarp, "locked-memory", within=["prlimit", "--memlock=65536"])
    assert found["reading"].startswith("64.0 KiB"), found


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to give rights away")
def test_without_rights_it_says_which_are_missing(packetwarp: Program):
    within = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--reuid=65534", "--regid=65534", "--clear-groups"]
    reachable = subprocess.run([*within, "test", "-x", packetwarp.binary], check=False).returncode == 0
    if not reachable:
        pytest.skip(f"{packetwarp.binary} is not for every user to run")
    found = one(packetwarp, "capabilities", within=within)
    assert found["status"] == "warn" and "CAP_IPC_LOCK" in found["reading"], found
    for request in findings(packetwarp, "--only", "max-read-request", within=within)["max-read-request"]:
        assert request["status"] in ("skip", "unknown"), "its register is for root to read"


def nics() -> list[pathlib.Path]:
    return [device for device in sorted(pathlib.Path("/sys/bus/pci/devices").glob("*"))
            if text_of(device / "class").startswith("0x02")]


def test_nics_are_those_on_pci(packetwarp: Program):
    found = findings(packetwarp, "--only", "nic-driver")["nic-driver"]
    if not nics():
        assert [one["status"] for one in found] == ["skip"]
    else:
        assert [one["of"] for one in found] == [nic.name for nic in nics()]
    for nic, said in zip(nics(), found):
        driver = (nic / "driver").resolve().name if (nic / "driver").exists() else "none"
        assert said["reading"].startswith(driver), said


@pytest.fixture
def mellanox(tmp_path: pathlib.Path) -> list[str]:
    """A Mellanox NIC made of files, for one process, whose PATH is a folder of this test's."""
    if os.geteuid() != 0:
        pytest.skip("needs root, to hide the PCI devices")
    nic = "/sys/bus/pci/devices/0000:01:00.0"
    make = (f"mount -t tmpfs none /sys/bus/pci && mkdir -p {nic} && echo 0x020000 >{nic}/class && echo 0x15b3 >{nic}/vendor &&"
            f' exec env PATH={tmp_path} "$@"')
    return ["unshare", "--mount", "sh", "-c", make, "sh"]


def install(folder: pathlib.Path, program: str, script: str) -> None:
    (folder / program).write_text(f"#!/bin/sh\n{script}\n")
    (folder / program).chmod(0o755)


def test_a_program_that_is_not_installed_is_said_to_be_so(packetwarp: Program, mellanox: list[str]):
    for program in ("mlxconfig", "mstconfig"):
        if any((pathlib.Path(folder) / program).exists() for folder in ("/usr/local/sbin", "/usr/sbin", "/sbin")):
            pytest.skip(f"{program} is installed where it is always found")
    found = one(packetwarp, "cqe-compression", within=mellanox)
    assert (found["of"], found["status"]) == ("0000:01:00.0", "unknown") and "not installed" in found["reading"], found
    assert found["command"] == "apt-get install mstflint"
    assert one(packetwarp, "max-read-request", within=mellanox)["status"] == "unknown", "it has no config to read"


def test_a_program_s_answer_is_read(packetwarp: Program, mellanox: list[str], tmp_path: pathlib.Path):
    expected = "-d 0000:01:00.0 -e query CQE_COMPRESSION"
    install(tmp_path, "mlxconfig", f"""[ "$*" = "{expected}" ] && echo "* CQE_COMPRESSION BALANCED(0) BALANCED(0) AGGRESSIVE(1)" """)
    found = one(packetwarp, "cqe-compression", within=mellanox)
    assert (found["status"], found["reading"]) == ("warn", "CQE_COMPRESSION is BALANCED(0), AGGRESSIVE(1) after a reset")
    assert found["command"] == "mlxfwreset -d 0000:01:00.0 -y reset"


def test_a_program_that_fails_is_quoted(packetwarp: Program, mellanox: list[str], tmp_path: pathlib.Path):
    install(tmp_path, "mlxconfig", "echo much; echo '-E- no such device' >&2; exit 3")
    found = one(packetwarp, "cqe-compression", within=mellanox)
    assert found["status"] == "unknown", found
    assert found["reading"] == "'mlxconfig -d 0000:01:00.0 -e query CQE_COMPRESSION': exit status 3: -E- no such device"


WRONG = [(["--only", "speed"], "speed"), (["--hugepages", "0"], "--hugepages"), (["--hugepages", "many"], "--hugepages"),
         (["--fix", "now"], "now"), (["-l", "0"], "-l"), (["--json", "/nowhere/x.json"], "/nowhere/x.json")]


@pytest.mark.parametrize(("options", "named"), WRONG, ids=[" ".join(options) for options, _ in WRONG])
def test_wrong_usage_is_one_line(packetwarp: Program, options, named):
    done = doctor(packetwarp, *options)
    assert done.status == (FAILED if "--json" in options else WRONG_USAGE), done
    assert done.stdout == "" and len(done.errors) == 1 and named in done.errors[0], done


def test_options_may_stand_behind_dashes_too(packetwarp: Program):
    done = packetwarp.run("doctor", ["--only", "tsc"], ["--json", "-"])
    assert [one["id"] for one in result_of(done)["findings"]] == ["tsc"]


@pytest.fixture
def pool() -> Iterator[pathlib.Path]:
    """The 2 MiB pages of the one node, as many afterwards as before."""
    if os.geteuid() != 0:
        pytest.skip("needs root, to reserve hugepages")
    nodes = [node for node in NODES.glob("node[0-9]*") if (node / "hugepages").is_dir()]
    if len(nodes) != 1 or not (found := nodes[0] / "hugepages" / "hugepages-2048kB").is_dir():
        pytest.skip("needs one NUMA node with pages of 2 MiB")
    before = text_of(found / "nr_hugepages")
    yield found
    (found / "nr_hugepages").write_text(before)
    assert text_of(found / "nr_hugepages") == before


def test_fix_reserves_a_page_for_real(packetwarp: Program, pool: pathlib.Path):
    path = pool / "nr_hugepages"
    before = int(text_of(path))
    wanted = free_hugepages(pool.parents[1]) + 1  # a byte more than there is: one page
    done = doctor(packetwarp, "--only", "hugepages", "--hugepages", str(wanted), "--fix", "--json", "-")
    result = result_of(done)
    assert result["fixes"] == [{"path": str(path), "page_bytes": 2 << 20, "before": before, "asked": before + 1,
                                "got": before + 1, "problem": None}], done
    assert int(text_of(path)) == before + 1
    assert [one["status"] for one in result["findings"]] == ["ok"] and done.status == DONE
    said = [line for line in done.log if "--fix" in line]
    assert len(said) == 2 and f"writing {before + 1} into {path}" in said[0] and f"{path} is {before + 1}" in said[1], done


def test_fix_leaves_alone_what_is_enough(packetwarp: Program, pool: pathlib.Path):
    before = text_of(pool / "nr_hugepages")
    if not free_hugepages(pool.parents[1]):
        pytest.skip("no hugepage is free")
    done = doctor(packetwarp, "--only", "hugepages", "--hugepages", "1", "--fix")
    assert done.status == DONE and "nothing to do" in done.stderr, done
    assert text_of(pool / "nr_hugepages") == before


def test_fix_does_not_take_all_memory(packetwarp: Program, pool: pathlib.Path):
    before = text_of(pool / "nr_hugepages")
    done = doctor(packetwarp, "--only", "hugepages", "--hugepages", str(1 << 50), "--fix", "--json", "-")
    assert done.status == FAILED and "a tenth of its memory" in result_of(done)["fixes"][0]["problem"], done
    assert text_of(pool / "nr_hugepages") == before


def test_nothing_is_written_without_fix(packetwarp: Program, pool: pathlib.Path):
    before = text_of(pool / "nr_hugepages")
    found = one(packetwarp, "hugepages", "--hugepages", str(free_hugepages(pool.parents[1]) + 1))
    assert found["command"] == f"echo {int(before) + 1} > {pool}/nr_hugepages", found
    assert text_of(pool / "nr_hugepages") == before


def test_no_command_takes_away_the_nic_of_the_default_route(packetwarp: Program):
    """And none restarts the machine by itself, or says one edit twice."""
    routes = [line.split() for line in pathlib.Path("/proc/net/route").read_text().splitlines()[1:]]
    default = {route[0] for route in routes if int(route[1], 16) == int(route[7], 16) == 0}
    nics = {(pathlib.Path("/sys/class/net") / name / "device").resolve() for name in default}
    result = result_of(doctor(packetwarp, "--json", "-"))
    for finding in result["findings"]:
        assert "reboot" not in (finding["command"] or "") and "grub" not in (finding["command"] or ""), finding
        if finding["id"] == "nic-driver" and any(finding["of"] in str(path) for path in nics):
            assert finding["command"] is None, finding
    table = doctor(packetwarp).stdout
    assert table.count("GRUB_CMDLINE_LINUX_DEFAULT") <= 1 and "&& reboot" not in table
    assert pathlib.Path("/etc/default/grub").exists() or "GRUB_CMDLINE_LINUX_DEFAULT" not in table
