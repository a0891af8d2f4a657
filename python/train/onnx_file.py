# SPDX-License-Identifier: Apache-2.0
"""Writes models as ONNX files, with the operations that docs/models.md lists, and the names and the threshold in their metadata."""
from __future__ import annotations

import pathlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from .network import Network
from .trees import Trees

OPSET, TREES_OPSET, IR_VERSION = 17, 3, 8


def _model(nodes: list[onnx.NodeProto], tensors: list[onnx.TensorProto], features: int) -> onnx.ModelProto:
    graph = helper.make_graph(nodes, "detect", [helper.make_tensor_value_info("row", TensorProto.FLOAT, ["rows", features])],
                              [helper.make_tensor_value_info("score", TensorProto.FLOAT, ["rows", 1])], tensors)
    operations = [helper.make_opsetid("", OPSET), helper.make_opsetid("ai.onnx.ml", TREES_OPSET)]
    return helper.make_model(graph, opset_imports=operations, ir_version=IR_VERSION, producer_name="packetwarp train")


def of_network(network: Network) -> onnx.ModelProto:
    """Gemm and Relu between QuantizeLinear and DequantizeLinear: ONNX Runtime computes the same, in floats."""
    nodes: list[onnx.NodeProto] = []
    tensors: list[onnx.TensorProto] = []

    def constant(name: str, value: np.ndarray) -> str:
        tensors.append(numpy_helper.from_array(value, name))
        return name

    def rounded(value: str, name: str, scale: np.float32, zero: np.generic) -> str:
        words = [constant(f"{name}_scale", np.array(scale, np.float32)), constant(f"{name}_zero", np.array(zero))]
        nodes.append(helper.make_node("QuantizeLinear", [value, *words], [f"{name}_whole"], f"{name}_quantize"))
        nodes.append(helper.make_node("DequantizeLinear", [f"{name}_whole", *words], [name], f"{name}_dequantize"))
        return name

    value, scale = rounded("row", "input", np.float32(1), np.int8(0)), np.float32(1)
    for n, layer in enumerate(network.layers):
        outputs = layer.weights.shape[1]
        words = [constant(f"weights{n}_whole", np.ascontiguousarray(layer.weights.T)), constant(f"weights{n}_scale", layer.scales),
                 constant(f"weights{n}_zero", np.zeros(outputs, np.int8))]
        nodes.append(helper.make_node("DequantizeLinear", words, [f"weights{n}"], f"weights{n}_dequantize", axis=0))
        words = [constant(f"bias{n}_whole", layer.bias), constant(f"bias{n}_scale", (layer.scales * scale).astype(np.float32)),
                 constant(f"bias{n}_zero", np.zeros(outputs, np.int32))]
        nodes.append(helper.make_node("DequantizeLinear", words, [f"bias{n}"], f"bias{n}_dequantize", axis=0))
        last = layer.result == 0
        nodes.append(helper.make_node("Gemm", [value, f"weights{n}", f"bias{n}"], ["score" if last else f"sum{n}"], f"gemm{n}", transB=1))
        if not last:
            nodes.append(helper.make_node("Relu", [f"sum{n}"], [f"relu{n}"], f"relu{n}"))
            value, scale = rounded(f"relu{n}", f"hidden{n}", layer.result, np.uint8(0)), layer.result
    return _model(nodes, tensors, network.layers[0].weights.shape[0])


def of_trees(trees: Trees, features: int) -> onnx.ModelProto:
    numbers = [len(tree.feature) for tree in trees.trees]
    tree_ids = np.repeat(np.arange(len(numbers)), numbers)
    node_ids = np.concatenate([np.arange(count) for count in numbers])
    feature, threshold, left, right, value = (np.concatenate([getattr(tree, name) for tree in trees.trees])
                                              for name in ("feature", "threshold", "left", "right", "value"))
    leaf = feature < 0
    inner = {"nodes_featureids": feature, "nodes_truenodeids": left, "nodes_falsenodeids": right}
    node = helper.make_node(
        "TreeEnsembleRegressor", ["row"], ["score"], "trees", domain="ai.onnx.ml", n_targets=1, aggregate_function="SUM",
        post_transform="NONE", base_values=[trees.base], nodes_treeids=tree_ids.tolist(), nodes_nodeids=node_ids.tolist(),
        nodes_modes=["LEAF" if end else "BRANCH_LEQ" for end in leaf], nodes_values=np.where(leaf, 0, threshold).tolist(),
        **{name: np.where(leaf, 0, numbers).tolist() for name, numbers in inner.items()},
        target_treeids=tree_ids[leaf].tolist(), target_nodeids=node_ids[leaf].tolist(),
        target_ids=[0] * int(leaf.sum()), target_weights=value[leaf].tolist())
    return _model([node], [], features)


def write(path: pathlib.Path, model: Network | Trees, features: list[str], threshold: float) -> None:
    made = of_network(model) if isinstance(model, Network) else of_trees(model, len(features))
    helper.set_model_props(made, {"features": ",".join(features), "threshold": f"{threshold:.9g}"})
    onnx.checker.check_model(made)
    path.write_bytes(made.SerializeToString())
