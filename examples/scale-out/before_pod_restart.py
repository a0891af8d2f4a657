#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prepares the restart of a replica's whole pod, FRR included: its routers keep its routes while it is away.

They do so by BGP graceful restart (RFC 4724), for as long as bgpd's `restart-time`, if bgpd ends without a word. BFD must
come down after that, and before the new bgpd is back: a router takes a BFD session that comes down while it has a BGP
session for a failure of the latter, and FRR 8.4 does not take a new bfdd's packets for an old session's end.

It runs in the pod's network namespace, as root or bgpd's user. Then `packetwarp drain --within 1ms --keep-routes` ends packetwarp.
Where watchfrr starts daemons again, it must be ended before.
"""
from __future__ import annotations

import argparse
import os
import pathlib
import signal

from frr_shell import Bfd, wait_until

BGP_PORT = 179
OVER = ("06", "07", "0A")  # TIME_WAIT, CLOSE, LISTEN: both ends have closed the connection, or it is none (proc(5), net/tcp)


def open_sessions() -> int:
    """BGP's TCP connections that one of the ends has not closed."""
    found = 0
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        if os.path.exists(table):
            for line in pathlib.Path(table).read_text(encoding="ascii").splitlines()[1:]:
                _, local, remote, state, *_ = line.split()
                found += state not in OVER and any(int(end.rsplit(":", 1)[1], 16) == BGP_PORT for end in (local, remote))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("vty", help="the folder of the sockets and the pid files of FRR's daemons, such as /run/frr")
    given = parser.parse_args()
    bfd = Bfd(given.vty)
    bfd.require_up()
    pid_file = pathlib.Path(given.vty) / "bgpd.pid"
    try:
        os.kill(int(pid_file.read_text(encoding="ascii")), signal.SIGKILL)
    except (OSError, ValueError) as wrong:
        raise SystemExit(f"error: bgpd cannot be ended by {pid_file}: {wrong}") from None
    wait_until(lambda: open_sessions() == 0)
    print("bgpd has ended, and the routers know", flush=True)
    bfd.load("replica-bfdd-end.conf")
    wait_until(bfd.is_told_down)
    print("BFD is down, and the routers know", flush=True)


if __name__ == "__main__":
    main()
