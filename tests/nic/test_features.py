# SPDX-License-Identifier: Apache-2.0
"""The abilities of a port beside forwarding: the second table of docs/hardware.md ("What has run on which driver"), cell by
cell."""
from __future__ import annotations

from bed import POLL_SLEEP, Bed, end_well
from check_l2fwd import transform
from guest_testpmd import CONTROLS, Says
from harness import ROOT
from raw_network import HOST_MAC, HOSTS, LEFT, OWN_MAC, RIGHT
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether

RUNS, REFUSED, NOT_EMULATED = "runs", "refused by the driver", "not emulated"
# To whom a frame is, by the names of the table.
OTHERS = {"frames to other MAC addresses": "02:00:00:00:99:99", "multicast": "33:33:ff:00:00:01", "broadcast": "ff:ff:ff:ff:ff:ff"}
EACH = 8


def documented(device: str) -> dict[str, str]:
    """By feature: the cell of the device."""
    table = (ROOT / "docs/hardware.md").read_text().split("| feature | ")[1].split("\n\n")[0]
    heading, _, *lines = [[cell.strip() for cell in line.strip("| ").split("|")] for line in f"| feature | {table}".splitlines()]
    return {cells[0]: cells[heading.index(device)] for cells in lines}


def frames_to(mac: str) -> list[bytes]:
    return [bytes(Ether(src=HOST_MAC[LEFT], dst=mac) / IP(src=HOSTS[LEFT][0], dst=HOSTS[RIGHT][0]) / UDP(sport=n) / bytes(20)) for n in range(EACH)]


def received(bed: Bed) -> dict[str, str]:
    """By kind of frame: whether all of them come through. The last frame is to the port itself, and comes in any case."""
    sent = {name: frames_to(mac) for name, mac in OTHERS.items()}
    last = frames_to(OWN_MAC[LEFT])[0]
    arrived: list[bytes] = []
    with bed.running("l2fwd", "-w", "cpu", "--poll-sleep", POLL_SLEEP) as running:
        bed.wires.cross([(LEFT, frame) for frames in (*sent.values(), [last]) for frame in frames], count=0)
        while transform(last, "cpu") not in arrived:
            (_, frame), = bed.wires.receive(1)
            arrived.append(frame)
        end_well(running, bed.device)
    came = {name: sum(transform(frame, "cpu") in arrived for frame in frames) for name, frames in sent.items()}
    assert set(came.values()) <= {0, EACH}, came
    return {name: RUNS if count else NOT_EMULATED for name, count in came.items()}


def test_each_feature_is_as_documented(bed: Bed, driver: Says) -> None:
    does = {name: RUNS if driver.does[name] else REFUSED for name in CONTROLS}
    seen = received(bed) | does | {"queues": str(driver.queues), "RSS": RUNS if bed.device.spread == "by RSS" else NOT_EMULATED}
    assert seen == documented(bed.device.name)
