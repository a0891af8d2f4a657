# SPDX-License-Identifier: Apache-2.0
"""The report's section on inspection: a line per executor, hollow markers for streams, and every rate in the table."""
from __future__ import annotations

import json
from typing import Any

import pytest
from reporting import inspection
from reporting.style import LIGHT, MARKERS, themed

EXECUTORS = ("kernel", "persistent", "graph")


def document(payload: float, options: str, rate: float) -> dict[str, Any]:
    cases = [{"function": function, "executor": executor, "payload_gbps": factor * rate, "least": rate / payload * 125 * factor / 2, "most": rate / payload * 125 * factor * 2}
             for executor in EXECUTORS for function, factor in ((inspection.STAGE, 1), (inspection.ALONE, 3))]
    return {"benchmark": "inspect_rate", "commit": "12345678", "command": f"inspect_rate.py packetwarp {options}", "replayed": {"packets": 10, "mean_payload_bytes": payload}, "lcores": 8, "burst": 64,
            "host": {"cpu_model": "a CPU", "cpus": 16, "gpus": [{"name": "a GPU"}]}, "cases": cases}


@pytest.fixture
def documents() -> list[dict[str, Any]]:
    return [document(300.0, "--streams none", 100), document(1400.0, "--payload 1400 --streams none", 200), document(400.0, "--connections", 50)]


CORE = {"benchmarks": [{"run_name": "inspect_frames", "aggregate_name": "median", "Gbit/s": 1.4}, {"run_name": "inspect_frames", "aggregate_name": "mean", "Gbit/s": 9.0},
                       {"run_name": "hyperscan_block", "aggregate_name": "median", "Gbit/s": 1.1}, {"run_name": "load_rules", "aggregate_name": "median"}]}


def test_a_run_has_its_spread_in_bits_of_payload_and_knows_whether_streams_are_followed(documents):
    found = [point for one in documents for point in inspection.points_of(one)]
    assert len(found) == 3 * 2 * len(EXECUTORS)
    assert {(one.payload, one.follows_streams) for one in found} == {(300.0, False), (1400.0, False), (400.0, True)}
    for one in found:
        assert (one.low, one.high) == pytest.approx((one.gbps / 2, one.gbps * 2))


def test_a_program_without_its_commit_followed_no_streams(documents):
    del documents[2]["commit"]
    assert {one.follows_streams for one in inspection.points_of(documents[2])} == {False}
    assert {one.follows_streams for one in inspection.points_of(documents[2] | {"follows_streams": True})} == {True}
    assert {one.follows_streams for one in inspection.points_of(documents[0] | {"follows_streams": False})} == {False}


def test_a_core_has_the_medians_of_inspection_and_of_hyperscan():
    assert inspection.rates_of_a_core(CORE) == {"packetwarp on a core": 1.4, "Hyperscan on a core,\nliterals alone": 1.1}


def test_each_executor_has_a_line_a_hollow_marker_and_the_router_alone(documents):
    with themed(LIGHT):
        figure = inspection.by_payload(documents, inspection.rates_of_a_core(CORE), "a-machine", LIGHT)
    [axes] = figure.axes
    drawn = [(container.lines[0].get_linestyle(), container.lines[0].get_marker(), list(container.lines[0].get_xdata()), list(container.lines[0].get_ydata()))
             for container in axes.containers]
    for executor in EXECUTORS:
        assert ("-", MARKERS[executor], [300.0, 1400.0], [100, 200]) in drawn
        assert ("None", MARKERS[executor], [400.0], [50]) in drawn
    assert sum(one == (":", ".", [300.0, 1400.0], [300, 600]) for one in drawn) == len(EXECUTORS)
    assert sum(one == ("None", ".", [400.0], [150]) for one in drawn) == len(EXECUTORS)
    assert len(drawn) == 4 * len(EXECUTORS)
    assert {text.get_text() for text in axes.texts} >= {name for executor in EXECUTORS for name in (executor, f"{executor}, router alone")}
    levels = {line.get_ydata()[0] for line in axes.lines if len(line.get_xdata()) == 2 and list(line.get_xdata()) == [0, 1]}
    assert levels == {1.4, 1.1, inspection.PCIE_GBPS}


def test_the_table_has_every_rate_and_a_dash_for_one_that_was_not_measured(documents):
    documents[1]["cases"] = [case for case in documents[1]["cases"] if case["executor"] != "graph"]
    made = inspection.table(documents)
    assert made.columns == ("300 B", "400 B, streams", "1400 B")
    values = {(row.head, row.label): [cell.value for cell in row.cells] for row in made.rows}
    assert values.pop((inspection.STAGE, "graph")) == [100, 50, None]
    assert values.pop((inspection.ALONE, "graph")) == [300, 150, None]
    assert values == {(function, executor): [factor * 100, factor * 50, factor * 200]
                      for executor in ("kernel", "persistent") for function, factor in ((inspection.STAGE, 1), (inspection.ALONE, 3))}


def test_an_executor_with_a_placement_is_in_the_table_and_named_below_the_picture_and_a_gpu_is_not_needed(documents):
    documents[0]["cases"].append(documents[0]["cases"][0] | {"executor": "persistent@device", "payload_gbps": 700})
    documents[0]["host"]["gpus"] = []
    values = {(row.head, row.label): [cell.value for cell in row.cells] for row in inspection.table(documents).rows}
    assert values[inspection.STAGE, "persistent@device"] == [700, None, None]
    with themed(LIGHT):
        figure = inspection.by_payload(documents, {}, "a-machine", LIGHT)
    below = " ".join(figure.texts[1].get_text().split())
    assert below.startswith("no GPU, a CPU") and below.endswith("In the table alone: persistent@device.")


def test_each_machine_with_committed_results_has_a_section(documents, tmp_path):
    assert inspection.sections(tmp_path) == []
    for machine in ("one", "two"):
        folder = tmp_path / "benchmarks/results" / machine
        folder.mkdir(parents=True)
        (folder / "inspect_rate.json").write_text(json.dumps(documents[0]))
    (tmp_path / "benchmarks/results/one/inspect_rate_1400.json").write_text(json.dumps(documents[1]))
    first, second = inspection.sections(tmp_path)
    assert (first.name, second.name) == ("inspect_by_payload_one", "inspect_by_payload_two")
    assert len(first.provenance) == 2 and len(second.provenance) == 1 and "12345678" in second.provenance[0]
    with themed(LIGHT):
        assert first.draw is not None and len(first.draw(LIGHT).axes) == 1
