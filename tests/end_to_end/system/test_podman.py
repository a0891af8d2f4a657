# SPDX-License-Identifier: Apache-2.0
"""The image of make image in podman: loaded as the docs say, without rights, with those of af_packet, and ended by SIGTERM."""
from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator

import pytest
from harness import LIVE, ROOT
from namespaces import wait_for
from raw_interface import RawInterface

sys.path.append(str(ROOT / "python" / "oci"))
import image  # noqa: E402

VERSION = "1.2.3"
CLOSED = ["--read-only", "--cap-drop", "all"]
SOURCE_AND_SINK = ["l2fwd", "--no-pci", "-l", "0", "--vdev=net_null0", "--"]
# Fewer than the defaults of podman, which a container without a user namespace may not raise on every machine.
LIMITS = ["--ulimit", "nofile=1024:1024", "--ulimit", "nproc=1024:1024"]


class Podman:
    """podman with images and containers of its own, below a folder."""

    def __init__(self, folder: pathlib.Path) -> None:
        runtime = ["--runtime", "runc"] if shutil.which("runc") else []
        self._podman = ["podman", "--root", str(folder / "root"), "--runroot", str(folder / "run"), "--storage-driver", "vfs",
                        "--cgroup-manager", "cgroupfs", *runtime]
        self.image = f"localhost/packetwarp:{VERSION}"

    def __call__(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([*self._podman, *words], capture_output=True, text=True, timeout=120, check=False)

    def run(self, options: list[str], words: list[str]) -> subprocess.CompletedProcess[str]:
        return self("run", *LIMITS, *options, self.image, *words)


@pytest.fixture(scope="module")
def podman(request) -> Iterator[Podman]:
    if os.geteuid() != 0 or not shutil.which("podman"):
        pytest.skip("needs root and podman")
    with tempfile.TemporaryDirectory(prefix="pw") as name:
        folder = pathlib.Path(name)
        binary, archive = folder / "packetwarp", folder / "packetwarp.oci.tar"
        subprocess.run(["strip", "-o", str(binary), request.config.getoption("--packetwarp")], check=True)
        archive.write_bytes(image.image(binary, None, VERSION))
        made = Podman(folder)
        try:
            loaded = made("load", "-i", str(archive))
            assert loaded.returncode == 0 and made.image in loaded.stdout, loaded
            tried = made.run(["--rm", "--network", "none", *CLOSED], ["--version"])
            if "OCI runtime error" in tried.stderr or "OCI permission denied" in tried.stderr:
                pytest.skip(f"podman starts no container here: {tried.stderr.strip()}")
            yield made
        finally:
            made("rm", "--all", "--force", "--time", "0")


def test_it_says_its_version(podman):
    done = podman.run(["--rm", "--network", "none", *CLOSED], ["--version"])
    assert done.returncode == 0 and done.stdout.startswith("packetwarp "), done


@pytest.mark.parametrize("user", ([], ["--user", "0"], ["--user", "1000660000"]), ids=("image", "root", "any"))
def test_it_forwards_without_rights(podman, user):
    done = podman.run(["--rm", "--network", "none", *CLOSED, *user], [*SOURCE_AND_SINK, "--duration", "100ms", "--json", "-"])
    assert done.returncode == 0 and json.loads(done.stdout)["packets"]["tx"] > 0, done
    assert "error" not in done.stderr and "control socket" not in done.stderr, done.stderr


def test_it_forwards_what_a_veth_brings(podman, namespaces):
    """With the capabilities that docs/kubernetes.md names for af_packet, in a network namespace that has the ports."""
    here, there = namespaces.add("here"), namespaces.add("there")
    for at, name in ((here, "w"), (there, "h")):
        at.silence()
    for port in ("0", "1"):
        namespaces.connect((here, f"w{port}"), (there, f"h{port}"))
    added = [word for right in ("NET_ADMIN", "NET_RAW", "IPC_LOCK") for word in ("--cap-add", right)]
    ports = ["l2fwd", "--no-pci", "-l", "0", "--vdev=net_af_packet0,iface=w0", "--vdev=net_af_packet1,iface=w1", "--"]
    started = podman.run(["--detach", "--network", f"ns:/run/netns/{here.name}", *CLOSED, *added], [*ports, "--packets", "3", "--stats-period", "50ms", "--json", "-"])
    assert started.returncode == 0, started
    name = started.stdout.strip()
    wait_for(lambda: LIVE in podman("logs", name).stderr, "it to forward", seconds=60)
    frames = [b"\x02\0\0\0\0\x01" + b"\x02\0\0\0\0\x02" + b"\x88\xb5" + bytes([number]) * 46 for number in range(3)]
    with RawInterface(there, "h0") as sent, RawInterface(there, "h1") as arrives:
        for frame in frames:
            sent.send(frame)
        assert [arrives.receive() for _ in frames] == [frame[6:12] + frame[:6] + frame[12:] for frame in frames]
    assert podman("wait", name).stdout.strip() == "0"
    packets = json.loads(podman("logs", name).stdout)["packets"]
    assert packets["rx"] == packets["tx"] == len(frames), packets


def test_sigterm_ends_it_with_the_result(podman):
    started = podman.run(["--detach", "--network", "none", *CLOSED], [*SOURCE_AND_SINK, "--stats-period", "50ms", "--json", "-"])
    assert started.returncode == 0, started
    name = started.stdout.strip()
    wait_for(lambda: LIVE in podman("logs", name).stderr, "it to forward", seconds=60)
    assert podman("kill", "--signal", "TERM", name).returncode == 0
    assert podman("wait", name).stdout.strip() == "0"
    report = json.loads(podman("logs", name).stdout)
    assert report["ended_by"] == "signal" and report["packets"]["rx"] > 0, report
