# SPDX-License-Identifier: Apache-2.0
"""Flow commands in testpmd's grammar, good ones and bad ones, the same for the same seed."""
from __future__ import annotations

import random
import re

NUMBERS = ["0", "1", "2", "3", "7", "8", "12", "17", "64", "128", "255", "256", "4095", "4096", "65535", "65536",
           "1048575", "1048576", "4294967295", "4294967296", "18446744073709551615", "18446744073709551616", "-1", "-5",
           "+7", "0x10", "0X1f", "0xffff", "010", "08", "0x", "0xg", "1e3", "1.5", "12abc"]
MACS = ["02:00:00:00:00:01", "4A:AC:4F:29:87:80", "ec:0d:9a:8a:27:ba", "ff:ff:ff:ff:ff:ff", "0200:0000:0001",
        "AbCd:eF01:2345", "2:0:0:0:0:1", "02-00-00-00-00-01", "02:00:00:00:00", "02:00:00:00:00:01:02",
        "020000000001", "02:00:00:00:00:0g"]
IPV4S = ["1.1.1.2", "2.2.2.2", "0.0.0.0", "255.255.255.255", "10.0.0.1", "255.255.0.0", "16843010", "0x0a000001",
         "1.1.1", "1.1.1.1.1", "256.1.1.1", "1.1.1.01", "::1", "4294967296"]
IPV6S = ["2001:db8::1", "::", "::1", "ff02::1:ff00:1", "ffff:ffff:ffff:ffff::", "2001:DB8:0:0:0:0:0:A", "::1.2.3.4",
         "2001:db8:::1", "1.2.3.4", "12345::", "7"]
FLAGS = ["0", "1", "false", "true", "no", "yes", "N", "Y", "off", "on", "n", "y", "TRUE", "2"]
PREFIXES = ["0", "1", "3", "7", "8", "9", "12", "13", "16", "17", "20", "24", "31", "32", "33", "47", "48", "49", "64",
            "100", "128", "129", "200", "-1", "0x8", "x"]

# Fields, and what their values are.
ITEMS = {
    "void": {},
    "any": {"num": NUMBERS},
    "eth": {"dst": MACS, "src": MACS, "type": NUMBERS, "has_vlan": NUMBERS},
    "vlan": {"tci": NUMBERS, "pcp": NUMBERS, "dei": NUMBERS, "vid": NUMBERS, "inner_type": NUMBERS,
             "has_more_vlan": NUMBERS},
    "ipv4": {"version_ihl": NUMBERS, "tos": NUMBERS, "packet_id": NUMBERS, "fragment_offset": NUMBERS, "ttl": NUMBERS,
             "proto": NUMBERS, "src": IPV4S, "dst": IPV4S},
    "ipv6": {"tc": NUMBERS, "flow": NUMBERS, "proto": NUMBERS, "hop": NUMBERS, "src": IPV6S, "dst": IPV6S,
             "has_frag_ext": NUMBERS},
    "icmp": {"type": NUMBERS, "code": NUMBERS, "ident": NUMBERS, "seq": NUMBERS},
    "udp": {"src": NUMBERS, "dst": NUMBERS},
    "tcp": {"src": NUMBERS, "dst": NUMBERS, "flags": NUMBERS},
}
ACTIONS = {
    "void": {}, "passthru": {}, "drop": {}, "of_pop_vlan": {}, "dec_ttl": {},
    "jump": {"group": NUMBERS},
    "mark": {"id": NUMBERS},
    "queue": {"index": NUMBERS},
    "count": {"identifier": NUMBERS},
    "port_id": {"original": FLAGS, "id": NUMBERS},
    "represented_port": {"ethdev_port_id": NUMBERS},
    "of_push_vlan": {"ethertype": NUMBERS},
    "of_set_vlan_vid": {"vlan_vid": NUMBERS},
    "of_set_vlan_pcp": {"vlan_pcp": NUMBERS},
    "set_ipv4_src": {"ipv4_addr": IPV4S}, "set_ipv4_dst": {"ipv4_addr": IPV4S},
    "set_ipv6_src": {"ipv6_addr": IPV6S}, "set_ipv6_dst": {"ipv6_addr": IPV6S},
    "set_tp_src": {"port": NUMBERS}, "set_tp_dst": {"port": NUMBERS},
    "set_ttl": {"ttl_value": NUMBERS},
    "set_mac_src": {"mac_addr": MACS}, "set_mac_dst": {"mac_addr": MACS},
}
RSS_FUNCTIONS = ["default", "toeplitz", "simple_xor", "symmetric_toeplitz", "xor"]
RSS_TYPES = ["all", "none", "ip", "udp", "tcp", "sctp", "tunnel", "vlan", "ipv4", "ipv4-frag", "ipv4-tcp", "ipv4-udp",
             "ipv4-sctp", "ipv4-other", "ipv6", "ipv6-frag", "ipv6-tcp", "ipv6-udp", "ipv6-sctp", "ipv6-other",
             "l2-payload", "ipv6-ex", "ipv6-tcp-ex", "ipv6-udp-ex", "port", "vxlan", "geneve", "nvgre", "gtpu", "eth",
             "s-vlan", "c-vlan", "esp", "ah", "l2tpv3", "pfcp", "pppoe", "ecpri", "mpls", "ipv4-chksum", "l4-chksum",
             "l2tpv2", "l3-pre96", "l3-pre64", "l3-pre56", "l3-pre48", "l3-pre40", "l3-pre32", "l2-dst-only",
             "l2-src-only", "l4-dst-only", "l4-src-only", "l3-dst-only", "l3-src-only", "ipx"]
