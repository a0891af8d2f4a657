# SPDX-License-Identifier: Apache-2.0
"""Writes ONNX files field by field (onnx.proto, protobuf's wire format), without the onnx package."""
from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

FLOAT, INT8 = 1, 3  # TensorProto.DataType
FLOATS, INTEGERS, TEXTS = 6, 7, 8  # AttributeProto.AttributeType of lists
ONE_FLOAT, ONE_INTEGER = 1, 2  # and of single values

Attribute = int | float | Sequence[int] | Sequence[float] | Sequence[str]


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


def attribute(name: str, value: Attribute) -> bytes:
    if isinstance(value, int):
        return piece(5, piece(1, name) + integer(3, value) + integer(20, ONE_INTEGER))
    if isinstance(value, float):
        return piece(5, piece(1, name) + varint(2 << 3 | 5) + struct.pack("<f", value) + integer(20, ONE_FLOAT))
    if isinstance(value[0], str):
        return piece(5, piece(1, name) + b"".join(piece(9, one) for one in value) + integer(20, TEXTS))
    if isinstance(value[0], float):
        return piece(5, piece(1, name) + piece(7, struct.pack(f"<{len(value)}f", *value)) + integer(20, FLOATS))
    return piece(5, piece(1, name) + b"".join(integer(8, int(one)) for one in value) + integer(20, INTEGERS))


def node(name: str, operation: str, inputs: Sequence[str], output: str, domain: str = "", **attributes: Attribute) -> bytes:
    made = b"".join(piece(1, one) for one in inputs) + piece(2, output) + piece(3, name) + piece(4, operation)
    return piece(1, made + (piece(7, domain) if domain else b"") + b"".join(attribute(*one) for one in attributes.items()))


def tensor(name: str, dims: Sequence[int], values: Sequence[float] | Sequence[int], kind: int) -> bytes:
    """An initializer of floats or of 8-bit integers."""
    raw = struct.pack(f"<{len(values)}{'f' if kind == FLOAT else 'b'}", *values)
    return piece(5, b"".join(integer(1, one) for one in dims) + integer(2, kind) + piece(8, name) + piece(9, raw))


def model(body: bytes, features: Sequence[str], kind: int = FLOAT, metadata: Mapping[str, str] = {}, inputs: int = 0) -> bytes:
    """A file. body: nodes and initializers, from the value x, of a row for each packet, to the value y. inputs: how many values x has
    (default: as many as there are features)."""
    shape = piece(2, piece(1, integer(1, kind) + piece(2, piece(1, piece(2, "N")) + piece(1, integer(1, inputs or len(features))))))
    graph = body + piece(2, "g") + piece(11, piece(1, "x") + shape) + piece(12, piece(1, "y"))
    entries = {"features": ",".join(features), **metadata}
    operators = b"".join(piece(8, piece(1, domain) + integer(2, version)) for domain, version in (("", 13), ("ai.onnx.ml", 3)))
    return integer(1, 8) + piece(7, graph) + operators + b"".join(piece(14, piece(1, key) + piece(2, value)) for key, value in entries.items())


def tree_model(lists: Mapping[str, Attribute], features: Sequence[str], operation: str = "TreeEnsembleRegressor",
               metadata: Mapping[str, str] = {}, inputs: int = 0) -> bytes:
    """lists: the attributes of ai.onnx.ml's node."""
    return model(node("forest", operation, ["x"], "y", "ai.onnx.ml", **lists), features, FLOAT, metadata, inputs)
