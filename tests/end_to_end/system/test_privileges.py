# SPDX-License-Identifier: Apache-2.0
"""The rights of a running packetwarp: the rights that its ports need, in every one of its threads, and nothing else. Later
operations succeed without the others."""
from __future__ import annotations

import contextlib
import os
import pathlib

import pytest
from harness import DONE
from joined import join
from live import NAT44, ROUTED, routed
from router_network import ping, router_between, two_networks

DAC_OVERRIDE, NET_ADMIN, NET_RAW, IPC_LOCK, SYS_ADMIN, BPF = 1, 12, 13, 14, 21, 39
NOBODY = 65534
# With hugepages the EAL may address memory as devices see it, and asks the kernel where each page is.
BY_ADDRESSES = 1 << SYS_ADMIN
VIRTUAL_ADDRESSES = "--iova-mode=va"

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="without root there is nothing to give up")


def bits(*capabilities: int) -> int:
    return sum(1 << one for one in capabilities)


def rights_of_threads(pid: int) -> dict[str, tuple[int, int, int]]:
    """By thread: permitted and effective capabilities, and whether programs it starts get no more."""
    found = {}
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            status = dict(line.split(":", 1) for line in (task / "status").read_text().splitlines())
            found[f"{task.name} {status['Name'].strip()}"] = (
                int(status["CapPrm"], 16), int(status["CapEff"], 16), int(status["NoNewPrivs"]))
    return found


def require_rights(pid: int, *capabilities: int, also: int = 0) -> None:
    """In a container there may have been fewer from the start. also: what may be there, or not."""
    expected = bits(*capabilities) & rights_of_threads(os.getpid()).popitem()[1][0]
    rights = rights_of_threads(pid)
    allowed = {(of, of, 1) for of in (expected, expected | also)}
    assert rights and all(of in allowed for of in rights.values()), (hex(expected), rights)


@pytest.mark.parametrize("devices", (("net_null0",), ("net_ring0",), ("net_memif0,role=server,id=0,socket=@f",)))
def test_ports_within_the_process_need_no_right(packetwarp, devices):
    with packetwarp.running(["-l", "0-1", VIRTUAL_ADDRESSES, *(f"--vdev={one}" for one in devices)]) as running:
        running.wait_until_forwarding()
        require_rights(running.process.pid)
        assert running.interrupt().status == DONE


@pytest.mark.parametrize("driver, rights", (
    ("net_af_packet", (NET_ADMIN, NET_RAW, IPC_LOCK)),
    ("net_tap", (NET_ADMIN,)),
    ("net_af_xdp", (NET_ADMIN, NET_RAW, IPC_LOCK, SYS_ADMIN, BPF)),
))
def test_kernel_ports_keep_what_they_need_and_links_come_back(packetwarp, namespaces, driver, rights):
    with join(packetwarp, namespaces, driver) as joined:
        require_rights(joined.forwarding.process.pid, *rights, also=BY_ADDRESSES)
        for state in ("down", "up"):
            joined.middle.run("ip", "link", "set", "w0", state)
        require_rights(joined.forwarding.process.pid, *rights, also=BY_ADDRESSES)
        done = joined.forwarding.interrupt()
        assert done.status == DONE and not done.errors, done
        if driver == "net_af_xdp":
            assert "xdp" not in joined.middle.run("ip", "link", "show", "w0").stdout, "its program is gone with it"


def test_a_router_on_captures_needs_no_right_and_reloads(packetwarp, tmp_path):
    nat = {**NAT44, "log": str(tmp_path / "log"), "state": str(tmp_path / "state")}
    with routed(packetwarp, {**ROUTED, "nat44": nat}, eal=(VIRTUAL_ADDRESSES,),
                options=("--event-log", str(tmp_path / "events"))) as running:
        require_rights(running.running.process.pid)
        running.write({**ROUTED, "nat44": {**nat, "timeouts": {"udp": 299}},
                       "routes": [*ROUTED["routes"], {"to": "172.16.0.0/24", "via": "198.51.100.2"}]})
        assert running.json("reload")["routes"] == 1
        require_rights(running.running.process.pid)
        assert running.running.interrupt().status == DONE
    assert (tmp_path / "state").stat().st_size > 16 and (tmp_path / "log").stat().st_size > 0


def test_a_router_beside_the_kernel_goes_on(packetwarp, namespaces):
    file = two_networks()
    file["interfaces"][0]["kernel"] = True
    with router_between(packetwarp, namespaces, file) as made:
        for wire in ("w0", "w1"):  # packetwarp's: the kernel that has their near ends answers nothing there
            made.middle.sysctl(f"net.ipv4.conf.{wire}.arp_ignore", 8)
        require_rights(made.routing.process.pid, NET_ADMIN, NET_RAW, IPC_LOCK, also=BY_ADDRESSES)
        assert ping(made.left, "2.2.2.2").received > 0 and ping(made.left, "1.1.1.1").received > 0
        for state in ("down", "up"):
            made.middle.run("ip", "link", "set", "w0", state)
        assert ping(made.left, "2.2.2.2").received > 0
        assert made.routing.interrupt().packets.tx > 0


def test_files_that_only_root_may_touch_are_touched_still(packetwarp, tmp_path):
    """The file is in another user's private folder: root may read it by CAP_DAC_OVERRIDE alone."""
    private = tmp_path / "private"
    private.mkdir(mode=0o700)
    path = packetwarp.write_config(ROUTED, private)
    for one in (private, path):
        os.chown(one, NOBODY, NOBODY)
    path.chmod(0o600)
    devices = ("--vdev=net_null0", "--vdev=net_null1")
    with packetwarp.running(["-l", "0-1", VIRTUAL_ADDRESSES, *devices], ["-c", str(path), "--control", "none"], command="run") as running:
        running.wait_until_forwarding()
        require_rights(running.process.pid, DAC_OVERRIDE)
        assert running.interrupt().status == DONE


def test_keep_privileges_keeps_them(packetwarp):
    with packetwarp.running(["-l", "0-1", "--vdev=net_null0"], ["--keep-privileges"]) as running:
        running.wait_until_forwarding()
        own = rights_of_threads(os.getpid()).popitem()[1]
        assert all(of[0] == own[0] for of in rights_of_threads(running.process.pid).values())
        assert running.interrupt().status == DONE
