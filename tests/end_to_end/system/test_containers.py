# SPDX-License-Identifier: Apache-2.0
"""packetwarp where a container runs it: another user, a read-only root, rights that a file has, a pod's advice."""
from __future__ import annotations

import contextlib
import os
import pathlib
import shutil
import subprocess
import tempfile
from collections.abc import Iterator

import pytest
from harness import ALONE, DONE, Program, end_with_the_tests
from live import ROUTED
from namespaces import wait_for
from test_privileges import IPC_LOCK, NET_ADMIN, NET_RAW, bits, rights_of_threads

USER = 65532
AS_USER = ("setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", "--inh-caps=-all", "--ambient-caps=-all")
NO_RIGHTS = (*AS_USER, "--bounding-set=-all", "--no-new-privs")
RIGHTS = bits(NET_ADMIN, NET_RAW, IPC_LOCK)
READ_ONLY = ("unshare", "--mount", "sh", "-c", 'mount -t tmpfs -o ro none /run && mount --bind /tmp /tmp && mount -o remount,ro,bind /tmp && exec "$@"', "sh")

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to become another user")


@contextlib.contextmanager
def permitted(program: Program) -> Iterator[Program]:
    """A copy with the capabilities of the image, permitted and not effective, in a folder that every user may write to."""
    with tempfile.TemporaryDirectory(prefix="pw") as folder:
        os.chmod(folder, 0o777)
        copy = pathlib.Path(shutil.copy(program.binary, folder))
        done = subprocess.run(["setcap", "cap_net_admin,cap_net_raw,cap_ipc_lock+p", str(copy)], check=False, capture_output=True, text=True)
        if done.returncode != 0:
            pytest.skip(f"no file capabilities here: {done.stderr.strip()}")
        yield Program(copy, pathlib.Path(folder), program.executor)


def test_permitted_capabilities_are_raised(packetwarp, namespaces):
    here = namespaces.add("here")
    namespaces.connect((here, "l0"), (here, "r0"))
    within = (*here.command(), *AS_USER)
    with permitted(packetwarp) as copy, copy.running(["-l", "0", "--vdev=net_af_packet0,iface=l0"], within=within) as running:
        running.wait_until_forwarding()
        rights = rights_of_threads(running.process.pid)
        assert rights and all(of == (RIGHTS, RIGHTS, 1) for of in rights.values()), rights
        assert running.send(2).finish().status == DONE


def test_permitted_capabilities_that_the_container_drops_are_not_needed(packetwarp):
    with permitted(packetwarp) as copy:
        done = copy.run("l2fwd", [*ALONE, "-l", "0", "--vdev=net_null0"], ["--duration", "20ms", "--control", "none"], within=NO_RIGHTS)
        assert done.status == DONE and not done.errors, done
        assert copy.run("--version", within=NO_RIGHTS).status == DONE


@contextlib.contextmanager
def read_only(packetwarp: Program, *within: str) -> Iterator[subprocess.Popen[str]]:
    """A network in a mount namespace where neither /run nor /tmp can be written to."""
    config = packetwarp.write_config(ROUTED)
    argv = [*READ_ONLY, *within, *packetwarp.words("run", [*ALONE, "-l", "0", "--vdev=net_null0,no-rx=1", "--vdev=net_null1,no-rx=1"], ["-c", str(config)])]
    process = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=end_with_the_tests)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()


@pytest.mark.parametrize("within", ((), AS_USER), ids=("root", "user"))
def test_a_read_only_root_leaves_the_control_socket(packetwarp, within):
    pathlib.Path(packetwarp.folder).chmod(0o755)
    owner = USER if within else 0
    if within:
        for folder in packetwarp.folder.parents:
            if not folder.stat().st_mode & 0o001:
                pytest.skip(f"{folder} is closed to other users")
    with read_only(packetwarp, *within) as process:
        socket = pathlib.Path(f"/dev/shm/packetwarp-{owner}")
        wait_for(lambda: process.poll() is not None or list(socket.glob("*.sock")), "a control socket", seconds=60)
        assert process.poll() is None, process.communicate()
        inside = ["nsenter", "-t", str(process.pid), "--mount", *within]
        wait_for(lambda: packetwarp.run("show", ["interfaces"], within=inside).status == DONE, "an answer", seconds=60)
        process.terminate()
        stdout, stderr = process.communicate(timeout=60)
        assert process.returncode == DONE and "control socket" not in stderr, (stdout, stderr)
    shutil.rmtree(socket, ignore_errors=True)


def test_no_folder_at_all_is_one_line(packetwarp):
    nowhere = [*READ_ONLY[:-2], 'mount -t tmpfs -o ro none /dev/shm && ' + READ_ONLY[-2], "sh"]
    done = packetwarp.run("l2fwd", ["--no-huge", "-m", "64", "--no-pci", "-l", "0", "--vdev=net_null0"], ["--duration", "20ms"], within=nowhere)
    assert done.status == 2 and len(done.stderr.splitlines()) == 1, done
    assert "RUNTIME_DIRECTORY" in done.errors[0] and "emptyDir" in done.errors[0], done


@pytest.mark.parametrize("missing", ("mount -t tmpfs none /sys/kernel/mm/hugepages", "umount -a -t hugetlbfs"), ids=("none free", "no volume"))
def test_a_pod_without_hugepages_hears_of_its_manifest(packetwarp, monkeypatch, missing):
    """The pages of a node are not a pod's that has no volume of them."""
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "10.96.0.1")
    hidden = ["unshare", "--mount", "sh", "-c", f'{missing}; exec "$@"', "sh"]
    done = packetwarp.run("l2fwd", ["--no-pci", "-l", "0", "--vdev=net_null0"], ["--duration", "20ms", "--control", "none"], within=hidden)
    notices = [line for line in done.warnings if "hugepages" in line]
    assert done.status == DONE and len(notices) == 1, done
    assert "resources.limits.hugepages-2Mi" in notices[0] and "nr_hugepages" not in notices[0]
