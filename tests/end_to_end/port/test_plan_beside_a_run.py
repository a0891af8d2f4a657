# SPDX-License-Identifier: Apache-2.0
"""`packetwarp plan` on the machine of a running packetwarp: it starts beside it, and takes nothing away from it."""
from __future__ import annotations

from harness import ALONE, DONE, WRONG_USAGE
from joined import join
from raw_interface import RawInterface, carry
from test_dump_by_dpdk import shared
from test_kernel_ports import FRAMES


def test_whose_memory_is_in_files(packetwarp):
    """The EAL has a lock for each file prefix, unless it runs in memory alone."""
    with shared(packetwarp) as running:
        eal = ["-l", "0", "--no-pci", "--vdev=net_null0", "--huge-dir", str(running.pages)]
        planned = packetwarp.run("plan", [*eal, "--file-prefix", running.prefix], within=running.beside())
        assert planned.status == DONE and not planned.errors, planned
        assert running.process.poll() is None
        running.interrupt()


def test_that_has_xdp_sockets(packetwarp, namespaces):
    """The driver takes the XDP program off an interface when it closes a device there, also another program's."""
    with join(packetwarp, namespaces, "net_af_xdp", "-w", "none") as joined:
        words = [*ALONE, "-l", "0", "--vdev=net_af_xdp0,iface=w0"]
        planned = packetwarp.run("plan", words, within=joined.middle.command())
        assert planned.status == WRONG_USAGE and len(planned.errors) == 1, planned
        assert "--vdev=net_af_xdp0,iface=w0: iface=w0: it has an XDP program" in planned.errors[0], planned
        with RawInterface(*joined.one) as one, RawInterface(*joined.other) as other:
            assert len(carry(one, other, FRAMES)) == len(FRAMES)
        joined.forwarding.interrupt()
        planned = packetwarp.run("plan", words, within=joined.middle.command())
        assert planned.status == DONE and not planned.errors, planned
