# SPDX-License-Identifier: Apache-2.0
"""DPDK's own dpdk-pdump and dpdk-dumpcap, attached as secondary processes to a running l2fwd."""
from __future__ import annotations

import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator

import pytest
from harness import DONE, MIXED, packets_of
from namespaces import need_root_and_tools, wait_for
from scapy.utils import PcapNgReader, PcapReader

RUNTIME = pathlib.Path("/var/run/dpdk")
MOUNT = 'mount -t hugetlbfs none "$0" && exec "$@"'


class Shared:
    """An l2fwd with its memory in files of a hugetlbfs that only it and what attaches to it see."""

    def __init__(self, packetwarp, pages: pathlib.Path, short: pathlib.Path, prefix: str) -> None:
        self.short = short
        source = short / "in"
        source.symlink_to(MIXED)
        self.prefix, self.result, self.log = prefix, packetwarp.folder / "l2fwd.json", packetwarp.folder / "l2fwd.log"
        self.pages = pages
        eal = ["-l", "0-1", "--no-pci", f"--vdev=net_pcap0,rx_pcap={source},infinite_rx=1,tx_pcap=/dev/null",
               "--vdev=net_null1,no-rx=1", "--huge-dir", str(pages), "--file-prefix", prefix]
        words = packetwarp.words("l2fwd", eal, ["--stats-period", "50ms", "--json", str(self.result)])
        with self.log.open("w") as log:
            self.process = subprocess.Popen(["unshare", "-m", "sh", "-c", MOUNT, str(pages), *words], stdout=log, stderr=log)

    def beside(self, *words: str) -> list[str]:
        return ["nsenter", "-t", str(self.process.pid), "-m", *words]

    def wait_until_forwarding(self) -> None:
        wait_for(lambda: self.process.poll() is not None or "in flight" in self.log.read_text(), "l2fwd to forward", 60)
        assert self.process.poll() is None, self.log.read_text()

    def interrupt(self) -> None:
        self.process.send_signal(signal.SIGINT)
        assert self.process.wait(60) == DONE, self.log.read_text()
        packets = packets_of(json.loads(self.result.read_text()))
        assert packets.rx > 0 and packets.in_flight == 0


@contextlib.contextmanager
def shared(packetwarp) -> Iterator[Shared]:
    if reason := need_root_and_tools("unshare", "nsenter", "mount", "dpdk-pdump", "dpdk-dumpcap"):
        pytest.skip(reason)
    free = pathlib.Path("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages")
    if not free.is_file() or int(free.read_text()) < 256:
        pytest.skip("fewer than 256 free hugepages of 2 MiB: a secondary process attaches to nothing else")
    pages = packetwarp.folder / "pages"
    pages.mkdir()
    # net_pcap keeps 63 bytes of its arguments for secondary processes, and dpdk-pdump takes few more: no room for a test's folder.
    with tempfile.TemporaryDirectory(prefix="pw") as short:
        made = Shared(packetwarp, pages, pathlib.Path(short), f"pwtest{os.getpid()}")
        try:
            made.wait_until_forwarding()
            yield made
        finally:
            made.process.kill()
            made.process.wait()
            shutil.rmtree(RUNTIME / made.prefix, ignore_errors=True)


def frames(path: pathlib.Path, reader=PcapReader) -> set[bytes]:
    with reader(str(path)) as packets:
        return {bytes(packet) for packet in packets}


def attached(running: Shared, log: pathlib.Path, got: pathlib.Path, *words: str) -> None:
    """Looks until there are some packets, and on while l2fwd ends: when it detaches from one that runs, DPDK frees what a
    worker may be using."""
    with log.open("w") as out:
        process = subprocess.Popen(running.beside(*words), stdout=out, stderr=out)
    try:
        wait_for(lambda: process.poll() is not None or (got.is_file() and got.stat().st_size > 100000), "packets", 60)
        assert process.poll() is None, log.read_text()
        running.interrupt()
        process.wait(60)  # it looks whether l2fwd is there, and ends
    finally:
        process.kill()
        process.wait()


def test_dpdk_pdump_sees_what_a_port_receives(packetwarp):
    with shared(packetwarp) as running:
        got = running.short / "rx"
        attached(running, packetwarp.folder / "pdump.log", got, "dpdk-pdump", "-l", "0", "--no-pci", "--file-prefix",
                 running.prefix, "--", "--pdump", f"port=0,queue=*,rx-dev={got},ring-size=1024,total-num-mbufs=2047")
        # Its file's last packet may not be whole.
        seen = frames(got)
    assert len(seen) > 1 and seen <= frames(MIXED)


def test_dpdk_dumpcap_sees_what_a_port_receives(packetwarp):
    with shared(packetwarp) as running:
        got = running.short / "rx"
        attached(running, packetwarp.folder / "dumpcap.log", got, "dpdk-dumpcap", "-i", "net_pcap0", "-w", str(got),
                 f"--file-prefix={running.prefix}")
        seen = frames(got, PcapNgReader)
    assert len(seen) > 1 and seen <= frames(MIXED)
