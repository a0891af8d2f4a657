# SPDX-License-Identifier: Apache-2.0
"""Segments from outside by the thousand that are of no connection: RSTs, FINs and SYNs with forged sources, to the outside port
of a TCP connection. It lives on, idle as it is, and so do others' flows (RFC 7857, 2.2; RFC 5961)."""
from __future__ import annotations

import json
import pathlib
import socket

from besieged import Besieged, besieged, host, translated
from frames import ACK, SYN, TCP, ethernet, ipv4, nth_address, tcp
from namespaces import wait_for
from wire_end import WireEnd, flood

RATE = 4000
FIN, RST = 0x01, 0x04
CLIENT, SERVER, POOL = host(0, 3), host(1, 3), host(1, 1)
PORT, OTHER_PORT, SERVICE = 41000, 41001, 80
PROTOCOL_AT, FLAGS_AT, TO_PORT_AT = 23, 47, 36


class Connection:
    """The client's connection, by frames."""

    def __init__(self, made: Besieged, port: int) -> None:
        self._inside, self._outside = made.ends[:2]
        self._port = port
        self.out(SYN)
        self.back(SYN | ACK)
        self.out(ACK)

    def out(self, flags: int) -> None:
        frame = ipv4(CLIENT, SERVER, TCP, tcp(CLIENT, SERVER, (self._port, SERVICE), flags))
        cross(self._inside, self._outside, frame, flags, SERVICE)

    def back(self, flags: int) -> None:
        frame = ipv4(SERVER, POOL, TCP, tcp(SERVER, POOL, (SERVICE, self._port), flags))
        cross(self._outside, self._inside, frame, flags, self._port)

    def close(self) -> None:
        self.out(FIN | ACK)
        self.back(FIN | ACK)
        self.out(ACK)


def cross(sender: WireEnd, receiver: WireEnd, packet: bytes, flags: int, to_port: int) -> None:
    """A segment that has to come out at the other side."""
    with receiver.socket() as ears, sender.socket(0) as mouth:
        ears.settimeout(20)
        mouth.send(ethernet(sender.router_mac, sender.mac, 0x0800, packet))
        while True:
            try:
                frame = ears.recv(2048)
            except socket.timeout as error:
                raise AssertionError(f"a segment with flags {flags:#x} to port {to_port} does not arrive") from error
            if frame[12:14] != b"\x08\x00" or frame[PROTOCOL_AT] != TCP or frame[FLAGS_AT] != flags:
                continue
            if int.from_bytes(frame[TO_PORT_AT:TO_PORT_AT + 2], "big") == to_port:
                return


def forged(end: WireEnd, flags: int, n: int) -> bytes:
    """From anywhere; every fourth from the server itself, but another of its ports."""
    source, port = (SERVER, 1024 + n) if n % 4 == 0 else (nth_address("198.18.0.0", n), SERVICE)
    return ethernet(end.router_mac, end.mac, 0x0800, ipv4(source, POOL, TCP, tcp(source, POOL, (port, PORT), flags)))


def has_ended(log: pathlib.Path, port: int) -> bool:
    lines = [json.loads(line) for line in log.read_text().splitlines(keepends=True) if line.endswith("\n")]
    return any(one["event"] == "ended" and one["inside"] == f"{CLIENT}:{port}" for one in lines)


def test_forged_segments_cut_no_connection(packetwarp, figures, times, tmp_path):
    log = tmp_path / "sessions.jsonl"
    file = translated(sessions=2048, log=str(log), timeouts={"tcp_transitory": 3, "tcp_established": 3600})
    with besieged(packetwarp, figures, file) as made:
        idle = Connection(made, PORT)
        frames = [forged(made.ends[1], flags, n) for n in range(2000) for flags in (RST, RST | ACK, FIN | ACK, SYN)]
        with made.strangers(back_to=POOL) as flow:
            calm, first = flow.calm(), flow.sent
            for _ in range(times):
                flood(made.ends[1], frames, RATE)
            made.must_go_on("forged segments", calm, flow.since(first))
        # Closed after the last of them: when it has ended, the idle one would have, too.
        Connection(made, OTHER_PORT).close()
        wait_for(lambda: has_ended(log, OTHER_PORT), "a connection that was closed to end", seconds=60)
        idle.back(ACK)
        idle.close()
        wait_for(lambda: has_ended(log, PORT), "the one that was attacked to end when it is closed", seconds=60)
        made.end()
