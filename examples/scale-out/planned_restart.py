#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Restarts packetwarp of a replica so that its hosts keep their connections, and its routers their routes.

BFD becomes patient, packetwarp saves its sessions and ends, and leaves its kernel interfaces to the next run. Whatever
supervises it (the kubelet, systemd) starts it again. Then BFD gets its times back. FRR goes on all the time, so its BGP
sessions do, too.
"""
from __future__ import annotations

import argparse
import pathlib
import subprocess

from frr_shell import Bfd, wait_until


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("control", help="the control socket of the replica's packetwarp")
    parser.add_argument("vty", help="the folder of the sockets of FRR's daemons, such as /run/frr")
    parser.add_argument("--packetwarp", default="packetwarp", metavar="PROGRAM", help="(default: %(default)s)")
    given = parser.parse_args()

    def ask(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([given.packetwarp, *words, "--control", given.control], capture_output=True, text=True, check=False)

    if not pathlib.Path(given.control).is_socket():
        raise SystemExit(f"error: {given.control} is no control socket; give the path of packetwarp's, its file's `control`")
    bfd = Bfd(given.vty)
    bfd.require_up()
    try:
        bfd.load("replica-bfdd-patient.conf")
        bfd.tell()
        print("BFD is patient", flush=True)
        drained = ask("drain", "--within", "1ms", "--keep-routes", "--wait")
        if drained.returncode:
            raise SystemExit(drained.stderr.strip())
        print("packetwarp has ended", flush=True)
        wait_until(lambda: ask("workers").returncode == 0)
        print("packetwarp runs again", flush=True)
    finally:
        bfd.load("replica-bfdd.conf")
    print("BFD has its times back", flush=True)


if __name__ == "__main__":
    main()
