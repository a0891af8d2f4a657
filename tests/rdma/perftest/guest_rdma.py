# SPDX-License-Identifier: Apache-2.0
"""A guest with a software RDMA device (rdma_rxe) and Debian's perftest, on a wire whose other end is an interface of a
namespace, where packetwarp runs."""
from __future__ import annotations

import contextlib
import pathlib
import subprocess
from collections.abc import Iterator

from guest import Guest, Nic, Settings, booted
from namespaces import Namespace, run
from tap_wire import TapWire

OWN, PEER = "10.9.0.1", "10.9.0.2"
WIRE, DEVICE = "wire", "rxe0"
OWN_MAC, PEER_MAC = "02:00:00:00:09:01", "52:54:00:00:09:02"
# RoCEv2's largest payload and its headers fit.
LINK_MTU = 4500
MODULES = ("virtio_net", "crc32_generic", "ib_uverbs", "rdma_rxe", "sch_netem", "act_gact", "cls_matchall", "sch_ingress")


class RdmaGuest:
    """debian: the unpacked packages, in which perftest runs by chroot."""

    def __init__(self, guest: Guest, debian: pathlib.Path, address: str = PEER) -> None:
        self.guest, self._debian = guest, debian
        guest.load(*MODULES)
        self.interface = guest.shell("basename $(ls -d /sys/class/net/e*)").strip()
        guest.shell(f"""ip link set {self.interface} mtu {LINK_MTU} up
            ip addr add {address}/24 dev {self.interface}
            rdma link add {DEVICE} type rxe netdev {self.interface}
            for place in proc sys dev; do mkdir -p {debian}/$place; mount -o bind /$place {debian}/$place; done""")
        gids = guest.shell(f"cat /sys/class/infiniband/{DEVICE}/ports/1/gids/* | head -8").split()
        self.gid = next(n for n, gid in enumerate(gids) if gid.endswith(":ffff:{:02x}{:02x}:{:02x}{:02x}".format(*map(int, address.split(".")))))

    def perftest(self, program: str, *words: str) -> subprocess.Popen[str]:
        """A program of perftest's on the device."""
        return self.guest.popen("chroot", str(self._debian), f"/usr/bin/{program}", "-d", DEVICE, "-x", str(self.gid), "-F", *words)

    def version(self) -> str:
        return self.guest.run("chroot", str(self._debian), "/usr/bin/ib_write_bw", "--version", check=False).stdout.strip()

    @contextlib.contextmanager
    def losing(self, percent: int) -> Iterator[None]:
        """N frames of a hundred are lost in either direction; the guest sends N of a hundred twice, late, and corrupted, too."""
        # A queue that is full (1000 frames by default) tells rxe an error of its own, which ends a connection.
        here, often = self.interface, 100 // percent
        self.guest.shell(f"""tc qdisc add dev {here} root netem limit 20000 delay 1ms loss {percent}% duplicate {percent}% corrupt {percent}% reorder 99%
            tc qdisc add dev {here} handle ffff: ingress
            tc filter add dev {here} parent ffff: matchall action ok random netrand drop {often}""")
        try:
            yield
        finally:
            self.guest.shell(f"tc qdisc del dev {here} root; tc qdisc del dev {here} ingress")


@contextlib.contextmanager
def rdma_guest(debian: pathlib.Path, initial: pathlib.Path, folder: pathlib.Path, host: Namespace) -> Iterator[RdmaGuest]:
    """host: the namespace of the wire's other end."""
    wire = TapWire(host, WIRE, OWN_MAC)
    try:
        host.ip("link", "set", WIRE, "mtu", str(LINK_MTU))
        host.ip("addr", "add", f"{OWN}/24", "dev", WIRE)
        nic = Nic("virtio-net-pci", PEER_MAC, wire.backend("wire0"), files=(wire.file,))
        with booted(debian, initial, folder, [nic], Settings(iommu="off", hugepages=0)) as guest:
            yield RdmaGuest(guest, debian)
    finally:
        wire.close()


def has_providers() -> bool:
    """Whether this machine's libibverbs, which packetwarp is linked with, knows rxe: packetwarp runs in the guest, too."""
    return run("sh", "-c", "ls /usr/lib/*/libibverbs/librxe-*.so", check=False).returncode == 0
