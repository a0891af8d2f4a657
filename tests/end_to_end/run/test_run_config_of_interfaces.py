# SPDX-License-Identifier: Apache-2.0
"""Interfaces that do not fit their ports: one line with the file and the line of the key, and the remedy."""
from __future__ import annotations

import pytest
from harness import ALONE, DONE, WRONG_USAGE, Program, Run
from joined import skip_where_missing

DEVICE = "--vdev=net_af_packet0,iface=w0"
FILE = """interfaces:
  - name: left
    port: 0
    addresses: [192.0.2.1/24]
    {mtu}
"""


def run_on_wire(packetwarp: Program, namespaces, command: str, mtu: str, wire_mtu: int = 1500,
                rings: str = "", device: str = DEVICE) -> Run:
    middle = namespaces.add("middle")
    middle.silence()
    middle.ip("link", "add", "w0", "mtu", str(wire_mtu), "type", "veth", "peer", "name", "w1")
    if "net_pcap" in device:  # it refuses an interface that is down
        for interface in ("w0", "w1"):
            middle.ip("link", "set", interface, "up")
    path = packetwarp.folder / "n.yaml"
    path.write_text(FILE.format(mtu=mtu))
    more = ["--duration", "50ms", "--control", "none", "--json", "-"] if command == "run" else []
    return packetwarp.run(command, [*ALONE, "-l", "0", device + rings], ["-c", str(path), *more], within=middle.command())


@pytest.mark.parametrize(("mtu", "wire_mtu", "said"), [
    ("mtu: 1600", 1500, "1600 is more than the 1500 of w0, by which the packets leave; give 'mtu: 1500' or less, or run: ip link set w0 mtu 1600"),
    ("mtu: 1401", 1400, "1401 is more than the 1400 of w0"),
    ("mtu: 9000", 9000, "9000 is more than the 1968 bytes of a packet that fit into the rings of net_af_packet0; give 'mtu: 1968' or less"),
    ("mtu: 1969", 1500, "1969 is more than the 1968 bytes of a packet that fit into the rings of net_af_packet0; give 'mtu: 1500' or less"),
])
@pytest.mark.parametrize("command", ["run", "plan"])
def test_an_mtu_above_the_kernels_is_refused(packetwarp: Program, namespaces, command, mtu, wire_mtu, said):
    done = run_on_wire(packetwarp, namespaces, command, mtu, wire_mtu)
    assert done.status == WRONG_USAGE and len(done.errors) == 1 and done.stdout == "", done
    assert f"{packetwarp.folder / 'n.yaml'}:5: interfaces[0].mtu: {said}" in done.errors[0], done


@pytest.mark.parametrize(("framesz", "blocksz", "status"), [(2080, 266240, DONE), (2096, 536576, WRONG_USAGE), (4096, 4096, WRONG_USAGE)])
@pytest.mark.parametrize("command", ["run", "plan"])
def test_rings_of_too_long_entries_are_refused(packetwarp: Program, namespaces, command, framesz, blocksz, status):
    """The driver would say that memory is short."""
    done = run_on_wire(packetwarp, namespaces, command, "", 9000, f",framesz={framesz},blocksz={blocksz}")
    assert done.status == status, done
    said = (f"{packetwarp.folder / 'n.yaml'}:2: interface left: the rings of its port net_af_packet0 have entries of "
            f"{framesz} bytes, and packets have room for those of 2080; give its --vdev no framesz, or framesz=2080,blocksz=266240")
    assert status == DONE or (len(done.errors) == 1 and said in done.errors[0] and done.stdout == ""), done


@pytest.mark.parametrize("command", ["run", "plan", "l2fwd"])
@pytest.mark.parametrize(("arguments", "said"), [
    ("framesz=2080", "a block of 4096 bytes (blocksz) is not a multiple of an entry of 2080 (framesz): packets would be lost; "
                     "give framesz=2080,blocksz=266240"),
    ("blocksz=6144,framesz=4096", "a block of 6144 bytes (blocksz) is not a multiple of an entry of 4096 (framesz): packets "
                                  "would be lost; give framesz=4096,blocksz=4096"),
])
def test_rings_whose_blocks_are_not_whole_entries_are_refused(packetwarp: Program, namespaces, command, arguments, said):
    """The driver and the kernel would differ about where frames are."""
    if command == "l2fwd":
        middle = namespaces.add("middle")
        middle.ip("link", "add", "w0", "type", "veth", "peer", "name", "w1")
        done = packetwarp.run(command, [*ALONE, "-l", "0", f"{DEVICE},{arguments}"], ["--duration", "50ms", "--control", "none"],
                              within=middle.command())
    else:
        done = run_on_wire(packetwarp, namespaces, command, "", 1500, f",{arguments}")
    assert done.status == WRONG_USAGE and said in done.errors[-1], done


