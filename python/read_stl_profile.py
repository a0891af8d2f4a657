#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads a TRex stateless profile and writes the traffic that it describes as JSON, for `packetwarp generate --stl`.

The profile is a Python file and runs as one, with its author's rights on this machine. Exit status: 0 done, 2 the
profile cannot be sent, with one line that says why, 3 the tunables asked the profile for its help, which is printed.
"""
from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
from typing import TextIO


def take_standard_output() -> TextIO:
    """Standard output, for the result alone. All other output of this process and its children goes to standard error
    from now on."""
    own = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return own


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("profile", help="a Python file with a register() function")
    parser.add_argument("--port", type=int, default=0, help="the port it is for (default 0); its direction is odd or even")
    parser.add_argument("-t", "--tunables", default="", help="key=value,... or the words of a command line")
    arguments = parser.parse_args()
    out = take_standard_output()
    sys.argv = [arguments.profile]  # by which argparse names a profile in its help
    try:
        with contextlib.redirect_stdout(sys.stderr):
            from trex_stl.problems import ProfileError, ProfileHelp
            from trex_stl.reader import read_profile
    except ImportError as missing:
        print(f"python: {missing.name} is missing; 'make setup' installs it, or: "
              f"{sys.executable} -m pip install scapy", file=sys.stderr)
        return 2
    try:
        with contextlib.redirect_stdout(sys.stderr):
            program = read_profile(arguments.profile, port=arguments.port, tunables=arguments.tunables)
    except ProfileError as error:
        print(error, file=sys.stderr)
        return 2
    except ProfileHelp as text:
        print(text, end="", file=out, flush=True)
        return 3
    with out:
        json.dump(program, out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
