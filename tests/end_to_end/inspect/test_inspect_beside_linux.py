# SPDX-License-Identifier: Apache-2.0
"""A sender puts other bytes into segments that a receiver discards: the stream that `packetwarp inspect run` searches is what a
listener of Linux reads."""
from __future__ import annotations

import json
import pathlib
import random
import struct
import subprocess
import sys

import pytest
from harness import DONE
from namespaces import need_root_and_tools

RECEIVER = pathlib.Path(__file__).parent / "linux_receiver.py"
SIZE, PART = 40, 4
DECOYS = ("acknowledges too much", "acknowledges too old", "from the past", "any time")


def decoy(rng: random.Random, kind: str, at: int, answered: int, now: int) -> dict:
    """answered: bytes of the server so far."""
    made = {"at": at, "acknowledged": answered, "text": "".join(rng.choice("uvwxyz") for _ in range(PART)), "time": now}
    if kind == "acknowledges too much":
        made["acknowledged"] += rng.choice((1, 1000, 2**30))
    elif kind == "acknowledges too old":
        # With the window of the segment before Linux may take it: it does not look at old acknowledgments then.
        made |= {"acknowledged": -rng.choice((1, 100, 2**30)), "window": rng.randrange(50000, 59000)}
    elif kind == "from the past":
        made["time"] = -rng.choice((2, 1000, 2**31 - 100_000))
    else:
        made["time"] = now + rng.randrange(-30, 1)
    return made


def conversation(seed: int) -> dict:
    rng = random.Random(seed)
    kinds = [kind for kind in DECOYS if seed % 2 or "time" not in kind and "past" not in kind]
    steps: list[dict] = []
    answered = now = 0
    for at in range(0, SIZE, PART):
        now += rng.randrange(1, 20)
        real = {"at": at, "acknowledged": answered, "text": "".join(rng.choice("ABCDEFGH") for _ in range(PART)), "time": now}
        places = [place for place in (at, at, at + PART, at - PART) if 0 <= place < SIZE]
        before, after = (
            [decoy(rng, rng.choice(kinds), rng.choice(places), answered, now) for _ in range(rng.randrange(3))] for _ in range(2))
        steps += [*before, real, *after]
        if rng.random() < 0.3:
            reply = "r" * rng.choice((5, 500))
            steps.append({"reply": reply})
            answered += len(reply)
    return {"from": 30000 + seed, "port": 20000 + seed, "number": rng.choice((1000, 2**32 - 20)), "has_times": bool(seed % 2),
            "time": rng.choice((5_000_000, 2**32 - 60)), "steps": steps, "size": SIZE}


def played(conversations: list[dict]) -> list[dict]:
    if reason := need_root_and_tools("unshare", "ip"):
        pytest.skip(reason)
    told = "".join(json.dumps(one) + "\n" for one in conversations)
    done = subprocess.run(["unshare", "-n", sys.executable, RECEIVER], input=told, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def write_capture(path: pathlib.Path, frames: list[bytes]) -> None:
    data = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, 1)
    for number, frame in enumerate(frames):
        data += struct.pack("<IIII", 1000 + number // 1000, number % 1000, len(frame), len(frame)) + frame
    path.write_bytes(data)


def test_a_stream_is_what_linux_reads(binary, tmp_path):
    conversations = [conversation(seed) for seed in range(60)]
    seen = played(conversations)
    write_capture(tmp_path / "all.pcap", [bytes.fromhex(frame) for one in seen for frame in one["frames"]])
    rules = "".join(f'alert tcp any {told["from"]} -> any any (content:"{one["read"]}"; sid:{1 + seed};)\n'
                    for seed, (told, one) in enumerate(zip(conversations, seen)))
    (tmp_path / "my.rules").write_text(rules)
    done = subprocess.run([binary, "inspect", "run", "--rules", "my.rules", "--pcap", "all.pcap"], cwd=tmp_path, capture_output=True,
                          text=True, check=False, timeout=60)
    assert done.returncode == DONE, done.stderr
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert all(len(one["read"]) == SIZE for one in seen)
    alerted = sorted(event["alert"]["signature_id"] for event in events if event["event_type"] == "alert")
    assert alerted == list(range(1, 1 + len(seen)))
    assert events[-1]["stats"]["segments_discarded"] > len(seen)