KEYS = ["0x1234", "abcdef0", "0", "12" * 40, "f" * 127, "1" * 128, "1" * 129, "0x", "xyz", "12g4"]

# Words that a mutation may put anywhere.
WORDS = sorted({"flow", "validate", "pattern", "actions", "end", "/", "is", "spec", "last", "mask", "prefix", "group",
                "priority", "ingress", "egress", "transfer", "rss", "func", "level", "types", "queues", "key_len",
                "udq", "END", "Eth", "ipv", "e", "//", "eth/", "#", "end#", "1", "0", "01", "1.1.1.1"} |
               set(ITEMS) | set(ACTIONS) | {f for fields in [*ITEMS.values(), *ACTIONS.values()] for f in fields})
# Actions that testpmd also knows as items, and packetwarp does not.
ITEMS_OF_TESTPMD_ONLY = {"mark", "port_id", "represented_port"}
LONGEST = 500  # testpmd cuts lines at 512 characters


class Commands:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def make(self, count: int) -> list[str]:
        made: list[str] = []
        while len(made) < count:
            line = self.command()
            if self.random.random() < 0.35 and line.startswith("flow validate"):
                line = self.mutated(line)
            if len(line) <= LONGEST and line.strip() and not uses_items_of_testpmd_only(line):
                made.append(line)
        return made

    def command(self) -> str:
        pick = self.random.random()
        port = self.random.choice("01")
        if pick < 0.78:
            any_port = self.random.choice(["0", "1", "0", "1", "7", *NUMBERS])
            return f"flow validate {any_port} {self.rule()}"
        if pick < 0.88:
            return f"flow create {port} {self.rule()}"
        if pick < 0.91:
            return f"flow list {port}" + "".join(f" group {self.number()}" for _ in range(self.random.randrange(3)))
        if pick < 0.94:
            return f"flow destroy {port} rule {self.random.randrange(12)}"
        if pick < 0.95:
            return "flow destroy 9" + "".join(f" rule {self.number()}" for _ in range(self.random.randrange(4)))
        if pick < 0.96:
            return f"flow flush {self.number()}" if self.random.random() < 0.5 else f"flow flush {port} all"
        if pick < 0.98:
            return f"flow isolate {self.number()} {self.random.choice(FLAGS)}"
        return f"flow query {port} {self.number()} {self.random.choice(['count', 'rss', 'end', 'queue', 'cnt', ''])}"

    def rule(self) -> str:
        return f"{self.attributes()}pattern {self.pattern()}actions {self.actions()}"

    def attributes(self) -> str:
        words = {"group": lambda: f"group {self.number()}", "priority": lambda: f"priority {self.number()}",
                 "ingress": lambda: "ingress", "egress": lambda: "egress", "transfer": lambda: "transfer"}
        return "".join(words[self.random.choice(list(words))]() + " " for _ in range(self.random.randrange(4)))

    def number(self) -> str:
        return self.value(NUMBERS)

    def value(self, known: list[str]) -> str:
        """Mostly one that fits somewhere; the odd ones are at the lists' ends."""
        return self.random.choice(known[:max(3, len(known) // 2)] if self.random.random() < 0.85 else known)

    def pattern(self) -> str:
        return "".join(f"{self.item()} / " for _ in range(self.random.randrange(5))) + "end "

    def item(self) -> str:
        name = self.random.choice(list(ITEMS))
        text = name
        for _ in range(self.random.randrange(4) if ITEMS[name] else 0):
            field = self.random.choice(list(ITEMS[name]))
            relation = self.random.choice(["is", "is", "spec", "last", "mask", "prefix"])
            text += f" {field} {relation} {self.value(PREFIXES if relation == 'prefix' else ITEMS[name][field])}"
        return text

    def actions(self) -> str:
        made = [self.rss() if self.random.random() < 0.1 else self.action() for _ in range(self.random.randrange(5))]
        return "".join(f"{one} / " for one in made) + "end"

    def action(self) -> str:
        name = self.random.choice(list(ACTIONS))
        text = name
        for _ in range(self.random.choice([1, 1, 1, 0, 2]) if ACTIONS[name] else 0):
            field = self.random.choice(list(ACTIONS[name]))
            text += f" {field} {self.value(ACTIONS[name][field])}"
        return text

    def rss(self) -> str:
        parts = {"func": lambda: self.random.choice(RSS_FUNCTIONS), "level": self.number, "key_len": self.number,
                 "key": lambda: self.random.choice(KEYS),
                 "types": lambda: self.some(RSS_TYPES) + "end", "queues": lambda: self.some(NUMBERS[:12]) + "end"}
        chosen = [self.random.choice(list(parts)) for _ in range(self.random.randrange(4))]
        return "rss" + "".join(f" {part} {parts[part]()}" for part in chosen)

    def some(self, words: list[str]) -> str:
        return "".join(self.value(words) + " " for _ in range(self.random.randrange(5)))

    def mutated(self, line: str) -> str:
        words = line.split()
        at = self.random.randrange(len(words))
        other = self.random.randrange(len(words))
        kind = self.random.randrange(8)
        if kind == 0:
            del words[at]
        elif kind == 1:
            words.insert(at, words[other])
        elif kind == 2:
            words[at], words[other] = words[other], words[at]
        elif kind == 3:
            words[at] = self.random.choice(WORDS)
        elif kind == 4:
            del words[at:]
        elif kind == 5:
            words[at] = words[at][:-1] or "/"
        elif kind == 6:
            words.append(self.random.choice(WORDS))
        else:
            words[at] += self.random.choice(["#", "# comment", "/", "x", "0"])
        return " ".join(words)


def uses_items_of_testpmd_only(line: str) -> bool:
    pattern = re.search(r"\bpattern\b(.*)", line)
    return bool(pattern) and bool(re.search(rf"(^|/) *({'|'.join(ITEMS_OF_TESTPMD_ONLY)})\b",
                                            pattern.group(1).split("actions")[0]))
