# SPDX-License-Identifier: Apache-2.0
"""Scores of dense networks, compared with NumPy exactly and with ONNX Runtime within its rounding."""
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


def float_network(random: np.random.Generator, sizes: list[int], form: str):
    """A network of floats, as a training framework exports it."""
    nodes, tensors, value = [], [], "x"
    for n, (inputs, outputs) in enumerate(zip(sizes, sizes[1:])):
        last = n == len(sizes) - 2
        weights = random.normal(0, 1 / np.sqrt(inputs), (inputs, outputs)).astype(np.float32)
        bias = random.normal(0, 5, outputs).astype(np.float32)
        result = "y" if last else f"sum{n}"
        if form == "gemm":
            tensors += [numpy_helper.from_array(weights.T.copy(), f"w{n}"), numpy_helper.from_array(bias, f"b{n}")]
            nodes.append(helper.make_node("Gemm", [value, f"w{n}", f"b{n}"], [result], f"gemm{n}", transB=1))
        else:
            tensors += [numpy_helper.from_array(weights, f"w{n}"), numpy_helper.from_array(bias, f"b{n}")]
            nodes += [helper.make_node("MatMul", [value, f"w{n}"], [f"product{n}"], f"matmul{n}"),
                      helper.make_node("Add", [f"product{n}", f"b{n}"], [result], f"add{n}")]
        if not last:
            nodes.append(helper.make_node("Relu", [result], [f"h{n}"], f"relu{n}"))
            value = f"h{n}"
    return model_of(nodes, tensors, sizes[0], sizes[-1])


@pytest.mark.parametrize("form", ("gemm", "matmul"))
@pytest.mark.parametrize("layout", ("QDQ", "QOperator"))
@pytest.mark.parametrize("activations", ("QInt8", "QUInt8"))
def test_models_of_quantize_static(command, form, layout, activations, seed):
    quantization = pytest.importorskip("onnxruntime.quantization", reason="onnxruntime has no quantization")
    random = np.random.default_rng(seed)
    sizes = [int(size) for size in (random.integers(1, 65), *random.integers(2, 40, seed % 3), random.integers(1, 5))]
    source, quantised = command.folder / "float.onnx", command.folder / "quantised.onnx"
    onnx.save(float_network(random, sizes, form), str(source))
    quantization.quantize_static(str(source), str(quantised), Reader(random_rows(random, 200, sizes[0])),
                                 quant_format=getattr(quantization.QuantFormat, layout), per_channel=seed % 2 == 1,
                                 activation_type=getattr(quantization.QuantType, activations), weight_type=quantization.QuantType.QInt8)
    command.write(onnx.load(str(quantised)), names(sizes[0]))
    expect_near(command, random_rows(random, 300, sizes[0]))


def test_weights_without_a_zero_point_have_the_type_of_output_dtype(command, seed):
    """QuantizeLinear has the attribute since version 21 of the operations."""
    random = np.random.default_rng(300 + seed)
    inputs, outputs = (int(size) for size in random.integers(1, 60, 2))
    tensors = [numpy_helper.from_array(random.normal(0, 1, (inputs, outputs)).astype(np.float32), "w"),
               numpy_helper.from_array(np.float32(1 / 32), "s_w"), numpy_helper.from_array(np.float32(1), "s_x")]
    nodes = [helper.make_node("QuantizeLinear", ["w", "s_w"], ["w_q"], output_dtype=onnx.TensorProto.INT8),
             helper.make_node("DequantizeLinear", ["w_q", "s_w"], ["w_r"]),
             helper.make_node("QuantizeLinear", ["x", "s_x"], ["x_q"], output_dtype=onnx.TensorProto.INT8),
             helper.make_node("DequantizeLinear", ["x_q", "s_x"], ["x_r"]), helper.make_node("MatMul", ["x_r", "w_r"], ["y"])]
    command.write(model_of(nodes, tensors, inputs, outputs, (("", 21),)), names(inputs))
    expect_near(command, random_rows(random, 300, inputs))


