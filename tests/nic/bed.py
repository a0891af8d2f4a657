# SPDX-License-Identifier: Apache-2.0
"""A guest with NICs of one device for packetwarp: two whose wires' ends are the test's, bound to vfio-pci."""
from __future__ import annotations

import contextlib
import dataclasses
import pathlib
import re
import signal
from collections.abc import Iterator, Sequence
from typing import Any

from guest import Guest, Nic, UnixWire, booted, device_words
from harness import Program, Run, Running
from namespaces import Namespace, wait_for
from raw_network import HOST_MAC, LEFT, OWN_MAC, RIGHT, SIDES, OnWire, Wires
from scapy.layers.l2 import Ether
from tap_wire import TapWire

# A sent packet, and the expected one.
Way = tuple[OnWire, OnWire]
# Hosts with a stack of their own, in place of the hosts on the left and on the right.
CLIENT, SERVER = "client", "server"
STACKS = (CLIENT, SERVER)
SIDE_OF = {LEFT: LEFT, RIGHT: RIGHT, CLIENT: LEFT, SERVER: RIGHT}


@dataclasses.dataclass(frozen=True)
class Device:
    """A device that QEMU plays. pmd: its driver of DPDK. virtual: a function that the kernel's driver of the physical one made.
    longest: frames up to this many bytes are received; frames: "plain" if frames of an unregistered VLAN are not received.
    resets: the IOMMU's messages while the device is reset. queues: of either direction, at most. spread: the way packets are
    distributed over several of them. rules: how many rules of test_rules.py its driver takes, and how many of these are the NIC's
    with rules.on: auto."""

    name: str
    model: str
    pmd: str
    virtual: bool = False
    longest: int = 9014
    frames: str = "tagged"
    resets: str = "quietly"
    queues: int = 2
    spread: str = "none"
    rules: tuple[int, int] = (0, 0)


DEVICES = (
    Device("e1000e", "e1000e", "net_e1000_em"),
    # QEMU gives it several queues only in front of several taps.
    Device("virtio-net", "virtio-net-pci", "net_virtio", queues=1),
    # A frame that does not fit into one mbuf is an error to it, in testpmd as well.
    Device("vmxnet3", "vmxnet3", "net_vmxnet3", longest=2048, resets="with faults"),
    Device("igb", "igb", "net_e1000_igb", queues=16, spread="by RSS", rules=(4, 3)),
    Device("igb-vf", "igb", "net_e1000_igb_vf", virtual=True, frames="plain"),
)
POLL_SLEEP = "500us"
# A resource of a device plugin, and the variable that tells its devices to a container (docs/kubernetes.md, "Ports").
RESOURCE, VARIABLE = "intel.com/igb_left", "PCIDEVICE_INTEL_COM_IGB_LEFT"
# Words of the kernel and its IOMMU that no run may cause. vmxnet3, as QEMU plays it, reads address 0 when it is reset.
BROKEN = re.compile(r"Oops|BUG:|Call Trace|Kernel panic")
FAULT = re.compile(r"DMAR: \[DMA")


class GuestProgram(Program):
    """packetwarp in a guest."""

    EAL = ("--in-memory",)


class GuestWires(Wires):
    """A guest without KVM may stand still for seconds, where the machine is busy."""

    SECONDS = 60.0


@dataclasses.dataclass
class Bed:
    """wires: of the first two NICs; hosts: of the other two, if namespaces can be made. addresses: packetwarp's PCI addresses of
    each side; physical: the NICs'."""

    device: Device
    guest: Guest
    packetwarp: GuestProgram
    wires: Wires
    physical: dict[str, str]
    addresses: dict[str, str]
    hosts: dict[str, Namespace]
    nics: dict[str, Nic]

    def number(self, side: str) -> int:
        """The number of its NIC in the guest."""
        return list(self.nics).index(side)

    def take_out(self, side: str) -> None:
        """Like a person's hand: the guest's kernel is asked to release it, and asks its owner. A virtual function goes when its
        physical one is told to have none."""
        if self.device.virtual:
            self.guest.shell(f"(echo 0 > /sys/bus/pci/devices/{self.addresses[side]}/physfn/sriov_numvfs) >/dev/null 2>&1 &")
        else:
            self.guest.monitor.do("device_del", id=f"nic{self.number(side)}")

    def is_there(self, side: str) -> bool:
        return self.guest.run("test", "-e", f"/sys/bus/pci/devices/{self.addresses[side]}", check=False).returncode == 0

    def put_in(self, side: str) -> None:
        """Into the slot that it was taken out of, and bound again."""
        if self.device.virtual:
            make_virtual(self.guest, {side: self.physical[side]})
        else:
            words = device_words(self.nics[side], self.number(side))
            self.guest.monitor.do("human-monitor-command", **{"command-line": f"device_add {words}"})
        wait_for(lambda: self.is_there(side), "the device to be there", seconds=60)
        self.guest.bind("vfio-pci", self.addresses[side])

    @contextlib.contextmanager
    def running(self, command: str, *options: str, between: Sequence[str] = SIDES, environment: Sequence[str] = ()) -> Iterator[Running]:
        """On two ports, once it forwards. between: the sides whose devices the EAL is given; environment: NAME=VALUE."""
        eal = ["--lcores", "0-1", *(word for side in between for word in ("-a", self.addresses[side]))]
        within = self.guest.command("env", *environment) if environment else self.guest.command()
        with self.packetwarp.running(eal, options, within=within, command=command) as running:
            try:
                yield running.wait_until_forwarding()
            finally:
                # A run that is not ended would keep the ports from the next.
                if running.is_alive():
                    running.send(signal.SIGINT).finish()

    def routing(self, file: dict[str, Any], *options: str, between: Sequence[str] = SIDES) -> contextlib.AbstractContextManager[Running]:
        return self.running("run", "-c", self.written(file), *options, between=between)

    def routing_by_name(self, file: dict[str, Any], *options: str) -> contextlib.AbstractContextManager[Running]:
        """Without -a: one interface names the resource of which a pod's device plugin tells the address, the other its address.
        The file has the interfaces in the opposite order of DPDK's numbers."""
        left, right = file["interfaces"]
        left["port"], right["port"] = {"resource": RESOURCE}, {"pci": self.addresses[RIGHT]}
        named = {**file, "interfaces": [right, left]}
        return self.running("run", "-c", self.written(named), *options, between=(), environment=[f"{VARIABLE}={self.addresses[LEFT]}"])

    def written(self, file: dict[str, Any]) -> str:
        """Workers without packets sleep: polling would take the CPU from the guest's other programs and from the other guests."""
        plane = {"poll_sleep": POLL_SLEEP, **file["data_plane"]}
        return str(self.packetwarp.write_config({**file, "data_plane": plane}))

    def passes(self, ways: Sequence[Way]) -> None:
        """Sends, a few at a time, and takes what has to come: each frame once, no other, in the order of its side."""
        for begin in range(0, len(ways), Wires.WINDOW):
            some = ways[begin:begin + Wires.WINDOW]
            arrived = self.wires.cross([sent for sent, _ in some])
            for side in SIDES:
                here = [frame for one, frame in arrived if one == side]
                wanted = [frame for _, (one, frame) in some if one == side]
                assert here == wanted, f"{side}, from frame {begin} on: {difference(wanted, here)}"

    def must_be_well(self) -> None:
        """The kernel log of the guest is clean."""
        lines = self.guest.console().splitlines()
        wrong = [line for line in lines if BROKEN.search(line) or (self.device.resets == "quietly" and FAULT.search(line))]
        assert not wrong, wrong


