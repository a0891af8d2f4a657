#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The rate of inspection: python/gpu/inspect_rate.py PROGRAM --rules FILE... --pcap CAPTURE... [--json FILE].

`packetwarp run` judges the TCP and UDP packets of captures by the rules, and routes them; two net_null ports replay them at full rate.
The payloads are the captures' own: as they were sent, or, with --payload N, the bytes of each connection cut into packets of N bytes. A GPU
follows streams, in which a replay repeats bytes that are not judged again: --connections replays whole connections, --streams none follows none.
Beside each rate stands that of the router alone on the same packets. The cases run in turn, several times; printed are medians and the
spread. Exit status 1 if a run failed. Needs only Python and the program."""
from __future__ import annotations

import argparse
import json
import pathlib
import statistics
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
import testpmd_peer  # noqa: E402

OWN, HOST = "02:00:00:00:00:01", "02:00:00:00:00:02"
LARGEST_FRAME = 1514
TCP, UDP = 6, 17
Flow = tuple[bytes, int]  # the addresses and ports in a packet's header, and its protocol


def records(path: pathlib.Path) -> Iterator[bytes]:
    """The whole Ethernet frames of a pcap file; nothing of files in other forms."""
    data = path.read_bytes()
    order = {b"\xd4\xc3\xb2\xa1": "<", b"\x4d\x3c\xb2\xa1": "<", b"\xa1\xb2\xc3\xd4": ">", b"\xa1\xb2\x3c\x4d": ">"}.get(data[:4])
    if order is None or len(data) < 24 or struct.unpack(order + "I", data[20:24])[0] != 1:
        return
    at = 24
    while at + 16 <= len(data):
        kept, length = struct.unpack(order + "II", data[at + 8:at + 16])
        at += 16
        if kept == length and at + kept <= len(data):
            yield data[at:at + kept]
        at += kept


def parts(frame: bytes) -> tuple[bytes, bytes, Flow] | None:
    """Headers of IPv4 and TCP or UDP, the payload, and the flow with its direction; None for other packets and fragments."""
    if frame[12:14] != b"\x08\x00" or len(frame) < 42 or frame[14] >> 4 != 4:
        return None
    length, fragment, protocol = struct.unpack(">H", frame[16:18])[0], struct.unpack(">H", frame[20:22])[0] & 0x3fff, frame[23]
    transport = 14 + 4 * (frame[14] & 15)
    if fragment or protocol not in (TCP, UDP) or len(frame) < 14 + length or len(frame) < transport + 20:
        return None
    begin = transport + (4 * (frame[transport + 12] >> 4) if protocol == TCP else 8)
    if begin > 14 + length:
        return None
    return frame[14:begin], frame[begin:14 + length], (frame[26:34] + frame[transport:transport + 4], protocol)


def framed(headers: bytes, payload: bytes) -> bytes:
    """A frame to the router with these headers and payload; the IPv4 header has the right length, TTL and checksum."""
    size = 4 * (headers[0] & 15)
    ip = bytearray(headers[:size])
    ip[2:4] = struct.pack(">H", len(headers) + len(payload))
    ip[8] = 64
    ip[10:12] = bytes(2)
    total = sum(struct.unpack(f">{size // 2}H", ip))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    ip[10:12] = struct.pack(">H", ~total & 0xffff)
    transport = bytearray(headers[size:])
    if headers[9] == UDP:
        transport[4:8] = struct.pack(">HH", 8 + len(payload), 0)
    return bytes.fromhex((OWN + HOST).replace(":", "")) + b"\x08\x00" + bytes(ip) + bytes(transport) + payload


def as_sent(paths: Iterable[pathlib.Path]) -> Iterator[tuple[bytes, bytes]]:
    for path in paths:
        for headers, payload, _ in filter(None, map(parts, records(path))):
            if 14 + len(headers) + len(payload) <= LARGEST_FRAME:
                yield headers, payload


def cut(paths: Iterable[pathlib.Path], size: int) -> Iterator[tuple[bytes, bytes]]:
    """The bytes of each direction of a connection in pieces of this size, under the headers of the packet that brought the last."""
    for path in paths:
        waiting: dict[Flow, bytes] = {}
        for headers, payload, flow in filter(None, map(parts, records(path))):
            rest = waiting.get(flow, b"") + payload
            while len(rest) >= size:
                yield headers, rest[:size]
                rest = rest[size:]
            waiting[flow] = rest


def end_of(sender: bytes, receiver: bytes, numbers: tuple[int, int], flags: int) -> bytes:
    """Headers of IPv4 and TCP of a segment without data between two ends: each an address and a port."""
    ip = bytes([0x45, 0, 0, 40, 0, 0, 0x40, 0, 64, TCP, 0, 0]) + sender[:4] + receiver[:4]
    return ip + sender[4:] + receiver[4:] + struct.pack(">IIBBHHH", *numbers, 0x50, flags, 65535, 0, 0)


def whole_connections(paths: list[pathlib.Path], most: int, at_once: int = 2048) -> Iterator[tuple[bytes, bytes]]:
    """The packets of TCP with data, as sent, in connections that begin with a handshake and end with a reset, so that a replay of them
    begins each anew; again between other hosts, until there are `most`. So many connections are under way at once, each with a packet in
    turn."""
    connections: dict[tuple, list[tuple[bytes, bytes]]] = {}
    for number, path in enumerate(paths):
        for headers, payload, (ends, protocol) in filter(None, map(parts, records(path))):
            is_sound = len(headers) >= 4 * (headers[0] & 15) + 20  # a TCP header can say that it is shorter
            if protocol == TCP and payload and is_sound and 14 + len(headers) + len(payload) <= LARGEST_FRAME:
                both = (ends[:4] + ends[8:10], ends[4:8] + ends[10:12])
                connections.setdefault((number, *sorted(both)), []).append((headers, payload))
    whole = [begun(packets) for packets in connections.values()]
    copies = -(-most // sum(map(len, whole))) if whole else 0
    waiting = [list(elsewhere(one, 2 * copy)) for copy in range(copies) for one in whole]
    turn: list[list[tuple[bytes, bytes]]] = []
    while turn or waiting:
        turn, waiting = turn + waiting[:at_once - len(turn)], waiting[at_once - len(turn):]
        yield from (one.pop(0) for one in turn)
        turn = [one for one in turn if one]


def begun(packets: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """With the packets before and after them. The first one with data is the client's."""
    first = packets[0][0]
    at = 4 * (first[0] & 15)
    client, server = first[12:16] + first[at:at + 2], first[16:20] + first[at + 2:at + 4]

    def first_number(of: bytes) -> int:
        for headers, _ in packets:
            at = 4 * (headers[0] & 15)
            if headers[12:16] + headers[at:at + 2] == of:
                return struct.unpack(">I", headers[at + 4:at + 8])[0]
        return 1

    ours, theirs = first_number(client), first_number(server)
    syn, syn_ack = (ours - 1 & 0xffffffff, 0), (theirs - 1 & 0xffffffff, ours)
    opening = [end_of(client, server, syn, 0x02), end_of(server, client, syn_ack, 0x12), end_of(client, server, (ours, theirs), 0x10)]
    return [(headers, b"") for headers in opening] + packets + [(end_of(client, server, (ours, theirs), 0x14), b"")]


