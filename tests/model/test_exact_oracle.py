# SPDX-License-Identifier: Apache-2.0
"""Every score of many rows by a network of the size that is in use, compared with NumPy's integers."""
from __future__ import annotations

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="the package onnx is not installed")
pytest.importorskip("onnxruntime", reason="the package onnxruntime is not installed")

from model_command import Command, names  # noqa: E402
from onnx import helper, numpy_helper  # noqa: E402
from oracle import model_of, rescaled  # noqa: E402

PIECE = 1 << 16
WIDTHS = (64, 128, 64, 2)


@pytest.fixture
def command(binary, tmp_path) -> Command:
    return Command(binary, tmp_path)


class Network:
    """A dense network of random integers, as a file and as a function."""

    def __init__(self, random: np.random.Generator) -> None:
        self.layers = []
        nodes, tensors = [helper.make_node("QuantizeLinear", ["x", "one", "zero"], ["q"])], [
            numpy_helper.from_array(np.float32(1), "one"), numpy_helper.from_array(np.int8(0), "zero"), numpy_helper.from_array(np.float32(1 / 64), "step")]
        value, scale, scale_name = "q", np.float64(1), "one"
        for n, (inputs, outputs) in enumerate(zip(WIDTHS, WIDTHS[1:])):
            weights, bias = random.integers(-127, 128, (inputs, outputs)), random.integers(-20000, 20000, outputs)
            step, new_scale = np.float32(1 / 64), np.float32(random.uniform(100, 300) / 64)
            tensors += [numpy_helper.from_array(weights.astype(np.int8), f"w{n}"), numpy_helper.from_array(bias.astype(np.int32), f"b{n}"),
                        numpy_helper.from_array(np.float32(scale * step), f"sb{n}"), numpy_helper.from_array(new_scale, f"s{n}")]
            nodes += [helper.make_node("DequantizeLinear", [value, scale_name, "zero"], [f"x{n}"]), helper.make_node("DequantizeLinear", [f"w{n}", "step", "zero"], [f"wr{n}"]),
                      helper.make_node("DequantizeLinear", [f"b{n}", f"sb{n}"], [f"br{n}"])]
            is_last = n == len(WIDTHS) - 2
            nodes.append(helper.make_node("Gemm", [f"x{n}", f"wr{n}", f"br{n}"], ["y" if is_last else f"sum{n}"]))
            if not is_last:
                nodes += [helper.make_node("Relu", [f"sum{n}"], [f"r{n}"]), helper.make_node("QuantizeLinear", [f"r{n}", f"s{n}", "zero"], [f"q{n}"])]
            whole = np.rint(bias * np.float64(np.float32(scale * step)) / (scale * step)).astype(np.int64)
            self.layers.append((weights, whole, scale * step / np.float64(new_scale)))
            value, scale, scale_name = f"q{n}", np.float64(new_scale), f"s{n}"
        self.model = model_of(nodes, tensors, WIDTHS[0], WIDTHS[-1])

    def scores(self, rows: np.ndarray) -> np.ndarray:
        values = rows
        for n, (weights, bias, factor) in enumerate(self.layers):
            # Products of whole numbers below 2^53 are exact in float64, and many times as fast.
            sums = (values.astype(np.float64) @ weights.astype(np.float64)).astype(np.int64) + bias
            values = sums if n == len(self.layers) - 1 else rescaled(sums, np.full(sums.shape[1], factor), 0, 127)
        return values


def test_every_score_of_many_rows_is_that_of_the_documented_rule(command, request):
    random = np.random.default_rng(26)
    network = Network(random)
    command.write(network.model, names(WIDTHS[0]))
    for begin in range(0, request.config.getoption("--rows"), PIECE):
        rows = random.integers(-128, 128, (min(PIECE, request.config.getoption("--rows") - begin), WIDTHS[0]), dtype=np.int8)
        np.testing.assert_array_equal(command.scores(rows), network.scores(rows))
