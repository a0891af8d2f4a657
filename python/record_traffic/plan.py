# SPDX-License-Identifier: Apache-2.0
"""The place of one recording as data: hosts, addresses, stacks, lines and services, all drawn from the scenario's name and the seed.

Each seed has another laboratory, so that a model cannot learn the laboratory instead of the traffic."""
from __future__ import annotations

import dataclasses
import ipaddress
import random

NORMAL = "normal"

# Private and test addresses (RFC 1918, 6598, 2544). Namespaces have no way out, so that the choice is one of looks.
POOLS = tuple(map(ipaddress.IPv4Network, ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "198.18.0.0/15")))
MTUS = (1500, 1500, 1500, 1492, 1450, 1400, 1280)
TTLS = (64, 64, 128, 255)
PORT_RANGES = ("32768 60999", "49152 65535", "1024 65535", "10000 30000")
WINDOWS = (16384, 65536, 131072, 262144)
OLD_STACKS = (0, 0.3, 0.3, 1)  # shares of the addresses of a client's line
MOST_FORGED = 1000  # sources that one attacker forges
FLOODS = ("flood", "amplification", "reflection")  # ends of families' names


def is_flood(label: str) -> bool:
    """Whether hosts with this label may forge their sources, and send as fast as they can."""
    return label.endswith(FLOODS)


@dataclasses.dataclass(frozen=True)
class Line:
    """The line of a host: what a relay does to frames in each direction."""

    delay: float  # seconds
    jitter: float  # seconds
    bits_per_second: int
    loss: float  # a probability
    old_stacks: float = 0  # share of the addresses at its near end that have an old TCP stack


@dataclasses.dataclass(frozen=True)
class Host:
    """A network namespace with a prefix of its own. The gateway forwards packets from it only with sources of this prefix."""

    name: str
    label: str  # NORMAL, or the family of its attack
    prefix: ipaddress.IPv4Network
    address: ipaddress.IPv4Address
    prefix6: ipaddress.IPv6Network
    address6: ipaddress.IPv6Address
    mac: str
    mtu: int
    stack: tuple[tuple[str, str], ...]  # sysctl keys and values
    line: Line | None

    @property
    def gateway(self) -> ipaddress.IPv4Address:
        return self.prefix[1]

    @property
    def gateway6(self) -> ipaddress.IPv6Address:
        return self.prefix6[1]


@dataclasses.dataclass(frozen=True)
class Services:
    """Ports of the victim's services."""

    web: int
    ssh: int
    names: int
    transfer: int
    web_by_nginx: int  # 1, or 0: the server of Python


@dataclasses.dataclass(frozen=True)
class Plan:
    scenario: str
    seed: int
    tools: str  # "usual", "other" or "drawn"
    packets: int
    victim: Host
    addresses: tuple[ipaddress.IPv4Address, ...]  # all of the victim's, its first among them
    clients: tuple[Host, ...]
    attackers: tuple[Host, ...]
    services: Services
    pages: tuple[int, ...]  # bytes of the web server's pages

    @property
    def outside(self) -> tuple[Host, ...]:
        return self.clients + self.attackers

    def without_nginx(self) -> Plan:
        """The same plan with Python's web server."""
        return dataclasses.replace(self, services=dataclasses.replace(self.services, web_by_nginx=0))

    def random(self, subject: str) -> random.Random:
        """Numbers for one subject: another subject's choices do not move them."""
        return random.Random(f"{self.scenario}/{self.seed}/{self.tools}/{subject}")

    def forged_sources(self, host: Host) -> list[ipaddress.IPv4Address]:
        """Addresses of the host's own prefix that no interface has; none if this attacker shows its own address."""
        numbers = self.random(f"forged {host.name}")
        count = numbers.choice((0, 1, 40, MOST_FORGED))
        free = [address for address in host.prefix.hosts() if address not in (host.address, host.gateway)]
        return numbers.sample(free, min(count, len(free)))


# --- drawing a plan -----------------------------------------------------------------------------------------------------


def draw_prefix(numbers: random.Random, taken: list[ipaddress.IPv4Network], length: int) -> ipaddress.IPv4Network:
    """A prefix of this length that overlaps none of the taken ones, and is taken from now on."""
    while True:
        pool = numbers.choice(POOLS)
        start = int(pool.network_address) + (numbers.randrange(1 << (length - pool.prefixlen)) << (32 - length))
        prefix = ipaddress.IPv4Network((start, length))
        if not any(prefix.overlaps(other) for other in taken):
            taken.append(prefix)
            return prefix


