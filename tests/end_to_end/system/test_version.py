# SPDX-License-Identifier: Apache-2.0
"""The versions that `packetwarp --version` prints: its own, and its libraries'."""
from __future__ import annotations

import re

from harness import DONE, ROOT


def test_version_names_what_it_runs_with(packetwarp):
    done = packetwarp.run("--version")
    own, dpdk, cuda = done.stdout.splitlines()
    assert done.status == DONE and own == f"packetwarp {(ROOT / 'VERSION').read_text().strip()}"
    assert re.fullmatch(r"DPDK \d+\.\d+\.\d+.*", dpdk)
    assert re.fullmatch(r"CUDA runtime \d+\.\d+|built without CUDA", cuda)