def difference(wanted: list[bytes], arrived: list[bytes]) -> str:
    at = next((i for i, (one, other) in enumerate(zip(wanted, arrived)) if one != other), min(len(wanted), len(arrived)))

    def shown(frames: list[bytes]) -> str:
        return Ether(frames[at]).summary() + " " + frames[at].hex() if at < len(frames) else "nothing"
    return f"{len(arrived)} of {len(wanted)} came; instead of number {at}, {shown(wanted)}, came {shown(arrived)}"


def end_well(running: Running, device: Device) -> dict[str, Any]:
    """Ctrl-C, and a good end on ports of the driver that is meant; what it says."""
    done: Run = running.interrupt()
    report = done.result
    assert [port["driver"] for port in report["ports"]] == [device.pmd] * 2, report["ports"]
    received = report["packets"]["rx"]
    assert sum(port["rx_packets"] for port in report["ports"]) == received, report
    return report


def make_virtual(guest: Guest, physical: dict[str, str]) -> dict[str, str]:
    """A function of each physical one, whose port the kernel has; trusted, as the virtual functions' page has it. Their
    addresses, by side."""
    script = "".join(f"""device=/sys/bus/pci/devices/{address}; interface=$(ls $device/net)
        ip link set $interface up && echo 1 > $device/sriov_numvfs && ip link set $interface vf 0 mac {OWN_MAC[SIDE_OF[side]]} spoofchk off trust on || exit 1
        basename $(readlink $device/virtfn0)
        """ for side, address in physical.items())
    return dict(zip(physical, guest.shell(script).split(), strict=True))


@contextlib.contextmanager
def far_ends(folder: pathlib.Path, hosts: dict[str, Namespace]) -> Iterator[dict[str, UnixWire | TapWire]]:
    with contextlib.ExitStack() as stack:
        ends: dict[str, UnixWire | TapWire] = {side: UnixWire(folder, side) for side in SIDES}
        for side, host in hosts.items():
            ends[side] = TapWire(host, "wire", HOST_MAC[SIDE_OF[side]])
        for end in ends.values():
            stack.callback(end.close)
        yield ends


def nic_at(device: Device, number: int, end: UnixWire | TapWire) -> Nic:
    files = (end.file,) if isinstance(end, TapWire) else ()
    return Nic(device.model, f"52:54:00:00:00:0{number}", end.backend(f"wire{number}"), files=files)


def bound_addresses(device: Device, guest: Guest, physical: dict[str, str]) -> dict[str, str]:
    """To vfio-pci. A physical function of virtual ones stays with the kernel."""
    guest.load("vfio-pci", *(["igb"] if device.virtual else []))
    addresses = make_virtual(guest, physical) if device.virtual else physical
    guest.bind("vfio-pci", *addresses.values())
    return addresses


@contextlib.contextmanager
def bed_of(device: Device, binary: pathlib.Path, debian: pathlib.Path, initial: pathlib.Path, folder: pathlib.Path,
           hosts: dict[str, Namespace]) -> Iterator[Bed]:
    """hosts: of CLIENT and SERVER, or none."""
    with far_ends(folder, hosts) as ends:
        nics = [nic_at(device, number, end) for number, end in enumerate(ends.values())]
        with booted(debian, initial, folder, nics) as guest:
            physical = dict(zip(ends, guest.addresses_of_nics(), strict=True))
            addresses = bound_addresses(device, guest, physical)
            yield Bed(device, guest, GuestProgram(binary, folder), GuestWires(ends[LEFT], ends[RIGHT]), physical, addresses, hosts,
                      dict(zip(ends, nics, strict=True)))
