# SPDX-License-Identifier: Apache-2.0
"""The report's section on RDMA writes: a panel per number of queues, a line per pair of ends, and every rate in the table."""
from __future__ import annotations

import json
import pathlib
from typing import Any

import pytest
from reporting import rdma
from reporting.style import LIGHT, themed

SIZES, QUEUES = (2, 65536), (1, 64)


def rate(pair: str, size: int, queues: int) -> float:
    return (1 + list(rdma.NETWORK.lines).index(pair)) * size * queues / 100


@pytest.fixture
def document() -> dict[str, Any]:
    results = []
    for pair in rdma.NETWORK.lines:
        for queues in QUEUES:
            for size in SIZES:
                middle = rate(pair, size, queues)
                spread = {"median": middle, "min": middle / 2, "max": middle * 2}
                results.append({"pair": pair, "bytes": size, "queues": queues, "mib": spread, "mps": spread, "runs": [{}] * 3})
    return {"benchmark": "roce_rates", "command": "roce_rates.py", "started": "2026-01-01T00:00:00Z", "mtu": 4096, "memif_mtu": 1024, "peer": "perftest", "note": "alone",
            "host": {"cpu_model": "a CPU", "cpus": 2, "kernel": "6"}, "load": {"median": 1.0, "max": 2.0}, "results": results}


def test_each_number_of_queues_has_a_panel_and_each_pair_a_line(document):
    with themed(LIGHT):
        figure = rdma.by_size(document, rdma.NETWORK, LIGHT)
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["1 queue", "64 queues"]
    for axes, queues in zip(figure.axes, QUEUES):
        drawn = {container.get_label().replace("\n", " "): container.lines[0] for container in axes.containers}
        assert set(drawn) == set(rdma.NETWORK.lines)
        for pair, line in drawn.items():
            assert list(line.get_xdata()) == list(SIZES)
            assert list(line.get_ydata()) == [rate(pair, size, queues) for size in SIZES]


def test_the_table_has_every_rate_and_a_dash_for_one_that_was_not_measured(document):
    document["results"] = [one for one in document["results"] if (one["pair"], one["queues"], one["bytes"]) != ("rxe to rxe", 64, 2)]
    made = rdma.table(document, rdma.NETWORK)
    assert made.columns == ("2", "64K")
    values = {(row.head, row.label): [cell.value for cell in row.cells] for row in made.rows}
    assert values.pop(("64 queues", "rxe to rxe")) == [None, rate("rxe to rxe", 65536, 64)]
    assert values[("1 queue", "packetwarp to rxe")] == [rate("packetwarp to rxe", size, 1) for size in SIZES]
    assert len(values) == 7


def test_committed_results_have_a_section_and_an_absent_file_none(document, tmp_path):
    assert rdma.sections(tmp_path) == []
    folder = tmp_path / "benchmarks/results/a-machine"
    folder.mkdir(parents=True)
    (folder / rdma.NETWORK.file).write_text(json.dumps(document))
    [section] = rdma.sections(tmp_path)
    assert section.name == "rdma_by_size_a-machine"
    assert section.draw is not None and len(section.draw(LIGHT).axes) == 2


@pytest.fixture
def posted() -> dict[str, Any]:
    """Without the stores: they were not measured."""
    results = [{"initiator": initiator, "transport": transport, "queues": queues, "bytes": size, "runs": 5,
                "mib": {"median": number * size * queues, "min": number * size, "max": number * size * queues * 2}}
               for number, (initiator, transport) in enumerate(rdma.POSTERS, 1) if transport != "store" for queues in QUEUES for size in SIZES]
    return {"benchmark": "rdma_write_sizes", "command": "write_sizes.py", "started": "2026-01-01T00:00:00Z", "not_measured": {"gpu, store": "no GPU"},
            "host": {"cpu_model": "a CPU", "cpus": 2, "kernel": "6", "gpus": []}, "results": results}


def test_writes_posted_by_a_cpu_and_by_a_gpu_have_lines_and_what_was_not_measured_has_none(posted):
    with themed(LIGHT):
        figure = rdma.by_size(posted, rdma.PROCESS, LIGHT)
    for axes, queues in zip(figure.axes, QUEUES):
        drawn = {container.get_label().replace("\n", " "): list(container.lines[0].get_ydata()) for container in axes.containers}
        assert drawn == {line: [number * size * queues for size in SIZES] for number, line in enumerate(rdma.POSTERS.values(), 1) if line != "stores of a GPU"}
    assert "Not measured: gpu, store." in figure.texts[1].get_text().replace("\n    ", " ")
    values = {(row.head, row.label): [cell.value for cell in row.cells] for row in rdma.table(posted, rdma.PROCESS).rows}
    assert values["1 queue", "stores of a GPU"] == [None, None]
    assert values["64 queues", "GPU posts, host moves"] == [2 * size * 64 for size in SIZES]


def test_both_kinds_of_results_have_sections_of_their_machine(document, posted, tmp_path):
    folder = tmp_path / "benchmarks/results/a-machine"
    folder.mkdir(parents=True)
    (folder / rdma.NETWORK.file).write_text(json.dumps(document))
    (folder / rdma.PROCESS.file).write_text(json.dumps(posted))
    assert [section.name for section in rdma.sections(tmp_path)] == ["rdma_posts_by_size_a-machine", "rdma_by_size_a-machine"]


def test_a_second_gpus_writes_stand_beside_the_peers_and_the_links(posted):
    results = [{**one, "initiator": name, "transport": engine, "mib": {key: rate * factor for key, rate in one["mib"].items()}}
               for name, engine, factor in (("gpu", "store", 1), ("nvshmem", "nvshmem", 2)) for one in posted["results"] if (one["initiator"], one["transport"]) == ("cpu", "host")]
    document = {**posted, "results": results, "limits": [{"name": "a copy by CUDA over the link", "mib": {"median": 1e6, "min": 9e5, "max": 2e6}}]}
    with themed(LIGHT):
        figure = rdma.by_size(document, rdma.SECOND_GPU, LIGHT)
    for axes in figure.axes:
        by_line = {container.get_label().replace("\n", " "): list(container.lines[0].get_ydata()) for container in axes.containers}
        assert by_line["NVSHMEM's puts"] == [2 * rate for rate in by_line["stores of a GPU"]]
        [limit] = [line for line in axes.lines if line.get_linestyle() == "--"]
        assert list(limit.get_ydata()) == [1e6, 1e6] and limit.get_label().replace("\n", " ") == "a copy by CUDA over the link"
    assert figure.axes[0].get_ylim()[1] > 1e6
