# SPDX-License-Identifier: Apache-2.0
"""Runs tests of OISF/suricata-verify by `packetwarp inspect run`, and compares how many alerts each check of a test finds.

suricata_verify.py FOLDER [--packetwarp FILE] [--json FILE] [NAME...]: FOLDER has the tests (a folder each, with test.yaml). A test
counts if its rules are usable and it says how many alerts there are; others are listed by the reason. With some unusable rules
it counts in part: the checks of the others. Exit status 1: a
test that is not in the list of known differences fails, or one that is in it passes.
"""
from __future__ import annotations

import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys

import yaml

HERE = pathlib.Path(__file__).resolve().parent
KNOWN = HERE / "suricata_verify_known.txt"


def known_differences() -> dict[str, str]:
    """Tests that fail, with the reason: lines of NAME REASON."""
    lines = [line.split(maxsplit=1) for line in KNOWN.read_text().splitlines() if line and not line.startswith("#")]
    return {name: reason for name, reason in lines}


def files_of(folder: pathlib.Path, test: dict) -> tuple[pathlib.Path | None, list[pathlib.Path]]:
    """The capture and the rules of a test."""
    if "pcap" in test:
        captures = [folder / test["pcap"]] if test["pcap"] else []
    else:
        captures = sorted([*folder.glob("*.pcap"), *folder.glob("*.pcapng")])
    rules = sorted(folder.glob("*.rules"))
    return (captures[0] if len(captures) == 1 and captures[0].is_file() else None), rules


# Fields that both programs write with one meaning.
FIELDS = {"alert.signature_id", "alert.gid", "alert.rev", "alert.signature", "src_ip", "dest_ip", "src_port", "dest_port", "proto",
          "pcap_cnt", "icmp_type", "icmp_code"}
CONDITIONS = {"requires", "min-version", "lt-version", "version", "features"}


def expected_alerts(test: dict) -> tuple[list[tuple[dict, int]], str]:
    """Fields of alerts, and how many alerts have them; or the reason why the test does not say it."""
    wanted = []
    for check in test.get("checks") or []:
        found = check.get("filter") if isinstance(check, dict) else None
        if not found or found.get("match", {}).get("event_type") != "alert" or (CONDITIONS & (set(found) | set(check))):
            continue
        match = {key: value for key, value in found["match"].items() if key != "event_type"}
        if not set(match) - FIELDS and "count" in found:
            wanted.append((match, int(found["count"])))
    return wanted, "" if wanted else "its checks count no alerts by fields that both have"


# Options under which `inspect run` does what Suricata does: it verifies no checksums, and inspects a segment when it comes.
HARMLESS = [re.compile(pattern) for pattern in (
    r"-k none", r"-k", r"none", r"--runmode[= ]\w+", r"--set stream\.inline=true", r"-v+",
    r"--set app-layer\.protocols\.http\.libhtp\.default-config\.response-body-decompress-layer-limit=\d+")]


def options_of(test: dict) -> list[str]:
    """Each option of a test, with its value."""
    text = " ".join(str(one) for one in test.get("args") or [])
    return [option.strip() for option in re.split(r"\s(?=--?\w)", " " + text) if option.strip()]


def value_of(event: dict, field: str) -> object:
    for part in field.split("."):
        event = event.get(part) if isinstance(event, dict) else None
    return event


def reason_to_skip(folder: pathlib.Path, test: dict, seen: dict) -> str:
    """Why a test does not count; empty if it does. seen: what `inspect check` says of its rules."""
    if seen["rules_malformed"]:
        return "malformed rules"
    if not seen["rules_usable"]:
        return "keyword " + ", ".join(sorted(one["keyword"] for one in seen["missing"])) if seen["rules_read"] else "no rules"
    if "command" in test or "setup" in test:
        return "a command of its own"
    for option in options_of(test):
        if not any(pattern.fullmatch(option) for pattern in HARMLESS):
            return f"option {option}"
    for name in ("suricata.yaml", "threshold.config"):
        if (folder / name).is_file():
            return f"a {name} of its own"
    return ""


