# SPDX-License-Identifier: Apache-2.0
"""`packetwarp run` with `inspect` and rules that each executor judges: they need no stream, and no
order of a flow's packets, which may be on a GPU together. `packetwarp inspect run` is the judge. On a GPU: ci/gpu_end_to_end.sh."""
from __future__ import annotations

import base64
import collections

import pytest
from harness import DONE, Program
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Ether
from test_run_inspect import LEFT, RULES, SERVER, conserved, events_in, judged_by_command, key_of, mixture, run, there

OF_THE_CPU_OR_OF_AN_ORDER = ("flow:", "flowbits:", "detection_filter:")
SIDS = {3, 6, 7, 8, 9, 11, 14}
MORE = 'drop tcp-pkt any any -> any 8000 (msg:"taken"; content:"a secret"; fast_pattern; sid:20;)\n'


@pytest.fixture
def judged(packetwarp: Program) -> Program:
    lines = [line for line in RULES.splitlines() if not any(word in line for word in OF_THE_CPU_OR_OF_AN_ORDER)]
    (packetwarp.folder / "my.rules").write_text("\n".join(lines) + "\n" + MORE)
    return packetwarp


def have_their_packets(events: list[dict], frames: list, late: int) -> None:
    """A packet is one of the frames that were sent, and between the event's addresses; an expression that the CPU judges later has none."""
    sent = collections.defaultdict(set)
    for frame in frames:
        ip = frame.getlayer(IP) or frame.getlayer(IPv6)
        if ip is not None:
            sent[(ip.src, ip.dst)].add(bytes(frame))
    kept = [event for event in events if "packet" in event]
    assert len(kept) == len(events) - late > 0
    for event in kept:
        assert base64.b64decode(event["packet"]) in sent[(event["src_ip"], event["dest_ip"])], event


@pytest.mark.parametrize("burst", (7, 64))
def test_alerts_are_those_of_the_command(judged, burst):
    frames = 20 * mixture()  # more than a burst, so that several are under way at once
    done, _, _ = run(judged, frames, {"events": "eve.json", "events_packets": "1m"}, data_plane={"burst": burst})
    assert done.status == DONE, done
    wanted, stats = judged_by_command(judged)
    events = events_in(judged.folder / "eve.json")
    assert {key[0] for key in wanted} == SIDS | {20}, wanted
    assert collections.Counter(map(key_of, events)) == wanted
    counted = done.result["inspect"]
    for name in ("packets", "packets_without_ip"):
        assert counted[name] == stats[name], name
    assert {(row["gid"], row["sid"]): (row["matches"], row["alerts"]) for row in counted["by_rule"]} == \
        {(row["gid"], row["sid"]): (row["matches"], row["alerts"]) for row in stats["by_rule"]}
    assert counted["alerts"] == len(events) and counted["events"] == {"read": len(events), "lost": 0, "packets_lost": 0}
    have_their_packets(events, frames, late=counted["late"]["matched"])
    dropped = conserved(done, len(frames))
    assert dropped["inspect_drop"] == sum(count for key, count in wanted.items() if key[0] == 20), dropped


def test_a_flood_of_late_expressions_takes_no_strangers_alert(packetwarp):
    """A back-reference has no automaton: a GPU gives such payloads to the master, by a ring that a flood fills. None is lost without a count."""
    (packetwarp.folder / "my.rules").write_text(
        'alert udp any any -> any 7 (msg:"late"; content:"flood"; pcre:"/(a)b*\\1x/"; sid:1;)\n'
        'alert udp any any -> any 9 (msg:"at once"; content:"stranger"; sid:2;)\n')
    flood = [there() / UDP(sport=5000 + n % 100, dport=7) / b"flood abbbax" for n in range(4000)]
    strangers = [there() / UDP(sport=4000, dport=9) / b"a stranger" for _ in range(100)]
    frames = [frame for n in range(100) for frame in (*flood[40 * n:40 * n + 40], strangers[n])]
    done, right, _ = run(packetwarp, frames, {"events": "eve.json", "events_packets": "1m"})
    counted = done.result["inspect"]
    alerts = collections.Counter(event["alert"]["signature_id"] for event in events_in(packetwarp.folder / "eve.json"))
    assert alerts[2] == len(strangers), counted
    assert alerts[1] + counted["late"]["lost"] == len(flood), counted["late"]
    assert len(right) == len(frames) and conserved(done, len(frames)) == {}


