#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rates of RDMA writes over RoCEv2: packetwarp's engine on a CPU and Linux's rdma_rxe with an unmodified ib_write_bw, in turn.

    sudo .venv/bin/python3 benchmarks/rdma/roce_rates.py --packetwarp build/packetwarp --json roce_rates.json

Two guests (QEMU without KVM) have an rxe device each; they and packetwarp's interface (a veth pair, net_af_packet) are on one bridge of a
network namespace. Pairs of ends move the same writes, in turn: packetwarp writes to a guest, a guest writes to packetwarp, and one
guest writes to the other; two processes of packetwarp, joined by a memif, have neither a guest nor the kernel between them.
The client's own result is taken. `make rdma-test` unpacks QEMU and perftest before."""
from __future__ import annotations

import argparse
import contextlib
import json
import os
import pathlib
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / place) for place in ("tests/rdma/perftest", "tests/nic", "tests/end_to_end", "python")]

from guest import Nic, Settings, booted  # noqa: E402
from guest_drivers import Drivers  # noqa: E402
from guest_image import make_initial_files  # noqa: E402
from guest_rdma import LINK_MTU, OWN, OWN_MAC, PEER, PEER_MAC, RdmaGuest  # noqa: E402
from namespaces import Namespace, Namespaces, wait_for  # noqa: E402
from tap_wire import TapWire  # noqa: E402

OTHER, OTHER_MAC, OWN_INTERFACE = "10.9.0.3", "52:54:00:00:09:03", "pw"
BY_MEMIF = "packetwarp to itself by memif"
PAIRS = ("packetwarp to rxe", "rxe to packetwarp", "rxe to rxe", BY_MEMIF)
MEMIF_MTU = 1024  # a memif's packets have up to 2,048 bytes
LISTENS = f":{18515:04X} 00000000:0000 0A"
# Bytes and writes of a run: a guest without KVM takes about a second for them.
BYTES_OF_A_RUN, WRITES_OF_A_RUN = 4 << 20, 2000
FASTER = 50  # times, without a guest
PATIENCE = ("-u", "18")


