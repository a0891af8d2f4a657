# SPDX-License-Identifier: Apache-2.0
"""The recorded traffic: servers, clients, and the conversation that they hold."""
from __future__ import annotations

import collections.abc
import contextlib
import http.server
import os
import random
import signal
import socket
import struct
import threading
import time

from namespaces import wait_for

from .topology import Topology

WEB, DNS, ECHO, SINK, CLOSED = 80, 53, 7, 9, 4444

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
    """Reads and forgets, then returns the number of bytes."""
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


# --- the conversation ---------------------------------------------------------------------------------------------------


class Conversation:
    """The conversation of client and server across a topology."""

    def __init__(self, between: Topology) -> None:
        self.between = between
        self.client, self.router, self.server = between.client, between.router, between.server

    def start_server(self) -> None:
        pages = self.between.work / "pages"
        pages.mkdir()
        for size in (100, 1400, 5000, 40000):
            body = "".join(f"<p>line {i} of a page of about {size} bytes</p>\n" for i in range(size // 40 + 1))
            (pages / f"{size}.html").write_text(body)
        self.between.start(self.server, *self.between.script, "_serve", str(pages))
        wait_for(lambda: self.server.run("curl", "-s", "-o", os.devnull, "http://127.0.0.1/100.html", check=False).returncode == 0,
                 "the web server")

    def ping(self, *arguments: str) -> None:
        self.client.run("ping", "-n", "-i", "0.02", "-W", "1", *arguments, check=False)

    def fetch(self, host: str, *pages: str) -> None:
        self.client.run("curl", "-s", "-g", "--max-time", "20", *[part for page in pages
                        for part in ("-o", os.devnull, f"http://{host}/{page}")])

    def talk(self, server: str) -> None:
        self.client.run(*self.between.script, "_talk", server)

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
        """A bucket that holds two frames, after the capture point: dropped frames are sent, and captured, again."""
        self.router.run("tc", "qdisc", "add", "dev", "r1", "root", "tbf", "rate", "20mbit", "burst", "3200", "limit", "6400")
        self.client.run(*self.between.script, "_upload", "10.2.0.2", "120000", timeout=60)
        self.router.run("tc", "qdisc", "delete", "dev", "r1", "root")

    def shrink_path(self) -> None:
        """Path MTU discovery: the router's far side takes 1300 bytes only and says so to any host that sends more."""
        self.router.ip("link", "set", "r1", "mtu", "1300")
        self.server.ip("link", "set", "s0", "mtu", "1300")
        for server in ("10.2.0.2", "fd02::2"):
            self.ping("-c", "3", "-M", "do", "-s", "1400", server)
            self.ping("-c", "3", "-M", "dont", "-s", "1400", server)