def test_the_integers_are_those_of_the_documented_rule(command, seed):
    random = np.random.default_rng(100 + seed)
    sizes = [int(size) for size in (random.integers(1, 65), *random.integers(1, 100, 1 + seed % 3), random.integers(1, 6))]
    rows = random_rows(random, 200, sizes[0])
    nodes, tensors, values = [], [numpy_helper.from_array(np.float32(1), "s_x"), numpy_helper.from_array(np.int8(0), "z_x")], rows.astype(np.int64)
    nodes += [helper.make_node("QuantizeLinear", ["x", "s_x", "z_x"], ["x_q"]), helper.make_node("DequantizeLinear", ["x_q", "s_x", "z_x"], ["x_r"])]
    value, scale, zero_point = "x_r", np.float32(1), 0
    for n, (inputs, outputs) in enumerate(zip(sizes, sizes[1:])):
        last = n == len(sizes) - 2
        weights = random.integers(-128, 128, (outputs, inputs), dtype=np.int64)
        scales = np.full(outputs, random.uniform(0.001, 0.1), np.float32) if last else random.uniform(0.001, 0.1, outputs).astype(np.float32)
        bias = random.integers(-20000, 20000, outputs, dtype=np.int64)
        tensors += [numpy_helper.from_array(weights.astype(np.int8), f"w{n}"), numpy_helper.from_array(scales, f"s_w{n}"),
                    numpy_helper.from_array(np.zeros(outputs, np.int8), f"z_w{n}"), numpy_helper.from_array(bias.astype(np.int32), f"b{n}"),
                    numpy_helper.from_array((scale * scales).astype(np.float32), f"s_b{n}")]
        nodes += [helper.make_node("DequantizeLinear", [f"w{n}", f"s_w{n}", f"z_w{n}"], [f"w_r{n}"], axis=0),
                  helper.make_node("DequantizeLinear", [f"b{n}", f"s_b{n}"], [f"b_r{n}"], axis=0),
                  helper.make_node("Gemm", [value, f"w_r{n}", f"b_r{n}"], ["y" if last else f"sum{n}"], transB=1)]
        real_bias = bias * (scale * scales).astype(np.float32).astype(np.float64)
        sums = (values - zero_point) @ weights.T + np.rint(real_bias / (np.float64(scale) * scales)).astype(np.int64)
        if last:
            values = sums
            break
        new_scale, new_zero = np.float32(random.uniform(0.5, 20)), int(random.integers(-128, 128))
        tensors += [numpy_helper.from_array(new_scale, f"s{n}"), numpy_helper.from_array(np.int8(new_zero), f"z{n}")]
        real = f"sum{n}"
        if random.integers(2):
            nodes.append(helper.make_node("Relu", [real], [f"relu{n}"]))
            real = f"relu{n}"
        low = 0 if real.startswith("relu") else -128 - new_zero
        nodes += [helper.make_node("QuantizeLinear", [real, f"s{n}", f"z{n}"], [f"q{n}"]),
                  helper.make_node("DequantizeLinear", [f"q{n}", f"s{n}", f"z{n}"], [f"r{n}"])]
        values = rescaled(sums, np.float64(scale) * scales / np.float64(new_scale), low, 127 - new_zero) + new_zero
        value, scale, zero_point = f"r{n}", new_scale, new_zero
    command.write(model_of(nodes, tensors, sizes[0], sizes[-1]), names(sizes[0]))
    np.testing.assert_array_equal(command.scores(rows), values)
    expect_near(command, rows)


def test_a_network_of_floats_is_refused_with_the_way_to_quantise_it(command):
    command.write(float_network(np.random.default_rng(1), [4, 8, 2], "gemm"), names(4))
    assert "node 'gemm0' (Gemm): its weights are float: quantise the model to int8" in command.refusal()
