# SPDX-License-Identifier: Apache-2.0
"""The bench measures a small matrix for real, writes what others read, goes on where it was stopped, and advises from it."""
from __future__ import annotations

import contextlib
import csv
import json
import os
import pathlib
import signal
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest
from harness import DONE, FAILED, WRONG_USAGE, Program, Run, is_running
from namespaces import wait_for

SHORT = ["--seconds", "0.2", "--testpmd", "none"]
CASE_KEYS = {"function", "executor", "placement", "burst", "frame_bytes", "pipelines", "lcores", "packet_time_ns", "workers",
             "offered_mpps", "status", "reason", "command", "runs", "mpps", "gbps_l1", "gbps_l2", "latency_us", "beside"}


def bench(packetwarp: Program, *options: str) -> Run:
    return packetwarp.run("bench", [], options)


def measured(packetwarp: Program, path: pathlib.Path, *options: str) -> dict[str, Any]:
    done = bench(packetwarp, *SHORT, *options, "--json", str(path))
    assert done.status == DONE, done
    return json.loads(path.read_text())


@pytest.fixture(scope="module")
def real(binary: pathlib.Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[pathlib.Path, dict[str, Any], Run]:
    """none, cpu and an executor that this machine may not have, alone and with work, once at an offered rate too."""
    folder = tmp_path_factory.mktemp("bench")
    path = folder / "bench.json"
    options = ["--executors", "kernel", "--bursts", "32", "--pipelines", "1", "--work", "0,1us", "--rate", "10kpps",
               "--repeats", "2", "--csv", str(folder / "bench.csv"), "--json", str(path), "--commit", "abc"]
    done = bench(Program(binary, folder), *SHORT, *options)
    assert done.status == DONE, done
    return path, json.loads(path.read_text()), done


def cases_of(result: dict[str, Any], **wanted: Any) -> list[dict[str, Any]]:
    return [case for case in result["cases"] if all(case[key] == value for key, value in wanted.items())]


def test_the_json_has_what_others_read(real):
    _, result, _ = real
    assert result["benchmark"] == "packetwarp_bench" and result["commit"] == "abc"
    assert {"version", "started", "command", "host", "seconds", "repeats", "notices", "cases", "peers"} <= result.keys()
    assert result["host"]["cpu_model"] and result["host"]["tsc_hz"] > 0
    assert all(case.keys() == CASE_KEYS for case in result["cases"])
    for case in cases_of(result, status="ok"):
        rates = [run["mpps"] for run in case["runs"]]
        assert len(rates) == 2 and case["mpps"] == {"median": sum(rates) / 2, "min": min(rates), "max": max(rates)}
        assert min(rates) > 0 and case["reason"] is None


def test_none_and_cpu_stand_beside_everything(real):
    _, result, _ = real
    medians = {(case["executor"], case["packet_time_ns"]): case["mpps"]["median"]
               for case in cases_of(result, status="ok", offered_mpps=None)}
    assert medians.keys() == {("none", 0), ("cpu", 0), ("cpu", 1000)}
    for case in cases_of(result, offered_mpps=None):
        assert case["beside"]["none"] == medians["none", 0]
        assert case["beside"]["cpu"] == medians["cpu", case["packet_time_ns"]]
        assert case["beside"]["testpmd_io"] is None and case["beside"]["testpmd_macswap"] is None


def test_latency_is_measured_at_the_rate_offered(real):
    _, result, _ = real
    offered = cases_of(result, offered_mpps=0.01, status="ok")
    assert {case["executor"] for case in offered} == {"none", "cpu"}
    for case in offered:
        assert case["mpps"]["median"] > 0
        assert 0 < case["latency_us"]["p50"] <= case["latency_us"]["p99"] <= case["latency_us"]["p999"]


def test_an_executor_that_is_not_there_is_unsupported_with_its_reason_and_without_figures(real):
    _, result, done = real
    cases = cases_of(result, executor="kernel")
    if any(case["status"] == "ok" for case in cases):
        pytest.skip("this machine runs the executor")
    for case in cases:
        assert case["status"] == "unsupported" and "NVIDIA driver" in case["reason"]
        assert case["runs"] == [] and case["mpps"] is None and case["latency_us"] is None
    assert f"{len(cases)} cases unsupported: {cases[0]['reason']}" in done.stdout


def test_the_csv_has_a_row_a_case(real):
    path, result, _ = real
    rows = list(csv.DictReader(path.with_suffix(".csv").open()))
    assert len(rows) == len(result["cases"])
    for row, case in zip(rows, result["cases"]):
        assert (row["executor"], row["status"], row["reason"]) == (case["executor"], case["status"], case["reason"] or "")
        assert row["mpps_median"] == "" if case["mpps"] is None else float(row["mpps_median"]) == case["mpps"]["median"]


def test_progress_is_a_line_a_run_with_the_time_left(real):
    _, result, done = real
    lines = [line for line in done.stderr.splitlines() if line.startswith("run ")]
    begin = f"run 1 of {2 * len(result['cases'])}: none, burst 32, 64 B, 1 pipeline: "
    assert lines[0].startswith(begin) and lines[0].endswith(" left"), lines
    assert lines[-1].endswith("; done"), lines


@contextlib.contextmanager
def started(packetwarp: Program, *options: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(packetwarp.words("bench", [], options), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def children_of(pid: int) -> list[int]:
    return [int(child) for child in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_the_run_keeps_what_is_there_and_resume_does_the_rest(packetwarp: Program, tmp_path, number):
    path = tmp_path / "bench.json"
    options = ["--executors", "cpu", "--bursts", "16,32", "--pipelines", "1", "--seconds", "1", "--testpmd", "none",
               "--repeats", "1", "--json", str(path)]
    with started(packetwarp, *options) as process:
        wait_for(lambda: path.exists() and any(case["runs"] for case in json.loads(path.read_text())["cases"]), "a run", seconds=60)
        wait_for(lambda: children_of(process.pid), "the next run")
        children = children_of(process.pid)
        process.send_signal(number)
        _, stderr = process.communicate(timeout=60)
    assert process.returncode == FAILED
    assert f"--resume {path}" in stderr.splitlines()[-1] and stderr.splitlines()[-1].startswith("packetwarp: error: stopped")
    assert not any(is_running(child) for child in children)
    before = json.loads(path.read_text())
    kept = [case["runs"] for case in before["cases"]]
    assert kept[0] and not kept[-1] and before["cases"][-1]["status"] == "pending"

    done = bench(packetwarp, "--resume", str(path))
    assert done.status == DONE, done
    after = json.loads(path.read_text())
    assert [case["status"] for case in after["cases"]] == ["ok"] * 4
    assert all(new["runs"] == old for new, old in zip(after["cases"], kept) if old)
    assert all(len(case["runs"]) == 1 for case in after["cases"]) and after["started"] == before["started"]


@pytest.mark.parametrize(("change", "said"), [
    (lambda result: result.update(commit="def"), "commit def, this is abc"),
    (lambda result: result.update(version="0.0.0"), "version 0.0.0, this is "),
    (lambda result: result["host"].update(cpu_model="an abacus"), 'cpu_model "an abacus", this is '),
])
def test_figures_of_another_build_or_machine_are_not_gone_on_with(packetwarp: Program, real, tmp_path, change, said):
    _, result, _ = real
    other = json.loads(json.dumps(result))
    change(other)
    path = tmp_path / "other.json"
    path.write_text(json.dumps(other))
    done = bench(packetwarp, "--resume", str(path), "--commit", "abc")
    assert done.status == WRONG_USAGE and len(done.errors) == 1 and said in done.errors[0], done
    assert json.loads(path.read_text()) == other


def test_advice_comes_from_measured_figures(packetwarp: Program, real):
    path, result, _ = real
    reached = cases_of(result, executor="cpu", packet_time_ns=1000, offered_mpps=None)[0]["mpps"]
    rate = f"{int(reached['min'] * 1e6 * 0.5)}pps"
    done = bench(packetwarp, "--advise", "--from", str(path), "--rate", rate, "--work", "1us")
    assert done.status == DONE, done
    assert "use  -w cpu -m host -b 32 -p 1 --workers run-to-completion" in done.stdout
    assert f"it reached {reached['median']:.2f} Mpps (lowest {reached['min']:.2f})" in done.stdout
    assert "latency: not measured at this rate" in done.stdout


def test_advice_has_latency_where_it_was_measured_and_holds_it_to_a_limit(packetwarp: Program, real, tmp_path):
    """Latency of a run that kept up, which it may not on a machine that is busy elsewhere."""
    result = json.loads(json.dumps(real[1]))
    for case in cases_of(result, offered_mpps=0.01):
        for one in case["runs"]:
            one["mpps"] = 0.01
    path = tmp_path / "kept_up.json"
    path.write_text(json.dumps(result))
    latency = cases_of(result, executor="cpu", packet_time_ns=0, offered_mpps=0.01)[0]["latency_us"]
    ask = ["--advise", "--from", str(path), "--rate", "10kpps"]
    done = bench(packetwarp, *ask, "--latency", f"{int(latency['p99'] * 1000) + 1}ns")
    assert done.status == DONE, done
    assert f"{latency['p50']:.1f} / {latency['p99']:.1f} / {latency['p999']:.1f} us, measured at this rate" in done.stdout
    done = bench(packetwarp, *ask, "--latency", "1ns")
    assert done.status == FAILED and "too late" in done.stdout and "use  " not in done.stdout, done


def test_advice_interpolates_and_does_not_go_beyond(packetwarp: Program, real):
    path, _, _ = real
    between = bench(packetwarp, "--advise", "--from", str(path), "--rate", "1kpps", "--work", "500ns")
    assert between.status == DONE and "interpolated between 0 ns and 1.00 us of work" in between.stdout, between
    beyond = bench(packetwarp, "--advise", "--from", str(path), "--rate", "1kpps", "--work", "2us")
    assert beyond.status == FAILED and "nothing near that size and work" in beyond.stdout, beyond
    too_much = bench(packetwarp, "--advise", "--from", str(path), "--rate", "100gpps")
    assert too_much.status == FAILED and "no measured case carries that" in too_much.stdout, too_much


def test_advice_measures_what_it_needs_and_says_first_how_long_that_takes(packetwarp: Program, tmp_path):
    options = ["--advise", "--rate", "10kpps", "--size", "128", "--executors", "cpu", "--bursts", "32", "--pipelines", "1",
               "--seconds", "0.2", "--repeats", "1", "--json", str(tmp_path / "bench.json")]
    done = bench(packetwarp, *options)
    assert done.status == DONE and "use  -w cpu" in done.stdout, done
    said = [line for line in done.stderr.splitlines() if not line.startswith(("packetwarp: warning", "EAL"))]
    assert said[0].startswith("4 runs, about ") and said[1].startswith("run 1 of 4"), done
    assert {case["frame_bytes"] for case in json.loads((tmp_path / "bench.json").read_text())["cases"]} == {128}


def test_testpmd_that_does_not_start_is_a_failed_peer_and_no_figure(packetwarp: Program, tmp_path):
    path = tmp_path / "bench.json"
    options = ["--executors", "cpu", "--bursts", "32", "--pipelines", "1", "--repeats", "1", "--seconds", "0.2", "--testpmd",
               "/bin/false", "--json", str(path)]
    done = bench(packetwarp, *options)
    result = json.loads(path.read_text())
    if not result["peers"]:
        pytest.skip("one lcore, on which testpmd is not tried")
    assert done.status == DONE, done
    assert [(peer["mode"], peer["status"], peer["mpps"]) for peer in result["peers"]] == [("io", "failed", None),
                                                                                       ("macswap", "failed", None)]
    assert all("did not start" in peer["reason"] for peer in result["peers"])


def test_testpmd_runs_beside_where_it_is_installed(packetwarp: Program, tmp_path):
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("testpmd needs two lcores")
    path = tmp_path / "bench.json"
    done = bench(packetwarp, "--executors", "cpu", "--bursts", "32", "--pipelines", "1", "--repeats", "1", "--seconds", "0.2",
                 "--json", str(path))
    result = json.loads(path.read_text())
    if any("not installed" in notice for notice in result["notices"]):
        pytest.skip("dpdk-testpmd is not installed")
    assert done.status == DONE, done
    rates = {peer["mode"]: peer["mpps"]["median"] for peer in result["peers"]}
    assert rates.keys() == {"io", "macswap"} and min(rates.values()) > 0
    for case in result["cases"]:
        assert (case["beside"]["testpmd_io"], case["beside"]["testpmd_macswap"]) == (rates["io"], rates["macswap"])


def test_the_list_runs_nothing(packetwarp: Program):
    done = bench(packetwarp, "--list", "--executors", "cpu", "--bursts", "8,16")
    assert done.status == DONE and done.stderr == "", done
    assert "4 cases" in done.stdout and "cpu, burst 8, 64 B" in done.stdout


def test_one_file_for_two_results_is_refused_and_stays(packetwarp: Program, tmp_path):
    file = tmp_path / "results"
    file.write_text("of last year")
    done = bench(packetwarp, "--executors", "cpu", "--json", str(file), "--csv", str(file))
    assert done.status == WRONG_USAGE and len(done.errors) == 1 and str(file) in done.errors[0], done
    assert file.read_text() == "of last year" and list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize(("options", "status", "said"), [
    (["--bursts", "0"], WRONG_USAGE, "--bursts: 0 is out of range"),
    (["--executors", "abacus"], WRONG_USAGE, "'abacus' is not one of none, cpu"),
    (["--advise"], WRONG_USAGE, "--rate"),
    (["--from", "x"], WRONG_USAGE, "--from"),
    (["--resume", "/no/such.json"], WRONG_USAGE, "/no/such.json: cannot be read"),
    (["--advise", "--rate", "1mpps", "--from", "/dev/null"], WRONG_USAGE, "/dev/null: is no result of packetwarp bench"),
    (["--advise", "--rate", "1mpps", "--from", "/"], WRONG_USAGE, "/: cannot be read: Is a directory; give a file"),
    (["--resume", "/"], WRONG_USAGE, "/: cannot be read: Is a directory; give a file"),
    (["--testpmd", "./nothing"], WRONG_USAGE, "--testpmd: ./nothing is no program"),
    (["--json", "/no/such/file"], FAILED, "--json: /no/such/file cannot be written"),
    (["--csv", "/no/such/file"], FAILED, "--csv: /no/such/file cannot be written"),
])
def test_bad_input_is_one_line_and_a_status(packetwarp: Program, options, status, said):
    done = bench(packetwarp, *options)
    assert done.status == status and done.stdout == "", done
    assert len(done.errors) == 1 and said in done.errors[0] and len(done.stderr.splitlines()) == 1, done


def test_options_for_the_eal_that_are_bench_s_to_give(packetwarp: Program):
    done = packetwarp.run("bench", ["--vdev=net_null0"], ["--list"])
    assert done.status == WRONG_USAGE and "bench makes its own ports" in done.errors[0], done


def test_a_bench_without_a_figure_has_failed(packetwarp: Program, tmp_path):
    """Every run is refused: there is no folder to keep the EAL's files in."""
    run = packetwarp.run("bench", ["--huge-dir", str(tmp_path / "nowhere"), "-l", "0"],
                         [*SHORT, "--executors", "cpu", "--bursts", "32", "--pipelines", "1", "--repeats", "1"])
    assert run.status == FAILED, run
    assert run.errors[-1].startswith("packetwarp: error: no case has a figure; the first was"), run
