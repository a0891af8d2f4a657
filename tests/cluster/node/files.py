# SPDX-License-Identifier: Apache-2.0
"""The files of the node: Debian's, with kubelet, the device plugin, images, and their configurations."""
from __future__ import annotations

import json
import lzma
import pathlib
import shutil
import subprocess
import sys
from typing import Any

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(ROOT / "python/oci"))
import image as oci  # noqa: E402

# Parts of the unpacked packages that the node does not need: a half of their size.
LEFT_OUT = ("usr/bin/qemu*", "usr/share/qemu", "usr/share/doc", "usr/share/locale", "usr/share/man", "usr/lib/qemu", "usr/lib/udev", "boot")
EARLY_MODULES = ("virtio_pci", "virtio_blk", "crc32c_generic", "ext4")
FUNCTIONS = {"inside": "0000:01:00.0", "outside": "0000:02:00.0"}
INITIAL = """\
#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc proc /proc; mount -t devtmpfs dev /dev
for module in /modules/*; do insmod "$module"; done
while [ ! -e /dev/vda ]; do sleep 0.2; done
mount -t ext4 /dev/vda /root
mount -o move /dev /root/dev
umount /proc
exec switch_root /root /init
"""
CONTAINERD = """\
version = 2
[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = "localhost/pause:1"
device_ownership_from_security_context = true
disable_apparmor = true
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"
"""
# The pod's own interface; those of the annotation k8s.v1.cni.cncf.io/networks are Multus's.
BRIDGE = {"cniVersion": "0.3.1", "name": "pods", "plugins": [{"type": "bridge", "bridge": "cni0", "isGateway": True, "ipam": {
    "type": "host-local", "ranges": [[{"subnet": "10.244.0.0/24"}]], "routes": [{"dst": "0.0.0.0/0"}]}}]}
MULTUS = {"cniVersion": "0.3.1", "name": "multus", "type": "multus", "kubeconfig": "/etc/multus.kubeconfig", "delegates": [BRIDGE]}
KUBELET = {
    "clusterDNS": ["10.245.0.1"], "clusterDomain": "cluster.local",
    "apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration", "cgroupDriver": "cgroupfs", "failSwapOn": False,
    "containerRuntimeEndpoint": "unix:///run/containerd/containerd.sock", "resolvConf": "", "address": "10.245.0.2",
    "authentication": {"anonymous": {"enabled": True}, "webhook": {"enabled": False}}, "authorization": {"mode": "AlwaysAllow"},
    "cpuManagerPolicy": "static", "reservedSystemCPUs": "0", "topologyManagerPolicy": "single-numa-node", "memoryManagerPolicy": "Static",
    "systemReserved": {"memory": "400Mi"}, "evictionHard": {"memory.available": "100Mi", "nodefs.available": "1%", "imagefs.available": "1%"},
    "reservedMemory": [{"numaNode": 0, "limits": {"memory": "500Mi"}}], "registerWithTaints": []}
DEVICE_PLUGIN = {"resourceList": [{"resourcePrefix": "intel.com", "resourceName": f"igb_{side}", "selectors": {
    "vendors": ["8086"], "devices": ["10ca"], "drivers": ["vfio-pci"], "rootDevices": [root]}} for side, root in FUNCTIONS.items()]}


def kernel_of(debian: pathlib.Path) -> str:
    return next((debian / "usr/lib/modules").iterdir()).name


def early_modules(debian: pathlib.Path) -> list[pathlib.Path]:
    files: list[pathlib.Path] = []
    for name in EARLY_MODULES:
        shown = subprocess.run(["modprobe", "-d", str(debian), "-S", kernel_of(debian), "--show-depends", name], capture_output=True, text=True, check=True)
        found = [pathlib.Path(line.split()[1]) for line in shown.stdout.splitlines() if line.startswith("insmod")]
        files += [file for file in found if file not in files]
    return files


