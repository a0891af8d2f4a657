# SPDX-License-Identifier: Apache-2.0
"""The image of make image: its form, and packetwarp in it, in a container of runc with a read-only root and without rights."""
from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from typing import Any

import pytest
from harness import ROOT

sys.path.append(str(ROOT / "python" / "oci"))
import image  # noqa: E402

MOST = 40 << 20
THREE = ["CAP_NET_ADMIN", "CAP_NET_RAW", "CAP_IPC_LOCK"]
FORWARD = ["l2fwd", "--no-pci", "-l", "0", "--vdev=net_null0", "--", "--duration", "100ms", "--json", "-"]


@pytest.fixture(scope="module")
def archive(request) -> bytes:
    """The image of the tested binary, stripped as that of make package is."""
    with tempfile.TemporaryDirectory(prefix="pw") as folder:
        binary = pathlib.Path(folder) / "packetwarp"
        subprocess.run(["strip", "-o", str(binary), request.config.getoption("--packetwarp")], check=True)
        made = image.image(binary, None, "1.2.3")
        assert image.image(binary, None, "1.2.3") == made, "the same files make the same archive"
        return made


def blobs_of(archive: bytes) -> dict[str, bytes]:
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        return {one.name: files.extractfile(one).read() for one in files if one.isfile()}


def blob(blobs: dict[str, bytes], described: dict[str, Any]) -> bytes:
    found = blobs["blobs/sha256/" + described["digest"].removeprefix("sha256:")]
    assert len(found) == described["size"] and "sha256:" + hashlib.sha256(found).hexdigest() == described["digest"]
    return found


def layer_of(archive: bytes) -> tuple[dict[str, Any], bytes]:
    """The image's config, and its only layer."""
    blobs = blobs_of(archive)
    assert json.loads(blobs["oci-layout"]) == {"imageLayoutVersion": "1.0.0"}
    manifest = json.loads(blob(blobs, json.loads(blobs["index.json"])["manifests"][0]))
    config, layer = json.loads(blob(blobs, manifest["config"])), gzip.decompress(blob(blobs, manifest["layers"][0]))
    assert config["rootfs"]["diff_ids"] == ["sha256:" + hashlib.sha256(layer).hexdigest()]
    return config, layer


def test_an_image_is_small_and_says_how_it_runs(archive):
    assert len(archive) < MOST
    config, layer = layer_of(archive)
    assert config["config"]["User"] == "65532:65532" and config["config"]["Entrypoint"] == ["/usr/bin/packetwarp"]
    assert config["config"]["StopSignal"] == "SIGTERM"
    assert config["config"]["Labels"]["org.opencontainers.image.licenses"] == "Apache-2.0"
    assert config["config"]["Labels"]["org.opencontainers.image.version"] == "1.2.3"
    with tarfile.open(fileobj=io.BytesIO(layer)) as files:
        found = {one.name: one for one in files}
    assert all(one.mtime == 0 and one.uname == "" for one in found.values())
    program = found["usr/bin/packetwarp"]
    # VFS_CAP_REVISION_2 without VFS_CAP_FLAGS_EFFECTIVE, and bits 12 to 14.
    assert program.pax_headers["SCHILY.xattr.security.capability"].encode("latin-1").hex() == "00000002" + "00700000" + 12 * "00"
    assert found["run/packetwarp"].uid == 65532 and found["tmp"].mode == 0o1777
    assert "etc/passwd" not in found


def unpack(layer: bytes, root: pathlib.Path) -> None:
    with tarfile.open(fileobj=io.BytesIO(layer)) as files:
        for one in files:
            files.extract(one, root, numeric_owner=True, set_attrs=True)
            if attribute := one.pax_headers.get("SCHILY.xattr.security.capability"):
                os.setxattr(root / one.name, "security.capability", attribute.encode("latin-1"))


def runtime_config(config: dict[str, Any], words: list[str], user: int, capabilities: list[str], root: str) -> dict[str, Any]:
    """As a pod with readOnlyRootFilesystem, allowPrivilegeEscalation and these capabilities has it."""
    sets = ("bounding", "effective", "permitted")
    mounts = [("/proc", "proc", []), ("/sys", "sysfs", ["ro", "nosuid", "noexec"]), ("/dev", "tmpfs", ["mode=755"]),
              ("/dev/shm", "tmpfs", ["mode=1777", "size=65536k"])]
    return {"ociVersion": "1.0.2",
            "process": {"user": {"uid": user, "gid": user}, "cwd": "/", "args": [*config["config"]["Entrypoint"], *words],
                        "env": [*config["config"]["Env"], "KUBERNETES_SERVICE_HOST=10.96.0.1"], "noNewPrivileges": False,
                        "capabilities": dict.fromkeys(sets, capabilities)},
            "root": {"path": root, "readonly": True},
            "mounts": [{"destination": at, "type": kind, "source": kind, "options": options} for at, kind, options in mounts],
            "linux": {"namespaces": [{"type": kind} for kind in ("pid", "mount", "ipc", "uts", "network")]}}


@pytest.fixture(scope="module")
def bundle(archive) -> Iterator[tuple[dict[str, Any], pathlib.Path]]:
    if os.geteuid() != 0 or not shutil.which("runc"):
        pytest.skip("needs root and runc")
    with tempfile.TemporaryDirectory(prefix="pw") as folder:
        config, layer = layer_of(archive)
        (root := pathlib.Path(folder) / "rootfs").mkdir(0o755)
        try:
            unpack(layer, root)
        except PermissionError as refused:
            pytest.skip(f"no file capabilities here: {refused}")
        for name in ("proc", "sys", "dev"):
            (root / name).mkdir()
        yield config, pathlib.Path(folder)


@pytest.mark.parametrize("user", (65532, 0, 1000660000), ids=("image", "root", "any"))
@pytest.mark.parametrize("capabilities", ([], THREE), ids=("none", "three"))
def test_it_forwards_in_a_container(bundle, user, capabilities):
    config, folder = bundle
    (folder / "config.json").write_text(json.dumps(runtime_config(config, FORWARD, user, capabilities, "rootfs")))
    name = f"packetwarp-{os.getpid()}-{user}-{len(capabilities)}"
    done = subprocess.run(["runc", "--root", str(folder / "state"), "run", "--bundle", str(folder), name],
                          capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done
    assert json.loads(done.stdout)["packets"]["tx"] > 0
    assert "error" not in done.stderr and "control socket" not in done.stderr and "nr_hugepages" not in done.stderr, done.stderr
