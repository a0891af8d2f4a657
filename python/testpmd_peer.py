# SPDX-License-Identifier: Apache-2.0
"""dpdk-testpmd as a peer: its rate on the ports that packetwarp is measured on. Needs only Python."""
from __future__ import annotations

import pathlib
import re
import subprocess
import threading
import time
from collections.abc import Sequence

WARM_UP_SECONDS = 0.5
START_LIMIT_SECONDS = 60


class PeerError(RuntimeError):
    """A line that says what went wrong."""


def memory_options(mebibytes: int = 2048) -> list[str]:
    """The EAL's options: a process by itself, on hugepages if enough are free, else on ordinary pages, which packetwarp chooses
    by itself and testpmd must be told; this many of them."""
    pools = pathlib.Path("/sys/kernel/mm/hugepages").glob("*/free_hugepages")
    if any(int(free.read_text()) for free in pools):
        return ["--in-memory"]
    return ["--no-huge", "--no-shconf", "-m", str(mebibytes)]


def forward(program: str, eal: Sequence[str], mode: str, lcores: int, options: Sequence[str], seconds: float) -> float:
    """Mpps sent over both ports by the forwarding lcores; the EAL options give one more lcore, which takes its commands."""
    command = [program, *eal, "--", "-i", f"--forward-mode={mode}", f"--nb-cores={lcores}", *options]
    # Into a pipe it would print in blocks, which would hide its start.
    with subprocess.Popen(["stdbuf", "-oL", *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True) as testpmd:
        limit = threading.Timer(seconds + START_LIMIT_SECONDS, testpmd.kill)
        limit.start()
        try:
            tell(testpmd, "start")
            require_start(testpmd, mode, lcores)
            time.sleep(WARM_UP_SECONDS)
            tell(testpmd, "show port stats all")
            time.sleep(seconds)
            tell(testpmd, "show port stats all", "stop", "quit")
            testpmd.stdin.close()
            return sent_mpps(testpmd.stdout.read())
        except BrokenPipeError:
            raise PeerError(f"{program} ended by itself") from None
        finally:
            limit.cancel()
            testpmd.kill()  # has no effect once it has quit


def tell(testpmd: subprocess.Popen[str], *lines: str) -> None:
    testpmd.stdin.write("".join(f"{line}\n" for line in lines))
    testpmd.stdin.flush()


def require_start(testpmd: subprocess.Popen[str], mode: str, lcores: int) -> None:
    """Waits until it forwards, in the mode and on the lcores asked for, not a fallback."""
    said = []
    for line in testpmd.stdout:
        said.append(line.strip())
        if "packet forwarding - ports=" in line:
            if f"{mode} packet forwarding - ports=2 - cores={lcores} " not in line:
                raise PeerError(f"testpmd does not do what it was asked for: {line.strip()}")
            return
    wrong = [line for line in said if re.search(r"error|cause:|invalid|cannot|unavailable|fail", line, re.IGNORECASE)]
    raise PeerError(f"testpmd did not start: {(wrong or said or ['it said nothing'])[0]}")


def sent_mpps(output: str) -> float:
    """Sum over both ports of the last statistics shown, whose rates are since the statistics before."""
    rates = [int(rate) for rate in re.findall(r"Tx-pps:\s+(\d+)", output)]
    if len(rates) != 4:
        raise PeerError(f"testpmd showed {len(rates)} rates and not 4 (two ports, twice)")
    return sum(rates[2:]) / 1e6