@pytest.mark.parametrize("device", ["net_af_xdp0,iface=w0", "net_pcap0,iface=w0", "net_pcap0,rx_iface=w1,tx_iface=w0"])
@pytest.mark.parametrize("command", ["run", "plan"])
def test_an_mtu_above_that_of_the_interface_by_which_packets_leave_is_refused(packetwarp: Program, namespaces, command, device):
    skip_where_missing(device.partition("0,")[0])
    done = run_on_wire(packetwarp, namespaces, command, "mtu: 1600", 1500, device=f"--vdev={device}")
    assert done.status == WRONG_USAGE and done.stdout == "", done
    assert "interfaces[0].mtu: 1600 is more than the 1500 of w0, by which the packets leave; give 'mtu: 1500' or less" in done.errors[-1], done


def test_the_mtu_of_an_interface_by_which_none_leave_is_no_limit(packetwarp: Program, namespaces):
    done = run_on_wire(packetwarp, namespaces, "run", "mtu: 1600", 1500, device="--vdev=net_pcap0,rx_iface=w0,tx_pcap=/dev/null")
    assert done.status == DONE, done


@pytest.mark.parametrize(("mtu", "status", "errors"), [(2000, DONE, 0), (2001, WRONG_USAGE, 1)])
def test_the_longest_entries_have_an_mtu_of_2000(packetwarp: Program, namespaces, mtu, status, errors):
    done = run_on_wire(packetwarp, namespaces, "run", f"mtu: {mtu}", 9000, ",framesz=2080,blocksz=266240")
    assert done.status == status, done
    assert sum("give 'mtu: 2000' or less" in line for line in done.errors) == errors, done


@pytest.mark.parametrize("command", ["run", "plan"])
def test_an_mtu_above_that_of_a_tap_is_refused(packetwarp: Program, namespaces, command):
    """Its driver refuses longer packets, and later ones in the queue wait."""
    skip_where_missing("net_tap")
    middle = namespaces.add("middle")
    middle.silence()
    path = packetwarp.folder / "n.yaml"
    path.write_text(FILE.format(mtu="mtu: 9000"))
    more = ["--duration", "50ms", "--control", "none"] if command == "run" else []
    done = packetwarp.run(command, [*ALONE, "-l", "0", "--vdev=net_tap0,iface=w0"], ["-c", str(path), *more], within=middle.command())
    assert done.status == WRONG_USAGE and done.stdout == "", done
    said = f"{path}:5: interfaces[0].mtu: 9000 is more than the 1500 of net_tap0, and its driver cannot change that; give 'mtu: 1500' or less"
    assert said in done.errors[-1], done


@pytest.mark.parametrize(("mtu", "wire_mtu", "notices"), [("mtu: 1500", 1500, []), ("mtu: 1968", 9000, []), (
    "", 1400, ["interface left: the MTU of 1500 is more than the 1400 of w0, by which the packets leave; give 'mtu: 1400' or less, or run: ip link set w0 mtu 1500"])])
def test_another_mtu_runs_and_one_that_is_not_given_is_a_notice(packetwarp: Program, namespaces, mtu, wire_mtu, notices):
    done = run_on_wire(packetwarp, namespaces, "run", mtu, wire_mtu)
    assert done.status == DONE, done
    assert [notice for notice in done.result["notices"] if "MTU" in notice] == notices


@pytest.mark.parametrize("pipelines", [1, 2])
def test_queues_of_a_kernel_port_that_no_pipeline_polls_are_noted(packetwarp: Program, namespaces, pipelines):
    done = run_on_wire(packetwarp, namespaces, "run", f"mtu: 1500\ndata_plane: {{pipelines: {pipelines}}}", rings=",qpairs=2")
    assert done.status == DONE, done
    said = ["port 0 (net_af_packet0): it has 2 RX queues, and 1 is in use; packets that come by the others are lost: use 2 pipelines (-p)"]
    assert [notice for notice in done.result["notices"] if "RX queues" in notice] == (said if pipelines == 1 else [])


def test_a_port_without_a_mac_address_is_told_by_the_interfaces_name(packetwarp: Program):
    path = packetwarp.folder / "n.yaml"
    path.write_text(FILE.format(mtu=""))
    done = packetwarp.run("run", [*ALONE, "-l", "0", "--vdev=net_ring0"], ["-c", str(path), "--duration", "50ms"])
    assert done.status == WRONG_USAGE and len(done.errors) == 1, done
    assert f"{path}:2: interface left: its port net_ring0 has the MAC address 00:00:00:00:00:00, which is no interface's; give it one" in done.errors[0]
