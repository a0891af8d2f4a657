# SPDX-License-Identifier: Apache-2.0
"""FRR's daemons of a replica, by vtysh."""
from __future__ import annotations

import json
import pathlib
import subprocess
import time
from collections.abc import Callable
from typing import Any

HERE = pathlib.Path(__file__).resolve().parent
PACKETS = 5  # of BFD that tell a neighbour of new times: as many as it would miss before it takes this for a failure
PAUSE = 0.1  # seconds between looks


def wait_until(holds: Callable[[], bool]) -> None:
    while not holds():
        time.sleep(PAUSE)


class Bfd:
    """bfdd, and what it knows of its neighbours."""

    def __init__(self, vty: str) -> None:
        if not (pathlib.Path(vty) / "bfdd.vty").is_socket():
            raise SystemExit(f"error: {vty} has no socket bfdd.vty; give the folder in which FRR's daemons have theirs, such as /run/frr")
        self.vtysh = ["vtysh", "--vty_socket", vty]

    def ask(self, *words: str) -> str:
        """The output of vtysh. Raises SystemExit if it fails."""
        try:
            done = subprocess.run([*self.vtysh, *words], capture_output=True, text=True, check=False)
        except FileNotFoundError:
            raise SystemExit("error: vtysh is not there; run this beside FRR") from None
        if done.returncode:
            raise SystemExit(f"error: {' '.join(self.vtysh)}: {(done.stderr or done.stdout).strip() or done.returncode}")
        return done.stdout

    def peers(self) -> list[dict[str, Any]]:
        return json.loads(self.ask("-c", "show bfd peers json"))

    def load(self, name: str) -> None:
        """Applies a file of this folder."""
        self.ask("-f", str(HERE / name))

    def require_up(self) -> None:
        """Without BFD there are no routes to be kept. Raises SystemExit."""
        peers = self.peers()
        if not peers:
            raise SystemExit("error: bfdd has no peers; give them in its file, as replica-bfdd.conf does")
        if down := sorted(one["peer"] for one in peers if one["status"] != "up"):
            raise SystemExit(f"error: BFD to {', '.join(down)} is not up, so its routes are not there to be kept; see `show bfd peers`")

    def tell(self) -> None:
        """Waits until the neighbours have been told the times of now."""
        before = self.sent()
        wait_until(lambda: all(self.sent()[peer] >= count + PACKETS for peer, count in before.items()))

    def sent(self) -> dict[str, int]:
        """By neighbour: control packets sent to it."""
        return {one["peer"]: one["control-packet-output"] for one in json.loads(self.ask("-c", "show bfd peers counters json"))}

    def is_told_down(self) -> bool:
        """Whether all neighbours say that they have heard of this end's shutdown (RFC 5880, section 4.1, diagnostic 3)."""
        return all(one["remote-diagnostic"] == "neighbor signaled session down" for one in self.peers())
