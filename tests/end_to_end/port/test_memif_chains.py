# SPDX-License-Identifier: Apache-2.0
"""Two processes over net_memif, whose driver damages frames of several descriptors once its ring is full: such frames are dropped
by name, and all others arrive whole and in order."""
from __future__ import annotations

import pathlib

import check_l2fwd
import make_captures
import pytest
from harness import ALONE, DONE, FAILED, Program

LENGTHS = (64, 9000, 512, 513, 2049, 1514, 3000, 2048)


def cross(packetwarp: Program, folder: pathlib.Path, arguments: str, options: list[str]) -> tuple[dict[str, int], list[bytes], list[bytes], list[str]]:
    """Frames from one process to another one that is slow, by a ring that is full nearly always: what the sender dropped, what
    it was given, what arrived, and its notices."""
    given, arrived = folder / "given.pcap", folder / "arrived.pcap"
    frames = [make_captures.pattern(LENGTHS[n % len(LENGTHS)], n) for n in range(100 * len(LENGTHS))]
    given.write_bytes(make_captures.pcap(frames))
    nothing = folder / "nothing.pcap"
    nothing.write_bytes(make_captures.pcap([]))
    device = f"socket={folder}/memif,socket-abstract=no,rsize=4{arguments}"
    taken = ["-w", "cpu", "--packet-time", "20us", "--until-idle", "10s", "--tx-timeout", "20s", *options]
    with packetwarp.running(["-l", "0", f"--vdev=net_memif0,role=server,{device}",
                             f"--vdev=net_pcap0,rx_pcap={nothing},tx_pcap={arrived}"], taken) as receiver:
        receiver.wait_until_forwarding()
        with packetwarp.running(["-l", "0", f"--vdev=net_memif0,role=client,{device}", f"--vdev=net_pcap0,rx_pcap={given}"],
                                ["-w", "none", "--tx-timeout", "20s", *options]) as sender:
            done = receiver.finish()
            sent = sender.interrupt()
    assert done.status == sent.status == DONE, (done, sent)
    assert done.packets.rx == sent.packets.tx, (done, sent)
    assert sent.packets.rx == len(frames)
    return sent.packets.dropped, frames, check_l2fwd.read_with_scapy(arrived), sent.result["notices"]


@pytest.mark.parametrize(("arguments", "options", "most", "noted"), [
    ("", [], 2048, ""),
    (",bsize=512", [], 512, "it sends frames of 512 bytes at most, whole in a buffer (bsize=512) and in an mbuf (2048 bytes)"),
    ("", ["-d", "9216"], 2048, "dropped as tx_chained: give bsize=9216 here and at the other end, and a data room of 9216 bytes (-d)"),
    (",bsize=9216", ["-d", "9216"], 9216, ""),
], ids=["default", "short buffers", "long mbufs", "long buffers"])
def test_every_frame_arrives_whole_or_is_dropped_by_name(packetwarp: Program, tmp_path, arguments, options, most, noted):
    dropped, frames, arrived, notices = cross(packetwarp, tmp_path, arguments, options)
    short = [frame for frame in frames if len(frame) <= most]
    assert arrived == check_l2fwd.expected_output(short, "cpu")
    assert dropped == ({"tx_chained": len(frames) - len(short)} if len(short) < len(frames) else {})
    said = [notice for notice in notices if "tx_chained" in notice]
    assert len(said) == (1 if noted else 0) and all(noted in notice for notice in said), notices


def test_a_client_without_a_server_names_the_order(packetwarp: Program, tmp_path):
    done = packetwarp.run("l2fwd", [*ALONE, "-l", "0", f"--vdev=net_memif0,role=client,socket={tmp_path}/memif,socket-abstract=no"],
                          ["--control", "none", "--duration", "50ms"])
    assert done.status == FAILED, done
    assert "port 0 (net_memif0): it reaches no server at its socket; start the other end, which has role=server, first" in done.errors[-1], done
