# SPDX-License-Identifier: Apache-2.0
"""--replay: a port receives a capture's frames, in order and again, over its received packets or in packets of their own. Packets
that leave are compared with scapy's results for the same frames."""
from __future__ import annotations

import pathlib
from collections.abc import Sequence

import check_l2fwd
import make_captures
import pytest
from harness import ALONE, DONE, FAILED, MIXED, WRONG_USAGE, Program
from live import live, wait_until
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from scapy.utils import PcapNgReader, PcapReader, wrpcap
from test_bad_input import assert_refused, assert_refused_at_once

NULL = ("--vdev=net_null0,copy=0,size=60", "--vdev=net_null1,copy=0,size=60")
DEAF = "--vdev=net_null0,no-rx=1"
LEFT, RIGHT, INSIDE_HOST, OUTSIDE_HOST = "02:00:00:00:00:01", "02:00:00:00:00:02", "02:00:00:00:00:10", "02:00:00:00:00:99"
POOL, SERVER = "198.51.100.7", "198.51.100.2"
# The loop iterations of its worker are long, so that a moment is a few thousand packets.
NETWORK = {
    "data_plane": {"loop_delay": "1ms", "pipelines": 2},
    "interfaces": [{"name": "left", "port": "net_null0", "mac": LEFT, "addresses": ["192.0.2.1/24"]},
                   {"name": "right", "port": 1, "mac": RIGHT, "addresses": ["198.51.100.1/24"]}],
    "neighbours": [{"interface": "right", "address": SERVER, "mac": OUTSIDE_HOST}],
    "nat44": {"inside": ["left"], "outside": ["right"], "pool": [POOL]}}


def read(path: pathlib.Path) -> list[bytes]:
    with PcapReader(str(path)) as packets:
        return [bytes(packet) for packet in packets]


def assert_rounds(got: list[bytes], frames: Sequence[bytes]) -> None:
    """These frames, one after the other and from the first again, more than once."""
    assert len(got) > len(frames) > 0
    for number, frame in enumerate(got):
        assert frame == frames[number % len(frames)], f"frame {number} of {len(got)}"


@pytest.mark.parametrize("port", (NULL[0], DEAF))
@pytest.mark.parametrize("workload", ("none", "cpu"))
def test_frames_of_a_capture_are_forwarded_round_and_round(packetwarp: Program, tmp_path, workload, port):
    out = tmp_path / "out.pcap"
    done = packetwarp.forward(["-l", "0", port, f"--vdev=net_pcap1,tx_pcap={out}"],
                              ["-w", workload, "-v", "3000", "--replay", f"0={MIXED}"])
    frames = check_l2fwd.expected_output(check_l2fwd.read_with_scapy(MIXED), workload)
    got = read(out)
    assert_rounds(got, frames)
    assert done.packets.rx == done.packets.tx == len(got) >= 3000 and done.packets.dropped == {}
    what = "it receives" if port == DEAF else "its received packets are overwritten by"
    assert f"{what} the {len(frames)} frames of {MIXED}" in " ".join(done.result["notices"])


@pytest.mark.parametrize("port", (NULL[0], DEAF))
def test_each_queue_has_its_share(packetwarp: Program, tmp_path, port):
    """Frames are 7, queues are 3; the other port makes its own frames."""
    frames = [bytes(Ether(src=LEFT, dst=RIGHT, type=0x9000 + n)) + bytes(50 + n) for n in range(7)]
    wrpcap(str(tmp_path / "in.pcap"), [Ether(frame) for frame in frames])
    outs = [tmp_path / f"out{queue}.pcap" for queue in range(3)]
    sinks = ",".join(f"tx_pcap={out}" for out in outs)
    done = packetwarp.forward(["-l", "0", port, f"--vdev=net_pcap1,{sinks}"],
                              ["-w", "none", "-p", "6", "-v", "1000", "--replay", f"net_null0={tmp_path / 'in.pcap'}"])
    got = [read(out) for out in outs]
    for queue in range(3):
        assert_rounds(got[queue], frames[queue::3])
    assert done.packets.rx == done.packets.tx == sum(map(len, got)) and done.packets.dropped == {}


