# SPDX-License-Identifier: Apache-2.0
"""ONNX files of one small tree."""
from __future__ import annotations

from random_models import onnx_bytes


def tree_model(operation: str = "TreeEnsembleRegressor", features: str = "ttl,length") -> bytes:
    """Second feature <= 9.5 ? 0.25 : (first feature > 64 ? 1 : -0.5)."""
    lists = {"nodes_treeids": [0] * 5, "nodes_nodeids": [0, 1, 2, 3, 4], "nodes_featureids": [1, 0, 0, 0, 0],
             "nodes_modes": ["BRANCH_LEQ", "LEAF", "BRANCH_GT", "LEAF", "LEAF"], "nodes_values": [9.5, 0.0, 64.0, 0.0, 0.0],
             "nodes_truenodeids": [1, 0, 3, 0, 0], "nodes_falsenodeids": [2, 0, 4, 0, 0], "target_treeids": [0, 0, 0],
             "target_nodeids": [1, 3, 4], "target_ids": [0, 0, 0], "target_weights": [0.25, 1.0, -0.5]}
    return onnx_bytes.tree_model(lists, features.split(","), operation, inputs=2)


def question(feature: str, above: float, **metadata: str) -> bytes:
    """1 for a packet whose feature is above the number, else 0."""
    lists = {"nodes_treeids": [0] * 3, "nodes_nodeids": [0, 1, 2], "nodes_featureids": [0, 0, 0],
             "nodes_modes": ["BRANCH_GT", "LEAF", "LEAF"], "nodes_values": [float(above), 0.0, 0.0], "nodes_truenodeids": [1, 0, 0],
             "nodes_falsenodeids": [2, 0, 0], "target_treeids": [0, 0], "target_nodeids": [1, 2], "target_ids": [0, 0],
             "target_weights": [1.0, 0.0]}
    return onnx_bytes.tree_model(lists, [feature], metadata=metadata)
