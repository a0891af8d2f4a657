#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A server that tells its clients by which address it sees them, over UDP and at the start of a connection, and then echoes."""
from __future__ import annotations

import asyncio
import sys
from typing import Any


class Datagrams(asyncio.DatagramProtocol):
    def connection_made(self, transport: Any) -> None:
        self.transport = transport

    def datagram_received(self, data: bytes, addr: Any) -> None:
        self.transport.sendto(addr[0].encode(), addr)


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        writer.write(f"{writer.get_extra_info('peername')[0]}\n".encode())
        while data := await reader.read(4096):
            writer.write(data)
    except OSError:
        pass
    finally:
        writer.close()


async def main(address: str, port: int) -> None:
    loop = asyncio.get_running_loop()
    await loop.create_datagram_endpoint(Datagrams, local_addr=(address, port))
    async with await asyncio.start_server(serve, address, port, backlog=1024) as server:
        print("serving", flush=True)
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2])))
