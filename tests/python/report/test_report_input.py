# SPDX-License-Identifier: Apache-2.0
"""The input that python/report.py takes, and its one line about any other input."""
from __future__ import annotations

import contextlib
import copy
import io
import pathlib
import subprocess
import sys
from unittest import mock

import pytest
import report as script

import bench_results as made
from reporting import gathering, peers
from reporting.results import Machine, ReportError, gpu_of, read

ROOT = pathlib.Path(__file__).resolve().parents[3]
HERE = Machine("A Processor", 16, "A GPU")


def report(*arguments: object) -> subprocess.CompletedProcess[str]:
    """As from the command line, which tests/python/report/test_report_page.py has, without a second for Python to start."""
    out, err = io.StringIO(), io.StringIO()
    with mock.patch.object(sys, "argv", ["report.py", *map(str, arguments)]), contextlib.redirect_stdout(out), \
            contextlib.redirect_stderr(err):
        try:
            status = script.main()
        except SystemExit as ended:
            status = ended.code
    return subprocess.CompletedProcess(sys.argv, status, out.getvalue(), err.getvalue())


def changed(path: str, value: object) -> made.Json:
    """A good result with one field changed, or removed."""
    document = copy.deepcopy(made.result([made.case("cpu", 64, 1.0, 2.0, 3.0)]))
    *way, last = path.split(".")
    place = document
    for step in way:
        place = place[int(step) if step.isdigit() else step]
    if value is ...:
        del place[last]
    else:
        place[last] = value
    return document


@pytest.mark.parametrize(("document", "complaint"), [
    ("{", "is no JSON: Expecting property name"),
    ("[]", 'is no result of packetwarp bench: its "benchmark" is not "packetwarp_bench"'),
    (changed("benchmark", "l2fwd_vs_testpmd"), "is no result of packetwarp bench"),
    (changed("commit", ...), "r.json: has no 'commit'; expected a result of packetwarp bench --json"),
    (changed("cases", {}), "r.json: cases: expected a list, found {}"),
    (changed("cases", []), "r.json: there is no case in it"),
    (changed("cases.0.burst", "64"), 'r.json: cases[0].burst: expected a number of 0 or more, found "64"'),
    (changed("cases.0.burst", 1.5), "r.json: cases[0].burst: expected a whole number, found 1.5"),
    (changed("cases.0.burst", -1), "cases[0].burst: expected a number of 0 or more, found -1"),
    (changed("cases.0.status", "fine"), "cases[0].status: 'fine' is none of ok, failed, unsupported, pending"),
    (changed("cases.0.mpps", None), "cases[0].mpps: expected an object, found null"),
    (changed("cases.0.mpps.median", 9.0), "cases[0].mpps: the median 9 is not between min and max"),
    (changed("cases.0.executor", ...), "cases[0]: has no 'executor'"),
    (changed("host.cpu_model", None), "host.cpu_model: expected a text, found null"),
])
def test_what_is_no_result_gets_one_line_and_status_2(tmp_path, document, complaint):
    done = report(made.write(document, tmp_path / "r.json"), "--output", tmp_path / "out")
    assert done.returncode == 2
    assert done.stderr.startswith("report: error: ") and done.stderr.count("\n") == 1
    assert complaint in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_file_that_is_not_there_gets_one_line(tmp_path):
    done = report(tmp_path / "none.json")
    assert done.returncode == 2
    assert done.stderr == f"report: error: {tmp_path}/none.json: cannot be read: No such file or directory\n"


def test_an_output_that_cannot_be_made_gets_one_line(tmp_path):
    taken = made.write("a file", tmp_path / "taken")
    done = report(made.write(made.everything(), tmp_path / "r.json"), "--output", taken / "out")
    assert (done.returncode, done.stderr) == (2, f"report: error: {taken}/out: Not a directory\n")


def test_results_of_two_machines_do_not_share_a_page(tmp_path):
    other = made.result([made.case("cpu", 64, 1.0)], host={**made.HOST, "cpus": 8})
    paths = [made.write(made.everything(), tmp_path / "a.json"), made.write(other, tmp_path / "b.json")]
    with pytest.raises(ReportError, match="a.json is of 'A Processor, 16 CPUs, A GPU', b.json of 'A Processor, 8 CPUs, A GPU'"):
        gathering.gather(gathering.results_at(paths))