def look_at_rules(packetwarp: str, rules: list[pathlib.Path]) -> dict:
    answer = subprocess.run([packetwarp, "inspect", "check", *map(str, rules), "--json", "-"], capture_output=True, text=True, check=False)
    return json.loads(answer.stdout)


def alerts_of(packetwarp: str, capture: pathlib.Path, rules: list[pathlib.Path]) -> list[dict]:
    answer = subprocess.run([packetwarp, "inspect", "run", "--rules", *map(str, rules), "--pcap", str(capture)],
                            capture_output=True, text=True, check=False, timeout=60)
    if answer.returncode != 0:
        raise RuntimeError(answer.stderr.strip())
    events = [json.loads(line) for line in answer.stdout.splitlines()]
    return [event for event in events if event["event_type"] == "alert"]


def judge(folder: pathlib.Path, packetwarp: str) -> tuple[str, str]:
    """The outcome of a test, "skip", "pass", "pass in part" or "fail", and the reason."""
    try:
        test = yaml.safe_load((folder / "test.yaml").read_text()) or {}
    except yaml.YAMLError:
        return "skip", "test.yaml is no YAML"
    capture, rules = files_of(folder, test)
    if capture is None or not rules:
        return "skip", "no capture or no rules"
    seen_rules = look_at_rules(packetwarp, rules)
    wanted, why_not = expected_alerts(test)
    why_not = why_not or reason_to_skip(folder, test, seen_rules)
    left_out = {one["sid"] for one in seen_rules["left_out"]}
    if left_out:
        # The checks of the rules that are usable.
        wanted = [(match, count) for match, count in wanted if match.get("alert.signature_id", 0) not in left_out | {0}]
        why_not = why_not or ("" if wanted else "keyword " + ", ".join(sorted(one["keyword"] for one in seen_rules["missing"])))
    if why_not:
        return "skip", why_not
    try:
        seen = alerts_of(packetwarp, capture, rules)
    except (RuntimeError, subprocess.TimeoutExpired) as problem:
        return "skip" if "link type" in str(problem) else "fail", str(problem)
    wrong = []
    for match, count in wanted:
        there = sum(all(value_of(alert, field) == value for field, value in match.items()) for alert in seen)
        if there != count:
            wrong.append(f"{match}: {there} alerts instead of {count}")
    outcome = "fail" if wrong else "pass in part" if left_out else "pass"
    return outcome, "; ".join(wrong) or (f"without sids {sorted(left_out)}" if left_out else "")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--packetwarp", default="build/packetwarp")
    parser.add_argument("--json", type=pathlib.Path, help="write each test's outcome there")
    given = parser.parse_args()
    known = known_differences()
    outcomes = {}
    for file in sorted(given.folder.rglob("test.yaml")):
        name = str(file.parent.relative_to(given.folder))
        if not given.names or name in given.names:
            outcomes[name] = judge(file.parent, given.packetwarp)
    failed = [name for name, (outcome, _) in outcomes.items() if outcome == "fail"]
    for name in failed:
        print(f"{'known ' if name in known else ''}FAIL {name}: {outcomes[name][1]}")
    now_passing = [name for name, (outcome, _) in outcomes.items() if outcome.startswith("pass") and name in known]
    for name in now_passing:
        print(f"PASS {name}, which {KNOWN.name} lists as failing")
    reasons = collections.Counter(why for outcome, why in outcomes.values() if outcome == "skip")
    for why, count in reasons.most_common(20):
        print(f"skipped {count:4}: {why}")
    counts = collections.Counter(outcome for outcome, _ in outcomes.values())
    new = [name for name in failed if name not in known]
    print(f"{counts['pass']} tests pass, {counts['pass in part']} in part, {counts['fail']} fail ({len(new)} of them not known), {counts['skip']} do not count")
    if given.json:
        given.json.write_text(json.dumps(outcomes, indent=1, sort_keys=True) + "\n")
    return 1 if new or now_passing or counts["pass"] == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
