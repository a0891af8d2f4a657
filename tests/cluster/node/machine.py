# SPDX-License-Identifier: Apache-2.0
"""The node: a machine of QEMU's with two igb NICs, an IOMMU and hugepages, in namespaces that go with it."""
from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import pathlib
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

from control_plane import Cluster, Place, end, kubeconfig, running, wait_for

from node.files import kernel_of, write_disk, write_initial

HERE = pathlib.Path(__file__).resolve().parent
# Seconds; without KVM, beside other work, all of it takes 60 to 200.
PATIENCE = 600.0
KUBELET = ("system:node:worker", "system:nodes")
CONTROL, INSIDE, OUTSIDE = NAMESPACES = tuple(f"cluster{os.getpid()}{part}" for part in ("c", "i", "o"))
# The far ends of the NICs' wires: the namespace, its address, and its routes by a replica's address.
WIRES = {"wire0": (INSIDE, "10.0.0.100/24", {"default": "10.0.0.1"}),
         "wire1": (OUTSIDE, "198.51.100.100/24", {"203.0.113.0/26": "198.51.100.1", "203.0.113.64/26": "198.51.100.2"})}
ALLOCATABLE = {"cpu": "4", "hugepages-2Mi": "1Gi", "intel.com/igb_inside": "2", "intel.com/igb_outside": "2"}


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


@contextlib.contextmanager
def namespaces() -> Iterator[None]:
    """A namespace for the control plane and the machine, and one for each wire."""
    try:
        for name in NAMESPACES:
            ip("netns", "add", name)
            ip("-n", name, "link", "set", "lo", "up")
        for tap in ("node", *WIRES):
            ip("-n", CONTROL, "tuntap", "add", tap, "mode", "tap")
        ip("-n", CONTROL, "address", "add", "10.245.0.1/24", "dev", "node")
        ip("-n", CONTROL, "link", "set", "node", "up")
        ip("-n", CONTROL, "route", "add", "10.244.0.0/24", "via", "10.245.0.2")
        yield
    finally:
        for name in NAMESPACES:
            subprocess.run(["ip", "netns", "delete", name], capture_output=True, check=False)


def in_namespace(name: str, *words: str) -> list[str]:
    return ["ip", "netns", "exec", name, *words]


def connect_wires() -> None:
    """A tap that QEMU has opened stays with it in another namespace."""
    for tap, (name, address, routes) in WIRES.items():
        ip("-n", CONTROL, "link", "set", tap, "netns", name)
        ip("-n", name, "address", "add", address, "dev", tap)
        ip("-n", name, "link", "set", tap, "up")
        for to, via in routes.items():
            ip("-n", name, "route", "add", to, "via", via)


def qemu(debian: pathlib.Path, disk: pathlib.Path, initial: pathlib.Path) -> list[str]:
    """Debian 13's own QEMU, by its own loader and libraries."""
    libraries = debian / "usr/lib/x86_64-linux-gnu"
    words = [str(libraries / "ld-linux-x86-64.so.2"), "--library-path", str(libraries), str(debian / "usr/bin/qemu-system-x86_64"),
             "-L", str(debian / "usr/share/qemu"), "-L", str(debian / "usr/share/seabios"),
             "-accel", "tcg,thread=multi,tb-size=512", "-M", "q35", "-cpu", "max", "-smp", "5", "-m", "4096", "-nographic", "-no-reboot", "-nodefaults",
             "-serial", "stdio", "-kernel", str(debian / f"boot/vmlinuz-{kernel_of(debian)}"), "-initrd", str(initial),
             "-append", "console=ttyS0 quiet panic=-1 default_hugepagesz=2M hugepages=512 intel_iommu=on iommu=pt mitigations=off init_on_alloc=0 "
                        "audit=0 apparmor=0 tsc=reliable", "-device", "intel-iommu,device-iotlb=on",
             "-drive", f"file={disk},if=none,id=disk,format=raw,cache=unsafe", "-device", "virtio-blk-pci,drive=disk",
             "-netdev", "tap,id=node,ifname=node,script=no,downscript=no", "-device", "virtio-net-pci,netdev=node,mac=52:54:00:00:00:99,romfile="]
    for n, tap in enumerate(WIRES):
        words += ["-device", f"pcie-root-port,id=root{n},slot={n + 1},bus=pcie.0,addr={n + 4:#x}", "-netdev", f"tap,id={tap},ifname={tap},script=no,downscript=no",
                  "-device", f"igb,netdev={tap},mac=52:54:00:00:00:0{n + 1},romfile=,bus=root{n}"]
    return words


@dataclasses.dataclass(frozen=True)
class Node:
    cluster: Cluster
    console: pathlib.Path
    values: pathlib.Path

    def state(self) -> dict[str, Any]:
        done = self.cluster.run("kubectl", "get", "node", "worker", "-o", "jsonpath={.status.allocatable}")
        return json.loads(done.out) if done.status == 0 and done.out else {}

    def has_all(self) -> bool:
        state = self.state()
        return all(state.get(name) == amount for name, amount in ALLOCATABLE.items())


@contextlib.contextmanager
def booted(programs: pathlib.Path, debian: pathlib.Path, binary: pathlib.Path, folder: pathlib.Path) -> Iterator[Node]:
    """A control plane, and the node once it has everything to allocate."""
    begin = time.monotonic()
    with namespaces(), contextlib.ExitStack() as started:
        place = Place("10.245.0.1", tuple(in_namespace(CONTROL)), (KUBELET,))
        (folder / "control").mkdir()
        cluster = started.enter_context(running(programs, folder / "control", place))
        server = cluster.kubectl("config", "view", "-o", "jsonpath={.clusters[0].cluster.server}")
        configs = {program: kubeconfig(server, list(place.tokens).index(user), **{"insecure-skip-tls-verify": True})
                   for program, user in (("kubelet", KUBELET[0]), ("multus", "admin"))}
        files = {"bin/kubelet": (programs / "kubelet").resolve(), "bin/sriovdp": programs / "sriovdp", "lib/cni/multus": programs / "multus"}
        disk = write_disk(debian, files, binary, configs, folder)
        names = subprocess.Popen(in_namespace(CONTROL, sys.executable, str(HERE / "names.py"), str(programs / "kubectl"), str(cluster.kubeconfig), place.address),
                                 stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=(folder / "names.log").open("w"), start_new_session=True)
        started.callback(end, names)
        console = folder / "console"
        with console.open("wb") as out:
            process = subprocess.Popen(in_namespace(CONTROL, "nice", "-n", "10", *qemu(debian, disk, write_initial(debian, folder))), stdin=subprocess.DEVNULL,
                                       stdout=out, stderr=out, start_new_session=True)
        started.callback(disk.unlink)
        started.callback(end, process)
        node = Node(cluster, console, folder / "values.yaml")
        wait_for(lambda: "node:" in console.read_text(errors="replace") or process.poll() is not None, f"the machine's first line ({console})", PATIENCE)
        assert process.poll() is None, console.read_text(errors="replace")
        connect_wires()
        wait_for(node.has_all, f"the node's devices ({console})", PATIENCE)
        print(f"cluster-test: the node had its devices after {time.monotonic() - begin:.0f} s")
        yield node
