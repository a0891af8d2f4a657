#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tells types of devices apart by captures of their first minutes, and judges by captures held out, for comparison with publications.

    python/train/device_types.py captures

The folder has a folder of captures for each type. Each capture becomes one row, made of the features that `packetwarp features` prints.
The result is no model for packetwarp, which judges packets: it says how much the features tell. Needs the packages of
python/train/requirements.txt. Exit status: 0 done; 1 failed; 2 the command line or a capture is wrong."""
from __future__ import annotations

import argparse
import os
import pathlib
import sys
from collections import Counter

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")  # a training beside other work takes one core

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
from train import TrainError, console  # noqa: E402
from train.arguments import Parser, natural, positive, several  # noqa: E402

METHODS = ("extra_trees", "random_forest", "logistic", "votes", "packets")


def methods(text: str) -> list[str]:
    found = text.split(",")
    if wrong := [one for one in found if one not in METHODS]:
        raise argparse.ArgumentTypeError(f"{wrong[0]} is no method; the methods are {', '.join(METHODS)}")
    return found


def parse_options() -> argparse.Namespace:
    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, help="a folder with a folder of captures for each type")
    parser.add_argument("--packets", type=natural, default=0, metavar="N", help="the first N packets of each capture; 0: all [0]")
    parser.add_argument("--methods", type=methods, default=["extra_trees"], metavar="NAME,...", help=f"of {', '.join(METHODS)} [extra_trees]")
    parser.add_argument("--choose", action="store_true", help="judge the choice of a method by inner folds, too")
    parser.add_argument("--folds", type=several, default=5, metavar="N", help="parts of the captures, each judged by a model of the others [5]")
    parser.add_argument("--seeds", type=positive, default=5, metavar="N", help="how often folds are drawn and models trained [5]")
    parser.add_argument("--trees", type=positive, default=1000, metavar="N", help="of a forest [1000]")
    parser.add_argument("--twins", type=lambda text: text.split(","), action="append", default=[], metavar="TYPE,...",
                        help="types that count as one in a second figure; can be given several times")
    parser.add_argument("--packetwarp", type=lambda text: pathlib.Path(text).absolute(), default=ROOT / "build/packetwarp", metavar="FILE", help="the program [build/packetwarp]")
    return parser.parse_args()


def say(text: str) -> None:
    print(f"device_types: {text}", file=sys.stderr, flush=True)


def spread(values: list[float]) -> str:
    mean = sum(values) / len(values)
    return f"{mean:.3f} ({min(values):.3f} to {max(values):.3f})"


def confusions(types: list[str], truth, rounds: list) -> list[str]:
    """The most frequent mistakes, as a mean per seed."""
    wrong = Counter((types[a], types[b]) for found in rounds for a, b in zip(truth, found) if a != b)
    return [f"| {a} | {b} | {times / len(rounds):.1f} of {int((truth == types.index(a)).sum())} |" for (a, b), times in wrong.most_common(12)]


def run(options: argparse.Namespace) -> None:
    from train import device_rows, device_judge  # pylint: disable=import-outside-toplevel
    devices = device_rows.read(options.folder, options.packetwarp, say)
    number = device_rows.joined(devices.types, options.twins)
    judge, truth = device_judge.Judge(devices, options.packets, options.trees), devices.type
    seeds = range(1, options.seeds + 1)
    everyone, rounds = device_rows.np.arange(len(truth)), {}
    for method in options.methods:
        say(f"{method}: {options.folds} folds, {options.seeds} seeds")
        rounds[method] = [judge.found(method, everyone, options.folds, seed) for seed in seeds]
    taken: Counter = Counter()
    if options.choose:
        say(f"the choice of {', '.join(options.methods)} by inner folds")
        pairs = [judge.chosen(options.methods, options.folds, seed) for seed in seeds]
        rounds["chosen by inner folds"] = [found for found, _ in pairs]
        taken.update(method for _, names in pairs for method in names)
    console.write(f"{len(truth)} captures of {len(devices.types)} types, {judge.table.shape[1]:,} columns")
    console.write("captures: " + ", ".join(f"{name} {int((truth == n).sum())}" for n, name in enumerate(devices.types)))
    console.write("| method | accuracy | macro-F1 |" + (" twins as one |" if options.twins else "") + "\n| --- | ---: | ---: |" + (" ---: |" if options.twins else ""))
    for method, found in rounds.items():
        line = f"| {method} | {spread([device_rows.accuracy(truth, one) for one in found])} | {spread([device_rows.macro_f1(truth, one) for one in found])} |"
        console.write(line + (f" {spread([device_rows.accuracy(number[truth], number[one]) for one in found])} |" if options.twins else ""))
    if taken:
        console.write("chosen: " + ", ".join(f"{method} {times} times" for method, times in taken.most_common()))
    last = list(rounds)[-1]
    console.write(f"\nmistakes of {last}, a mean per seed:\n\n| type | taken for | captures |\n| --- | --- | ---: |")
    console.write("\n".join(confusions(devices.types, truth, rounds[last])))


def main() -> int:
    options = parse_options()
    try:
        run(options)
    except ImportError as error:
        print(f"device_types: error: the package {error.name} is not installed: pip install --require-hashes -r python/train/requirements.txt", file=sys.stderr)
        return 2
    except TrainError as error:
        print(f"device_types: error: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"device_types: error: {error.filename}: {error.strerror}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
