# SPDX-License-Identifier: Apache-2.0
"""python/bench_l2fwd.py, with small programs that speak as packetwarp and testpmd do in their places."""
from __future__ import annotations

import io
import json
import pathlib
import subprocess
import sys
import textwrap

import pytest
import rich.console

import bench_l2fwd as bench

ROOT = pathlib.Path(__file__).resolve().parents[2]

REPORT = {
    "mpps": 40.5,
    "packets": {"rx": 10, "tx": 6, "punted": 1, "in_flight": 1, "dropped": {"runt": 2}},
    "host": {"cpu_model": "A Processor", "dpdk": "DPDK 22.11.7", "kernel": "6.1.0"},
}

PACKETWARP = f"""
    import json, sys
    path = sys.argv[sys.argv.index("--json") + 1]
    open(path, "w").write({json.dumps(json.dumps(REPORT))})
"""

# Rates are since the statistics before, so the first are 0.
TESTPMD = """
    import sys
    print("EAL: Detected CPU lcores: 2")
    print("MODE packet forwarding - ports=2 - cores=1 - streams=2")
    shown = 0
    for line in sys.stdin:
        if line == "quit\\n":
            break
        if line == "show port stats all\\n":
            for port in range(2):
                print(f"  Rx-pps:  {shown * 7}   Rx-bps: 0")
                print(f"  Tx-pps:  {shown * 20000000 + port}   Tx-bps: 0")
            shown += 1
"""


@pytest.fixture(autouse=True)
def no_warm_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "WARM_UP_SECONDS", 0)


@pytest.fixture
def program(tmp_path: pathlib.Path):
    def make(name: str, source: str) -> str:
        path = tmp_path / name
        path.write_text(f"#!{sys.executable} -u\n{textwrap.dedent(source)}")
        path.chmod(0o755)
        return str(path)

    return make


def test_testpmds_rate_is_what_both_ports_sent_between_the_two_shows(program):
    output = bench.run_testpmd([program("testpmd", TESTPMD.replace("MODE", "io"))], "io", seconds=0.01)
    assert bench.sent_mpps(output) == 40.000001


def test_a_testpmd_in_another_mode_than_asked_for_is_refused(program):
    with pytest.raises(bench.BenchError, match="does not do what it was asked for: io packet forwarding"):
        bench.run_testpmd([program("testpmd", TESTPMD.replace("MODE", "io"))], "macswap", seconds=0.01)


def test_a_testpmd_that_does_not_start_is_quoted(program):
    failing = program("testpmd", 'print("EAL: invalid parameters for --lcores\\nusage: ...")')
    with pytest.raises(bench.BenchError, match="did not start: EAL: invalid parameters for --lcores$"):
        bench.run_testpmd([failing], "io", seconds=0.01)


def test_a_testpmd_that_shows_no_rates_gives_none(program):
    silent = program("testpmd", 'print("io packet forwarding - ports=2 - cores=1 - streams=2")\nimport sys\nsys.stdin.read()')
    with pytest.raises(bench.BenchError, match="showed 0 rates"):
        bench.sent_mpps(bench.run_testpmd([silent], "io", seconds=0.01))


def test_packetwarps_report_is_read(program):
    assert bench.run_packetwarp([program("packetwarp", PACKETWARP)], seconds=1) == REPORT


def test_a_packetwarp_that_fails_or_says_nothing_is_an_error(program):
    failing = program("packetwarp", 'import sys; sys.exit("error: no port")')
    with pytest.raises(bench.BenchError, match="exit status 1, no report: error: no port"):
        bench.run_packetwarp([failing], seconds=1)
    with pytest.raises(bench.BenchError, match="exit status 0, no report: it said nothing"):
        bench.run_packetwarp([program("packetwarp", "")], seconds=1)


def test_a_run_that_lost_packets_without_a_name_is_no_result():
    lossy = json.loads(json.dumps(REPORT))
    lossy["packets"]["dropped"] = {}
    with pytest.raises(bench.BenchError, match="received 10 packets and accounts for 8"):
        bench.require_conserved(lossy)


