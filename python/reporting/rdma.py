# SPDX-License-Identifier: Apache-2.0
"""The sections on RDMA writes by a message's bytes: across a network beside an unmodified ib_write_bw, and as a CPU and a GPU post them."""
from __future__ import annotations

import dataclasses
import json
import pathlib
from collections.abc import Callable
from typing import Any

from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullLocator

from .sections import Section
from .style import Theme, sheet
from .tables import MISSING, Cell, Row, Table

Document = dict[str, Any]


@dataclasses.dataclass(frozen=True)
class Kind:
    file: str
    name: str  # of the picture, before the machine's
    title: str
    shows: str
    lines: dict[str, tuple[str, str]]  # in their order, with the colour of an executor and a marker
    line_of: Callable[[dict[str, Any]], str]  # of a result
    footer: Callable[[Document], str]


def across_a_network(document: Document) -> str:
    return (f"path MTU {document['mtu']}, by memif {document['memif_mtu']}; rxe: {document['peer']}; load of the machine: median {document['load']['median']:.1f}, "
            f"at most {document['load']['max']:.1f}. {document['note']}")


def in_one_process(document: Document) -> str:
    lacking = document["not_measured"]
    gpus = ", ".join(document["host"]["gpus"]) or "no GPU"
    return (f"{gpus}; 512 writes per commit. host: a thread of the CPU moves the bytes in its memory; gpu: blocks of a kernel move them in a GPU's; "
            f"stores: the posting threads move them, which is the limit.{' Not measured: ' + '; '.join(lacking) + '.' if lacking else ''}")


def into_a_second_gpu(document: Document) -> str:
    return (f"{', '.join(document['host']['gpus'])}; 512 writes per commit. gpu: blocks of a kernel in the first GPU move the bytes; stores: the posting threads move them; "
            "a dashed line is a limit.")


POSTERS = {("cpu", "host"): "CPU posts, host moves", ("gpu", "host"): "GPU posts, host moves", ("cpu", "gpu"): "CPU posts, gpu moves",
           ("gpu", "gpu"): "GPU posts, gpu moves", ("gpu", "store"): "stores of a GPU"}
BESIDE_A_PEER = {**POSTERS, ("nvshmem", "nvshmem"): "NVSHMEM's puts"}
# packetwarp's engine across a network is a CPU's.
NETWORK = Kind("roce_rates.json", "rdma_by_size", "RDMA writes by bytes of a message",
               "packetwarp's engine for RoCEv2 on a CPU, over net_af_packet, and an unmodified ib_write_bw on Linux's software RDMA device write the same "
               "messages; the wire is a bridge of one machine. Two processes of packetwarp, joined by a memif, show the engine without guest and kernel.",
               {"packetwarp to rxe": ("cpu", "s"), "rxe to packetwarp": ("graph", "v"), "rxe to rxe": ("none", "o"), "packetwarp to itself by memif": ("persistent", "D")},
               lambda one: one["pair"], across_a_network)
PROCESS = Kind("rdma_write_sizes.json", "rdma_posts_by_size", "RDMA writes by bytes, posted by a CPU and by a GPU",
               "The loop of ib_write_bw, with queues of a ConnectX's format: a CPU's thread or a block of a GPU posts 512 writes, commits them and waits for their completion.",
               {POSTERS["cpu", "host"]: ("cpu", "s"), POSTERS["gpu", "host"]: ("kernel", "^"), POSTERS["cpu", "gpu"]: ("graph", "v"), POSTERS["gpu", "gpu"]: ("persistent", "D"),
                POSTERS["gpu", "store"]: ("none", "o")},
               lambda one: POSTERS[one["initiator"], one["transport"]], in_one_process)
SECOND_GPU = Kind("rdma_second_gpu_sizes.json", "rdma_posts_to_a_second_gpu", "RDMA writes by bytes, into a second GPU's memory",
                  "The same loop with the target in another GPU, beside NVSHMEM's puts of the same messages (the better of a thread and a warp for each) and a copy by CUDA.",
                  {POSTERS["cpu", "gpu"]: ("graph", "v"), POSTERS["gpu", "gpu"]: ("persistent", "D"), POSTERS["gpu", "store"]: ("none", "o"),
                   BESIDE_A_PEER["nvshmem", "nvshmem"]: ("cpu", "s")},
                  lambda one: BESIDE_A_PEER[one["initiator"], one["transport"]], into_a_second_gpu)
