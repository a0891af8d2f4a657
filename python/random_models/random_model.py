# SPDX-License-Identifier: Apache-2.0
"""ONNX models of random weights, as large as they are asked to be: for rates, since a model's speed does not depend on what it
has learnt. "50-128-64-2" is a dense network of 50 features, quantised to int8; "100x6" are 100 full trees of depth 6."""
from __future__ import annotations

import random
from collections.abc import Sequence

from random_models.onnx_bytes import FLOAT, INT8, node, model, tensor, tree_model


def dense_model(widths: Sequence[int], features: Sequence[str], seed: int = 1) -> bytes:
    """widths: the features, then the outputs of each layer."""
    numbers = random.Random(seed)
    body = tensor("one", [], [1.0], FLOAT) + tensor("step", [], [1 / 8], FLOAT) + tensor("scale", [], [1 / 64], FLOAT)
    body += tensor("zero", [], [0], INT8)
    body += node("read", "DequantizeLinear", ["x", "one", "zero"], "v0")
    for layer, (inputs, outputs) in enumerate(zip(widths, widths[1:])):
        weights = [numbers.randint(-127, 127) for _ in range(inputs * outputs)]
        body += tensor(f"w{layer}", [outputs, inputs], weights, INT8)
        body += tensor(f"b{layer}", [outputs], [numbers.uniform(-1, 1) for _ in range(outputs)], FLOAT)
        body += node(f"weights{layer}", "DequantizeLinear", [f"w{layer}", "scale", "zero"], f"m{layer}")
        is_last = layer == len(widths) - 2
        body += node(f"gemm{layer}", "Gemm", [f"v{layer}", f"m{layer}", f"b{layer}"], "y" if is_last else f"s{layer}", transB=1)
        if not is_last:
            body += node(f"relu{layer}", "Relu", [f"s{layer}"], f"r{layer}")
            body += node(f"quantise{layer}", "QuantizeLinear", [f"r{layer}", "step", "zero"], f"q{layer}")
            body += node(f"read{layer + 1}", "DequantizeLinear", [f"q{layer}", "step", "zero"], f"v{layer + 1}")
    return model(body, features, INT8, {"threshold": "0"})


def forest_model(trees: int, depth: int, features: Sequence[str], seed: int = 1) -> bytes:
    """Full trees: node n of a tree has the nodes 2n + 1 and 2n + 2 below it."""
    numbers = random.Random(seed)
    inner, all_nodes = 2 ** depth - 1, 2 ** (depth + 1) - 1
    lists: dict[str, list] = {name: [] for name in (
        "nodes_treeids", "nodes_nodeids", "nodes_featureids", "nodes_modes", "nodes_values", "nodes_truenodeids", "nodes_falsenodeids",
        "target_treeids", "target_nodeids", "target_ids", "target_weights")}
    for tree in range(trees):
        for number in range(all_nodes):
            is_leaf = number >= inner
            for name, value in (("treeids", tree), ("nodeids", number), ("featureids", 0 if is_leaf else numbers.randrange(len(features))),
                                ("modes", "LEAF" if is_leaf else "BRANCH_LEQ"), ("values", 0.0 if is_leaf else numbers.uniform(0, 100)),
                                ("truenodeids", 0 if is_leaf else 2 * number + 1), ("falsenodeids", 0 if is_leaf else 2 * number + 2)):
                lists[f"nodes_{name}"].append(value)
            if is_leaf:
                for name, value in (("treeids", tree), ("nodeids", number), ("ids", 0), ("weights", numbers.uniform(-1, 1))):
                    lists[f"target_{name}"].append(value)
    return tree_model({**lists, "n_targets": 1}, features, metadata={"threshold": "0"})


def random_model(size: str, features: Sequence[str]) -> bytes:
    """A network takes as many of the first features as it has inputs."""
    if "x" in size:
        trees, depth = map(int, size.split("x"))
        return forest_model(trees, depth, features)
    widths = list(map(int, size.split("-")))
    return dense_model(widths, features[:widths[0]])