def test_of_a_setting_measured_twice_the_newest_figure_is_kept(tmp_path):
    old = made.result([made.case("cpu", 64, 1.0), made.case("cpu", 32, 3.0)])
    new = made.result([made.case("cpu", 64, 2.0), made.without_figure("failed", "no", "cpu", 32)], started="2026-11-22T00:00:00+00:00")
    paths = [made.write(new, tmp_path / "a.json"), made.write(old, tmp_path / "b.json")]
    data = gathering.gather(gathering.results_at(paths))
    assert {case.burst: case.mpps.median for case in data.cases} == {64: 2.0, 32: 3.0}
    assert data.replaced == 2


def test_a_folder_gives_its_bench_results_and_no_other_file(tmp_path):
    made.write(made.everything(), tmp_path / "bench.json")
    made.write({"context": {}, "benchmarks": []}, tmp_path / "wire.json")
    assert [result.name for result in gathering.results_at([tmp_path])] == ["bench.json"]
    (tmp_path / "bench.json").unlink()
    with pytest.raises(ReportError, match="no result of packetwarp bench in it"):
        gathering.results_at([tmp_path])


def test_without_a_name_the_machine_that_was_measured_last_is_taken(tmp_path):
    for name, day in (("a", 21), ("b", 23), ("c", 22)):
        made.write(made.result([made.case("cpu", 64, 1.0)], started=f"2026-11-{day}T00:00:00+00:00"), tmp_path / name / f"{name}.json")
    assert [result.name for result in gathering.newest_machine(tmp_path)] == ["b.json"]
    with pytest.raises(ReportError, match="no result of packetwarp bench in any folder"):
        gathering.newest_machine(tmp_path / "a")


@pytest.mark.parametrize(("said", "name"), [
    (None, ""), ("H200", "H200"), ({"name": "H200"}, "H200"), ([{"name": "H200"}], "H200"), (["H200", "H200"], "2 x H200"),
])
def test_a_gpu_is_known_by_its_name(said, name):
    assert gpu_of(said) == name


@pytest.mark.parametrize(("host", "machine"), [
    ({"gpus": [{"name": "H200"}]}, "A Processor, 16 CPUs, H200"), ({"gpus": []}, "A Processor, 16 CPUs, no GPU"), ({}, "A Processor, 16 CPUs"),
])
def test_no_gpu_is_said_only_where_the_result_says_so(tmp_path, host, machine):
    host = {**{name: value for name, value in made.HOST.items() if name != "gpus"}, **host}
    document = made.result([made.case("cpu", 64, 1.0)], host=host)
    assert str(read(made.write(document, tmp_path / "r.json")).machine) == machine


def test_a_case_without_a_good_end_has_no_figure(tmp_path):
    failed = {**made.case("cpu", 64, 5.0), "status": "failed", "reason": "lost packets"}
    (case,) = read(made.write(made.result([failed]), tmp_path / "r.json")).cases
    assert case.mpps is None and case.gbps is None and case.reason == "lost packets"


# --- peers.yaml -----------------------------------------------------------------------------------------------------------


def test_the_projects_own_peers_can_be_read_and_have_sources():
    known = peers.read(ROOT / "benchmarks" / "peers.yaml", HERE)
    assert all(one.source for one in (*known.peers, *known.limits))
    assert not any(known.is_here(peer.machine) for peer in known.peers)
    h200 = peers.read(ROOT / "benchmarks" / "peers.yaml", Machine("INTEL(R) XEON(R)", 16, "NVIDIA H200"))
    assert any(h200.is_here(peer.machine) and peer.name == "l2fwd-nv" for peer in h200.peers)


def test_line_rate_follows_the_frames_size():
    known = peers.read(ROOT / "benchmarks" / "peers.yaml", HERE)
    (line_rate,) = [limit for limit in known.limits if limit.name == "100 GbE line rate"]
    assert line_rate.mpps(64)[0] == pytest.approx(148.81, abs=0.01)
    assert line_rate.mpps(1518)[0] == pytest.approx(8.127, abs=0.001)


@pytest.mark.parametrize(("text", "complaint"), [
    ("a: [", "is no YAML"),
    ("machines: {}", "'sources' is missing"),
    ("machines: {}\nsources: {}\npeers: []\nlimits: [{name: x, source: y, us: 1}]", "'y' is missing, or named and not described"),
    ("machines: {}\nsources: {y: z}\npeers: []\nlimits: [{name: x, source: y}]", "x: needs one of Mpps"),
    ("machines: {}\nsources: {y: z}\npeers: []\nlimits: [{name: x, source: y, mpps: 1}]", "x: 'mpps' is none of"),
])
def test_peers_that_cannot_be_read_get_one_line(tmp_path, text, complaint):
    with pytest.raises(ReportError, match=complaint) as raised:
        peers.read(made.write(text, tmp_path / "peers.yaml"), HERE)
    assert "\n" not in str(raised.value)