def write_initial(debian: pathlib.Path, folder: pathlib.Path) -> pathlib.Path:
    """The initial file system: busybox, and the modules by which the disk is mounted."""
    root, archive = folder / "initial", folder / "initial.cpio"
    for name in ("bin", "modules", "proc", "dev", "root"):
        (root / name).mkdir(parents=True)
    shutil.copy(debian / "usr/bin/busybox", root / "bin/busybox")
    for n, module in enumerate(early_modules(debian)):
        (root / f"modules/{n:02}-{module.name.removesuffix('.xz')}").write_bytes(lzma.decompress(module.read_bytes()))
    (root / "init").write_text(INITIAL)
    (root / "init").chmod(0o755)
    names = "\n".join(str(path.relative_to(root)) for path in sorted(root.rglob("*")))
    with archive.open("wb") as out:
        subprocess.run(["cpio", "--quiet", "-o", "-H", "newc"], cwd=root, input=names.encode(), stdout=out, check=True)
    return archive


def pause(debian: pathlib.Path) -> bytes:
    """The image of a pod's first process, which sleeps."""
    return oci.image_of([oci.Entry("bin/busybox", 0o755, (debian / "usr/bin/busybox").read_bytes())],
                        {"Entrypoint": ["/bin/busybox", "tail", "-f", "/dev/null"]}, "localhost/pause:1", "1")


def busybox(debian: pathlib.Path) -> bytes:
    """The image of helm's test, and of a pod that sees the node's processes."""
    links = [oci.Entry(f"bin/{name}", 0o777, link="/bin/busybox") for name in ("sh", "sleep", "wget", "grep", "pidof")]
    return oci.image_of([oci.Entry("bin/busybox", 0o755, (debian / "usr/bin/busybox").read_bytes()), *links],
                        {"Entrypoint": ["/bin/sh"], "Env": ["PATH=/bin"]}, "localhost/busybox:1", "1")


def write_disk(debian: pathlib.Path, programs: dict[str, pathlib.Path], binary: pathlib.Path, kubeconfigs: dict[str, dict[str, Any]],
               folder: pathlib.Path) -> pathlib.Path:
    """An ext4 of the node. programs: by path below /usr, further ones; kubeconfigs: by program."""
    root, disk = folder / "root", folder / "node.ext4"
    subprocess.run(["cp", "-al", str(debian), str(root)], check=True)
    for pattern in LEFT_OUT:
        for path in root.glob(pattern):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    for name in ("bin", "sbin", "lib64"):
        (root / name).symlink_to(f"usr/{name}")
    for name in ("proc", "sys", "dev", "run", "tmp", "images", "busybox", "var/log", "etc/containerd", "etc/cni/net.d", "opt/cni"):
        (root / name).mkdir(parents=True, exist_ok=True)
    (root / "opt/cni/bin").symlink_to("/usr/lib/cni")
    for name, path in programs.items():
        shutil.copy(path, root / "usr" / name)
    (root / "init").write_bytes((HERE / "init.sh").read_bytes())
    (root / "init").chmod(0o755)
    for path, text in {"etc/containerd/config.toml": CONTAINERD, "etc/cni/net.d/00-multus.conf": json.dumps(MULTUS), "etc/kubelet.json": json.dumps(KUBELET),
                       **{f"etc/{program}.kubeconfig": json.dumps(config) for program, config in kubeconfigs.items()}, "etc/sriovdp.json": json.dumps(DEVICE_PLUGIN), "etc/machine-id": "0" * 31 + "1\n",
                       "etc/passwd": "root:x:0:0:root:/root:/bin/sh\n", "etc/group": "root:x:0:\n", "etc/hosts": "127.0.0.1 localhost\n",
                       "etc/resolv.conf": "", "etc/os-release": 'ID=debian\nPRETTY_NAME="a test node"\n'}.items():
        (root / path).unlink(missing_ok=True)
        (root / path).write_text(text)
    (root / "images/pause.tar").write_bytes(pause(debian))
    (root / "images/busybox.tar").write_bytes(busybox(debian))
    (root / "images/packetwarp.tar").write_bytes(oci.image(binary, None, (ROOT / "VERSION").read_text().strip()))
    subprocess.run(["truncate", "-s", "3G", str(disk)], check=True)
    subprocess.run(["mke2fs", "-q", "-t", "ext4", "-O", "^has_journal", "-d", str(root), str(disk)], check=True)
    shutil.rmtree(root)
    return disk
