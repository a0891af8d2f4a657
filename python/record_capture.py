#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records tests/captures/mixed.pcap: what real kernel stacks say to each other, as a cable would carry it.

    client c0 ---- r0 router r1 ---- s0 server        IPv4 and IPv6, captured on r0
    client v10 --- relay === trunk === relay --- v10 server   one 802.1Q tag, captured on the trunk
    client vq ---- relay === trunk === relay --- vq server    802.1ad and 802.1Q tags (QinQ), captured on the trunk

Every end is a network namespace; nothing leaves them. The relays set and remove the tags, since not every kernel has
VLAN devices. Loss is the router's: a token bucket behind the capture point, so that a segment that it drops is in the
capture twice. Needs root, tcpdump, tshark (with mergecap), iproute2, ethtool, curl and ping.
"""
from __future__ import annotations

import argparse
import collections.abc
import contextlib
import http.server
import os
import pathlib
import random
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

from namespaces import Namespace, Namespaces, exit_on_signals, need_root_and_tools, run, stop, wait_for

HERE = pathlib.Path(__file__).resolve()
DEFAULT_OUTPUT = HERE.parent.parent / "tests" / "captures" / "mixed.pcap"
LIMIT_BYTES = 1 << 20
WEB, DNS, ECHO, SINK, CLOSED = 80, 53, 7, 9, 4444

# Linux's packet socket, from <linux/if_packet.h>; Python has no names for these two.
SOL_PACKET, PACKET_IGNORE_OUTGOING = 263, 23


# --- the server's side ------------------------------------------------------------------------------------------------


class Page(http.server.SimpleHTTPRequestHandler):
    """Files over HTTP/1.1, so that one connection carries several requests, as browsers do it."""

    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


class WebServer(http.server.ThreadingHTTPServer):
    address_family = socket.AF_INET6
    daemon_threads = True


def answer_dns(query: bytes) -> bytes:
    """An answer to a query of one question: A and AAAA from the name's bytes, NXDOMAIN for names that begin with 'no'."""
    end = query.index(b"\0", 12) + 1
    question, kind = query[12 : end + 4], struct.unpack("!H", query[end : end + 2])[0]
    if question[1:3] == b"no" or kind not in (1, 28):
        return query[:2] + struct.pack("!HHHHH", 0x8583, 1, 0, 0, 0) + question
    last = sum(question) % 254 + 1
    address = bytes([192, 0, 2, last]) if kind == 1 else bytes.fromhex("20010db8") + bytes(11) + bytes([last])
    record = b"\xc0\x0c" + struct.pack("!HHIH", kind, 1, 60, len(address)) + address
    return query[:2] + struct.pack("!HHHHH", 0x8580, 1, 1, 0, 0) + question + record


def datagram_server(port: int, answer: collections.abc.Callable[[bytes], bytes]) -> None:
    with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as server:
        server.bind(("::", port))
        while True:
            data, sender = server.recvfrom(65535)
            server.sendto(answer(data), sender)


def sink_server(port: int) -> None:
    """Reads and forgets, then says how much it was."""
    with socket.create_server(("::", port), family=socket.AF_INET6, dualstack_ipv6=True) as server:
        while True:
            connection, _ = server.accept()
            with connection, contextlib.suppress(ConnectionError):  # one client aborts, on purpose
                total = 0
                while data := connection.recv(65536):
                    total += len(data)
                connection.sendall(b"%d bytes\n" % total)


def serve(folder: str) -> None:
    os.chdir(folder)
    for target, arguments in (
        (WebServer(("::", WEB), Page).serve_forever, ()),
        (datagram_server, (DNS, answer_dns)),
        (datagram_server, (ECHO, bytes)),
        (sink_server, (SINK,)),
    ):
        threading.Thread(target=target, args=arguments, daemon=True).start()
    signal.pause()


# --- the trunk: two relays in one process -------------------------------------------------------------------------------


def packet_socket(interface: str) -> socket.socket:
    every_protocol = 0x0003
    raw = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(every_protocol))
    raw.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
    raw.bind((interface, 0))
    return raw


