#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains a model that judges packets, from captures with labels, and writes it as an ONNX file for `packetwarp model`.

    python/train/train.py captures.yaml --output detect.onnx

docs/training.md describes the list and each step. Needs the packages of python/train/requirements.txt. Exit status: 0 done; 1 failed;
2 the command line, a list or a capture is wrong."""
from __future__ import annotations

import argparse
import dataclasses
import os
import pathlib
import sys

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")  # a training beside other work takes one core

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
from train import TrainError, console  # noqa: E402
from train.arguments import Parser, count, levels, natural, positive, several  # noqa: E402

MOST_FEATURES, MOST_TREES, MOST_DEPTH = 64, 4096, 16  # of a model that packetwarp loads: docs/models.md
COMMON = ("group", "tool", "day", "seed", "source")  # capture_list.COMMON, which needs a package


def share(text: str) -> float:
    if not 0 <= (value := float(text)) < 1:
        raise argparse.ArgumentTypeError(f"{text}: give a share from 0 to below 1, such as 0.001")
    return value


def part(text: str) -> float:
    """A share that can be the whole."""
    if not 0 <= (value := levels(text)) <= 1:
        raise argparse.ArgumentTypeError(f"{text}: give a share from 0 to 1, such as 0.5")
    return value


def widths(text: str) -> list[int]:
    values = [int(word) for word in text.split(",")]
    if not 1 <= len(values) <= 8 or not all(1 <= value <= 1024 for value in values):
        raise argparse.ArgumentTypeError(f"{text}: give 1 to 8 numbers from 1 to 1024, such as 64,32")
    return values


def features(text: str) -> str:
    names = text.split(",")
    if text.isdigit():
        count(1, MOST_FEATURES)(text)
    elif len(set(names)) < len(names):
        raise argparse.ArgumentTypeError(f"{text}: a feature is named twice; name each one once")
    return text


def parse_options() -> argparse.Namespace:
    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lists", nargs="+", type=pathlib.Path, metavar="LIST", help="lists of captures, YAML or CSV")
    parser.add_argument("--test", nargs="+", type=pathlib.Path, default=[], metavar="LIST", help="lists of captures that only judge")
    parser.add_argument("--output", type=pathlib.Path, required=True, metavar="FILE", help="the ONNX file; the card is beside it, as .md")
    parser.add_argument("--false-alarms", type=share, default=0.001, metavar="SHARE", help="of normal packets [0.001]")
    parser.add_argument("--by", choices=COMMON, default="group",
                        help="what captures of one part have in common; without it in the list, each capture is by itself [group]")
    parser.add_argument("--leave-out", choices=COMMON, default="", metavar="KEY",
                        help="judge the captures of each source, tool or day by a model of the chosen kind that was trained on all others, for the card")
    parser.add_argument("--kinds", default="network,boosted,forest", metavar="KIND,...", help="the kinds to choose from [network,boosted,forest]")
    parser.add_argument("--features", type=features, default="", metavar="NAME,...|NUMBER", help="these features, or the most telling ones [all]")
    parser.add_argument("--without", default="", metavar="NAME,...", help="not these features")
    parser.add_argument("--hidden", type=widths, default=[64, 32], metavar="N,...", help="widths of the network's inner layers [64,32]")
    parser.add_argument("--epochs", type=positive, default=15, metavar="N", help="of the network's training [15]")
    parser.add_argument("--trees", type=count(1, MOST_TREES), default=100, metavar="N", help="trees of an ensemble [100]")
    parser.add_argument("--depth", type=count(1, MOST_DEPTH), default=6, metavar="N", help="depth of a tree [6]")
    parser.add_argument("--rows", type=positive, default=1000, metavar="N", help="most rows per capture and label [1000]")
    parser.add_argument("--folds", type=several, default=3, metavar="N", help="of validation: models that are trained without some of the groups [3]")
    parser.add_argument("--blur", type=levels, default=6, metavar="LEVELS", help="how far speeds of additional rows differ; 0: none [6]")
    parser.add_argument("--looks", type=part, default=1, metavar="SHARE",
                        help="of the packets with SYN that get drawn TCP options and a drawn window; 0: none [1]")
    parser.add_argument("--beginnings", type=part, default=0.1, metavar="SHARE",
                        help="of normal packets that are added once more without the history of their flows and hosts; 0: none [0.1]")
    parser.add_argument("--seed", type=natural, default=1, metavar="N", help="of all random choices [1]")
    parser.add_argument("--title", default="", metavar="TEXT", help="of the card [the file's name]")
    parser.add_argument("--about", type=pathlib.Path, metavar="FILE", help="Markdown on the captures' origin, for the card")
    parser.add_argument("--packetwarp", type=lambda text: pathlib.Path(text).absolute(), default=ROOT / "build/packetwarp", metavar="FILE", help="the program [build/packetwarp]")
    return parser.parse_args()


def say(text: str) -> None:
    console.write(f"train: {text}")


def main() -> int:
    options = parse_options()
    try:
        try:
            from train import session  # pylint: disable=import-outside-toplevel
        except ImportError as error:
            print(f"train: error: the package {error.name} is not installed: pip install --require-hashes -r python/train/requirements.txt", file=sys.stderr)
            return 2
        session.run(session.Options(**{field.name: getattr(options, field.name) for field in dataclasses.fields(session.Options)}), say)
    except TrainError as error:
        print(f"train: error: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"train: error: {error.filename}: {error.strerror}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
