# SPDX-License-Identifier: Apache-2.0
"""A machine with NICs, an IOMMU and hugepages: QEMU's, without KVM. Its root is this machine's own, read only."""
from __future__ import annotations

import contextlib
import dataclasses
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence

from guest_image import NoGuest, kernel_release
from harness import end_with_the_tests
from namespaces import stop, wait_for
from qmp import Monitor

HERE = pathlib.Path(__file__).resolve().parent
# A datagram is a frame: as long as the longest.
LONGEST = 65536
# Seconds: ten times what it takes without KVM.
BOOTS_IN = 240
# Without these words virtio's queues bypass the IOMMU, and vfio has no group to give. igb has functions only behind a
# root port of its own; a NIC that is taken out of a running machine needs one as well.
OF_MODEL = {"virtio-net-pci": ",iommu_platform=on,disable-legacy=on"}
# Half of the time in which a guest boots, without KVM, is taken by Debian's zeroing of each page that the kernel hands out, and
# by the kernel's protections and tests of itself.
QUICK = "init_on_alloc=0 rodata=off mitigations=off cryptomgr.notests apparmor=0 audit=0 tsc=reliable no_timer_check nokaslr"


class UnixWire:
    """The far end of a NIC's wire: one datagram, one frame."""

    def __init__(self, folder: pathlib.Path, name: str) -> None:
        self.near, self.far = folder / f"{name}.nic", folder / f"{name}.far"
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(self.far))
        self._socket.settimeout(20)

    def backend(self, name: str) -> str:
        """QEMU's words for the near end."""
        return f"dgram,id={name},local.type=unix,local.path={self.near},remote.type=unix,remote.path={self.far}"

    def fileno(self) -> int:
        return self._socket.fileno()

    def send(self, frame: bytes) -> None:
        self._socket.sendto(frame, str(self.near))

    def receive(self, seconds: float = 20) -> bytes | None:
        self._socket.settimeout(seconds)
        try:
            return self._socket.recv(LONGEST)
        except TimeoutError:
            return None

    def close(self) -> None:
        self._socket.close()


@dataclasses.dataclass(frozen=True)
class Nic:
    """A guest's NIC. backend: QEMU's -netdev; files: descriptors that it names."""

    model: str
    mac: str
    backend: str
    options: str = ""
    files: tuple[int, ...] = ()