def draw_stack(numbers: random.Random) -> tuple[tuple[str, str], ...]:
    """Settings of Linux's stack by which hosts of different systems and ages differ on the wire."""
    window = numbers.choice(WINDOWS)
    hops = numbers.randrange(24)  # between the host and the place of the capture
    return (
        ("net.ipv4.ip_default_ttl", str(numbers.choice(TTLS) - hops)),
        ("net.ipv4.ip_local_port_range", numbers.choice(PORT_RANGES)),
        ("net.ipv4.tcp_timestamps", str(numbers.choice((0, 1, 1)))),
        ("net.ipv4.tcp_sack", str(numbers.choice((0, 1, 1)))),
        ("net.ipv4.tcp_window_scaling", str(numbers.choice((0, 1, 1)))),
        ("net.ipv4.tcp_ecn", str(numbers.choice((0, 1)))),
        ("net.ipv4.tcp_rmem", f"4096 {window} {max(window, 4194304)}"),
        ("net.ipv4.icmp_ratelimit", str(numbers.choice((0, 100, 1000)))),
    )


def draw_line(numbers: random.Random) -> Line:
    """A delay between a neighbouring machine's and that of another continent, spread evenly over its magnitudes."""
    delay = 10 ** numbers.uniform(-3.7, -1.1)
    return Line(delay, delay * numbers.uniform(0, 0.3), numbers.choice((5, 20, 50, 100, 200)) * 1_000_000, numbers.choice((0, 0, 0.002, 0.01)))


def client_line(numbers: random.Random, name: str) -> Line:
    """A line that has old stacks at its near end, or none."""
    return dataclasses.replace(draw_line(numbers), old_stacks=random.Random(f"{name} old stacks").choice(OLD_STACKS))


def draw_mac(numbers: random.Random) -> str:
    return "02:" + ":".join(f"{numbers.randrange(256):02x}" for _ in range(5))


def draw_host(numbers: random.Random, taken: list[ipaddress.IPv4Network], name: str, label: str, line: Line | None) -> Host:
    # An attacker's prefix has room for many forged sources.
    prefix = draw_prefix(numbers, taken, 24 if label == NORMAL else 21)
    prefix6 = ipaddress.IPv6Network(((0xFD << 120) | (numbers.getrandbits(56) << 64), 64))
    return Host(name, label, prefix, prefix[numbers.randrange(2, prefix.num_addresses - 1)], prefix6,
                prefix6[numbers.randrange(2, 1 << 32)], draw_mac(numbers), numbers.choice(MTUS), draw_stack(numbers), line)


def draw_services(numbers: random.Random) -> Services:
    used: set[int] = set()

    def port(*usual: int) -> int:
        while (drawn := numbers.choice((*usual, numbers.randrange(1024, 65000)))) in used:
            pass
        used.add(drawn)
        return drawn

    return Services(port(80, 80, 8080, 8000), port(22, 22, 2222), port(53, 53, 53, 5353), port(5201, 5001), numbers.choice((0, 1)))


def draw_pages(numbers: random.Random, packets: int) -> tuple[int, ...]:
    """Sizes from a hundred bytes on; small captures have small pages."""
    most = min(400_000, packets * packets // 1000)
    return tuple(sorted({int(min(most, 100 + numbers.lognormvariate(8.5, 1.6))) for _ in range(12)}))


def draw(scenario: str, seed: int, tools: str, packets: int, clients: int, families: tuple[str, ...]) -> Plan:
    """The plan of a scenario with this many benign clients and an attacker for each family: the same for the same arguments."""
    numbers = random.Random(f"{scenario}/{seed}/{tools}")
    taken: list[ipaddress.IPv4Network] = []
    victim = draw_host(numbers, taken, "victim", NORMAL, None)
    others = [address for address in victim.prefix.hosts() if address not in (victim.address, victim.gateway)]
    addresses = (victim.address, *numbers.sample(others, numbers.randrange(2, 9)))
    # Floods go without a line: a relay in user space is no match for them, and would be what the model learns.
    return Plan(scenario, seed, tools, packets, victim, addresses,
                tuple(draw_host(numbers, taken, f"client{number}", NORMAL, client_line(numbers, f"{scenario}/{seed}/{tools}/{number}")) for number in range(clients)),
                tuple(draw_host(numbers, taken, f"attacker{number}", family, None if is_flood(family) else draw_line(numbers))
                      for number, family in enumerate(families)),
                draw_services(numbers), draw_pages(numbers, packets))
