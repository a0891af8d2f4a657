# SPDX-License-Identifier: Apache-2.0
"""Parts of the comparisons of networks: files, rows for calibration, the rule of results in integers, and ONNX Runtime."""
from __future__ import annotations

import pathlib

import numpy as np
import onnxruntime as ort
from onnxruntime.capi import onnxruntime_pybind11_state as ort_state
from model_command import Command
from onnx import TensorProto, helper


def model_of(nodes, tensors, width: int | list[int], outputs: int | list[int], domains=(("", 17),)):
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", *np.atleast_1d(width).tolist()])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["N", *np.atleast_1d(outputs).tolist()])], tensors)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid(*one) for one in domains], ir_version=8)


class Reader:
    def __init__(self, rows: np.ndarray, shape: tuple[int, ...] = (-1,)) -> None:
        self.rows = iter([{"x": row.astype(np.float32).reshape(1, *shape)} for row in rows])

    def get_next(self):
        return next(self.rows, None)


def exact_session(model: pathlib.Path) -> ort.InferenceSession:
    """On a processor without VNNI, ONNX Runtime's quick products of bytes saturate at 16 bits. Its documentation names a key for exact
    ones; where that has no code for an operation, the file's own operations are run one by one."""
    options = ort.SessionOptions()
    options.add_session_config_entry("session.x64quantprecision", "1")
    try:
        return ort.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    except ort_state.NotImplemented:
        options = ort.SessionOptions()
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
        return ort.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])


def expect_near(command: Command, rows: np.ndarray, shape: tuple[int, ...] = (-1,), share: float = 0.01) -> None:
    """Our scores keep the steps that ONNX Runtime rounds away and the values beyond its calibrated ranges: nearly all are within some
    of its steps, and the best class is the same if it is clear."""
    session = exact_session(command.model)
    theirs = session.run(["y"], {"x": rows.astype(np.float32).reshape(len(rows), *shape)})[0].reshape(len(rows), -1)
    ours = np.clip(command.scores(rows) * command.unit(), theirs.min(), theirs.max())
    span = theirs.max() - theirs.min()
    errors = np.abs(ours - theirs)
    assert np.quantile(errors, 0.98) < 4 * share * span and errors.mean() < share * span, (errors.max(), errors.mean(), span)
    if theirs.shape[1] > 1:
        ordered = np.sort(theirs, axis=1)
        clear = ordered[:, -1] - ordered[:, -2] > 0.1 * span
        assert (ours.argmax(axis=1) == theirs.argmax(axis=1))[clear].all()


def rescaled(sums: np.ndarray, factor: np.ndarray, low: int, high: int) -> np.ndarray:
    """The rule of docs/models.md, in 64 bits, with a factor for each column."""
    fraction, exponent = np.frexp(np.asarray(factor, np.float64))
    multiplier, shift = np.rint(np.ldexp(fraction, 31)).astype(np.int64), 31 - exponent.astype(np.int64)
    assert (np.abs(sums) < 1 << 31).all() and (shift >= 1).all() and (shift <= 62).all()
    return np.clip((sums.astype(np.int64) * multiplier + (np.int64(1) << (shift - 1))) >> shift, low, high).astype(np.int64)
