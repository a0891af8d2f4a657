# SPDX-License-Identifier: Apache-2.0
"""guest_exec.py FOLDER COMMAND...: runs the command in the guest whose folder that is, as `ip netns exec` runs one in a
namespace: its output and errors come out here, SIGHUP, SIGINT and SIGTERM go to it, and its exit status is this one's."""
from __future__ import annotations

import os
import pathlib
import shlex
import signal
import sys
import time
from typing import BinaryIO

LOOK_EVERY = 0.02


class Remote:
    """A command in a guest."""

    def __init__(self, folder: pathlib.Path, command: list[str]) -> None:
        self._folder, self._name = folder, f"call{os.getpid()}-{time.monotonic_ns()}"
        words = shlex.join(command)
        self._file("sh").write_text(f"echo $$ >{self._name}.pid\nexec {words}\n")
        for kind in ("out", "err"):
            self._file(kind).touch()
        self._ask(f"run {self._name}")

    def _file(self, kind: str) -> pathlib.Path:
        return self._folder / f"{self._name}.{kind}"

    def _ask(self, request: str) -> None:
        # Shorter than PIPE_BUF, so that requests of several callers do not mix.
        with (self._folder / "agent.in").open("wb", buffering=0) as pipe:
            pipe.write(f"{request}\n".encode())

    def signal(self, number: int, _: object) -> None:
        self._ask(f"kill {self._name} {signal.Signals(number).name.removeprefix('SIG')}")

    def status(self) -> int | None:
        """None while it runs."""
        file = self._file("status")
        return int(file.read_text()) if file.exists() else None

    def relay(self) -> int:
        """Until it ends."""
        with self._file("out").open("rb") as out, self._file("err").open("rb") as err:
            while True:
                status = self.status()
                pass_on(out, sys.stdout.buffer)
                pass_on(err, sys.stderr.buffer)
                if status is not None:
                    return status
                time.sleep(LOOK_EVERY)


def pass_on(source: BinaryIO, to: BinaryIO) -> None:
    if some := source.read():
        to.write(some)
        to.flush()


def main() -> int:
    remote = Remote(pathlib.Path(sys.argv[1]), sys.argv[2:])
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, remote.signal)
    return remote.relay()


if __name__ == "__main__":
    sys.exit(main())