def writes_of(size: int, queues: int) -> int:
    """The writes of each queue."""
    return max(16, min(BYTES_OF_A_RUN // size, WRITES_OF_A_RUN) // queues)


class Bed:
    def __init__(self, host: Namespace, guests: list[RdmaGuest], binary: pathlib.Path, folder: pathlib.Path) -> None:
        self.host, self.guests, self.binary, self.result = host, guests, binary, folder / "result.json"
        self.failed: list[str] = []  # runs by memif that were made again

    def ours(self, command: str, mtu: int, *words: str) -> subprocess.Popen[str]:
        vdev = f"net_af_packet0,iface={OWN_INTERFACE},framesz=8192,blocksz=8192"
        self.result.unlink(missing_ok=True)
        return self.host.popen(str(self.binary), command, "--in-memory", "--no-telemetry", "--lcores", "0", "--vdev", vdev, "--", "--transport", "roce",
                               "--address", OWN, "--json", str(self.result), "-m", str(mtu), *PATIENCE, *words,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def by_memif(self, role: str, address: str, *words: str) -> subprocess.Popen[str]:
        vdev = f"net_memif0,role={role},socket={self.result.parent}/memif,socket-abstract=no"
        return self.host.popen(str(self.binary), "rdma-bw", "--in-memory", "--no-telemetry", "--lcores", "0", "--vdev", vdev, "--", "--transport", "roce",
                               "--address", address, "-m", str(MEMIF_MTU), *PATIENCE, *words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def rate_by_memif(self, size: int, queues: int) -> dict[str, float]:
        writes = FASTER * writes_of(size, queues)
        both = ("-s", str(size), "-q", str(queues))
        server = self.by_memif("server", OWN, *both)
        self.listening(self.host.run)
        posts = min(writes, 512)
        self.result.unlink(missing_ok=True)
        must_end(self.by_memif("client", OTHER, *both, "-n", str(writes // posts), "--posts", str(posts), "--json", str(self.result), "127.0.0.1"))
        must_end(server)
        return self.told()

    def told(self) -> dict[str, float]:
        [made] = json.loads(self.result.read_text())["results"]
        return {"mib": made["average_bytes_per_second"] / 2**20, "mps": made["messages_per_second"] / 1e6}

    def theirs(self, guest: int, command: str, mtu: int, *words: str) -> subprocess.Popen[str]:
        return self.guests[guest].perftest(f"ib_{command}", "-m", str(mtu), *PATIENCE, *words)

    def listening(self, run: Any) -> None:
        wait_for(lambda: LISTENS in run("cat", "/proc/net/tcp").stdout, "the server to listen")

    def rate(self, pair: str, size: int, queues: int, mtu: int) -> dict[str, float]:
        """MiB/s and millions of messages per second, as the client says."""
        if pair == BY_MEMIF:
            for again in (True, True, False):
                try:
                    return self.rate_by_memif(size, queues)
                except RuntimeError as error:
                    self.failed.append(f"{size} B, {queues} queues: {str(error).partition(':')[0]}")
                    if not again:
                        raise
                    print(error, file=sys.stderr)
        writes = writes_of(size, queues)
        both = ("-s", str(size), "-q", str(queues))
        if pair == "packetwarp to rxe":
            server = self.theirs(0, "write_bw", mtu, *both, "-n", str(writes))
            self.listening(self.guests[0].guest.run)
            posts = min(writes, 512)
            must_end(self.ours("rdma-bw", mtu, *both, "-n", str(writes // posts), "--posts", str(posts), PEER))
            must_end(server)
            return self.told()
        if pair == "rxe to packetwarp":
            server = self.ours("rdma-bw", mtu, *both)
            self.listening(self.host.run)
            said = must_end(self.theirs(0, "write_bw", mtu, *both, "-n", str(writes), OWN))
        else:
            server = self.theirs(0, "write_bw", mtu, *both, "-n", str(writes))
            self.listening(self.guests[0].guest.run)
            said = must_end(self.theirs(1, "write_bw", mtu, *both, "-n", str(writes), PEER))
        must_end(server)
        # perftest prints two decimals of its MiB/s: too few for small messages.
        [messages] = re.findall(rf"^ {size}\s+\d+\s+[\d.]+\s+[\d.]+\s+([\d.]+)$", said, re.MULTILINE)
        return {"mib": float(messages) * 1e6 * size / 2**20, "mps": float(messages)}


def must_end(process: subprocess.Popen[str]) -> str:
    said, errors = process.communicate(timeout=120)
    if process.returncode != 0:
        raise RuntimeError(f"exit status {process.returncode}: {said}\n{errors}")
    return said


@contextlib.contextmanager
def bed(debian: pathlib.Path, binary: pathlib.Path, folder: pathlib.Path) -> Iterator[Bed]:
    with Namespaces("rates") as all_of_them, contextlib.ExitStack() as open_ones:
        host = all_of_them.add("host")
        host.silence()
        for words in (["add", "bridge", "type", "bridge"], ["add", OWN_INTERFACE, "address", OWN_MAC, "type", "veth", "peer", "name", "far"]):
            host.ip("link", *words)
        host.wire_frames_only(OWN_INTERFACE)
        host.wire_frames_only("far")
        host.ip("addr", "add", f"{OWN}/24", "dev", OWN_INTERFACE)
        initial = folder / "initial"
        make_initial_files(debian, Drivers(None), initial)
        guests = []
        wires = [TapWire(host, f"tap{n}", f"02:00:00:00:0a:0{n}") for n in range(2)]
        for n, wire in enumerate(wires):
            open_ones.callback(wire.close)
            host.ip("link", "set", f"tap{n}", "mtu", str(LINK_MTU), "master", "bridge")
        for name in (OWN_INTERFACE, "far"):
            host.ip("link", "set", name, "mtu", str(LINK_MTU))
        host.ip("link", "set", "far", "master", "bridge")
        for name in ("far", OWN_INTERFACE, "bridge"):
            host.ip("link", "set", name, "up")
        for n, (address, mac) in enumerate(((PEER, PEER_MAC), (OTHER, OTHER_MAC))):
            place = folder / f"guest{n}"
            place.mkdir()
            nic = Nic("virtio-net-pci", mac, wires[n].backend("wire0"), files=(wires[n].file,))
            one = open_ones.enter_context(booted(debian, initial, place, [nic], Settings(iommu="off", hugepages=0)))
            guests.append(RdmaGuest(one, debian, address))
        yield Bed(host, guests, binary, folder)


def machine() -> dict[str, Any]:
    model = re.search(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return {"cpu_model": model[1] if model else platform.processor(), "cpus": os.cpu_count(), "kernel": platform.release()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--packetwarp", type=pathlib.Path, default=ROOT / "build/packetwarp")
    parser.add_argument("--debian", type=pathlib.Path, default=ROOT / "build/rdma/debian")
    parser.add_argument("--sizes", type=int, nargs="+", default=[2, 64, 1024, 4096, 16384, 65536])
    parser.add_argument("--queues", type=int, nargs="+", default=[1, 4, 64])
    parser.add_argument("--mtu", type=int, default=4096)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--note", default="", help="what else ran on the machine")
    parser.add_argument("--json", type=pathlib.Path, required=True)
    options = parser.parse_args()
    failed: list[str] = []
    began, loads = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), []
    found: dict[tuple[str, int, int], list[dict[str, float]]] = {}
    with tempfile.TemporaryDirectory(prefix="rates", dir=ROOT / "build") as folder:
        with bed(options.debian.absolute(), options.packetwarp.resolve(), pathlib.Path(folder)) as made:
            for _ in range(options.repeats):
                for queues in options.queues:
                    for size in options.sizes:
                        for pair in PAIRS:
                            loads.append(os.getloadavg()[0])
                            found.setdefault((pair, size, queues), []).append(made.rate(pair, size, queues, options.mtu))
                            failed = made.failed
                            print(f"{pair}, {size} B, {queues} queues: {found[pair, size, queues][-1]}", file=sys.stderr, flush=True)
    results = [{"pair": pair, "bytes": size, "queues": queues, "runs": runs,
                **{name: {"median": statistics.median(of), "min": min(of), "max": max(of)}
                   for name in ("mib", "mps") for of in [[run[name] for run in runs]]}}
               for (pair, size, queues), runs in found.items()]
    for one in results:
        print(f"{one['pair']:18} {one['bytes']:6} B {one['queues']:3} queues: {one['mib']['median']:9.2f} MiB/s "
              f"({one['mib']['min']:.2f} to {one['mib']['max']:.2f}), {one['mps']['median'] * 1000:8.2f} thousand messages/s")
    options.json.write_text(json.dumps({
        "benchmark": "roce_rates", "command": " ".join(["roce_rates.py", *sys.argv[1:]]), "started": began, "host": machine(), "mtu": options.mtu, "memif_mtu": MEMIF_MTU,
        "peer": "perftest 6.24 of Debian 13 on rdma_rxe in a QEMU guest without KVM", "load": {"median": statistics.median(loads), "max": max(loads)},
        "note": options.note, "made_again": failed, "results": results}, indent=1) + "\n")


if __name__ == "__main__":
    main()