def test_a_case_is_summed_up_by_medians_spread_and_their_ratio():
    case = bench.Case("cpu", 32, bench.Side(["a", "b c"], [3.0, 1.0, 2.0]), bench.Side(["t"], [4.0, 5.0, 1.0]))
    assert case.summary() == {
        "executor": "cpu",
        "forward_mode": "macswap",
        "burst": 32,
        "packetwarp": {"command": "a 'b c'", "mpps": [3.0, 1.0, 2.0], "median": 2.0, "min": 1.0, "max": 3.0},
        "testpmd": {"command": "t", "mpps": [4.0, 5.0, 1.0], "median": 4.0, "min": 1.0, "max": 5.0},
        "ratio": 0.5,
        "ratio_of_best": 0.6,
    }


def test_without_testpmd_there_is_no_ratio_and_a_notice():
    case = bench.Case("none", 64, bench.Side(["a"], [3.0]), None)
    assert case.summary()["testpmd"] is None
    assert case.summary()["ratio"] is None and case.summary()["ratio_of_best"] is None
    assert any("dpdk-testpmd is not installed" in notice for notice in bench.disturbances(None))


def test_both_programs_get_the_same_eal_options():
    options = bench.argparse.Namespace(packetwarp=bench.ROOT / "build/packetwarp", lcores="2-3", bursts=[32, 64], seconds=3)
    cases = bench.make_cases(options, "testpmd")
    assert [(case.executor, case.burst) for case in cases] == [("none", 32), ("none", 64), ("cpu", 32), ("cpu", 64)]
    assert cases[0].packetwarp.command[0] == "build/packetwarp"
    for case in cases:
        ours, theirs = case.packetwarp.command, case.testpmd.command
        assert ours[2 : ours.index("--")] == theirs[1 : theirs.index("--")] == bench.eal_options("2-3")
        assert f"--forward-mode={case.forward_mode}" in theirs
        assert ours[ours.index("-w") + 1] == case.executor


def test_the_folder_of_results_is_named_after_the_machine():
    cpuinfo = "processor\t: 0\nmodel name\t: A (R) Processor @ 2.60GHz\n\nprocessor\t: 1\nmodel name\t: A (R) Processor\n"
    assert bench.results_folder(cpuinfo).name == "a-r-processor-2-60ghz-2-cpus"
    assert bench.results_folder("").name == "unknown-0-cpus"


def test_the_table_shows_a_row_a_case():
    cases = [bench.Case("cpu", 32, bench.Side(["a"], [50.0]), bench.Side(["t"], [40.0])).summary(),
             bench.Case("none", 64, bench.Side(["a"], [60.0]), None).summary()]
    console = rich.console.Console(file=io.StringIO(), width=120)
    console.print(bench.table_of(cases))
    text = console.file.getvalue()
    assert "50.0 (50.0 to 50.0)" in text and "1.25" in text and "60.0 (60.0 to 60.0)" in text


def test_from_the_command_line_it_writes_one_file(program, tmp_path):
    testpmd = TESTPMD.replace('"MODE ', 'next(a for a in sys.argv if "mode" in a).split("=")[1] + " ')
    output = tmp_path / "new" / "result.json"
    done = subprocess.run(
        [sys.executable, ROOT / "python/bench_l2fwd.py", "--seconds", "0.01", "--repeats", "2", "--bursts", "32",
         "--packetwarp", program("packetwarp", PACKETWARP), "--testpmd", program("testpmd", testpmd), "--output", output],
        capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    result = json.loads(output.read_text())
    assert [case["ratio"] for case in result["cases"]] == [40.5 / 40.000001] * 2
    assert [case["packetwarp"]["mpps"] for case in result["cases"]] == [[40.5, 40.5]] * 2
    assert result["host"] == REPORT["host"]
    assert result["frame_bytes_with_fcs"] == 64


def test_a_missing_packetwarp_is_one_line(tmp_path):
    done = subprocess.run([sys.executable, ROOT / "python/bench_l2fwd.py", "--packetwarp", tmp_path / "none"],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == f"bench: error: {tmp_path}/none does not exist: build it first ('make build')\n"
