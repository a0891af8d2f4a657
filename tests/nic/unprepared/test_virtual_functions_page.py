# SPDX-License-Identifier: Apache-2.0
"""Each command of the virtual functions' page (docs/hardware/container.md), typed in a guest with an igb in place of the
ConnectX: what it is to do, what checks it, and what undoes it."""
from __future__ import annotations

import re

import pytest
from harness import ROOT
from nics_there import IDLE

PAGE = ROOT / "docs/hardware/container.md"
# Commands for a ConnectX's firmware: no NIC that QEMU plays has it.
FIRMWARE = re.compile(r"^(mstconfig|mlxreg) |^SRIOV_EN=0$")


def rows() -> dict[str, list[str]]:
    """By step: its cells."""
    section = PAGE.read_text().split("## Virtual functions\n")[1].split("\n## ")[0]
    lines = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in section.splitlines() if line.startswith("| ")]
    return {cells[0].removeprefix("| ").strip(): cells[1:] for cells in lines[2:]}


def commands(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


@pytest.fixture
def typed(unprepared):
    """Types a command with this machine's names in place of the page's; what it prints."""
    guest, physical = unprepared.guest, unprepared.addresses[IDLE]
    interface = guest.shell(f"ls /sys/bus/pci/devices/{physical}/net").strip()
    guest.load("igbvf")

    def names(command: str) -> str:
        function = guest.shell(f"basename $(readlink /sys/bus/pci/devices/{physical}/virtfn0) 2>/dev/null || true").strip()
        for theirs, ours in (("0000:b5:00.2", function), ("0000:b5:00.0", physical), ("enp181s0f0", interface), ("mlx5_core", "igbvf"), ("15b3:", "8086:10ca")):
            command = command.replace(theirs, ours)
        return command

    def type_it(command: str) -> str:
        return guest.shell(names(command))
    yield type_it
    guest.shell(f"echo 0 > /sys/bus/pci/devices/{physical}/sriov_numvfs")


def test_each_command_does_what_the_page_says(typed):
    page = rows()
    firmware, make, trust, by_firmware, show = page.values()
    assert list(page) == ["firmware", "make them", "trust, by the driver", "trust, by the firmware", "let the driver see it"]
    for cell in (firmware[0], firmware[2], by_firmware[0]):
        assert all(FIRMWARE.search(command) for command in commands(cell)), cell
    assert int(typed(commands(firmware[1])[0])) >= 2

    typed(commands(make[0])[0])
    assert len(typed(commands(make[1])[0]).splitlines()) == 2

    set_trust, *others = commands(trust[0])
    assert others == ["ibdev2netdev", "vf_roce"], "of a ConnectX"
    typed(set_trust)
    assert re.search(r"vf 0 .*trust on", typed(commands(trust[1])[0]))
    typed(set_trust.replace("trust on", commands(trust[2])[0]))
    assert re.search(r"vf 0 .*trust off", typed(commands(trust[1])[0]))

    unbind, bind = commands(show[0])
    assert bind == "bind"
    check = commands(show[1])[0]
    assert "drv=igbvf" in typed(check)
    typed(unbind)
    assert "drv=igbvf" not in typed("dpdk-devbind.py --status-dev net | grep 0000:b5:00.2")
    typed(unbind.replace("/unbind", "/bind"))
    assert "drv=igbvf" in typed("dpdk-devbind.py --status-dev net | grep 0000:b5:00.2")

    assert commands(make[2]) == ["echo 0 >"]
    typed("echo 0 > /sys/bus/pci/devices/0000:b5:00.0/sriov_numvfs")
    assert typed(commands(make[1])[0]) == ""