def with_tags(frame: bytes, tags: list[tuple[int, int]]) -> bytes:
    return frame[:12] + b"".join(struct.pack("!HH", *tag) for tag in tags) + frame[12:]


def without_tags(frame: bytes) -> bytes:
    """The kernel has already removed the outermost tag of what a packet socket receives, or has not: both are fine."""
    while frame[12:14] in (b"\x81\x00", b"\x88\xa8"):
        frame = frame[:12] + frame[16:]
    return frame


def relay(near: str, trunk_near: str, trunk_far: str, far: str, tags: list[tuple[int, int]]) -> None:
    """Client's frames get their tags on the way to the trunk, lose them behind it, and the same the other way round."""
    sockets = {name: packet_socket(name) for name in (near, trunk_near, trunk_far, far)}
    routes = {
        sockets[near]: (sockets[trunk_near], True),
        sockets[trunk_far]: (sockets[far], False),
        sockets[far]: (sockets[trunk_far], True),
        sockets[trunk_near]: (sockets[near], False),
    }
    while True:
        for source in select.select(list(routes), [], [])[0]:
            target, tagging = routes[source]
            frame = source.recv(65535)
            target.send(with_tags(frame, tags) if tagging else without_tags(frame))


def relay_from_text(arguments: list[str]) -> None:
    *interfaces, text = arguments
    near, trunk_near, trunk_far, far = interfaces
    relay(near, trunk_near, trunk_far, far, [(int(a, 16), int(b)) for a, b in (t.split(":") for t in text.split(","))])


# --- the client's side --------------------------------------------------------------------------------------------------


def ask_dns(server: str, names: list[str]) -> None:
    family = socket.AF_INET6 if ":" in server else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as client:
        client.settimeout(5)
        for number, name in enumerate(names):
            for kind in (1, 28):
                labels = b"".join(bytes([len(label)]) + label.encode() for label in name.split("."))
                header = struct.pack("!HHHHHH", 0x1000 + 2 * number + (kind == 28), 0x0100, 1, 0, 0, 0)
                client.sendto(header + labels + b"\0" + struct.pack("!HH", kind, 1), (server, DNS))
                client.recv(512)


def echo_datagrams(server: str, sizes: list[int]) -> None:
    family = socket.AF_INET6 if ":" in server else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as client:
        client.settimeout(5)
        for size in sizes:
            client.sendto(bytes(i % 251 for i in range(size)), (server, ECHO))
            if len(client.recv(65535)) != size:
                raise RuntimeError(f"echo of {size} bytes came back with another size")


def upload(server: str, size: int) -> None:
    with socket.create_connection((server, SINK), timeout=30) as client:
        client.sendall(random.Random(1).randbytes(size))
        client.shutdown(socket.SHUT_WR)
        client.recv(64)


def end_badly(server: str) -> None:
    """A reset from the server (closed port), one from the client (close with unsent data forgotten), a closed UDP port."""
    with contextlib.suppress(ConnectionRefusedError):
        socket.create_connection((server, CLOSED), timeout=5)
    with socket.create_connection((server, SINK), timeout=5) as client:
        client.sendall(b"this connection is aborted")
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    family = socket.AF_INET6 if ":" in server else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as client:
        for _ in range(3):
            client.sendto(b"nobody listens here", (server, CLOSED))
            time.sleep(0.05)


def talk(server: str) -> None:
    """The part of the conversation that is easier from Python; runs inside the client's namespace."""
    ask_dns(server, [f"host{i}.packetwarp.example" for i in range(30)] + ["nothing.packetwarp.example"])
    echo_datagrams(server, [0, 1, 17, 18, 64, 511, 512, 1000, 1452, 1472, 1473, 6000, 9000])
    end_badly(server)


# --- the recording ------------------------------------------------------------------------------------------------------


