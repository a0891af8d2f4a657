# SPDX-License-Identifier: Apache-2.0
"""Compares the alerts of `packetwarp inspect run` with Suricata's, for random rules and packets.

beside_suricata.py --suricata FILE [--packetwarp FILE] [--seed N] [--rounds N]: Suricata 7 reads a capture and the same rules, and
each alert of one must be one of the other. A round has 300 rules, and 500 packets or, every other one, 100 connections of TCP: there a
rule must alert on the same connections, because the two do not search a stream at the same packet. Rules that Suricata refuses are not
compared. Exit status 1: the alerts of a rule differ.
"""
from __future__ import annotations

import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from scapy.all import wrpcap

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from random_rules import RandomRules  # noqa: E402

CONFIGURATION = """%YAML 1.1
---
vars:
  address-groups: {HOME_NET: "[192.168.0.0/16,10.0.0.0/8,172.16.0.0/12]", EXTERNAL_NET: "!$HOME_NET"}
outputs:
  - eve-log: {enabled: yes, filetype: regular, filename: eve.json, types: [alert]}
stream: {inline: yes}
mpm-algo: ac
packet-alert-max: 255
"""
REFUSED = re.compile(r"error parsing signature .* at line (\d+)")
RULES, PACKETS, CONNECTIONS = 300, 500, 100

# Keys of a rule's alerts: a packet's number, or the addresses of a datagram that was put together, which has no number in Suricata;
# of TCP its ports.
Alerts = dict[int, collections.Counter]


def alerts_of(events: list[str], fragments: set[int] | None) -> Alerts:
    """fragments: the numbers of packets; None: all packets are of TCP's connections."""
    found: Alerts = collections.defaultdict(collections.Counter)
    for line in events:
        event = json.loads(line)
        if event["event_type"] != "alert":
            continue
        number = event.get("pcap_cnt")
        if fragments is None:
            found[event["alert"]["signature_id"]][event["src_port"], event["dest_port"]] = 1
        elif number is None or (number in fragments and event.get("src_port")):
            found[event["alert"]["signature_id"]][("datagram", event["src_ip"], event["dest_ip"])] += 1
        else:
            found[event["alert"]["signature_id"]][number] += 1
    return found


def by_suricata(program: str, folder: pathlib.Path, fragments: set[int] | None) -> tuple[Alerts, set[int]]:
    """The alerts, and the rules that were refused."""
    (folder / "suricata.yaml").write_text(CONFIGURATION)
    events = folder / "eve.json"
    events.unlink(missing_ok=True)
    done = subprocess.run([program, "-c", folder / "suricata.yaml", "-S", folder / "x.rules", "-r", folder / "x.pcap", "-l", folder, "-k", "none",
                           "--runmode", "single"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"beside_suricata: error: {program} ended with {done.returncode}: {done.stderr.strip().splitlines()[-1:]}")
    lines = events.read_text().splitlines() if events.exists() else []
    return alerts_of(lines, fragments), {int(line) for line in REFUSED.findall(done.stdout + done.stderr)}


def by_packetwarp(program: str, folder: pathlib.Path, fragments: set[int] | None) -> Alerts:
    done = subprocess.run([program, "inspect", "run", "--rules", folder / "x.rules", "--pcap", folder / "x.pcap"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"beside_suricata: error: {program} ended with {done.returncode}: {done.stderr.strip()}")
    return alerts_of(done.stdout.splitlines(), fragments)


def run_round(seed: int, words: argparse.Namespace, folder: pathlib.Path) -> collections.Counter:
    """Prints the differences of a round; returns how many rules were compared, matched something, and differ."""
    made = RandomRules(seed)
    are_connections = seed % 2 == 0
    packets = made.connections(CONNECTIONS) if are_connections else made.packets(PACKETS)
    for number, packet in enumerate(packets):
        packet.time = 1_700_000_000 + number * 0.001
    wrpcap(str(folder / "x.pcap"), packets)
    fragments = None if are_connections else {number for number, packet in enumerate(packets, 1) if "IP" in packet and (packet["IP"].flags.MF or packet["IP"].frag)}
    rules = made.stream_rules(RULES) if are_connections else made.rules(RULES)
    (folder / "x.rules").write_text("".join(rule + "\n" for rule in rules))
    theirs, refused = by_suricata(words.suricata, folder, fragments)
    # packetwarp ends at a rule that it refuses.
    (folder / "x.rules").write_text("".join("\n" if sid in refused else rule + "\n" for sid, rule in enumerate(rules, 1)))
    ours = by_packetwarp(words.packetwarp, folder, fragments)
    count = collections.Counter(compared=len(rules) - len(refused), refused=len(refused))
    for sid, rule in enumerate(rules, 1):
        if sid in refused:
            continue
        a, b = theirs.get(sid, collections.Counter()), ours.get(sid, collections.Counter())
        if "<>" in rule:  # Suricata alerts twice where both directions match
            a, b = collections.Counter(set(a)), collections.Counter(set(b))
        count["with alerts"] += bool(a)
        if a != b:
            count["differ"] += 1
            print(f"seed {seed}: {rule}\n  only Suricata: {dict(a - b)}\n  only packetwarp: {dict(b - a)}")
    return count


def main() -> int:
    reader = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    reader.add_argument("--suricata", required=True)
    reader.add_argument("--packetwarp", default="build/packetwarp")
    reader.add_argument("--seed", type=int, default=1)
    reader.add_argument("--rounds", type=int, default=10)
    words = reader.parse_args()
    total: collections.Counter = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(words.seed, words.seed + words.rounds):
            total += run_round(seed, words, pathlib.Path(folder))
    print(", ".join(f"{name} {total[name]}" for name in ("compared", "with alerts", "refused", "differ")))
    return 1 if total["differ"] else 0


if __name__ == "__main__":
    sys.exit(main())