KINDS = (PROCESS, SECOND_GPU, NETWORK)


def short(size: float, _: int = 0) -> str:
    return f"{size / 1024:g}K" if size >= 1024 else f"{size:g}"


def of(document: Document, kind: Kind, line: str, queues: int) -> list[dict[str, Any]]:
    return sorted((one for one in document["results"] if (kind.line_of(one), one["queues"]) == (line, queues)), key=lambda one: one["bytes"])


def runs_of(one: dict[str, Any]) -> int:
    return one["runs"] if isinstance(one["runs"], int) else len(one["runs"])


def by_size(document: Document, kind: Kind, theme: Theme) -> Figure:
    host = document["host"]
    footer = (f"{host['cpu_model']}, {host['cpus']} CPUs, kernel {host['kernel']}; medians of {max(runs_of(one) for one in document['results'])} runs, whiskers from the lowest "
              f"to the highest; {kind.footer(document)}",)
    all_queues = sorted({one["queues"] for one in document["results"]})
    figure, all_axes = sheet(kind.title, footer, theme, panels=len(all_queues))
    for axes, queues in zip(all_axes, all_queues):
        for line, (colour, marker) in kind.lines.items():
            points = of(document, kind, line, queues)
            if not points:
                continue
            rates = [one["mib"] for one in points]
            whiskers = [[rate["median"] - rate["min"] for rate in rates], [rate["max"] - rate["median"] for rate in rates]]
            axes.errorbar([one["bytes"] for one in points], [rate["median"] for rate in rates], yerr=whiskers, color=theme.colour(colour),
                          marker=marker, linewidth=1.8, markersize=5, capsize=3, elinewidth=1, label=line.replace(" by ", "\nby ").replace(", ", ",\n"))
        for limit in document.get("limits", []):
            axes.axhline(limit["mib"]["median"], color=theme.ink, linestyle="--", linewidth=1, label=limit["name"].replace(" over ", "\nover "))
        sizes = sorted({one["bytes"] for one in document["results"]})
        axes.set(xscale="log", yscale="log", xlabel="bytes of a message", title=f"{queues} queue" + ("s" if queues != 1 else ""), xticks=sizes)
        axes.xaxis.set_major_formatter(FuncFormatter(short))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.tick_params(axis="x", labelsize=8, rotation=45)
    drawn = [one["mib"] for one in document["results"] + document.get("limits", [])]
    all_axes[0].set(ylabel="MiB/s, log scale", ylim=(min(rate["min"] for rate in drawn) / 1.5, max(rate["max"] for rate in drawn) * 1.5))
    all_axes[-1].legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=8)
    return figure


def cell(found: dict[str, Any] | None) -> Cell:
    if found is None:
        return MISSING
    rate = found["mib"]
    return Cell(f"{rate['median']:.4g}", rate["median"], f"{rate['min']:.4g} to {rate['max']:.4g}")


def table(document: Document, kind: Kind) -> Table:
    sizes = sorted({one["bytes"] for one in document["results"]})
    rows = []
    for queues in sorted({one["queues"] for one in document["results"]}):
        for line in kind.lines:
            by_bytes = {one["bytes"]: one for one in of(document, kind, line, queues)}
            rows.append(Row(f"{queues} queues" if queues != 1 else "1 queue", line, tuple(cell(by_bytes.get(size)) for size in sizes)))
    return Table("MiB/s", tuple(short(size) for size in sizes), tuple(rows))


def sections(root: pathlib.Path) -> list[Section]:
    """The committed results, as far as they are there."""
    found = []
    for kind in KINDS:
        for path in sorted((root / "benchmarks/results").glob(f"*/{kind.file}")):
            document = json.loads(path.read_text())
            found.append(Section(
                f"{kind.name}_{path.parent.name}", kind.title, kind.shows, tables=(("MiB/s by bytes of a message", table(document, kind)),),
                draw=lambda theme, document=document, kind=kind: by_size(document, kind, theme),
                provenance=(f"{path.parent.name}/{kind.file}, {document['started']}: {document['command']}",)))
    return found