def elsewhere(packets: Iterable[tuple[bytes, bytes]], where: int) -> Iterator[tuple[bytes, bytes]]:
    """The same packets between hosts of other networks."""
    for headers, payload in packets:
        other = bytearray(headers)
        other[14] ^= where
        other[18] ^= where
        yield bytes(other), payload


def write_capture(path: pathlib.Path, packets: Iterable[tuple[bytes, bytes]], most: int) -> dict:
    frames, bytes_of_payload = 0, 0
    with path.open("wb") as out:
        out.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1))
        for headers, payload in packets:
            frame = framed(headers, payload).ljust(60, b"\0")
            if frames == most or len(frame) > LARGEST_FRAME:
                if frames == most:
                    break
                continue
            out.write(struct.pack("<IIII", 0, frames, len(frame), len(frame)) + frame)
            frames, bytes_of_payload = frames + 1, bytes_of_payload + len(payload)
    if not frames:
        raise SystemExit("inspect_rate: no TCP or UDP packet over IPv4 in these captures (pcap, Ethernet)")
    return {"packets": frames, "mean_payload_bytes": round(bytes_of_payload / frames, 1)}


def network(folder: pathlib.Path, executor: str, burst: int, pipelines: int, rules: list[pathlib.Path], streams: str | None,
            ring_slots: int | None) -> pathlib.Path:
    """An executor may have a placement after it: "persistent@device". Without rules packets are routed only."""
    executor, _, placement = executor.partition("@")
    inspect = {"inspect": {"rules": [str(path.resolve()) for path in rules], "verdicts": "alert-only"} | ({"streams": streams} if streams else {})} if rules else {}
    plane = {"executor": executor, "burst": burst, "pipelines": pipelines, "packets": 16384 * pipelines}
    if ring_slots:
        plane |= {"ring_slots": ring_slots, "packets": (burst * ring_slots + 4096) * pipelines}
    config = {
        "data_plane": plane | ({"placement": placement} if placement else {}),
        "interfaces": [{"name": "left", "port": 0, "mac": OWN, "addresses": ["192.0.2.1/24"]},
                       {"name": "right", "port": 1, "mac": OWN, "addresses": ["198.51.100.1/24"]}],
        "neighbours": [{"interface": "right", "address": "198.51.100.2", "mac": "02:00:00:00:01:02"}],
        "routes": [{"to": "0.0.0.0/0", "via": "198.51.100.2"}]} | inspect
    path = folder / "network.yaml"
    path.write_text(json.dumps(config))  # JSON is YAML
    return path


