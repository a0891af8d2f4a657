# SPDX-License-Identifier: Apache-2.0
"""ONNX files without the onnx package: the format, and models of random weights."""
