#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes one HTML page and pictures of results that `packetwarp bench --json FILE` wrote.

    .venv/bin/python3 python/report.py benchmarks/results/MACHINE
    .venv/bin/python3 python/report.py throughput.json latency.json --output build/report

Results are files, or folders of them; all must be of one machine. Without any, the results of the machine that was measured last
are taken from benchmarks/results, and the page has the sections on models, on inspection and on RDMA, too. Exit status: 0, or 2 with one line when the input is wrong."""
from __future__ import annotations

import argparse
import pathlib
import sys

from reporting import gathering, inspection, models, page, peers, rdma
from reporting.results import ReportError
from reporting.sections import sections

ROOT = pathlib.Path(__file__).resolve().parent.parent


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="*", type=pathlib.Path, metavar="RESULT",
                        help="a file of packetwarp bench, or a folder")
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "build" / "report", help="folder (default build/report)")
    parser.add_argument("--peers", type=pathlib.Path, default=ROOT / "benchmarks" / "peers.yaml",
                        help="peers and limits (default benchmarks/peers.yaml)")
    return parser.parse_args()


def main() -> int:
    options = parse_options()
    try:
        found = gathering.results_at(options.results) if options.results else gathering.newest_machine(
            ROOT / "benchmarks" / "results")
        data = gathering.gather(found)
        known = peers.read(options.peers, data.machine).with_testpmd(data.beside)
        shown = sections(data, known) + ([] if options.results else models.sections(ROOT) + inspection.sections(ROOT) + rdma.sections(ROOT))
        written = page.write(data, known, shown, options.output)
    except ReportError as error:
        print(f"report: error: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"report: error: {error.filename}: {error.strerror}", file=sys.stderr)
        return 2
    print(f"report: {written[0]} ({data.machine}; {len(written) - 2} pictures beside it)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
