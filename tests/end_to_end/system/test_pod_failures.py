# SPDX-License-Identifier: Apache-2.0
"""Manifests that lack something: one line in the pod's log, which names the field to change, and exit status 2, or 1 for a device or an
interface, which may come later. A function that is in
use or has another driver needs a NIC: tests/nic/test_functions.py; a memory limit: tests/memory/eal_arguments_test.cpp."""
from __future__ import annotations

import os
import pathlib
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
import yaml
from harness import DONE, FAILED, WRONG_USAGE, Program
from test_containers import NO_RIGHTS

HIDDEN = ("unshare", "--mount", "sh", "-c", 'mount -t tmpfs none /sys/kernel/mm/hugepages && exec "$@"', "sh")
RESOURCE, VARIABLE = "intel.com/igb_inside", "PCIDEVICE_INTEL_COM_IGB_INSIDE"
NOWHERE = "ffff:ff:1f.7"
DEVICES = [{"name": "inside", "port": {"resource": RESOURCE}, "addresses": ["10.0.0.1/24"]},
           {"name": "outside", "port": {"pci": NOWHERE}, "addresses": ["10.0.1.1/24"]}]
CAPABILITIES = "securityContext.capabilities.add"


@pytest.fixture(autouse=True)
def in_a_pod(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "10.96.0.1")
    monkeypatch.delenv(VARIABLE, raising=False)


def refused(program: Program, path: pathlib.Path, *, within: Sequence[str] = (), status: int = WRONG_USAGE) -> str:
    """Its only line."""
    done = program.run("run", (), ["-c", str(path)], within=within)
    assert (done.status, len(done.stderr.splitlines())) == (status, 1), done
    return done.errors[0]


def written(program: Program, **sections: Any) -> pathlib.Path:
    path = program.folder / "network.yaml"
    path.write_text(yaml.safe_dump({"lcores": "0", "eal": ["--in-memory"], **sections}))
    return path


def test_a_config_map_that_is_not_there_or_cannot_be_read(packetwarp):
    line = refused(packetwarp, packetwarp.folder / "nothing.yaml")
    assert "nothing.yaml: the file cannot be read: it is not there" in line and "volumeMounts[].mountPath" in line
    line = refused(packetwarp, packetwarp.folder)
    assert "the file cannot be read: Is a directory; in a pod" in line and "configMap.defaultMode" in line


def test_one_cpu(packetwarp):
    cpu = min(os.sched_getaffinity(0))
    file = written(packetwarp, lcores="allowed", eal=["--no-pci", "--vdev=net_null0"], interfaces=[DEVICES[0] | {"port": "net_null0"}])
    line = refused(packetwarp, file, within=("taskset", "-c", str(cpu)))
    assert "network.yaml:" in line and "resources.limits.cpu and resources.requests.cpu" in line


def test_a_resource_that_the_pod_does_not_have(packetwarp):
    line = refused(packetwarp, written(packetwarp, interfaces=DEVICES))
    assert f"{VARIABLE} is not set" in line and f"resources.limits.'{RESOURCE}'" in line


