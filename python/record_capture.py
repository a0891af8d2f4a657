#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records tests/captures/mixed.pcap: the packets of real kernel stacks to each other, as a cable would carry them.

    client c0 ---- r0 router r1 ---- s0 server        IPv4 and IPv6, captured on r0
    client v10 --- relay === trunk === relay --- v10 server   one 802.1Q tag, captured on the trunk
    client vq ---- relay === trunk === relay --- vq server    802.1ad and 802.1Q tags (QinQ), captured on the trunk

Every end is a network namespace; nothing leaves them. The relays set and remove the tags, since not every kernel has VLAN
devices. Loss is the router's: a token bucket after the capture point, so that a segment that it drops is in the capture twice.
Needs root, tcpdump, tshark (with mergecap), iproute2, ethtool, curl and ping."""
from __future__ import annotations

import argparse
import os
import pathlib
import signal
import sys
import tempfile
import time

from namespaces import Namespaces, exit_on_signals, need_root_and_tools, run
from recording.topology import Topology, relay_from_text
from recording.traffic import Conversation, serve, talk, upload

HERE = pathlib.Path(__file__).resolve()
DEFAULT_OUTPUT = HERE.parent.parent / "tests" / "captures" / "mixed.pcap"
LIMIT_BYTES = 1 << 20

# --- what is in it ------------------------------------------------------------------------------------------------------

FILTERS = {
    "ARP": "arp",
    "IPv4": "ip",
    "IPv6": "ipv6",
    "IPv4 fragments": "ip.flags.mf == 1 || ip.frag_offset > 0",
    "IPv6 fragments": "ipv6.fraghdr",
    "ICMP echo": "icmp.type == 0 || icmp.type == 8",
    "ICMP unreachable": "icmp.type == 3",
    "ICMP time exceeded": "icmp.type == 11",
    "ICMPv6 echo": "icmpv6.type == 128 || icmpv6.type == 129",
    "ICMPv6 errors": "icmpv6.type <= 4",
    "ICMPv6 neighbour discovery": "icmpv6.type >= 133 && icmpv6.type <= 136",
    "UDP": "udp && !icmp && !icmpv6.type",
    "DNS": "dns && !icmp && !icmpv6.type",
    "TCP": "tcp",
    "TCP SYN": "tcp.flags.syn == 1",
    "TCP FIN": "tcp.flags.fin == 1",
    "TCP RST": "tcp.flags.reset == 1",
    "TCP retransmissions": "tcp.analysis.retransmission || tcp.analysis.fast_retransmission",
    "HTTP": "http",
    "802.1Q, one tag": "vlan && !ieee8021ad",
    "802.1ad and 802.1Q (QinQ)": "ieee8021ad",
}


def count(capture: pathlib.Path, display_filter: str = "") -> int:
    arguments = ["-Y", display_filter] if display_filter else []
    result = run("tshark", "-n", "-o", "ip.defragment:FALSE", "-o", "ipv6.defragment:FALSE",
                 "-r", str(capture), *arguments, "-T", "fields", "-e", "frame.number")
    return len(result.stdout.splitlines())


README = """# Captures

`mixed.pcap` holds {packets} frames of {smallest} to {largest} bytes ({size} KiB) from real kernel stacks: client, router and server
in network namespaces, talking over veth pairs with every offload off, recorded with tcpdump. No frame was written by
hand and none was cut short. `sudo .venv/bin/python3 python/record_capture.py` records it anew and writes this page; the
head of that script draws the set-up. Counts differ a little from recording to recording.

Protocols that tshark sees in it (a frame can be in several rows):

| protocol | frames |
| --- | ---: |
{rows}

Malformed and odd captures are not kept here: `python/make_captures.py DIRECTORY` writes them, always the same.
"""


def frame_lengths(capture: pathlib.Path) -> list[int]:
    result = run("tshark", "-n", "-r", str(capture), "-T", "fields", "-e", "frame.len")
    return [int(line) for line in result.stdout.split()]


def describe(capture: pathlib.Path) -> str:
    """The page beside the capture; an error if a protocol that should be there is missing."""
    counts = {name: count(capture, text) for name, text in FILTERS.items()}
    if missing := [name for name, number in counts.items() if number == 0]:
        raise RuntimeError(f"the recording has no {', '.join(missing)}")
    lengths = frame_lengths(capture)
    if max(lengths) > 1514 or capture.stat().st_size > LIMIT_BYTES:
        raise RuntimeError(f"frames up to {max(lengths)} bytes in {capture.stat().st_size} bytes: too large")
    rows = "\n".join(f"| {name} | {number} |" for name, number in counts.items())
    return README.format(packets=len(lengths), smallest=min(lengths), largest=max(lengths),
                         size=round(capture.stat().st_size / 1024), rows=rows)


def record(output: pathlib.Path) -> None:
    with tempfile.TemporaryDirectory(prefix="packetwarp-record-") as name, Namespaces("pw-record") as spaces:
        topology = Topology(spaces, pathlib.Path(name), [sys.executable, str(HERE)])
        conversation = Conversation(topology)
        try:
            topology.start_captures_and_relays()
            topology.give_addresses()
            conversation.start_server()
            conversation.converse()
            time.sleep(0.5)
        finally:
            topology.stop()
        merged = pathlib.Path(name) / "merged.pcap"
        topology.merge(merged)
        page = describe(merged)
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_bytes(merged.read_bytes())
        (output.parent / "README.md").write_text(page)
    print(page)


HELPERS = {
    "_serve": lambda arguments: serve(arguments[0]),
    "_relay": relay_from_text,
    "_talk": lambda arguments: talk(arguments[0]),
    "_upload": lambda arguments: upload(arguments[0], int(arguments[1])),
}


def main() -> int:
    # The script starts itself inside the namespaces, with one of these as its first word.
    if len(sys.argv) > 1 and sys.argv[1] in HELPERS:
        signal.signal(signal.SIGINT, lambda *_: os._exit(0))
        HELPERS[sys.argv[1]](sys.argv[2:])
        return 0
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", nargs="?", type=pathlib.Path, default=DEFAULT_OUTPUT)
    arguments = parser.parse_args()
    if reason := need_root_and_tools("tcpdump", "tshark", "mergecap", "ip", "tc", "ethtool", "curl", "ping"):
        print(f"record_capture: error: {reason}", file=sys.stderr)
        return 1
    exit_on_signals()
    record(arguments.output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
