# SPDX-License-Identifier: Apache-2.0
"""The image that a guest boots from: Debian's kernel, and an initial file system that holds busybox and the few modules by which
the guest mounts this machine's own files. It has no disk."""
from __future__ import annotations

import lzma
import pathlib
import shutil
import subprocess
import tempfile

from guest_drivers import ALL, Drivers

# The modules that the init script below needs before it sees another file system.
EARLY_MODULES = ("9pnet_virtio", "9p", "overlay")

# The guest's root is this machine's, read only, with the guest's writes beside it in the guest's memory. Modules are
# those of the guest's kernel. The folder of the test is the same file on both sides, under the same name.
INIT = r"""#!/bin/busybox sh
/bin/busybox --install -s /bin
mkdir -p /proc /sys /dev /machine /written /root
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev
for module in /modules/*; do insmod "$module" || echo "guest: insmod $module failed"; done
folder=$(tr ' ' '\n' < /proc/cmdline | sed -n 's|^folder=||p')
share() { mount -t 9p -o "trans=virtio,version=9p2000.L,msize=262144,$3" "$1" "$2" || echo "guest: no file system $1"; }
share machine /machine ro,cache=loose
mount -t tmpfs written /written; mkdir /written/files /written/work
mount -t overlay -o lowerdir=/machine,upperdir=/written/files,workdir=/written/work root /root
mkdir -p /root/usr/lib/modules
share modules /root/usr/lib/modules ro,cache=loose
for place in proc sys dev; do mount -o move "/$place" "/root/$place"; done
for place in tmp var/tmp; do mount -t tmpfs tmpfs "/root/$place"; done
mount -t tmpfs -o mode=755 tmpfs /root/run
if [ -d /drivers ]; then
  mkdir /root$ALL; mount -o bind "/root$DRIVERS" "/root$ALL"; mount -o bind /drivers "/root$DRIVERS"
fi
mkdir -p /root/dev/pts /root/dev/hugepages /root/dev/shm
mount -t devpts devpts /root/dev/pts; mount -t hugetlbfs -o pagesize=2M hugetlbfs /root/dev/hugepages
mkdir -p "/root$folder"
share folder "/root$folder" cache=none
ip link set lo up
exec chroot /root /bin/sh "$folder/agent.sh" "$folder"
"""


class NoGuest(Exception):
    """The missing part."""


def kernel_release(debian: pathlib.Path) -> str:
    releases = sorted(folder.name for folder in (debian / "usr/lib/modules").glob("*"))
    if not releases:
        raise NoGuest(f"{debian} holds no kernel's modules (ci/nic_test.sh unpacks them)")
    return releases[-1]


def modules_with_what_they_need(debian: pathlib.Path, names: tuple[str, ...]) -> list[pathlib.Path]:
    """Files, in the order in which the kernel takes them."""
    files: list[pathlib.Path] = []
    for name in names:
        shown = subprocess.run(["modprobe", "-d", str(debian), "-S", kernel_release(debian), "--show-depends", name],
                               capture_output=True, text=True, check=False)
        if shown.returncode != 0:
            raise NoGuest(f"module {name}: {shown.stderr.strip()}")
        for line in shown.stdout.splitlines():
            kind, _, file = line.partition(" ")
            if kind == "insmod" and pathlib.Path(file.strip()) not in files:
                files.append(pathlib.Path(file.strip()))
    return files


def make_initial_files(debian: pathlib.Path, drivers: Drivers, to: pathlib.Path) -> None:
    """An archive for QEMU's -initrd."""
    with tempfile.TemporaryDirectory() as made:
        root = pathlib.Path(made)
        (root / "bin").mkdir()
        (root / "modules").mkdir()
        shutil.copy(debian / "usr/bin/busybox", root / "bin/busybox")
        for index, module in enumerate(modules_with_what_they_need(debian, EARLY_MODULES)):
            content = module.read_bytes()
            plain = lzma.decompress(content) if module.suffix == ".xz" else content
            (root / f"modules/{index:02}-{module.name.removesuffix('.xz')}").write_bytes(plain)
        if drivers.folder is not None:
            (root / "drivers").mkdir()
            for name, place in drivers.links().items():
                (root / "drivers" / name).symlink_to(place)
        (root / "init").write_text(INIT.replace("$ALL", ALL).replace("$DRIVERS", str(drivers.folder)))
        (root / "init").chmod(0o755)
        names = "\n".join(str(path.relative_to(root)) for path in sorted(root.rglob("*")))
        with to.open("wb") as archive:
            subprocess.run(["cpio", "--quiet", "-o", "-H", "newc"], cwd=root, input=names.encode(), stdout=archive, check=True)
