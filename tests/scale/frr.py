# SPDX-License-Identifier: Apache-2.0
"""FRR's daemons in a network namespace, each by its own file, beside those of other namespaces."""
from __future__ import annotations

import json
import pathlib
import shutil
import signal
import subprocess
from typing import Any

from namespaces import Namespace, stop, wait_for

DAEMONS = pathlib.Path("/usr/lib/frr")
# Replicas and routers have CPUs of their own elsewhere: here they go before the test's hosts and the machine's other work. A nice
# value is not enough, because Linux applies it only within a session (sched_autogroup, sched(7)): BFD would take a busy machine for a
# failure.
FIRST = ["chrt", "--rr", "1"]


def is_there() -> bool:
    return all((DAEMONS / name).exists() for name in ("zebra", "bgpd", "bfdd"))


def version() -> str:
    return subprocess.run([DAEMONS / "bgpd", "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]


class Frr:
    """zebra, bfdd and bgpd of one namespace. They run until the `with` block is left."""

    def __init__(self, namespace: Namespace, folder: pathlib.Path, bgpd: str, bfdd: str, zebra: str = "") -> None:
        self.namespace, self.folder = namespace, folder
        folder.mkdir(parents=True)
        shutil.chown(folder, "frr", "frr")
        for name, text in (("zebra", zebra), ("bfdd", bfdd), ("bgpd", bgpd)):
            (folder / f"{name}.conf").write_text(f"log file {folder}/{name}.log\n{text}", encoding="utf-8")
        self.running: dict[str, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> Frr:
        try:
            for name in ("zebra", "bfdd", "bgpd"):
                self.start(name)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for name in ("bgpd", "bfdd", "zebra"):
            if name in self.running:
                self.stop(name)

    def start(self, name: str) -> None:
        more = {"bfdd": ["--bfdctl", str(self.folder / "bfdd.sock")]}.get(name, [])
        words = [*FIRST, str(DAEMONS / name), "-f", f"{self.folder}/{name}.conf", "-i", f"{self.folder}/{name}.pid", "-z", f"{self.folder}/zserv",
                 "--vty_socket", str(self.folder), "-A", "127.0.0.1", *more]
        with open(self.folder / f"{name}.out", "ab") as out:
            self.running[name] = self.namespace.popen(*words, stdout=out, stderr=out)
        vty = self.folder / f"{name}.vty"
        wait_for(lambda: vty.exists() or self.running[name].poll() is not None, f"{name} of {self.namespace.name}")
        assert self.running[name].poll() is None, (self.folder / f"{name}.out").read_text()

    def stop(self, name: str, how: int = signal.SIGTERM) -> None:
        stop(self.running.pop(name), how)
        (self.folder / f"{name}.vty").unlink(missing_ok=True)

    def show(self, *words: str) -> Any:
        """The answer of vtysh's `show`, from its JSON."""
        done = subprocess.run(["vtysh", "--vty_socket", str(self.folder), "-c", " ".join(["show", *words, "json"])], capture_output=True, text=True, check=True)
        return json.loads(done.stdout)
