# SPDX-License-Identifier: Apache-2.0
"""Lines of a training on the standard output."""
from __future__ import annotations

import os
import sys


def write(text: str) -> None:
    """Writes a line at once. Without a reader, as after `| head -3`, the training goes on in silence and writes its files."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, sys.stdout.fileno())  # the rest of the buffer, too
        os.close(silent)