def test_a_flood_of_partial_matches_takes_no_strangers_alert_and_no_gpu(packetwarp):
    """Each packet of the flood is equal to 60 rules for long, and spends the bytes that its rules may look at."""
    ends = [n for n in range(33, 127) if chr(n).isdigit() or chr(n) in "bcdefghijklmnopqrstuvwxyz!#$%&()*+-./<=>?@[]^_{}~"][:60]
    (packetwarp.folder / "my.rules").write_text(
        'alert udp any any -> any 9 (msg:"at once"; content:"stranger"; sid:1000;)\n' +
        "".join(f'alert udp any any -> any 7 (content:"{"a" * 300}|{end:02x}|"; sid:{sid};)\n' for sid, end in enumerate(ends, 1)))
    windows = b"".join(b"," + b"a" * 7 + bytes([end]) for end in ends)
    payload = b"a" * (1400 - len(windows)) + windows
    flood = [there() / UDP(sport=5000 + n % 100, dport=7) / payload for n in range(600)]
    strangers = [there() / UDP(sport=4000, dport=9) / b"a stranger" for _ in range(100)]
    frames = [frame for n in range(100) for frame in (*flood[6 * n:6 * n + 6], strangers[n])]
    done, right, _ = run(packetwarp, frames, {"events": "eve.json"})
    counted = done.result["inspect"]
    assert counted["alerts"] == len(strangers) and counted["unjudged"]["rules_out_of_bytes"] >= len(flood) * (len(ends) - 32), counted
    assert done.result.get("failed_over", 0) == 0, done
    assert len(right) == len(frames) and conserved(done, len(frames)) == {}


def many_automata() -> tuple[str, list[bytes]]:
    """An expression whose automaton looks at all of its bits for each byte, and begins at each of 175 places."""
    rule = 'alert udp any any -> any 7 (content:"stranger"; pcre:"/(?:ab|cd|ef).{60}[x-z].{60}(?:gh|ij){1,20}[0-9]/R"; sid:1;)\n'
    return rule, [b"stranger" * 175]


def long_words_in_turns() -> tuple[str, list[bytes]]:
    """Each attempt is a long one for one packet of 32."""
    word, ends = ("a" * 31 + "b") * 9, "cdefghijk"
    rules = "".join(f'alert udp any any -> any 7 (content:"{word}{end}"; sid:{sid};)\n' for sid, end in enumerate(ends, 1))
    windows = "".join("," + word[-7:] + end for end in ends)
    text = word * 5
    return rules, [(text[n:] + text[:n] + windows).encode()[-1400:] for n in range(32)]


@pytest.mark.parametrize("flood", (many_automata, long_words_in_turns))
def test_a_flood_of_costly_packets_takes_no_strangers_alert_and_no_gpu(packetwarp, flood):
    """How long a packet takes is bounded, also if few of its bytes cost much time."""
    rules, payloads = flood()
    (packetwarp.folder / "my.rules").write_text(f'alert udp any any -> any 9 (msg:"at once"; content:"stranger"; sid:1000;)\n{rules}')
    costly = [there() / UDP(sport=5000 + n % 100, dport=7) / payloads[n % len(payloads)] for n in range(600)]
    strangers = [there() / UDP(sport=4000, dport=9) / b"a stranger" for _ in range(100)]
    frames = [frame for n in range(100) for frame in (*costly[6 * n:6 * n + 6], strangers[n])]
    done, right, _ = run(packetwarp, frames, {"events": "eve.json"})
    assert done.result["inspect"]["alerts"] == len(strangers) and done.result.get("failed_over", 0) == 0, done
    assert len(right) == len(frames) and conserved(done, len(frames)) == {}


def test_alert_only_takes_no_packet(judged):
    frames = mixture()
    done, right, _ = run(judged, frames, {"verdicts": "alert-only"})
    assert done.status == DONE and done.result["inspect"]["alerts"] > 0
    assert "inspect_drop" not in conserved(done, len(frames))
    assert any(b"a secret" in frame for frame in right)


def test_a_rejected_segment_comes_back_as_a_reset(judged):
    done, right, left = run(judged, [frame for frame in mixture() if TCP in frame and frame[TCP].dport == 23], {})
    assert done.status == DONE and done.result["inspect"]["rejected"] == 1
    reset, = (Ether(frame) for frame in left)
    assert (reset.src, reset["IP"].src, reset[TCP].sport, str(reset[TCP].flags), reset[TCP].ack) == (LEFT, SERVER, 23, "RA", 78)
    assert len(right) == 1, "the segment without SYN goes on"