def outward(number: int) -> Ether:
    """A frame of a flow each; lengths differ, some above a cache line."""
    return (Ether(src=INSIDE_HOST, dst=LEFT) / IP(src=f"192.0.2.{10 + number % 20}", dst=SERVER) /
            UDP(sport=5000 + number, dport=53) / bytes(range(number)))


def translated(frame: Ether) -> bytes:
    """As it leaves: NAT44 keeps the ports of flows whose ports differ."""
    made = frame.copy()
    made.src, made.dst = RIGHT, OUTSIDE_HOST
    made[IP].src, made[IP].ttl = POOL, made[IP].ttl - 1
    return bytes(made)


@pytest.mark.parametrize("port", (NULL[0], DEAF))
def test_replayed_flows_are_translated(packetwarp: Program, tmp_path, port):
    """By the interface's name; the other interface's port receives nothing."""
    frames, out = [outward(number) for number in range(100)], tmp_path / "out.pcap"
    wrpcap(str(tmp_path / "in.pcap"), frames)
    with live(packetwarp, NETWORK, port.removeprefix("--vdev="), f"net_pcap1,tx_pcap={out}", lcores="0",
              options=("--replay", f"left={tmp_path / 'in.pcap'}")) as running:
        wait_until(running, lambda: running.report()["packets"]["tx"] > 2 * len(frames), "two rounds")
        done = running.running.interrupt()
    assert done.status == DONE, done
    # Without what it announces of its own: by ARP, that it has the outside address.
    got = [frame for frame in read(out) if not frame.startswith(b"\xff" * 6)]
    assert_rounds(got, [translated(frame) for frame in frames])
    packets = done.packets
    assert packets.rx == packets.tx == len(got) and packets.dropped == {} and packets.punted == packets.in_flight == 0
    assert done.result["nat"]["live"] == len(frames)


def test_a_capture_of_the_run_has_the_frames_also_after_a_reload(packetwarp: Program, tmp_path):
    frames, seen = [outward(number) for number in range(30)], tmp_path / "seen.pcapng"
    wrpcap(str(tmp_path / "in.pcap"), frames)
    with live(packetwarp, NETWORK, "net_null0,copy=0,size=60", "net_null1,no-rx=1", options=("--replay", f"0={tmp_path / 'in.pcap'}")) as running:
        running.said("reload")
        assert running.said("capture", "-w", str(seen), "--packets", "100", "--port", "left").startswith("100 packets captured")
        packets = running.running.interrupt().packets
    assert packets.rx == packets.tx and packets.dropped == {}
    with PcapNgReader(str(seen)) as reader:
        got = [bytes(packet) for packet in reader]
    wanted = [bytes(frame) for frame in frames]
    first = wanted.index(got[0])
    assert_rounds(got, wanted[first:] + wanted[:first])


@pytest.mark.parametrize(("name", "said"), (("cut_file.pcap", "the packets before that are replayed"), ("runts.pcap", "13 packets left out")))
def test_what_is_left_out_of_a_capture_is_told(packetwarp: Program, captures, name, said):
    done = packetwarp.forward(["-l", "0", NULL[0]], ["-v", "100", "--replay", f"0={captures[name]}"])
    assert [line for line in done.warnings if str(captures[name]) in line and said in line], done