class Recording:
    """The namespaces, their links and the processes in them."""

    def __init__(self, spaces: Namespaces, work: pathlib.Path) -> None:
        self.work = work
        self.processes: list[subprocess.Popen[bytes]] = []
        self.captures: list[pathlib.Path] = []
        self.client, self.router, self.server, self.trunk = (
            spaces.add(name) for name in ("client", "router", "server", "trunk"))
        connect = spaces.connect
        connect((self.client, "c0"), (self.router, "r0"), ("02:00:00:00:01:02", "02:00:00:00:01:01"))
        connect((self.router, "r1"), (self.server, "s0"), ("02:00:00:00:02:01", "02:00:00:00:02:02"))
        # 4 bytes less for each tag: the frames on the trunk stay within 1514 bytes.
        for number, (name, mtu) in enumerate((("v10", 1496), ("vq", 1492)), start=3):
            macs = (f"02:00:00:00:{number:02x}:02", f"02:00:00:00:{number:02x}:01")
            self.trunk.silence()
            connect((self.client, name), (self.trunk, f"{name}n"), (macs[0], "02:00:00:00:ff:01"), mtu)
            connect((self.server, name), (self.trunk, f"{name}f"), (macs[1], "02:00:00:00:ff:02"), mtu)
            connect((self.trunk, f"{name}a"), (self.trunk, f"{name}b"))
        self.router.sysctl("net.ipv4.ip_forward", 1)
        self.router.sysctl("net.ipv6.conf.all.forwarding", 1)

    def start(self, space: Namespace, *argv: str) -> subprocess.Popen[bytes]:
        log = open(self.work / f"{len(self.processes)}.log", "wb")
        self.processes.append(space.popen(*argv, stdout=log, stderr=log, stdin=subprocess.DEVNULL))
        return self.processes[-1]

    def capture(self, space: Namespace, interface: str) -> None:
        path = self.work / f"{interface}.pcap"
        self.start(space, "tcpdump", "-i", interface, "-n", "-U", "-s", "65535", "-B", "8192", "-Z", "root", "-w", str(path))
        self.captures.append(path)
        wait_for(lambda: path.exists() and path.stat().st_size >= 24, f"tcpdump on {interface}")

    def start_captures_and_relays(self) -> None:
        self.capture(self.router, "r0")
        self.capture(self.trunk, "v10a")
        self.capture(self.trunk, "vqa")
        for name, tags in (("v10", "8100:10"), ("vq", "88a8:100,8100:20")):
            self.start(self.trunk, sys.executable, str(HERE), "_relay",
                       f"{name}n", f"{name}a", f"{name}b", f"{name}f", tags)
        time.sleep(0.5)

    def give_addresses(self) -> None:
        """After the captures have begun: duplicate address detection and multicast reports belong to the mixture."""
        self.client.address("c0", "10.1.0.2/24", "fd01::2/64")
        self.router.address("r0", "10.1.0.1/24", "fd01::1/64")
        self.router.address("r1", "10.2.0.1/24", "fd02::1/64")
        self.server.address("s0", "10.2.0.2/24", "fd02::2/64")
        for name, number in (("v10", 3), ("vq", 4)):
            self.client.address(name, f"10.{number}.0.2/24", f"fd0{number}::2/64")
            self.server.address(name, f"10.{number}.0.1/24", f"fd0{number}::1/64")
        for space, number, via in ((self.client, 2, 1), (self.server, 1, 2)):
            space.ip("route", "add", f"10.{number}.0.0/24", "via", f"10.{via}.0.1")
            space.ip("-6", "route", "add", f"fd0{number}::/64", "via", f"fd0{via}::1")
        # A route that the router does not have: it answers that the net is unreachable.
        self.client.ip("route", "add", "10.99.0.0/24", "via", "10.1.0.1")
        self.client.ip("-6", "route", "add", "fd99::/64", "via", "fd01::1")
        for space in (self.client, self.router, self.server):
            space.settle()

    def start_server(self) -> None:
        pages = self.work / "pages"
        pages.mkdir()
        for size in (100, 1400, 5000, 40000):
            body = "".join(f"<p>line {i} of a page of about {size} bytes</p>\n" for i in range(size // 40 + 1))
            (pages / f"{size}.html").write_text(body)
        self.start(self.server, sys.executable, str(HERE), "_serve", str(pages))
        wait_for(lambda: self.server.run("curl", "-s", "-o", os.devnull, "http://127.0.0.1/100.html", check=False).returncode == 0,
                 "the web server")

    def ping(self, *arguments: str) -> None:
        self.client.run("ping", "-n", "-i", "0.02", "-W", "1", *arguments, check=False)

    def fetch(self, host: str, *pages: str) -> None:
        self.client.run("curl", "-s", "-g", "--max-time", "20", *[part for page in pages
                        for part in ("-o", os.devnull, f"http://{host}/{page}")])

    def talk(self, server: str) -> None:
        self.client.run(sys.executable, str(HERE), "_talk", server)

    def converse(self) -> None:
        """The conversation. Bounded: each step ends by itself, the whole takes some ten seconds."""
        for server in ("10.2.0.2", "fd02::2"):
            host = f"[{server}]" if ":" in server else server
            for size in ("0", "1", "56", "500", "1452"):
                self.ping("-c", "6", "-s", size, server)
            self.ping("-c", "3", "-M", "dont", "-s", "4000", server)
            self.ping("-c", "2", "-t", "1", server)
            for _ in range(6):
                self.fetch(host, "100.html")
            self.fetch(host, "100.html", "1400.html", "5000.html", "missing.html", "40000.html")
            self.talk(server)
        self.ping("-c", "2", "10.99.0.1")
        self.ping("-c", "2", "fd99::1")
        for number in (3, 4):
            self.ping("-c", "8", f"10.{number}.0.1")
            self.ping("-c", "8", f"fd0{number}::1")
            self.fetch(f"10.{number}.0.1", "100.html", "5000.html", "40000.html")
            self.fetch(f"[fd0{number}::1]", "100.html", "5000.html")
        self.lose_segments()
        self.shrink_path()

    def lose_segments(self) -> None:
        """A bucket that holds two frames, behind the capture point: what it drops is sent, and captured, again."""
        self.router.run("tc", "qdisc", "add", "dev", "r1", "root", "tbf", "rate", "20mbit", "burst", "3200", "limit", "6400")
        self.client.run(sys.executable, str(HERE), "_upload", "10.2.0.2", "120000", timeout=60)
        self.router.run("tc", "qdisc", "delete", "dev", "r1", "root")

    def shrink_path(self) -> None:
        """Path MTU discovery: the router's far side takes 1300 bytes only and says so to whoever sends more."""
        self.router.ip("link", "set", "r1", "mtu", "1300")
        self.server.ip("link", "set", "s0", "mtu", "1300")
        for server in ("10.2.0.2", "fd02::2"):
            self.ping("-c", "3", "-M", "do", "-s", "1400", server)
            self.ping("-c", "3", "-M", "dont", "-s", "1400", server)

    def stop(self) -> None:
        for process in self.processes:
            stop(process, signal.SIGINT)

    def merge(self, output: pathlib.Path) -> None:
        run("mergecap", "-F", "pcap", "-w", str(output), *map(str, self.captures))


# --- what is in it ------------------------------------------------------------------------------------------------------

FILTERS = {
    "ARP": "arp",
    "IPv4": "ip",
    "IPv6": "ipv6",
    "IPv4 fragments": "ip.flags.mf == 1 || ip.frag_offset > 0",
    "IPv6 fragments": "ipv6.fraghdr",
    "ICMP echo": "icmp.type == 0 || icmp.type == 8",
    "ICMP unreachable": "icmp.type == 3",
    "ICMP time exceeded": "icmp.type == 11",
    "ICMPv6 echo": "icmpv6.type == 128 || icmpv6.type == 129",
    "ICMPv6 errors": "icmpv6.type <= 4",
    "ICMPv6 neighbour discovery": "icmpv6.type >= 133 && icmpv6.type <= 136",
    "UDP": "udp && !icmp && !icmpv6.type",
    "DNS": "dns && !icmp && !icmpv6.type",
    "TCP": "tcp",
    "TCP SYN": "tcp.flags.syn == 1",
    "TCP FIN": "tcp.flags.fin == 1",
    "TCP RST": "tcp.flags.reset == 1",
    "TCP retransmissions": "tcp.analysis.retransmission || tcp.analysis.fast_retransmission",
    "HTTP": "http",
    "802.1Q, one tag": "vlan && !ieee8021ad",
    "802.1ad and 802.1Q (QinQ)": "ieee8021ad",
}


def count(capture: pathlib.Path, display_filter: str = "") -> int:
    arguments = ["-Y", display_filter] if display_filter else []
    result = run("tshark", "-n", "-o", "ip.defragment:FALSE", "-o", "ipv6.defragment:FALSE",
                 "-r", str(capture), *arguments, "-T", "fields", "-e", "frame.number")
    return len(result.stdout.splitlines())


README = """# Captures

`mixed.pcap` holds {packets} frames of {smallest} to {largest} bytes ({size} KiB) from real kernel stacks: client, router and server
in network namespaces, talking over veth pairs with every offload off, recorded with tcpdump. No frame was written by
hand and none was cut short. `sudo .venv/bin/python3 python/record_capture.py` records it anew and writes this page; the
head of that script draws the set-up. Counts differ a little from recording to recording.

What tshark sees in it (a frame can be in several rows):

| protocol | frames |
| --- | ---: |
{rows}

Malformed and odd captures are not kept here: `python/make_captures.py DIRECTORY` writes them, always the same.
"""


def frame_lengths(capture: pathlib.Path) -> list[int]:
    result = run("tshark", "-n", "-r", str(capture), "-T", "fields", "-e", "frame.len")
    return [int(line) for line in result.stdout.split()]


def describe(capture: pathlib.Path) -> str:
    """The page beside the capture; an error where a protocol that should be there is not."""
    counts = {name: count(capture, text) for name, text in FILTERS.items()}
    if missing := [name for name, number in counts.items() if number == 0]:
        raise RuntimeError(f"the recording has no {', '.join(missing)}")
    lengths = frame_lengths(capture)
    if max(lengths) > 1514 or capture.stat().st_size > LIMIT_BYTES:
        raise RuntimeError(f"frames up to {max(lengths)} bytes in {capture.stat().st_size} bytes: too large")
    rows = "\n".join(f"| {name} | {number} |" for name, number in counts.items())
    return README.format(packets=len(lengths), smallest=min(lengths), largest=max(lengths),
                         size=round(capture.stat().st_size / 1024), rows=rows)


def record(output: pathlib.Path) -> None:
    with tempfile.TemporaryDirectory(prefix="packetwarp-record-") as name, Namespaces("pw-record") as spaces:
        recording = Recording(spaces, pathlib.Path(name))
        try:
            recording.start_captures_and_relays()
            recording.give_addresses()
            recording.start_server()
            recording.converse()
            time.sleep(0.5)
        finally:
            recording.stop()
        merged = pathlib.Path(name) / "merged.pcap"
        recording.merge(merged)
        page = describe(merged)
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_bytes(merged.read_bytes())
        (output.parent / "README.md").write_text(page)
    print(page)


HELPERS = {
    "_serve": lambda arguments: serve(arguments[0]),
    "_relay": relay_from_text,
    "_talk": lambda arguments: talk(arguments[0]),
    "_upload": lambda arguments: upload(arguments[0], int(arguments[1])),
}


def main() -> int:
    # The script starts itself inside the namespaces, with one of these as its first word.
    if len(sys.argv) > 1 and sys.argv[1] in HELPERS:
        signal.signal(signal.SIGINT, lambda *_: os._exit(0))
        HELPERS[sys.argv[1]](sys.argv[2:])
        return 0
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", nargs="?", type=pathlib.Path, default=DEFAULT_OUTPUT)
    arguments = parser.parse_args()
    if reason := need_root_and_tools("tcpdump", "tshark", "mergecap", "ip", "tc", "ethtool", "curl", "ping"):
        print(f"record_capture: error: {reason}", file=sys.stderr)
        return 1
    exit_on_signals()
    record(arguments.output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
