# SPDX-License-Identifier: Apache-2.0
"""Activities of benign clients, each a list of commands with pauses. Pure: the same plan gives the same commands."""
from __future__ import annotations

import dataclasses
import json
import random
from collections.abc import Callable

from .old_stack import WINDOWS
from .plan import Host, Plan
from .services import COPIED, DOMAIN, PASSWORD, USER

SCRIPT = "SCRIPT"  # as the first word: record.py itself, in the namespace
WORK = "WORK"  # within a word: the recording's temporary folder


@dataclasses.dataclass(frozen=True)
class Command:
    pause: float  # seconds before it
    argv: tuple[str, ...]
    seconds: float = 15  # it is ended after them
    environment: tuple[tuple[str, str], ...] = ()


Activity = Callable[[Plan, Host, random.Random], list[Command]]


def pauses(numbers: random.Random, count: int, seconds: float) -> list[float]:
    """Pauses as of a Poisson process, of some `seconds` together."""
    return [min(3.0, numbers.expovariate(count / seconds)) for _ in range(count)]


def base_url(plan: Plan, numbers: random.Random) -> str:
    address = numbers.choice((str(plan.victim.address), str(plan.victim.address), f"[{plan.victim.address6}]"))
    return f"http://{address}:{plan.services.web}"


def fetch(plan: Plan, numbers: random.Random, pages: int, *options: str) -> tuple[str, ...]:
    base, urls = base_url(plan, numbers), []
    for _ in range(pages):
        urls += ["-o", "/dev/null", f"{base}/{numbers.choice((*plan.pages, 'missing'))}.html"]
    return ("curl", "-s", "-g", "--max-time", "10", *options, *urls)


# --- activities ---------------------------------------------------------------------------------------------------------


def browse(plan: Plan, host: Host, numbers: random.Random) -> list[Command]:
    """Pages one after another, several by one connection, some with time to think, some with a password, some uploads."""
    found = []
    slow = 0.15 if plan.tools == "usual" else 0.4
    for pause in pauses(numbers, numbers.randrange(12, 25), 7):
        kind = numbers.random()
        if kind < slow:
            address = numbers.choice((str(plan.victim.address), str(plan.victim.address6)))
            pages = ",".join(str(numbers.choice(plan.pages)) for _ in range(numbers.randrange(2, 6)))
            argv = (SCRIPT, "_visit", address, str(plan.services.web), pages, str(numbers.choice((0.05, 0.3))), str(numbers.random()))
        elif kind < 0.75:
            argv = fetch(plan, numbers, numbers.randrange(1, 7))
        elif kind < 0.9:
            argv = ("curl", "-s", "-g", "--max-time", "10", "-u", f"{USER}:{PASSWORD}", "-o", "/dev/null", f"{base_url(plan, numbers)}/private/")
        else:
            argv = ("curl", "-s", "-g", "--max-time", "10", "-H", "Expect:", "-T", f"WORK/pages/{numbers.choice(plan.pages)}.html",
                    "-o", "/dev/null", f"{base_url(plan, numbers)}/upload")
        found.append(Command(pause, argv))
    return found


def browse_in_parallel(plan: Plan, host: Host, numbers: random.Random) -> list[Command]:
    """Many connections at once: a browser's burst, or a proxy of many users."""
    return [Command(pause, fetch(plan, numbers, numbers.randrange(10, 40), "--parallel", "--parallel-immediate", "--parallel-max",
                                 str(numbers.choice((6, 16, 30))))) for pause in pauses(numbers, 6, 6)]


def ask_names(plan: Plan, host: Host, numbers: random.Random) -> list[Command]:
    found = []
    for pause in pauses(numbers, numbers.randrange(12, 30), 6):
        argv = ["dig", f"@{plan.victim.address}", "-p", str(plan.services.names), "+tries=2", "+time=1"]
        for _ in range(numbers.choice((1, 1, 2, 6))):
            name = numbers.choice((f"host{numbers.randrange(1000)}.{DOMAIN}", f"long.{DOMAIN}", "nowhere.example"))
            argv += [name, *numbers.choice((("A",), ("AAAA",), ("TXT",), ("A",), ("A", "+tcp")))]
        found.append(Command(pause, tuple(argv), 5))
    return found


