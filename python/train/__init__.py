# SPDX-License-Identifier: Apache-2.0
"""Training of models that judge packets: from captures with labels to an ONNX file that `packetwarp model` loads."""
from __future__ import annotations


class TrainError(Exception):
    """A wrong list, capture or option: one line that says what is wrong and what is allowed."""
