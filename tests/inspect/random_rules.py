# SPDX-License-Identifier: Apache-2.0
"""Random rules and packets for comparisons of packetwarp with Suricata.

Some combinations are left out, because Suricata 7 gives results there that follow from its code alone: a relative check after a
negated content; a relative isdataat, byte_test or byte_jump next to one of these that is not relative, before which Suricata does not
try other matches; a window that ends before the buffer begins; flags with ! or *; dsize with !; flow:to_server, which matches fragments."""
from __future__ import annotations

import random

from scapy.all import Ether, ICMP, IP, IPv6, TCP, UDP, ICMPv6EchoRequest, Raw, fragment

LETTERS = "abAB"
BYTES = bytes((0, 1, 2, 3, 4, 97, 98, 65, 0x30, 0x31, 0x33, 0x20, 0x2D, 0xFF))
ADDRESSES = ("10.0.0.1", "10.0.0.2", "192.168.1.5", "8.8.8.8", "172.16.3.4", "1.2.3.4")
ADDRESSES_IPV6 = ("2001:db8::1", "2001:db8::2", "fd00::5")
LINK = Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02")
PORTS = (53, 80, 443, 1024, 65535, 1, 22)


class RandomRules:
    """Rules and packets of one seed."""

    def __init__(self, seed: int) -> None:
        self._of = random.Random(seed)

    def rules(self, count: int) -> list[str]:
        """A rule's sid is its line."""
        make = (self._payload_rule, self._payload_rule, self._header_rule)
        return [self._of.choice(make)(sid) for sid in range(1, count + 1)]

    def packets(self, count: int) -> list[Ether]:
        made: list[Ether] = []
        while len(made) < count:
            made += self._packets()
        return made

    def _is(self, share: float) -> bool:
        return self._of.random() < share

    def stream_rules(self, count: int) -> list[str]:
        return [self._stream_rule(sid) for sid in range(1, count + 1)]

    def connections(self, count: int) -> list[Ether]:
        """TCP connections, each with a client's port of its own, whose payload is cut into segments anywhere."""
        return [packet for number in range(count) for packet in self._connection(2000 + number)]

    def _word(self, most: int = 0) -> str:
        """Four letters or more are found by a window, fewer by trying the rule."""
        most = most or self._of.choice((3, 3, 7))
        return "".join(self._of.choice(LETTERS) for _ in range(self._of.randint(1, most)))

    # Payload.

    def _payload_rule(self, sid: int, protocol: str = "udp") -> str:
        checks = [f'content:"{self._of.choice(LETTERS)}"; ' + ("nocase; " if self._is(0.5) else "")]
        kinds = (self._content, self._regex, self._byte_test, self._byte_jump, self._data_at)
        for _ in range(self._of.randint(0, 4)):
            check = self._of.choice(kinds)()
            follows_an_absolute = checks[-1].startswith(("byte", "isdataat")) and "relative" not in checks[-1]
            if not (follows_an_absolute and "relative" in check):
                checks.append(check)
        if self._is(0.2):
            checks.append(f'content:!"{self._word()}"; ')
        if self._is(0.15):
            size = self._of.randint(0, 20)
            checks.append(f"dsize:{self._of.choice((f'{size}', f'>{size}', f'<{size + 1}', f'{size}<>{size + 5}'))}; ")
        return f'alert {protocol} any any -> any any (msg:"x"; {"".join(checks)}sid:{sid};)'

    def _content(self) -> str:
        word = self._word()
        made = f'content:"{word}"; ' + ("nocase; " if self._is(0.3) else "")
        kind = self._of.random()
        if kind < 0.3:
            made += f"offset:{self._of.randint(0, 6)}; " + (f"depth:{len(word) + self._of.randint(0, 6)}; " if self._is(0.6) else "")
        elif kind < 0.6:
            made += f"distance:{self._of.randint(0, 5)}; " + (f"within:{len(word) + self._of.randint(0, 5)}; " if self._is(0.7) else "")
        elif kind < 0.75:
            made += f"distance:{self._of.randint(-4, 0)}; "
        elif kind < 0.85:
            made += "startswith; "
        return made + ("endswith; " if kind < 0.3 and self._is(0.1) else "")

    def _regex(self) -> str:
        pieces = ("[ab]", "[^a]", ".", "a*", "b+", "(a|B)", "(?:ab|A)", "a?", "^", "$", "\\d+", "(?=a)", "b{2}", "[AB]+?")
        text = "".join(self._word(2) if self._is(0.5) else self._of.choice(pieces) for _ in range(self._of.randint(1, 3)))
        letters = "".join(letter for letter in "ismxAEGR" if self._is(0.4 if letter == "R" else 0.12))
        return f'pcre:"/{text}/{letters}"; '

    def _source(self) -> tuple[bool, str]:
        """Whether the number is text, and the words about it."""
        words = ["relative"] if self._is(0.4) else []
        is_text = self._is(0.35)
        if is_text:
            words += ["string", *([self._of.choice(("dec", "hex", "oct"))] if self._is(0.8) else [])]
        elif self._is(0.3):
            words.append(self._of.choice(("little", "big")))
        return is_text, "".join("," + word for word in words)

    def _byte_test(self) -> str:
        is_text, words = self._source()
        count = self._of.randint(1, 6 if is_text else 8)
        operator = self._of.choice(("", "!")) + self._of.choice(("<", ">", "=", "&", "^", "<=", ">="))
        value = self._of.choice(("0", "1", "97", "0x61", "0x6162", "10", "255", "3", "0xffffffff", "18446744073709551615"))
        mask = f",bitmask {self._of.choice(('0xf0', '0xff', '0x0f00', '3'))}" if self._is(0.15) else ""
        return f"byte_test:{count},{operator},{value},{self._of.randint(-3, 8)}{words}{mask}; "

    def _byte_jump(self) -> str:
        is_text, words = self._source()
        words += ",align" if self._is(0.3) else ""
        words += self._of.choice((",from_beginning", ",from_end")) if self._is(0.3) else ""
        words += f",multiplier {self._of.randint(1, 4)}" if self._is(0.3) else ""
        words += f",post_offset {self._of.randint(-10, 6)}" if self._is(0.3) else ""
        return f"byte_jump:{self._of.randint(1, 3 if is_text else 2)},{self._of.randint(-2, 8)}{words}; "

    def _data_at(self) -> str:
        return f"isdataat:{self._of.choice(('', '!'))}{self._of.randint(0, 14)}{self._of.choice(('', ',relative'))}; "

    def _stream_rule(self, sid: int) -> str:
        rule = self._payload_rule(sid, self._of.choice(("tcp", "tcp", "tcp", "tcp-pkt", "ip")))
        states = ("to_server", "to_client", "established", "established,to_server", "established,to_client", "no_stream", "only_stream")
        return rule.replace("; ", f"; flow:{self._of.choice(states)}; ", 1) if self._is(0.4) else rule

    # Headers.

    def _header_rule(self, sid: int) -> str:
        protocol = self._of.choice(("ip", "ip", "udp", "icmp", "tcp", "ip4", "ip6"))
        words = "ttl:>0; "
        if protocol == "icmp" and self._is(0.5):
            words += f"itype:{self._number((0, 8, 3, 128))}; "
        if protocol == "tcp" and self._is(0.6):
            words += f"flags:{''.join(self._of.sample('FSRPAU', self._of.randint(1, 3)))}{self._of.choice(('', '+'))}; "
        if self._is(0.3):
            words = f"ttl:{self._number((1, 5, 64, 128))}; "
        if protocol == "udp" and self._is(0.2):
            words += f"flow:{self._of.choice(('only_frag', 'no_frag', 'not_established'))}; "
        ends = f"{self._addresses(0)} {self._ports(0)} {self._of.choice(('->', '<>'))} {self._addresses(0)} {self._ports(0)}"
        return f'alert {protocol} {ends} (msg:"x"; {words}sid:{sid};)'

    def _number(self, some: tuple[int, ...]) -> str:
        number = self._of.choice(some)
        return self._of.choice((f"{number}", f"<{number + 1}", f">{number}", f"{number}<>{number + 9}", f"<={number}", f">={number}"))

    def _addresses(self, depth: int) -> str:
        kind = self._of.random()
        if depth == 0 and kind < 0.35:
            return "any"
        if kind < 0.6:
            return self._of.choice(ADDRESSES + ADDRESSES_IPV6)
        if kind < 0.75:
            return self._of.choice(("10.0.0.0/8", "10.0.0.0/30", "2001:db8::/32", "8.0.0.0/5", "10.0.0.1-10.0.0.9", "$HOME_NET", "$EXTERNAL_NET"))
        if kind < 0.85 and depth < 2:
            return "!" + self._addresses(2)
        return "[" + ",".join(self._addresses(depth + 1) for _ in range(self._of.randint(1, 3))) + "]" if depth < 3 else self._of.choice(ADDRESSES)

    def _ports(self, depth: int) -> str:
        kind = self._of.random()
        if depth == 0 and kind < 0.5:
            return "any"
        if kind < 0.75:
            low, high = sorted(self._of.choices(PORTS, k=2))
            return self._of.choice((f"{low}", f"{high}", f"{low}:{high}", f"{low}:", f":{high}"))
        if kind < 0.85 and depth < 2:
            return "!" + self._ports(2)
        return "[" + ",".join(self._ports(depth + 1) for _ in range(self._of.randint(1, 3))) + "]" if depth < 3 else str(self._of.choice(PORTS))

    # Packets.

    def _payload(self) -> bytes:
        kind = self._of.random()
        if kind < 0.6:
            return self._word(14).encode()
        return bytes(self._of.choice(BYTES) for _ in range(self._of.randint(1, 20))) if kind < 0.8 else "".join(
            self._of.choice(LETTERS + "0123 -x7") for _ in range(self._of.randint(1, 14))).encode()

    def _packets(self) -> list[Ether]:
        ttl = self._of.choice((1, 3, 5, 64, 128, 255))
        is_ipv4 = self._is(0.75)
        ip = (IP(src=self._of.choice(ADDRESSES), dst=self._of.choice(ADDRESSES), ttl=ttl, id=self._of.randint(1, 0xFFFF)) if is_ipv4 else
              IPv6(src=self._of.choice(ADDRESSES_IPV6), dst=self._of.choice(ADDRESSES_IPV6), hlim=ttl))
        kind = self._of.random()
        if kind < 0.1:
            return [LINK / ip / TCP(sport=self._of.choice(PORTS), dport=self._of.choice(PORTS), flags="".join(self._of.sample("FSRPAU", 2)))]
        if kind < 0.2:
            return [LINK / ip / (ICMP(type=self._of.choice((0, 8))) if is_ipv4 else ICMPv6EchoRequest()) / Raw(self._payload())]
        datagram = ip / UDP(sport=self._of.choice(PORTS), dport=self._of.choice(PORTS)) / Raw(self._payload())
        if kind < 0.28 and is_ipv4:
            return [LINK / one for one in fragment(datagram, fragsize=8)]
        return [LINK / datagram]

    def _connection(self, port: int) -> list[Ether]:
        ends = (IP(src="10.0.0.1", dst="10.0.0.2") / TCP(sport=port, dport=7000), IP(src="10.0.0.2", dst="10.0.0.1") / TCP(sport=7000, dport=port))
        numbers = [101, 501]
        made: list[Ether] = []

        def send(sender: int, flags: str, payload: bytes = b"") -> None:
            packet = LINK / ends[sender] / Raw(payload) if payload else LINK / ends[sender]
            packet["TCP"].flags, packet["TCP"].seq, packet["TCP"].ack = flags, numbers[sender], numbers[1 - sender] if "A" in flags else 0
            made.append(packet)
            numbers[sender] += len(payload) + ("S" in flags or "F" in flags)

        send(0, "S")
        send(1, "SA")
        send(0, "A")
        for _ in range(self._of.randint(1, 4)):
            sender = 0 if self._is(0.7) else 1
            send(sender, "PA", b"".join(self._payload() for _ in range(self._of.randint(1, 3))))
            send(1 - sender, "A")
        if self._is(0.5):
            send(0, "FA")
            send(1, "FA")
            send(0, "A")
        return made
