#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records labelled traffic, benign and hostile, between network namespaces that it makes itself.

Each scenario becomes DIR/NAME.pcap, and a line of DIR/labels.csv. A mixed capture also has NAME.labels: for each packet, in the
capture's order, a line with `normal` or the family of the attack. A label says which namespace a packet came from, or answers.
Nothing leaves the namespaces, and nothing of them is left. Needs root."""
from __future__ import annotations

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
from typing import NoReturn

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from namespaces import exit_on_signals  # noqa: E402
from record_traffic import ends, line, packet_sender  # noqa: E402
from record_traffic.labels import add_rows  # noqa: E402
from record_traffic.recording import RecordingError, record  # noqa: E402
from record_traffic.scenarios import Scenario, listed  # noqa: E402
from record_traffic.services import PACKAGES  # noqa: E402

FEWEST_PACKETS, MOST_PACKETS, MOST_SEEDS = 200, 200_000, 100
# Debian's folders of programs that a user's PATH may lack.
PATH = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/sbin"))


class Parser(argparse.ArgumentParser):
    """Errors in one line."""

    def error(self, message: str) -> NoReturn:
        print(f"record_traffic: error: {message}", file=sys.stderr)
        sys.exit(2)


def seeds_of(text: str) -> list[int]:
    """`1-3,9`: 1, 2, 3, 9."""
    found: list[int] = []
    for part in text.split(","):
        match = re.fullmatch(r"(\d{1,6})(?:-(\d{1,6}))?", part)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if first > last or len(found) + last - first >= MOST_SEEDS:
            raise argparse.ArgumentTypeError(f"\"{text}\": give numbers and ranges such as 1-3,9, {MOST_SEEDS} seeds at most")
        found += range(first, last + 1)
    return list(dict.fromkeys(found))


def packets_of(text: str) -> int:
    if not text.isdecimal() or not FEWEST_PACKETS <= int(text) <= MOST_PACKETS:
        raise argparse.ArgumentTypeError(f"\"{text}\": give a number from {FEWEST_PACKETS} to {MOST_PACKETS}")
    return int(text)


def scenarios_of(text: str) -> list[Scenario]:
    known = listed()
    for name in text.split(","):
        if name not in known:
            raise argparse.ArgumentTypeError(f"\"{name}\": no such scenario; --list names them")
    return [known[name] for name in dict.fromkeys(text.split(","))]


def missing_tools(tools: frozenset[str]) -> str:
    """Names the programs that are not installed and Debian's packages of them; "" if all are."""
    missing = sorted(tool for tool in tools if shutil.which(tool, path=PATH) is None)
    packages = sorted({PACKAGES.get(tool, tool) for tool in missing})
    return f"{', '.join(missing)} not installed: apt-get install {' '.join(packages)}" if missing else ""


def print_list(tools: str) -> None:
    for scenario in listed().values():
        needed = frozenset().union(*(scenario.tools(scenario.plan(seed, tools, 20_000).without_nginx()) for seed in (1, 2, 3)))
        missing = missing_tools(needed)
        used = scenario.tool_column(scenario.plan(1, tools, 20_000))
        print(f"{scenario.name:18} {scenario.label:7} {used}{f' ({missing})' if missing else ''}")


def record_all(arguments: argparse.Namespace) -> tuple[int, int]:
    """Records each scenario with each seed; returns how many were recorded, and how many failed. A missing tool skips a scenario, by name."""
    made = failed = 0
    for seed in arguments.seeds:
        for scenario in arguments.scenarios:
            plan = scenario.plan(seed, arguments.tools, arguments.packets)
            if missing_tools(frozenset({"nginx"})):
                plan = plan.without_nginx()
            if missing := missing_tools(scenario.tools(plan)):
                print(f"skipped {scenario.name}, seed {seed}: {missing}", flush=True)
                continue
            begin = time.monotonic()
            try:
                row = record(scenario, plan, arguments.out)
            except (RecordingError, RuntimeError, TimeoutError, subprocess.SubprocessError) as error:
                print(f"record_traffic: error: {scenario.name}, seed {seed}: {' '.join(str(error).split())[:300]}", file=sys.stderr, flush=True)
                failed += 1
                continue
            add_rows(arguments.out / "labels.csv", [row])
            made += 1
            print(f"{row.file}: {row.packets:,} packets, {row.label}, {row.family} by {row.tool}, {time.monotonic() - begin:.1f} s", flush=True)
    return made, failed


HELPERS = {"_line": line.relay_from_text, "_web": ends.web, "_visit": ends.visit, "_knock": ends.knock, "_linger": ends.linger,
           "_send": packet_sender.send, "_crowd": ends.crowd, "_serve": ends.serve}


def parse() -> argparse.Namespace:
    parser = Parser(prog="record.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, metavar="DIR", help="the folder of the captures; made if it is missing")
    parser.add_argument("--scenarios", type=scenarios_of, default=list(listed().values()), metavar="a,b", help="[all]")
    parser.add_argument("--seeds", type=seeds_of, default=[1], metavar="1-3,9", help="a recording of each scenario per seed [1]")
    parser.add_argument("--packets", type=packets_of, default=20_000, metavar="N", help="the most packets of a capture [20000]")
    parser.add_argument("--tools", choices=("usual", "other", "drawn"), default="usual",
                        help="other: the same attacks by other tools at other rates, to judge a model by; drawn: by a program that draws what it sends [usual]")
    parser.add_argument("--list", action="store_true", help="print the scenarios, their labels and tools")
    arguments = parser.parse_args()
    if not arguments.list and arguments.out is None:
        parser.error("give the folder of the captures: --out DIR")
    return arguments


def main() -> int:
    # The script starts itself inside the namespaces, with one of these as its first word.
    if len(sys.argv) > 1 and sys.argv[1] in HELPERS:
        HELPERS[sys.argv[1]](*sys.argv[2:])
        return 0
    arguments = parse()
    if arguments.list:
        print_list(arguments.tools)
        return 0
    if os.geteuid() != 0:
        print("record_traffic: error: needs root, to make network namespaces", file=sys.stderr)
        return 1
    os.environ["PATH"] = PATH
    exit_on_signals()
    try:
        arguments.out.mkdir(parents=True, exist_ok=True)
        made, failed = record_all(arguments)
    except KeyboardInterrupt:
        print("record_traffic: interrupted; the captures so far are complete", file=sys.stderr)
        return 130
    except OSError as error:
        print(f"record_traffic: error: {error}", file=sys.stderr)
        return 1
    if made == 0 and failed == 0:
        print("record_traffic: error: every scenario was skipped", file=sys.stderr)
    return 0 if made and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
