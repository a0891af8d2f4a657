# SPDX-License-Identifier: Apache-2.0
"""The section on RDMA writes across a network: the rate against a message's bytes, beside an unmodified ib_write_bw."""
from __future__ import annotations

import json
import pathlib
from typing import Any

from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullLocator

from .sections import Section
from .style import Theme, sheet
from .tables import MISSING, Cell, Row, Table

FILE = "roce_rates.json"
# The pairs of ends, with the colours and markers of executors: packetwarp's engine is a CPU's.
LINES = {"packetwarp to rxe": ("cpu", "s"), "rxe to packetwarp": ("graph", "v"), "rxe to rxe": ("none", "o"), "packetwarp to itself by memif": ("persistent", "D")}


def short(size: float, _: int = 0) -> str:
    return f"{size / 1024:g}K" if size >= 1024 else f"{size:g}"


def of(document: dict[str, Any], pair: str, queues: int) -> list[dict[str, Any]]:
    return sorted((one for one in document["results"] if (one["pair"], one["queues"]) == (pair, queues)), key=lambda one: one["bytes"])


def by_size(document: dict[str, Any], theme: Theme) -> Figure:
    host, load = document["host"], document["load"]
    footer = (f"{host['cpu_model']}, {host['cpus']} CPUs, kernel {host['kernel']}; path MTU {document['mtu']}, by memif {document['memif_mtu']}; rxe: {document['peer']}; medians of "
              f"{max(len(one['runs']) for one in document['results'])} runs, whiskers from the lowest to the highest; load of the machine: median "
              f"{load['median']:.1f}, at most {load['max']:.1f}. {document['note']}",)
    all_queues = sorted({one["queues"] for one in document["results"]})
    figure, all_axes = sheet("RDMA writes by bytes of a message", footer, theme, panels=len(all_queues))
    for axes, queues in zip(all_axes, all_queues):
        for pair, (colour, marker) in LINES.items():
            points = of(document, pair, queues)
            rates = [one["mib"] for one in points]
            whiskers = [[rate["median"] - rate["min"] for rate in rates], [rate["max"] - rate["median"] for rate in rates]]
            axes.errorbar([one["bytes"] for one in points], [rate["median"] for rate in rates], yerr=whiskers, color=theme.colour(colour),
                          marker=marker, linewidth=1.8, markersize=5, capsize=3, elinewidth=1, label=pair.replace(" by ", "\nby "))
        sizes = sorted({one["bytes"] for one in document["results"]})
        axes.set(xscale="log", yscale="log", xlabel="bytes of a message", title=f"{queues} queue" + ("s" if queues != 1 else ""), xticks=sizes)
        axes.xaxis.set_major_formatter(FuncFormatter(short))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.tick_params(axis="x", labelsize=8, rotation=45)
    all_axes[0].set_ylabel("MiB/s, log scale")
    all_axes[-1].legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=8)
    return figure


def cell(found: dict[str, Any] | None) -> Cell:
    if found is None:
        return MISSING
    rate = found["mib"]
    return Cell(f"{rate['median']:.4g}", rate["median"], f"{rate['min']:.4g} to {rate['max']:.4g}")


def table(document: dict[str, Any]) -> Table:
    sizes = sorted({one["bytes"] for one in document["results"]})
    rows = []
    for queues in sorted({one["queues"] for one in document["results"]}):
        for pair in LINES:
            by_bytes = {one["bytes"]: one for one in of(document, pair, queues)}
            rows.append(Row(f"{queues} queues" if queues != 1 else "1 queue", pair, tuple(cell(by_bytes.get(size)) for size in sizes)))
    return Table("MiB/s", tuple(short(size) for size in sizes), tuple(rows))


def sections(root: pathlib.Path) -> list[Section]:
    """The committed results, as far as they are there."""
    found = []
    for path in sorted((root / "benchmarks/results").glob(f"*/{FILE}")):
        document = json.loads(path.read_text())
        found.append(Section(
            f"rdma_by_size_{path.parent.name}", "RDMA writes by bytes of a message",
            "packetwarp's engine for RoCEv2 on a CPU, over net_af_packet, and an unmodified ib_write_bw on Linux's software RDMA device write the same "
            "messages; the wire is a bridge of one machine. Two processes of packetwarp, joined by a memif, show the engine without guest and kernel.",
            tables=(("MiB/s by bytes of a message", table(document)),), draw=lambda theme, document=document: by_size(document, theme),
            provenance=(f"{path.parent.name}/{FILE}, {document['started']}: {document['command']}",)))
    return found