def transfer(plan: Plan, host: Host, numbers: random.Random) -> list[Command]:
    """Bulk data up and down, and streams of datagrams."""
    port = ("-p", str(plan.services.transfer), "--connect-timeout", "3000")
    # A control connection and three tests; each byte count bounds a test by itself.
    size = str(max(1, plan.packets // 4) * 1000)
    stream = ("-u", "-b", f"{numbers.choice((1, 3, 8))}M", "-l", str(numbers.choice((160, 400, 1100))), "-t", "3")
    tests = [("-n", size), ("-n", size, "-R"), stream, (*stream, "-R"), ("-n", size, "-P", "3")]
    numbers.shuffle(tests)
    return [Command(numbers.uniform(0.1, 1), ("iperf3", "-c", str(plan.victim.address), *port, *test), 8) for test in tests[:3]]


def ssh_options(plan: Plan) -> tuple[str, ...]:
    return ("-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", "-o", "BatchMode=yes", "-o", "IdentitiesOnly=yes",
            "-o", "ConnectTimeout=5", "-o", "GlobalKnownHostsFile=/dev/null", "-F", "/dev/null", "-i", "WORK/client_key")


def work_in_shell(plan: Plan, host: Host, numbers: random.Random) -> list[Command]:
    """Sessions in which output comes bit by bit, short commands, and copies of files both ways."""
    port, at = str(plan.services.ssh), f"root@{plan.victim.address}"
    found = []
    for pause in pauses(numbers, numbers.randrange(5, 9), 4):
        lines = f"for i in $(seq {numbers.randrange(3, 15)}); do echo line $i of some output; sleep 0.{numbers.randrange(1, 4)}; done"
        work = numbers.choice((lines, "true", f"seq {numbers.randrange(10, 3000)}", "copy there", "copy back"))
        if work.startswith("copy"):
            size = numbers.choice(COPIED)
            there = (f"WORK/{size}.file", f"{at}:WORK/{host.name}.upload")
            back = (f"{at}:WORK/{size}.file", f"WORK/{host.name}.copy")
            ends = there if work == "copy there" else back
            argv = ("scp", "-q", *ssh_options(plan), "-P", port, *ends)
        else:
            argv = ("ssh", *ssh_options(plan), "-p", port, at, work)
        found.append(Command(pause, argv, 10))
    return found


def ping(plan: Plan, host: Host, numbers: random.Random) -> list[Command]:
    found = []
    for pause in pauses(numbers, numbers.randrange(4, 8), 3):
        target = numbers.choice((*map(str, plan.addresses), str(plan.victim.address6)))
        interval = numbers.choice((0.05, 0.2, 0.5))
        found.append(Command(pause, ("ping", "-n", "-q", "-c", str(numbers.randrange(2, 3 + int(2 / interval))), "-i", str(interval),
                                     "-s", str(numbers.choice((8, 56, 56, 56, 120, 1000, 1400))), "-W", "1", target), 6))
    return found


def check(plan: Plan, host: Host, numbers: random.Random) -> list[Command]:
    """A monitor's round over the services, with some ports that are closed: benign, and not unlike a scan of few ports."""
    ports = [plan.services.web, plan.services.ssh, plan.services.transfer]
    ports += [numbers.randrange(1, 65536) for _ in range(numbers.randrange(0, 4))]
    found = []
    for pause in pauses(numbers, 6, 5):
        found.append(Command(pause, (SCRIPT, "_knock", str(plan.victim.address), ",".join(map(str, ports)), "0.05", str(numbers.random()))))
        found.append(Command(0.1, ("ping", "-n", "-q", "-c", "2", "-i", "0.2", "-W", "1", str(plan.victim.address)), 4))
    return found


def half_open(plan: Plan, host: Host, numbers: random.Random) -> list[Command]:
    """Health checks that only open connections, as balancers do: packets of their own. The client's kernel knows nothing
    of the connection, so that it resets the answer. Some check a host that does not answer."""
    services, found = plan.services, []
    for pause in pauses(numbers, 3, 1.5):
        ports = numbers.sample((services.web, services.ssh, services.transfer), numbers.choice((1, 1, 2)))
        absent = numbers.random() < 0.2
        rate, seconds = numbers.choice((0.5, 1, 2, 5)), numbers.uniform(2, 6)
        spec = {"protocol": 6, "flags": 2, "seed": numbers.getrandbits(32), "ttl": numbers.randrange(40, 255), "window": numbers.choice((*WINDOWS[1:], 29200, 64240)),
                "options": numbers.choice(("none", "none", "none", "mss", "mss", "windows", "usual")), "sizes": [0, 0], "fragments": 0,
                "source_port": numbers.choice(("random", "rising")), "destination_port": "random", "ports": ports, "rate": rate * len(ports),
                "count": max(2, int(rate * seconds)) * len(ports), "rounds": 100, "is_uneven": numbers.choice((0, 0, 1)), "seconds": seconds,
                "targets": [str(plan.victim.prefix[-2] if absent else numbers.choice(plan.addresses))]}
        found.append(Command(pause, (SCRIPT, "_send", json.dumps(spec)), seconds + 1))
    return found


CROWD = (15, 40, 100)  # conversations per second


def crowd(plan: Plan, host: Host, numbers: random.Random) -> list[Command]:
    """A network of clients, each with an address of its own: the victim is a busy server."""
    return [Command(0.2, (SCRIPT, "_crowd", f"{plan.victim.address}/32", str(plan.services.web), str(plan.services.names), str(numbers.choice(CROWD)), "9",
                          str(numbers.random())), 12)]


def serve(plan: Plan, host: Host, numbers: random.Random) -> list[Command]:
    """A network of servers, each with an address of its own."""
    folder = f"WORK/{host.name}"
    return [Command(0, ("sh", "-c", f"mkdir -p {folder}; head -c {numbers.choice((300, 3000, 30000))} /dev/zero > {folder}/index.html")),
            Command(0, (SCRIPT, "_serve", folder, str(plan.services.web), str(plan.services.names)), 12)]


def ask_many(plan: Plan, host: Host, numbers: random.Random) -> list[Command]:
    """The victim itself asks the servers of the first client's network: a gateway, or a proxy."""
    return [Command(1, (SCRIPT, "_crowd", str(plan.clients[0].prefix), str(plan.services.web), str(plan.services.names), str(numbers.choice(CROWD)), "9",
                        str(numbers.random())), 12)]


# By activity: what it does, and the services it needs.
ACTIVITIES: dict[str, tuple[Activity, frozenset[str]]] = {
    "browse": (browse, frozenset({"web"})),
    "browse_in_parallel": (browse_in_parallel, frozenset({"web"})),
    "names": (ask_names, frozenset({"names"})),
    "transfer": (transfer, frozenset({"transfer"})),
    "shell": (work_in_shell, frozenset({"ssh"})),
    "ping": (ping, frozenset()),
    "check": (check, frozenset({"web", "ssh", "transfer"})),
    "half_open": (half_open, frozenset({"web", "ssh", "transfer"})),
    "crowd": (crowd, frozenset({"web", "names"})),
    "serve": (serve, frozenset()),
    "ask_many": (ask_many, frozenset()),
}
