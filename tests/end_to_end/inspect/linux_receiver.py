# SPDX-License-Identifier: Apache-2.0
"""A listener of Linux at the end of a wire whose other end this program holds: it plays segments that it is told by a line of JSON
each, and prints what the listener has read, and all frames in the order in which a box on the wire sees them. For a network
namespace of its own: `unshare -n python3 linux_receiver.py`."""
from __future__ import annotations

import fcntl
import json
import os
import socket
import struct
import subprocess
import sys
import time

from scapy.layers.inet import IP, TCP
from scapy.layers.l2 import Ether
from scapy.packet import Packet

OWN, OTHER = "10.9.0.1", "10.9.0.2"
OWN_MAC, OTHER_MAC = "02:00:00:00:00:01", "02:00:00:00:00:02"
MODULUS = 2**32
TUNSETIFF, IFF_TAP, IFF_NO_PI = 0x400454CA, 0x0002, 0x1000


def open_wire() -> int:
    wire = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(wire, TUNSETIFF, struct.pack("16sH", b"wire", IFF_TAP | IFF_NO_PI))
    for words in (f"link set dev wire address {OWN_MAC}", f"addr add {OWN}/24 dev wire", "link set dev wire up",
                  f"neigh add {OTHER} lladdr {OTHER_MAC} dev wire"):
        subprocess.run(["ip", *words.split()], check=True)
    return wire


class Conversation:
    """A connection of a client that this program plays. Numbers and times count from those of its SYN."""

    def __init__(self, wire: int, told: dict) -> None:
        self.wire, self.told = wire, told
        self.frames: list[bytes] = []
        self.server_number = self.server_time = 0

    def see(self) -> list[Packet]:
        """The packets of the listener's side since the last call."""
        new = []
        while True:
            try:
                frame = os.read(self.wire, 4096)
            except BlockingIOError:
                return new
            packet = Ether(frame)
            if TCP in packet and packet[TCP].sport == self.told["port"]:
                self.frames.append(frame)
                new.append(packet)
                self.server_time = max([self.server_time, *(value[0] for name, value in packet[TCP].options if name == "Timestamp")])

    def send(self, flags: str, at: int, acknowledged: int, text: bytes = b"", time_of: int = 0, window: int = 60000) -> list[Packet]:
        times = [("NOP", None), ("NOP", None), ("Timestamp", ((self.told["time"] + time_of) % MODULUS, self.server_time))]
        options = [("MSS", 1460)] if flags == "S" else []
        header = TCP(sport=self.told["from"], dport=self.told["port"], flags=flags, seq=(self.told["number"] + 1 + at) % MODULUS,
                     ack=acknowledged % MODULUS, window=window, options=options + (times if self.told["has_times"] else []))
        frame = bytes(Ether(src=OTHER_MAC, dst=OWN_MAC) / IP(src=OTHER, dst=OWN) / header / text)
        self.frames.append(frame)
        os.write(self.wire, frame)
        time.sleep(0.002)
        return self.see()

    def begin(self) -> None:
        answer = self.send("S", -1, 0)[0][TCP]
        self.server_number = answer.seq + 1
        self.send("A", 0, self.server_number)

    def play(self, listener: socket.socket) -> bytes:
        self.begin()
        server, _ = listener.accept()
        server.settimeout(0.2)
        with server:
            for step in self.told["steps"]:
                if "reply" in step:
                    server.sendall(step["reply"].encode())
                    time.sleep(0.002)
                    self.see()
                    continue
                self.send("PA", step["at"], self.server_number + step["acknowledged"], step["text"].encode(), step["time"],
                          step.get("window", 60000))
            read = b""
            while len(read) < self.told["size"]:
                try:
                    read += server.recv(65536)
                except TimeoutError:
                    break
        self.see()
        return read


def main() -> None:
    wire = open_wire()
    for line in sys.stdin:
        told = json.loads(line)
        with socket.create_server((OWN, told["port"])) as listener:
            one = Conversation(wire, told)
            read = one.play(listener)
        print(json.dumps({"read": read.decode(), "frames": [frame.hex() for frame in one.frames]}), flush=True)


if __name__ == "__main__":
    main()