def measure(chosen: argparse.Namespace, folder: pathlib.Path, executor: str, rules: list[pathlib.Path]) -> dict:
    config = network(folder, executor, chosen.burst, 2 * chosen.lcores, rules, chosen.streams, chosen.ring_slots)
    command = [chosen.program.resolve(), "run", "-l", f"0-{chosen.lcores}", *testpmd_peer.memory_options(), "--no-pci",
               "--vdev=net_null0,no-rx=1", "--vdev=net_null1,no-rx=1", "--", "-c", config, "--duration", f"{chosen.seconds}s",
               "--replay", f"0={folder}/packets0.pcap", "--replay", f"1={folder}/packets1.pcap", "--stats-period", "0", "--json", "-"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120 + chosen.seconds)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"exit status {done.returncode}")
    return json.loads(done.stdout)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--rules", type=pathlib.Path, nargs="+", required=True)
    parser.add_argument("--pcap", type=pathlib.Path, nargs="+", required=True, help="captures, or folders of them")
    parser.add_argument("--payload", type=int, help="bytes per packet (default: as sent)")
    parser.add_argument("--connections", action="store_true", help="TCP alone, each connection with its begin and its end")
    parser.add_argument("--most", type=int, default=100_000, help="packets that are replayed (default 100000)")
    parser.add_argument("--executors", default="cpu,kernel,persistent,graph", help="with a placement after @, if it is not host")
    parser.add_argument("--functions", default="inspect+router,router", help="that are measured, of these two")
    parser.add_argument("--streams", help="the key of this name: none, or a number (default: the file has none)")
    parser.add_argument("--lcores", type=int, default=8)
    parser.add_argument("--burst", type=int, default=64)
    parser.add_argument("--ring-slots", type=int, help="bursts in flight in a pipeline (default: as many as packetwarp plans)")
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--times", type=int, default=5, help="that each case runs (default 5)")
    parser.add_argument("--commit", default="", help="of the program, for --json")
    parser.add_argument("--json", type=pathlib.Path)
    chosen = parser.parse_args()
    captures = [file for path in chosen.pcap for file in (sorted(path.rglob("*.pcap")) if path.is_dir() else [path])]
    failed, host = False, {}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        def packets() -> Iterator[tuple[bytes, bytes]]:
            if chosen.connections:
                return whole_connections(captures, chosen.most)
            return cut(captures, chosen.payload) if chosen.payload else as_sent(captures)

        replayed = write_capture(folder / "packets0.pcap", packets(), chosen.most)
        write_capture(folder / "packets1.pcap", elsewhere(packets(), 1) if chosen.connections else packets(), chosen.most)
        print(f"{replayed['packets']} packets, {replayed['mean_payload_bytes']} bytes of payload each", flush=True)
        cases = {(function, executor): [] for executor in chosen.executors.split(",") for function in chosen.functions.split(",")}
        counters: dict[tuple[str, str], dict] = {}
        for _ in range(chosen.times):
            for (function, executor), rates in cases.items():
                try:
                    result = measure(chosen, folder, executor, chosen.rules if function != "router" else [])
                except (RuntimeError, subprocess.TimeoutExpired, json.JSONDecodeError) as error:
                    print(f"{function:16} {executor:18} FAILED: {error}", flush=True)
                    failed = True
                    continue
                rates.append(result["mpps"])
                host = result["host"] | {"gpus": result["host"].get("gpus") or host.get("gpus")}
                counters[function, executor] = {key: result[key] for key in ("packets", "inspect") if key in result}
    lines = []
    for (function, executor), rates in cases.items():
        if not rates:
            continue
        mpps = statistics.median(rates)
        line = {"function": function, "executor": executor, "mpps": mpps, "least": min(rates), "most": max(rates), "times": len(rates),
                "payload_gbps": round(mpps * replayed["mean_payload_bytes"] * 8 / 1000, 2), "of_the_last": counters[function, executor]}
        lines.append(line)
        print(f"{function:16} {executor:18} {mpps:8.2f} Mpps ({min(rates):.2f} to {max(rates):.2f})  {line['payload_gbps']:8.1f} Gb/s of payload", flush=True)
    if chosen.json:
        command = " ".join(word if word.startswith("-") or "/" not in word else pathlib.Path(word).name for word in sys.argv)
        chosen.json.write_text(json.dumps({"benchmark": "inspect_rate", "commit": chosen.commit, "command": command, "replayed": replayed, "follows_streams": chosen.streams != "none", "lcores": chosen.lcores,
                                           "burst": chosen.burst, "host": host, "cases": lines}, indent=1) + "\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
