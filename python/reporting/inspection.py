# SPDX-License-Identifier: Apache-2.0
"""The section on inspection: bits of payload inspected per second by each executor, against the payload of a packet, beside a core's and PCIe's."""
from __future__ import annotations

import dataclasses
import json
import pathlib
from typing import Any

from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from .sections import Section
from .style import MARKERS, Labels, Theme, sheet
from .tables import MISSING, Cell, Row, Table

FILES = "inspect_rate*.json"  # of python/gpu/inspect_rate.py
OF_A_CORE = "inspect_bench.json"  # of benchmarks/inspect/inspect_bench.cpp
# A copy over PCIe 5.0 x16, each way, as in benchmarks/peers.yaml.
PCIE_GBPS = 8 * 55.5
STAGE, ALONE = "inspect+router", "router"
CORES = {"inspect_frames": "packetwarp on a core", "hyperscan_block": "Hyperscan on a core,\nliterals alone"}


@dataclasses.dataclass(frozen=True)
class Point:
    function: str
    executor: str
    follows_streams: bool
    payload: float  # bytes of a packet, the mean
    gbps: float
    low: float
    high: float


def points_of(document: dict[str, Any]) -> list[Point]:
    """Earlier results have no field for it, and the first ones no commit: their programs followed no streams on a GPU."""
    payload = document["replayed"]["mean_payload_bytes"]
    follows_streams = document.get("follows_streams", "--streams none" not in document["command"] and "commit" in document)
    in_gbps = 8 * payload / 1000
    return [Point(case["function"], case["executor"], follows_streams, payload, case["payload_gbps"], case["least"] * in_gbps, case["most"] * in_gbps)
            for case in document["cases"]]


def rates_of_a_core(document: dict[str, Any]) -> dict[str, float]:
    """Gb/s, the medians."""
    medians = {one["run_name"]: one for one in document["benchmarks"] if one.get("aggregate_name") == "median"}
    return {words: medians[name]["Gbit/s"] for name, words in CORES.items() if name in medians}


def draw_executor(axes: Any, labels: Labels, points: list[Point], executor: str, theme: Theme) -> None:
    colour = theme.colour(executor)
    kinds = ((STAGE, False, "-"), (STAGE, True, ""), (ALONE, False, ":"), (ALONE, True, ""))
    has_name: set[str] = set()
    for function, follows_streams, line in kinds:
        own = sorted((one for one in points if (one.function, one.follows_streams, one.executor) == (function, follows_streams, executor)),
                     key=lambda one: one.payload)
        if not own:
            continue
        whiskers = [[one.gbps - one.low for one in own], [one.high - one.gbps for one in own]]
        axes.errorbar([one.payload for one in own], [one.gbps for one in own], yerr=whiskers, color=colour, marker=MARKERS[executor] if function == STAGE else ".",
                      linestyle=line, linewidth=1.8 if function == STAGE else 1, markersize=5, capsize=3, elinewidth=1, markerfacecolor="none" if follows_streams else colour)
        if function not in has_name:
            has_name.add(function)
            labels.add(own[-1].gbps, executor if function == STAGE else f"{executor}, router alone", colour, 9 if function == STAGE else 7.5)


def by_payload(documents: list[dict[str, Any]], cores: dict[str, float], of_cores: str, theme: Theme) -> Figure:
    host = documents[0]["host"]
    points = [point for document in documents for point in points_of(document)]
    others = sorted({one.executor for one in points} - set(MARKERS))
    footer = (f"{', '.join(gpu['name'] for gpu in host['gpus'][:1]) or 'no GPU'}, {host['cpu_model']}, {host['cpus']} CPUs; {documents[0]['lcores']} lcores, bursts of {documents[0]['burst']}, packets in host memory, replayed by these lcores; "
              "ET Open's rules, alerts alone; medians, whiskers from the lowest run to the highest. "
              "Filled: each packet is judged alone. Hollow: streams of TCP are followed. Dotted: the same packets without inspection.",
              f"A core's rates are of {of_cores}: packetwarp's with everything, Hyperscan's of a search for the rules' literals. PCIe: a copy one way, 5.0 x16."
              f"{' In the table alone: ' + ', '.join(others) + '.' if others else ''}")
    figure, (axes,) = sheet("Inspection by bytes of payload", footer, theme)
    labels = Labels(axes)
    for executor in MARKERS:
        draw_executor(axes, labels, points, executor, theme)
    for words, rate in {**cores, "PCIe, one way": PCIE_GBPS}.items():
        axes.axhline(rate, color=theme.faint, linewidth=0.9, linestyle=(0, (6, 3)), zorder=0)
        labels.add(rate, words, theme.faint, 7.5)
    axes.set(yscale="log", xlim=(0, 1500), xlabel="bytes of payload of a packet, the mean", ylabel="Gb/s of payload, log scale")
    axes.yaxis.set_major_formatter(FuncFormatter(lambda rate, _: f"{rate:g}"))
    labels.place()
    return figure


def cell(found: list[Point]) -> Cell:
    if not found:
        return MISSING
    return Cell(f"{found[0].gbps:.4g}", found[0].gbps, f"{found[0].low:.4g} to {found[0].high:.4g}")


def table(documents: list[dict[str, Any]]) -> Table:
    points = [point for document in documents for point in points_of(document)]
    columns = sorted({(one.payload, one.follows_streams) for one in points})
    rows = [Row(function, executor, tuple(cell([one for one in points if (one.function, one.executor, one.payload, one.follows_streams) == (function, executor, *column)])
                                          for column in columns))
            for function in (STAGE, ALONE) for executor in sorted({one.executor for one in points}, key=lambda name: (name not in MARKERS, name))]
    return Table("Gb/s", tuple(f"{payload:g} B, streams" if follows_streams else f"{payload:g} B" for payload, follows_streams in columns), tuple(rows))


def sections(root: pathlib.Path) -> list[Section]:
    """The committed results, as far as they are there."""
    results = root / "benchmarks/results"
    of_a_core = {path.parent.name: rates_of_a_core(json.loads(path.read_text())) for path in sorted(results.glob(f"*/{OF_A_CORE}"))}
    best = max(of_a_core, key=lambda machine: of_a_core[machine].get(CORES["inspect_frames"], 0.0), default="")
    found = []
    for machine in sorted({path.parent for path in results.glob(f"*/{FILES}")}):
        paths = sorted(machine.glob(FILES))
        documents = [json.loads(path.read_text()) for path in paths]
        found.append(Section(
            f"inspect_by_payload_{machine.name}", f"Inspection by bytes of payload, {machine.name}",
            "The stage inspect judges every packet by the rules of ET Open in front of the router, which replays real payloads. The router alone says what the ports and the replay allow.",
            tables=(("Gb/s of payload", table(documents)),),
            draw=lambda theme, documents=documents: by_payload(documents, of_a_core.get(best, {}), best, theme),
            provenance=tuple(f"{machine.name}/{path.name}{': packetwarp at ' + document['commit'] if document.get('commit') else ''}: {document['command']}"
                             for path, document in zip(paths, documents))))
    return found