def test_a_function_that_is_not_there(packetwarp, monkeypatch):
    monkeypatch.setenv(VARIABLE, NOWHERE)
    line = refused(packetwarp, written(packetwarp, interfaces=DEVICES[:1]), status=FAILED)
    assert f"{NOWHERE}: there is no such device here" in line and "resources.limits.'NAME'" in line


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, for a mount namespace")
def test_no_hugepages(packetwarp):
    device = next(pathlib.Path("/sys/bus/pci/devices").glob("*"), None)
    if device is None:
        pytest.skip("no device is on PCI here")
    file = written(packetwarp, interfaces=[DEVICES[1] | {"port": {"pci": device.name}}])
    line = refused(packetwarp, file, within=HIDDEN)
    assert "resources.limits.hugepages-2Mi of the container" in line and "HugePages-2Mi" in line


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, for another limit")
def test_rings_that_may_not_be_locked_in_memory(packetwarp, namespaces):
    """The driver says "Resource temporarily unavailable"."""
    middle = namespaces.add("middle")
    namespaces.connect((middle, "w0"), (middle, "w1"))
    file = written(packetwarp, eal=["--in-memory", "--no-pci", "--vdev=net_af_packet0,iface=w0"], interfaces=[DEVICES[0] | {"port": "net_af_packet0"}])
    within = middle.command("prlimit", "--memlock=65536:65536", "setpriv", "--bounding-set=-ipc_lock", "--inh-caps=-ipc_lock")
    done = packetwarp.run("run", (), ["-c", str(file)], within=within)
    assert (done.status, len(done.errors)) == (FAILED, 1), done
    assert "the driver made no port" in done.errors[0] and f"may lock 64.0 KiB of memory: add IPC_LOCK to {CAPABILITIES}" in done.errors[0], done


@pytest.fixture
def memory_group() -> Iterator[Callable[[int], Sequence[str]]]:
    """Words that start a program with this many MiB at most."""
    mount = pathlib.Path("/sys/fs/cgroup")
    is_one = (mount / "memory/memory.limit_in_bytes").exists()
    folder = mount / ("memory" if is_one else "") / f"packetwarp-{os.getpid()}"
    try:
        folder.mkdir()
    except OSError as failed:
        pytest.skip(f"no memory control group can be made here: {failed}")

    def limited(mib: int) -> Sequence[str]:
        limit = folder / ("memory.limit_in_bytes" if is_one else "memory.max")
        if not limit.exists():
            pytest.skip("control groups have no limit of memory here")
        limit.write_text(str(mib << 20))
        return "sh", "-c", f'echo $$ > {folder}/cgroup.procs && exec "$@"', "sh"
    yield limited
    folder.rmdir()


@pytest.mark.parametrize(("mib", "sessions", "words"), ((1024, 8_000_000, "tables: "), (300, 1_000_000, "tables: "), (400, 1_000_000, None)))
def test_sessions_that_the_memory_limit_has_no_room_for(packetwarp, memory_group, mib, sessions, words):
    """The kernel would kill the process, and no line would say why."""
    file = written(packetwarp, lcores="0", eal=["--no-pci", "--no-huge", "--vdev=net_null0,no-rx=1", "--vdev=net_null1,no-rx=1"],
                   interfaces=[DEVICES[0] | {"port": 0}, DEVICES[1] | {"port": 1}],
                   nat44={"inside": "inside", "outside": "outside", "pool": ["203.0.113.0/24"], "sessions": sessions}, data_plane={"poll_sleep": "1ms"})
    done = packetwarp.run("run", (), ["-c", str(file), "--control", "none", "--duration", "100ms"], within=memory_group(mib))
    assert done.status == (WRONG_USAGE if words else DONE), done
    assert not words or words in done.errors[0] and "resources.limits.memory" in done.errors[0], done


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to become another user")
def test_no_rights_and_no_interface(packetwarp):
    """Kernel interfaces: the rights of the container, and the network of Multus's."""
    with tempfile.TemporaryDirectory(prefix="pw") as folder:
        os.chmod(folder, 0o755)
        copy = Program(pathlib.Path(shutil.copy(packetwarp.binary, folder)), pathlib.Path(folder), packetwarp.executor)
        file = written(copy, eal=["--in-memory", "--no-pci", "--vdev=net_af_packet0,iface=lo"], interfaces=[DEVICES[0] | {"port": "net_af_packet0"}])
        line = refused(copy, file, within=NO_RIGHTS)
        assert "needs CAP_NET_ADMIN and CAP_NET_RAW" in line and f"add NET_ADMIN, NET_RAW to {CAPABILITIES}" in line
        file.write_text(file.read_text().replace("iface=lo", "iface=nowhere0"))
        assert "k8s.v1.cni.cncf.io/networks" in refused(copy, file, status=FAILED)
