#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hosts that the replicas translate: for each source address a TCP connection that stays, and UDP requests that are repeated until they
are answered. Commands come on standard input, one a line: "quiet", "active", and "report", which prints a line of JSON with
the events since the last one."""
from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from typing import Any

EVERY = 0.5  # seconds between requests
PATIENCE = 0.25  # before a request is repeated


class Host(asyncio.DatagramProtocol):
    """A source address. It never gives up a connection: only a reset or the kernel's own time-out breaks one."""

    def __init__(self, address: str, server: str, port: int) -> None:
        self.address, self.server, self.port = address, server, port
        self.is_active = asyncio.Event()
        self.is_active.set()
        self.answer: asyncio.Future[bytes] | None = None
        self.is_connected = False
        self.clear()

    def clear(self) -> None:
        self.udp: set[str] = set()
        self.tcp: set[str] = set()
        self.broken: list[str] = []
        self.gaps: list[dict[str, Any]] = []
        self.answers = self.retries = self.echoes = 0

    def report(self) -> dict[str, Any]:
        made = {"udp": sorted(self.udp), "tcp": sorted(self.tcp), "broken": self.broken, "gaps": self.gaps, "answers": self.answers,
                "retries": self.retries, "echoes": self.echoes, "connected": self.is_connected}
        self.clear()
        return made

    def datagram_received(self, data: bytes, addr: Any) -> None:
        if self.answer and not self.answer.done():
            self.answer.set_result(data)

    def error_received(self, exc: Exception) -> None:
        """No route just now: the request is repeated."""

    async def ask(self) -> None:
        loop = asyncio.get_running_loop()
        transport, _ = await loop.create_datagram_endpoint(lambda: self, local_addr=(self.address, 5000), remote_addr=(self.server, self.port))
        while True:
            await self.is_active.wait()
            began, retries = time.monotonic(), 0
            while True:
                self.answer = loop.create_future()
                transport.sendto(b"?")
                try:
                    seen = (await asyncio.wait_for(self.answer, PATIENCE)).decode()
                    break
                except (asyncio.TimeoutError, ConnectionError):
                    retries += 1
                    self.retries += 1
            now = time.monotonic()
            self.answers += 1
            self.udp.add(seen)
            if retries:
                self.gaps.append({"from": began, "to": now, "retries": retries, "by": seen})
            await asyncio.sleep(max(0.0, began + EVERY - now))

    async def talk(self) -> None:
        """Counts go forth and come back in their order."""
        while True:
            await self.is_active.wait()
            try:
                await self.talk_once()
            except (OSError, asyncio.IncompleteReadError, asyncio.TimeoutError) as wrong:
                if self.is_connected:
                    self.broken.append(f"{type(wrong).__name__}: {wrong}")
                self.is_connected = False
                await asyncio.sleep(PATIENCE)

    async def talk_once(self) -> None:
        opening = asyncio.open_connection(self.server, self.port, local_addr=(self.address, 0))
        reader, writer = await asyncio.wait_for(opening, 2)
        try:
            seen = (await asyncio.wait_for(reader.readline(), 2)).decode().strip()
            self.is_connected = True
            number = 0
            while self.is_active.is_set():
                number += 1
                writer.write(number.to_bytes(8, "big"))
                echo = await reader.readexactly(8)
                assert int.from_bytes(echo, "big") == number, f"{self.address}: {echo!r} is no echo of {number}"
                self.echoes += 1
                self.tcp.add(seen)
                await asyncio.sleep(EVERY)
            self.is_connected = False
        finally:
            writer.close()


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("network", help="the first 24 bits of the addresses, such as 100.64.0")
    parser.add_argument("count", type=int)
    parser.add_argument("server")
    parser.add_argument("port", type=int)
    given = parser.parse_args()
    hosts = [Host(f"{given.network}.{1 + n}", given.server, given.port) for n in range(given.count)]
    work = [asyncio.create_task(one) for host in hosts for one in (host.ask(), host.talk())]
    commands = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(commands), sys.stdin)
    while line := (await commands.readline()).decode().strip():
        for one in work:
            if one.done():
                one.result()  # raises what ended it
        for host in hosts:
            if line == "quiet":
                host.is_active.clear()
            elif line == "active":
                host.is_active.set()
        print(json.dumps({host.address: host.report() for host in hosts} if line == "report" else {}), flush=True)
    for one in work:
        one.cancel()


if __name__ == "__main__":
    asyncio.run(main())
