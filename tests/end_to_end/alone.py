# SPDX-License-Identifier: Apache-2.0
"""A shell that meets nothing that other tests or programs of this machine have: interfaces, namespaces, sockets, hugepage files."""
from __future__ import annotations

import os
import shutil
import subprocess

SET_UP = """\
for folder in /run/packetwarp /run/dpdk /run/netns; do mkdir -p $folder && mount -t tmpfs -o mode=0755 none $folder || exit 99; done
umount -a -l -t hugetlbfs
ip link set lo up
"""


def alone() -> list[str] | None:
    """The words that start it; None where namespaces cannot be made, which a container may keep from root."""
    unshare = ["unshare", "--mount", "--net", "sh", "-c"]
    can = os.geteuid() == 0 and shutil.which("unshare") and subprocess.run([*unshare, SET_UP], capture_output=True, check=False).returncode == 0
    return [*unshare, f"{SET_UP}exec bash"] if can else None