class Guest:
    """Once it is up. command(): the words in front of a command that is to run there."""

    def __init__(self, folder: pathlib.Path, process: subprocess.Popen[bytes], console: pathlib.Path) -> None:
        self.folder, self.process, self._console = folder, process, console
        self.monitor = Monitor(folder / "monitor")

    def command(self, *words: str) -> list[str]:
        return [sys.executable, str(HERE / "guest_exec.py"), str(self.folder), *words]

    def run(self, *words: str, check: bool = True, seconds: float = 60) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(self.command(*words), capture_output=True, text=True, timeout=seconds, check=False)
        if check and done.returncode != 0:
            raise RuntimeError(f"in the guest: {' '.join(words)}: exit status {done.returncode}: {done.stderr or done.stdout}")
        return done

    def shell(self, script: str, **run) -> str:
        return self.run("sh", "-c", script, **run).stdout

    def popen(self, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(self.command(*words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=end_with_the_tests)

    def send(self, number: signal.Signals, to: int) -> None:
        """Sends a signal to the program that guest_exec.py, of that process number here, runs there: any signal, SIGKILL too."""
        self.shell(f"kill -s {number.name.removeprefix('SIG')} $(cat {self.folder}/call{to}-*.pid)")

    def load(self, *modules: str) -> None:
        self.run("modprobe", "-a", *modules)

    def bind(self, driver: str, *addresses: str) -> None:
        """The devices at these PCI addresses, to a driver of the guest's kernel; "" lets the kernel choose. In one command: each
        takes a guest without KVM a tenth of a second."""
        said = self.shell(f"""for address in {' '.join(addresses)}; do
            device=/sys/bus/pci/devices/$address
            echo {driver} > $device/driver_override
            [ ! -e $device/driver ] || echo $address > $device/driver/unbind
            echo $address > /sys/bus/pci/drivers_probe
            echo $address $(basename "$(readlink $device/driver)")
            done""")
        bound = dict(line.partition(" ")[::2] for line in said.splitlines())
        for address in addresses:
            if driver and bound.get(address) != driver:
                raise RuntimeError(f"{address} is bound to {bound.get(address) or 'nothing'}, not to {driver}\n{self.console()[-1000:]}")

    def driver_of(self, address: str) -> str:
        return self.shell(f"basename $(readlink /sys/bus/pci/devices/{address}/driver) 2>/dev/null || true").strip()

    def addresses_of_nics(self) -> list[str]:
        """In the order of the machine's definition: each is alone behind its root port."""
        found = self.shell("for d in /sys/bus/pci/devices/*; do [ $(cat $d/class) != 0x020000 ] || basename $d; done")
        return found.split()

    def cpu_seconds(self) -> float:
        """CPU time of this machine that QEMU has taken; nothing after its end."""
        try:
            fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return 0
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def console(self) -> str:
        return self._console.read_text(errors="replace")

    def end(self) -> None:
        with contextlib.suppress(OSError, RuntimeError, ValueError):
            self.monitor.do("quit")
        self.monitor.close()
        stop(self.process, signal.SIGTERM)


def qemu(debian: pathlib.Path) -> list[str]:
    """By its own loader: the rest of that distribution stays where it is unpacked."""
    libraries = debian / "usr/lib/x86_64-linux-gnu"
    return [str(debian / "usr/lib64/ld-linux-x86-64.so.2"), "--library-path", f"{libraries}:{libraries}/pulseaudio",
            str(debian / "usr/bin/qemu-system-x86_64"), "-L", str(debian / "usr/share/qemu"), "-L", str(debian / "usr/share/seabios")]


def shared(name: str, path: pathlib.Path, read_only: bool) -> list[str]:  # fmt: skip
    more = ",readonly=on" if read_only else ""
    return ["-virtfs", f"local,path={path},mount_tag={name},security_model=none,multidevs=remap{more}"]


@dataclasses.dataclass(frozen=True)
class Settings:
    """The settings of the machine. iommu: whether it has one; hugepages: of 2 MiB; words: further ones of the kernel's command
    line."""

    iommu: str = "on"
    hugepages: int = 256
    words: str = ""


def machine_words(debian: pathlib.Path, initial: pathlib.Path, folder: pathlib.Path, settings: Settings) -> list[str]:
    kernel = f"console=ttyS0 quiet panic=-1 intel_iommu={settings.iommu} iommu=pt {QUICK} " \
             f"ipv6.disable_ipv6=1 default_hugepagesz=2M hugepages={settings.hugepages} folder={folder} {settings.words}"
    # Its CPUs take turns in one thread, which is as fast here: with a thread each, a CPU that waits has slept through its timer.
    iommu = ["-device", "intel-iommu,device-iotlb=on"] if settings.iommu == "on" else []
    return ["-accel", "tcg,thread=single,tb-size=256", "-M", "q35", "-cpu", "max", "-smp", "2", "-m", "2048",
            "-nodefaults", "-nographic", "-no-reboot", "-serial", f"file:{folder / 'console'}",
            "-chardev", f"pipe,id=agent,path={folder / 'agent'}", "-serial", "chardev:agent",
            "-qmp", f"unix:{folder / 'monitor'},server=on,wait=off",
            "-kernel", str(debian / f"boot/vmlinuz-{kernel_release(debian)}"), "-initrd", str(initial), "-append", kernel,
            *iommu, *shared("machine", pathlib.Path("/"), True), *shared("modules", debian / "usr/lib/modules", True),
            *shared("folder", folder, False)]


def device_words(nic: Nic, number: int) -> str:
    return f"{nic.model},id=nic{number},netdev=wire{number},mac={nic.mac},romfile=,bus=root{number}{OF_MODEL.get(nic.model, '')}{nic.options}"


def nic_words(nics: Sequence[Nic]) -> list[str]:
    words = []
    for i, nic in enumerate(nics):
        words += ["-netdev", nic.backend, "-device", f"pcie-root-port,id=root{i},slot={i + 1}", "-device", device_words(nic, i)]
    return words


@contextlib.contextmanager
def booted(debian: pathlib.Path, initial: pathlib.Path, folder: pathlib.Path, nics: Sequence[Nic],
           settings: Settings = Settings()) -> Iterator[Guest]:
    """Throws NoGuest, in one line."""
    shutil.copy(HERE / "agent.sh", folder)
    for end in ("in", "out"):
        os.mkfifo(folder / f"agent.{end}")
    argv = [*qemu(debian), *machine_words(debian, initial, folder, settings), *nic_words(nics)]
    said = folder / "qemu"
    with said.open("wb") as errors:
        process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=errors, stderr=errors, preexec_fn=end_with_the_tests,
                                   pass_fds=[file for nic in nics for file in nic.files])
    try:
        wait_until_ready(folder, process)
        guest = Guest(folder, process, folder / "console")
    except BaseException:
        stop(process)
        raise
    try:
        yield guest
    finally:
        guest.end()


def wait_until_ready(folder: pathlib.Path, process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(TimeoutError):
        wait_for(lambda: (folder / "ready").exists() or process.poll() is not None, "the guest to boot", seconds=BOOTS_IN)
    if process.poll() is not None:
        raise NoGuest(f"the guest does not boot: {last_words(folder)}")
    if not (folder / "ready").exists():
        raise NoGuest(f"the guest has not booted in {BOOTS_IN} s: {last_words(folder)}")


def last_words(folder: pathlib.Path) -> str:
    """The kernel's reason where it gave up, else QEMU's own where it refuses the machine. All of them are in the files."""
    console, said = (lines_of(folder / name) for name in ("console", "qemu"))
    panics = [line for line in console if "Kernel panic" in line]
    for lines, name in ((panics, "console"), (said, "qemu"), (console, "console")):
        if lines:
            return f"{lines[-1]} ({folder / name} has the rest)"
    return f"neither QEMU nor its console says anything ({folder})"


def lines_of(file: pathlib.Path) -> list[str]:
    text = file.read_text(errors="replace") if file.exists() else ""
    return [line.strip() for line in text.splitlines() if line.strip()]
