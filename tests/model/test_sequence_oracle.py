# SPDX-License-Identifier: Apache-2.0
"""Scores of networks with convolutions and pools along a sequence, compared with NumPy exactly and with ONNX Runtime within its
rounding."""
from __future__ import annotations

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="the package onnx is not installed")
pytest.importorskip("onnxruntime", reason="the package onnxruntime is not installed")

from model_command import Command, names, random_rows  # noqa: E402
from onnx import helper, numpy_helper  # noqa: E402
from oracle import Reader, expect_near, model_of, rescaled  # noqa: E402


@pytest.fixture
def command(binary, tmp_path) -> Command:
    return Command(binary, tmp_path)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "seed" in metafunc.fixturenames:
        metafunc.parametrize("seed", range(metafunc.config.getoption("--seeds")))


def windows(values: np.ndarray, width: int, stride: int, pads: tuple[int, int], filler: int) -> np.ndarray:
    """[rows, channels, windows, width] of [rows, channels, positions]."""
    padded = np.pad(values, ((0, 0), (0, 0), pads), constant_values=filler)
    return np.stack([padded[:, :, i:i + width] for i in range(0, padded.shape[2] - width + 1, stride)], axis=2)


class Network:
    """A network of integers that is put together node by node, with the values that its rows have by then: integers of a scale and a
    zero point, or their sums."""

    def __init__(self, random: np.random.Generator, rows: np.ndarray, channels: int) -> None:
        self.random, self.rows = random, rows
        self.nodes, self.tensors, self.count, self.value = [], [], 0, "x"
        self.constant("z_x", np.int8(0)), self.constant("s_x", np.float32(1)), self.constant("shape", np.array([-1, channels, rows.shape[1] // channels]))
        self.node("Reshape", "shape")
        self.read("s_x", "z_x")
        self.values = rows.astype(np.int64).reshape(len(rows), channels, -1)
        self.scale, self.zero, self.factors = np.float32(1), 0, None

    def constant(self, name: str, value: np.ndarray) -> str:
        self.tensors.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def node(self, operation: str, *more: str, **attributes) -> None:
        self.count += 1
        self.nodes.append(helper.make_node(operation, [self.value, *more], [f"v{self.count}"], f"n{self.count}", **attributes))
        self.value = f"v{self.count}"

    def read(self, scale: str, zero: str) -> None:
        self.node("QuantizeLinear", scale, zero)
        self.node("DequantizeLinear", scale, zero)

    def some_pads(self, width: int) -> tuple[int, int]:
        return int(self.random.integers(width)), int(self.random.integers(width))

    def convolve(self) -> None:
        n, taken = self.count, self.values.shape[1]
        made, width, stride = int(self.random.integers(1, 7)), int(self.random.integers(1, min(5, self.values.shape[2]) + 1)), int(self.random.integers(1, 4))
        pads = self.some_pads(width)
        weights = self.random.integers(-127, 128, (made, taken, width))
        scales = self.random.uniform(0.001, 0.01, made).astype(np.float32)
        bias = self.random.integers(-3000, 3000, made)
        of_bias = (self.scale * scales).astype(np.float32)
        for name, value in ((f"w{n}", weights.astype(np.int8)), (f"sw{n}", scales), (f"zw{n}", np.zeros(made, np.int8)), (f"b{n}", bias.astype(np.int32)),
                            (f"sb{n}", of_bias)):
            self.constant(name, value)
        self.nodes += [helper.make_node("DequantizeLinear", [f"w{n}", f"sw{n}", f"zw{n}"], [f"wr{n}"], axis=0),
                       helper.make_node("DequantizeLinear", [f"b{n}", f"sb{n}"], [f"br{n}"], axis=0)]
        self.node("Conv", f"wr{n}", f"br{n}", kernel_shape=[width], strides=[stride], pads=list(pads))
        factors = np.float64(self.scale) * scales
        sums = np.einsum("ncpk,mck->nmp", windows(self.values - self.zero, width, stride, pads, 0), weights)
        self.values = sums + np.rint(bias * of_bias.astype(np.float64) / factors).astype(np.int64)[None, :, None]
        self.factors = np.repeat(factors, sums.shape[2])

    def quantise(self) -> None:
        low = -np.inf
        if self.random.integers(2):
            self.node("Relu")
            low = 0
        n, channels = self.count, self.values.shape[1]
        scale, zero = np.float32(self.random.uniform(0.5, 8)), int(self.random.integers(-128, 128))
        self.read(self.constant(f"s{n}", scale), self.constant(f"z{n}", np.int8(zero)))
        flat = rescaled(self.values.reshape(len(self.rows), -1), self.factors / np.float64(scale), max(low, -128 - zero), 127 - zero)
        self.values, self.scale, self.zero = flat.reshape(len(flat), channels, -1) + zero, scale, zero

    def maximum(self) -> None:
        width, stride = int(self.random.integers(1, min(5, self.values.shape[2]) + 1)), int(self.random.integers(1, 4))
        pads = self.some_pads(width)
        self.node("MaxPool", kernel_shape=[width], strides=[stride], pads=list(pads))
        n = self.count
        self.read(self.constant(f"s{n}", self.scale), self.constant(f"z{n}", np.int8(self.zero)))
        self.values = windows(self.values, width, stride, pads, -1000).max(axis=3)

    def average(self) -> None:
        width, stride = int(self.random.integers(1, min(5, self.values.shape[2]) + 1)), int(self.random.integers(1, 4))
        pads, counts = self.some_pads(width), int(self.random.integers(2))
        self.node("AveragePool", kernel_shape=[width], strides=[stride], pads=list(pads), count_include_pad=counts)
        divisors = windows(np.ones((1, 1, self.values.shape[2])), width, stride, pads, counts).sum(axis=3)[0, 0]
        sums = windows(self.values - self.zero, width, stride, pads, 0).sum(axis=3)
        self.values, self.factors = sums, np.tile(np.float64(self.scale) * (1 / divisors), sums.shape[1])
        self.quantise()

    def end(self) -> None:
        """All values, and a product with a matrix, whose sums are the scores."""
        self.node("Flatten")
        inputs, outputs = self.values.shape[1] * self.values.shape[2], int(self.random.integers(1, 5))
        weights = self.random.integers(-127, 128, (inputs, outputs))
        self.constant("w_end", weights.astype(np.int8)), self.constant("s_end", np.float32(0.01)), self.constant("z_end", np.int8(0))
        self.nodes.append(helper.make_node("DequantizeLinear", ["w_end", "s_end", "z_end"], ["wr_end"]))
        self.node("MatMul", "wr_end")
        self.nodes[-1].output[0] = "y"
        self.values = (self.values.reshape(len(self.rows), -1) - self.zero) @ weights

    def model(self):
        return model_of(self.nodes, self.tensors, self.rows.shape[1], self.values.shape[1])


@pytest.mark.parametrize("pool", ("maximum", "average"))
def test_the_integers_are_those_of_the_documented_rule(command, pool, seed):
    for more in range(3):
        random = np.random.default_rng(1000 * more + seed)
        channels = int(random.integers(1, 5))
        network = Network(random, random_rows(random, 150, channels * int(random.integers(4, 64 // channels + 1))), channels)
        network.convolve()
        network.quantise()
        getattr(network, pool)()
        if random.integers(2):
            network.convolve()
            network.quantise()
        network.end()
        command.write(network.model(), names(network.rows.shape[1]))
        np.testing.assert_array_equal(command.scores(network.rows), network.values)
        expect_near(command, network.rows, share=0.03)  # random scales leave few steps


def float_network(random: np.random.Generator, channels: int, positions: int, pool: str):
    """As PyTorch exports it: the input is a sequence, or features that a Reshape makes one."""
    weights = [random.normal(0, 0.3, shape).astype(np.float32) for shape in ((6, channels, 3), (5, 6, 3))]
    tensors = [numpy_helper.from_array(weights[0], "w0"), numpy_helper.from_array(random.normal(0, 5, 6).astype(np.float32), "b0"),
               numpy_helper.from_array(weights[1], "w1"), numpy_helper.from_array(random.normal(0, 5, 5).astype(np.float32), "b1")]
    nodes = [helper.make_node("Conv", ["x", "w0", "b0"], ["c0"], "conv0", kernel_shape=[3], pads=[1, 1]), helper.make_node("Relu", ["c0"], ["r0"], "relu0")]
    attributes = {} if pool.startswith("Global") else {"kernel_shape": [2], "strides": [2]}
    if pool == "GlobalAveragePool":
        nodes += [helper.make_node("Conv", ["r0", "w1", "b1"], ["c1"], "conv1", kernel_shape=[3], strides=[2]), helper.make_node("Relu", ["c1"], ["r1"], "relu1"),
                  helper.make_node(pool, ["r1"], ["p"], "pool")]
    else:
        nodes += [helper.make_node(pool, ["r0"], ["p0"], "pool", **attributes),
                  helper.make_node("Conv", ["p0", "w1", "b1"], ["c1"], "conv1", kernel_shape=[3], strides=[2]), helper.make_node("Relu", ["c1"], ["p"], "relu1")]
    flat = 5 if pool == "GlobalAveragePool" else 5 * ((positions // 2 - 3) // 2 + 1)
    tensors += [numpy_helper.from_array(random.normal(0, 0.3, (3, flat)).astype(np.float32), "w2"), numpy_helper.from_array(np.float32([1, 2, 3]), "b2")]
    nodes += [helper.make_node("Flatten", ["p"], ["f"], "flatten"), helper.make_node("Gemm", ["f", "w2", "b2"], ["y"], "gemm", transB=1)]
    return model_of(nodes, tensors, [channels, positions], 3)


@pytest.mark.parametrize("pool", ("MaxPool", "AveragePool", "GlobalAveragePool"))
@pytest.mark.parametrize("layout", ("QDQ", "QOperator"))
@pytest.mark.parametrize("activations", ("QInt8", "QUInt8"))
def test_models_of_quantize_static(command, pool, layout, activations, seed):
    quantization = pytest.importorskip("onnxruntime.quantization", reason="onnxruntime has no quantization")
    random = np.random.default_rng(seed)
    channels = 1 + seed % 2
    positions = int(random.integers(12, 64 // channels + 1))
    source, quantised = command.folder / "float.onnx", command.folder / "quantised.onnx"
    onnx.save(float_network(random, channels, positions, pool), str(source))
    rows = random_rows(random, 200, channels * positions)
    quantization.quantize_static(str(source), str(quantised), Reader(rows, (channels, positions)), quant_format=getattr(quantization.QuantFormat, layout),
                                 per_channel=seed % 2 == 1, activation_type=getattr(quantization.QuantType, activations),
                                 weight_type=quantization.QuantType.QInt8)
    command.write(onnx.load(str(quantised)), names(channels * positions))
    expect_near(command, random_rows(random, 300, channels * positions), (channels, positions))
