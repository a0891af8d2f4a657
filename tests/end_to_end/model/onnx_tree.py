# SPDX-License-Identifier: Apache-2.0
"""Writes an ONNX file with a tree of two features, field by field and without a library."""
from __future__ import annotations

import struct

FLOAT, INTEGERS, TEXTS, FLOATS = 1, 7, 8, 6  # AttributeProto's types


def varint(value: int) -> bytes:
    made = bytearray()
    while value > 0x7F:
        made.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*made, value])


def integer(field: int, value: int) -> bytes:
    return varint(field << 3) + varint(value)


def piece(field: int, value: bytes | str) -> bytes:
    value = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(value)) + value


def attribute(name: str, values: list[int] | list[float] | list[str]) -> bytes:
    if isinstance(values[0], str):
        return piece(5, piece(1, name) + b"".join(piece(9, one) for one in values) + integer(20, TEXTS))
    if isinstance(values[0], float):
        return piece(5, piece(1, name) + piece(7, struct.pack(f"<{len(values)}f", *values)) + integer(20, FLOATS))
    return piece(5, piece(1, name) + b"".join(integer(8, one) for one in values) + integer(20, INTEGERS))


def tree_model(operation: str = "TreeEnsembleRegressor", features: str = "ttl,length") -> bytes:
    """length <= 9.5 ? 0.25 : (ttl > 64 ? 1 : -0.5)."""
    lists = {"nodes_treeids": [0] * 5, "nodes_nodeids": [0, 1, 2, 3, 4], "nodes_featureids": [1, 0, 0, 0, 0],
             "nodes_modes": ["BRANCH_LEQ", "LEAF", "BRANCH_GT", "LEAF", "LEAF"], "nodes_values": [9.5, 0.0, 64.0, 0.0, 0.0],
             "nodes_truenodeids": [1, 0, 3, 0, 0], "nodes_falsenodeids": [2, 0, 4, 0, 0], "target_treeids": [0, 0, 0],
             "target_nodeids": [1, 3, 4], "target_ids": [0, 0, 0], "target_weights": [0.25, 1.0, -0.5]}
    node = piece(1, "x") + piece(2, "y") + piece(3, "forest") + piece(4, operation) + piece(7, "ai.onnx.ml")
    node += b"".join(attribute(name, values) for name, values in lists.items())
    shape = piece(2, piece(1, integer(1, FLOAT) + piece(2, piece(1, piece(2, "N")) + piece(1, integer(1, 2)))))
    graph = piece(1, node) + piece(2, "g") + piece(11, piece(1, "x") + shape) + piece(12, piece(1, "y"))
    return integer(1, 8) + piece(7, graph) + piece(14, piece(1, "features") + piece(2, features))