REFUSED_AT_ONCE = [
    (["0"], WRONG_USAGE, ["--replay: '0'", "PORT=CAPTURE"]),
    ([f"0={MIXED}", f"0={MIXED}"], WRONG_USAGE, ["port '0' is given twice"]),
    (["0=/no/such.pcap"], WRONG_USAGE, ["/no/such.pcap", "No such file"]),
    (["0=not_a_capture.pcap"], WRONG_USAGE, ["not_a_capture.pcap", "not a pcap or pcapng capture"]),
    (["0=linux_sll.pcap"], WRONG_USAGE, ["LINUX_SLL"]),
]
REFUSED = [
    ([f"7={MIXED}"], ["port '7' does not exist", "0 (net_null0), 1 (net_null1)"]),
    ([f"net_null={MIXED}"], ["port 'net_null' does not exist"]),
    ([f"0={MIXED}", f"net_null0={MIXED}"], ["port 0 (net_null0) is given twice"]),
    (["1=long.pcap"], ["long.pcap: frame 2 has 2049 bytes", "2048 at most"]),
]


def replays(captures: dict[str, pathlib.Path], folder: pathlib.Path, given: list[str]) -> list[str]:
    """The options, with their captures where they are."""
    words = []
    for one in given:
        port, equals, name = one.partition("=")
        file = captures.get(name, folder / name if name == "long.pcap" else name)
        words += ["--replay", f"{port}{equals}{file}"]
    return words


def network(packetwarp: Program, **plane: str) -> list[str]:
    return ["-c", str(packetwarp.write_config({**NETWORK, "data_plane": plane})), "--duration", "50ms"]


@pytest.mark.parametrize("command", ("l2fwd", "run"))
@pytest.mark.parametrize(("given", "status", "said"), REFUSED_AT_ONCE, ids=[" ".join(given) for given, _, _ in REFUSED_AT_ONCE])
def test_captures_that_cannot_be_replayed(packetwarp: Program, captures, tmp_path, command, given, status, said):
    options = network(packetwarp) if command == "run" else []
    run = packetwarp.run(command, [*ALONE, "-l", "0", *NULL], [*options, *replays(captures, tmp_path, given)])
    assert_refused_at_once(run, status, *said)


@pytest.mark.parametrize("command", ("l2fwd", "plan", "run"))
@pytest.mark.parametrize(("given", "said"), REFUSED, ids=[" ".join(given) for given, _ in REFUSED])
def test_ports_and_frames_that_cannot_be(packetwarp: Program, captures, tmp_path, command, given, said):
    (tmp_path / "long.pcap").write_bytes(make_captures.pcap([bytes(2048), bytes(2049)]))
    options = network(packetwarp) if command == "run" else []
    run = packetwarp.run(command, [*ALONE, "-l", "0", *NULL], [*options, *replays(captures, tmp_path, given)])
    assert_refused(run, WRONG_USAGE, *said)


def test_a_port_that_nobody_receives_from(packetwarp: Program):
    run = packetwarp.run("l2fwd", [*ALONE, "-l", "0", *NULL], ["-p", "1", "--replay", f"1={MIXED}"])
    assert_refused(run, WRONG_USAGE, "port '1': no worker receives from it")
    run = packetwarp.run("run", [*ALONE, "-l", "0", *NULL, "--vdev=net_null2"], [*network(packetwarp), "--replay", f"2={MIXED}"])
    assert_refused(run, WRONG_USAGE, "port '2': no worker receives from it")


def test_packets_that_the_cpu_cannot_write(packetwarp: Program):
    replay = ["--replay", f"0={MIXED}"]
    for options in (["-w", "kernel", "-m", "device"], ["-w", "none", "-m", "device"], ["-w", "kernel", "-s"]):
        run = packetwarp.run("l2fwd", [*ALONE, "-l", "0", *NULL], [*options, *replay])
        assert_refused_at_once(run, WRONG_USAGE, "--replay", "placement", "use host")
    run = packetwarp.run("run", [*ALONE, "-l", "0", *NULL], [*network(packetwarp, executor="kernel", placement="device"), *replay])
    assert_refused_at_once(run, WRONG_USAGE, "--replay", "placement device", "use host")
