# SPDX-License-Identifier: Apache-2.0
"""A line between two interfaces: a relay that delays, loses and paces frames. It needs no qdisc, which not every kernel has (netem)."""
from __future__ import annotations

import collections
import json
import random
import select
import socket
import time

from recording.topology import packet_socket

from .old_stack import OldStacks
from .plan import Line

LONGEST_QUEUE = 0.2  # seconds of frames that wait for the line; the next frames are lost, as in a router
FRAMES_AT_ONCE = 64


class Direction:
    """The arrival times of frames in one direction. Frames keep their order, whatever the jitter."""

    def __init__(self, line: Line, numbers: random.Random) -> None:
        self._line, self._numbers = line, numbers
        self._free = self._last = 0.0

    def arrival(self, now: float, length: int) -> float | None:
        """The time at which a frame that is sent now comes out of the line; None if it is lost."""
        line = self._line
        begins = max(now, self._free)
        if begins - now > LONGEST_QUEUE or self._numbers.random() < line.loss:
            return None
        self._free = begins + length * 8 / line.bits_per_second
        self._last = max(self._last, self._free + line.delay + self._numbers.uniform(0, line.jitter))
        return self._last


class Lane:
    """A direction with its sockets and the frames that are on their way."""

    def __init__(self, source: socket.socket, target: socket.socket, direction: Direction, stacks: OldStacks, goes_up: bool) -> None:
        self.source, self._target, self._direction = source, target, direction
        self._stacks, self._goes_up = stacks, goes_up
        self._frames: collections.deque[tuple[float, bytes]] = collections.deque()

    def take(self) -> None:
        for _ in range(FRAMES_AT_ONCE):
            try:
                frame = self.source.recv(65535)
            except BlockingIOError:
                return
            frame = self._stacks.passed(frame, self._goes_up)
            if (when := self._direction.arrival(time.monotonic(), len(frame))) is not None:
                self._frames.append((when, frame))

    def deliver(self) -> float | None:
        """Sends the frames that are due; returns the time of the next one."""
        now = time.monotonic()
        while self._frames and self._frames[0][0] <= now:
            try:
                self._target.send(self._frames.popleft()[1])
            except OSError:
                pass  # an interface that goes down, or a full queue: the frame is lost
        return self._frames[0][0] if self._frames else None


def relay(near: str, far: str, line: Line, seed: str) -> None:
    sockets = [packet_socket(name) for name in (near, far)]
    for one in sockets:
        one.setblocking(False)
    one, other = sockets
    stacks = OldStacks(line.old_stacks, seed)
    lanes = {one: Lane(one, other, Direction(line, random.Random(seed + "up")), stacks, True),
             other: Lane(other, one, Direction(line, random.Random(seed + "down")), stacks, False)}
    while True:
        due = [when for lane in lanes.values() if (when := lane.deliver()) is not None]
        wait = max(0.0, min(due) - time.monotonic()) if due else None
        for ready in select.select(sockets, [], [], wait)[0]:
            lanes[ready].take()


def relay_from_text(near: str, far: str, text: str, seed: str) -> None:
    relay(near, far, Line(**json.loads(text)), seed)
