# SPDX-License-Identifier: Apache-2.0
"""The report's conclusions from results, and its choice and labels of pictures."""
from __future__ import annotations

import pathlib

import pytest

import bench_results as made
from reporting import findings, peers, winners, words
from reporting.figures import limits_of
from reporting.results import Case, read
from reporting.slices import Slice, slices
from reporting.style import apart

ROOT = pathlib.Path(__file__).resolve().parents[3]


@pytest.fixture
def cases(tmp_path):
    def make(*documents: made.Json, **changed: object) -> tuple[Case, ...]:
        return read(made.write(made.result(list(documents), **changed), tmp_path / "r.json")).cases

    return make


def only_slice(cases: tuple[Case, ...], *axes: str) -> Slice:
    (one,) = slices(cases, axes)
    return one


def test_a_slice_holds_what_differs_in_its_axes_only(cases):
    found = slices(cases(made.case("cpu", 16, 1.0), made.case("cpu", 32, 2.0), made.case("cpu", 32, 3.0, frame_bytes=128)), ("burst",))
    assert [(one.fixed["frame_bytes"], one.values("burst")) for one in found] == [(64, [16, 32]), (128, [32])]


def test_a_hole_in_a_line_stays_a_hole(cases):
    one = only_slice(cases(made.case("cpu", 16, 1.0), made.without_figure("failed", "no", "cpu", 32), made.case("cpu", 64, 3.0)), "burst")
    assert [(point, case and case.mpps.median) for point, case in one.of("cpu")] == [((16,), 1.0), ((32,), None), ((64,), 3.0)]


def test_overtaking_is_between_measured_places(cases):
    one = only_slice(cases(made.case("cpu", 16, 10.0), made.case("cpu", 32, 10.0), made.case("cpu", 64, 10.0),
                           made.case("persistent", 16, 5.0), made.case("persistent", 32, 9.0), made.case("persistent", 64, 20.0)), "burst")
    assert findings.overtaking(one, "burst") == ["persistent overtakes cpu between bursts of 32 and bursts of 64."]


def test_what_overlaps_is_no_overtaking(cases):
    one = only_slice(cases(made.case("cpu", 16, 9.0, 10.0, 11.0), made.case("cpu", 32, 9.0, 10.0, 11.0),
                           made.case("persistent", 16, 8.0, 9.0, 10.0), made.case("persistent", 32, 10.0, 11.0, 12.0)), "burst")
    assert findings.overtaking(one, "burst") == []


def test_a_winner_has_a_margin_over_the_next_and_none_does_not_compete(cases):
    one = only_slice(cases(made.case("none", 64, 90.0), made.case("cpu", 64, 20.0), made.case("graph", 64, 30.0)), "burst", "packet_time_ns")
    win = winners.win_at(one, 64, 0)
    assert (win.first.executor, win.second.executor, win.margin, win.level) == ("graph", "cpu", 0.5, False)
    assert winners.text_of(win) == "graph\n+50 % over cpu"


def test_where_runs_overlap_nobody_wins(cases):
    one = only_slice(cases(made.case("cpu", 64, 18.0, 20.0, 25.0), made.case("graph", 64, 22.0, 23.0, 24.0)), "burst", "packet_time_ns")
    win = winners.win_at(one, 64, 0)
    assert win.level and winners.text_of(win) == "graph or\ncpu"
    assert winners.win_at(one, 64, 100) is None


def test_one_run_makes_nobody_the_winner(cases):
    both = [made.case("cpu", 64, 20.0), made.case("graph", 64, 30.0)]
    for of_one_run in (0, 1):
        some = [made.of_one_run(case) if number == of_one_run else case for number, case in enumerate(both)]
        one = only_slice(cases(*some), "burst", "packet_time_ns")
        win = winners.win_at(one, 64, 0)
        assert win.level and winners.text_of(win) == "graph or\ncpu"
        assert findings.winners(one) == ["No winner is named at 1 of 1 places: a figure there is of fewer than 2 runs, which says "
                                         "nothing of the spread."]
    once = only_slice(cases(*map(made.of_one_run, [made.case("cpu", 16, 10.0), made.case("cpu", 64, 10.0), made.case("graph", 16, 5.0),
                                                   made.case("graph", 64, 20.0)])), "burst")
    assert findings.overtaking(once, "burst") == []


