# SPDX-License-Identifier: Apache-2.0
"""The search for throughput runs real trials, and what it says follows from them."""
from __future__ import annotations

import csv
import json
import pathlib
from typing import Any

import pytest
from harness import DONE, WRONG_USAGE, Program

RESOLUTION = 10.0


@pytest.fixture(scope="module")
def found(binary: pathlib.Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], list[dict[str, str]], str]:
    """A search with an executor that this machine may not have."""
    folder = tmp_path_factory.mktemp("ndr")
    done = Program(binary, folder).run("bench", [], [
        "--ndr", "--executors", "cpu,kernel", "--bursts", "32", "--pipelines", "1", "--trial", "100ms", "--resolution",
        str(RESOLUTION), "--line", "2mpps", "--json", str(folder / "ndr.json"), "--csv", str(folder / "ndr.csv")])
    assert done.status == DONE, done
    with (folder / "ndr.csv").open() as file:
        return json.loads((folder / "ndr.json").read_text()), list(csv.DictReader(file)), done.stdout


def test_a_rate_is_the_highest_that_passed_below_the_lowest_that_did_not(found):
    report, _, _ = found
    assert report["benchmark"] == "packetwarp_throughput"
    cases = [case for case in report["cases"] if case["status"] == "ok"]
    assert {case["executor"] for case in cases} >= {"none", "cpu"}
    for case in cases:
        assert case["line_mpps"] == 2
        assert case["trials"][0]["offered_mpps"] == 2
        for key, word in (("ndr", "no_drop"), ("pdr", "partial_drop")):
            rate = case[key]
            failed = [trial["offered_mpps"] for trial in case["trials"] if trial[word] != "passed"]
            passed = [trial["offered_mpps"] for trial in case["trials"] if trial[word] == "passed"]
            assert rate["complete"] is True
            assert rate["above_mpps"] == (min(failed) if failed else None)
            assert rate["mpps"] == max((one for one in passed if not failed or one < min(failed)), default=0)
            assert (rate["above_mpps"] or 2) - rate["mpps"] <= 2 * RESOLUTION / 100 + 1e-9


def test_a_trials_verdict_follows_from_its_packets(found):
    report, _, _ = found
    trials = [trial for case in report["cases"] for trial in case["trials"]]
    assert trials
    for trial in trials:
        assert trial["received"] + trial["lost"] == trial["sent"]
        assert trial["loss_percent"] == pytest.approx(100 * trial["lost"] / trial["sent"])
        assert (trial["no_drop"] == "lossy") == (trial["lost"] > 0)
        assert (trial["partial_drop"] == "lossy") == (trial["loss_percent"] > 0.5)
        # The generator may send less than a rate, and not more.
        assert trial["sent"] <= trial["offered_mpps"] * 1e6 * report["trial_seconds"] + 2


def test_every_trial_is_a_line_of_the_csv_and_every_case_is_in_the_table(found):
    report, lines, text = found
    assert [float(line["offered_mpps"]) for line in lines] == [
        trial["offered_mpps"] for case in report["cases"] for trial in case["trials"]]
    for case in report["cases"]:
        assert f"{case['executor']}, burst 32, 64 B, 1 pipeline" in text
        if case["status"] == "unsupported":
            assert case["reason"]
            assert case["reason"] in text


def test_nothing_is_lost_that_the_wires_hold(packetwarp: Program, tmp_path):
    """Five hundred packets in all, which wires of 1024 places hold whatever the machine does meanwhile."""
    path = tmp_path / "ndr.json"
    done = packetwarp.run("bench", [], ["--ndr", "--executors", "cpu", "--bursts", "32", "--pipelines", "1", "--trial", "1s",
                                        "--line", "500pps", "--resolution", "50", "--json", str(path)])
    assert done.status == DONE, done
    for case in json.loads(path.read_text())["cases"]:
        assert all(trial["lost"] == 0 for trial in case["trials"])


def test_bad_input_is_one_line(packetwarp: Program):
    done = packetwarp.run("bench", [], ["--ndr", "--seconds", "2"])
    assert (done.status, len(done.errors)) == (WRONG_USAGE, 1), done
    assert "--seconds: --ndr searches a rate with trials of its own; leave it out" in done.errors[0]
