# SPDX-License-Identifier: Apache-2.0
"""python/bench_kernel.py: its cases and what it says of results; tests/end_to_end has it measure."""
from __future__ import annotations

import bench_kernel as bench
import pytest


def result(case: bench.Case, bits: float, received: int = 10) -> dict:
    return {"case": case.name, "kni_worker": case.kni, "address_flow": case.flow, "overloaded": case.overloaded,
            "ping_ms": {"tool": "ping", "sent": 10, "received": received, "min": 0.1, "avg": 0.25, "max": 1, "mdev": 0.02},
            "tcp": {"tool": "iperf3", "bits_per_second": bits, "packets_per_second": 412_600},
            "reference": dict(zip(("ping_ms", "bandwidth", "packets_per_second"), case.reference))}


def test_the_cases_are_the_references_in_its_order():
    assert [(case.kni, case.flow, case.overloaded) for case in bench.CASES] == [
        (False, False, False), (True, False, False), (True, True, False), (True, False, True), (True, True, True)]


@pytest.mark.parametrize("case", bench.CASES, ids=lambda case: case.name)
def test_a_case_differs_from_others_by_what_its_name_says(case):
    plane = case.file()["data_plane"]
    roles = [worker["role"] for worker in plane["workers"]]
    assert (roles.count("kni") == 1) == ("no kni" not in case.name)
    assert ("loop_delay" in plane) == ("overloaded" in case.name)
    assert ("isolated_rx" in plane["workers"][1]["ports"][0]) == (", address flow" in case.name)


def test_lcores_have_cpus_of_their_own_where_there_are_enough():
    assert bench.lcores([0, 1]) == "0@(0,1),1@(0,1),2@(0,1),3@(0,1)"
    assert bench.lcores(list(range(16))) == "0@1,1@2,2@3,3@4"


def test_a_row_has_the_references_figures_beside_ours():
    assert bench.row(result(bench.CASES[1], 4.54e9)) == [
        bench.CASES[1].name, "0.100/0.250/1.000/0.020", "4.54 Gbits/sec", "413K", "0.050/2.102/5.288/0.565",
        "4.54 Gbits/sec", "413K"]
    assert bench.row(result(bench.CASES[3], 341e6, received=8))[1:3] == ["0.100/0.250/1.000/0.020 (2 lost)", "341 Mbits/sec"]


def test_what_an_overload_leaves_is_of_the_cases_with_an_address_flow():
    results = [result(case, bits) for case, bits in zip(bench.CASES, (1e9, 2e9, 4e9, 0.1e9, 3.8e9))]
    assert bench.share_kept(results) == pytest.approx(0.95)
    assert bench.share_kept(results[:3]) is None