def test_commands_are_shown_without_folders():
    assert words.without_folders("packetwarp bench -l 0-8 -- --work 0,500ns --json /root/out/a.json") == \
        "packetwarp bench -l 0-8 -- --work 0,500ns --json a.json"
    assert words.without_folders("/opt/x/packetwarp l2fwd --vdev=net_pcap0,rx_pcap=/tmp/o/in.pcap -- -w cpu") == \
        "packetwarp l2fwd --vdev=net_pcap0,rx_pcap=in.pcap -- -w cpu"


def test_the_map_says_from_which_work_on_who_is_ahead(cases):
    both = [made.case(name, 64, rate, packet_time_ns=work) for name, rates in (("cpu", (30.0, 20.0, 4.0)), ("persistent", (10.0, 10.0, 9.0)))
            for work, rate in zip((0, 100, 350), rates)]
    said = findings.winners(only_slice(cases(*both), "burst", "packet_time_ns"))
    assert said == ["Of 3 measured places, clearly ahead: cpu in 2 and persistent in 1.",
                    "persistent overtakes cpu from 350 ns of work a packet at bursts of 64 (at 100 ns, cpu is ahead)."]


def test_peers_with_the_nearest_number_of_lcores_are_compared_with(cases):
    one = only_slice(cases(made.case("persistent", 16, 65.0), made.case("persistent", 32, 127.0)), "burst")
    known = peers.read(ROOT / "benchmarks" / "peers.yaml", one.cases[0].source.machine)
    assert findings.against_peers(one, known) == ["persistent: 10 x l2fwd-nv (both on 8 polling lcores; † another machine)."]


def test_a_limit_of_another_machine_is_not_drawn(cases):
    here = {**made.HOST, "cpu_model": "INTEL(R) XEON(R)", "gpus": [{"name": "NVIDIA H200"}]}
    both = made.case("persistent", 16, 200.0), made.case("persistent", 32, 250.0)
    for host, expected in ((made.HOST, {"100 GbE line rate", "400 GbE line rate"}),
                           (here, {"100 GbE line rate", "400 GbE line rate", "GPU reads headers in host memory",
                                   "GPU swaps MACs in host memory", "burst rings alone (no DPDK)"})):
        one = only_slice(cases(*both, host=host), "burst")
        known = peers.read(ROOT / "benchmarks" / "peers.yaml", one.cases[0].source.machine)
        assert {limit.name for limit, _ in limits_of(one, known)} == expected


def test_latency_work_and_scaling_are_said_in_measured_figures(cases):
    one = only_slice(cases(made.case("cpu", 16, 5.0, latency=2.0), made.case("cpu", 32, 5.0, latency=3.0)), "burst")
    assert findings.lowest_latency(one) == ["Lowest at full rate: 2.00 us p50 (cpu, bursts of 16) and 6.00 us p99 (cpu, bursts of 16)."]
    one = only_slice(cases(made.case("cpu", 16, 40.0), made.case("cpu", 16, 10.0, packet_time_ns=2000)), "packet_time_ns")
    assert findings.effect_of_work(one) == ["cpu keeps 25 % of its rate from no work to 2 us of work a packet."]
    one = only_slice(cases(made.case("cpu", 16, 40.0, pipelines=1), made.case("cpu", 16, 120.0, pipelines=4)), "pipelines")
    assert findings.scaling(one) == ["cpu: 3.0 x the rate with 4 pipelines instead of 1."]


@pytest.mark.parametrize(("value", "text"), [(1234.5, "1,234"), (99.96, "100"), (42.34, "42.3"), (9.999, "10.0"), (6.874, "6.87")])
def test_figures_have_three_digits_that_mean_something(value, text):
    assert words.figure(value) == text


def test_labels_move_apart_no_more_than_they_must():
    assert apart([0.1, 0.5, 0.9], [0.1] * 3) == pytest.approx([0.1, 0.5, 0.9])
    assert apart([0.5, 0.5, 0.52], [0.1] * 3) == pytest.approx([0.4067, 0.5067, 0.6067], abs=1e-3)
