# SPDX-License-Identifier: Apache-2.0
"""Stands in for TRex's own packages while a profile is imported."""
from __future__ import annotations

import contextlib
import sys
import types
from collections.abc import Iterator

from . import api

# The packages that profiles import from, over TRex's versions.
NAMES = ("trex_stl_lib", "trex_stl_lib.api", "trex", "trex.stl", "trex.stl.api", "stl_path")


@contextlib.contextmanager
def trex_packages() -> Iterator[None]:
    """Within it, every one of these packages is api."""
    kept = {name: sys.modules.get(name) for name in NAMES}
    try:
        for name in NAMES:
            module = types.ModuleType(name)
            module.__path__ = []
            if name.endswith(".api"):
                vars(module).update({key: value for key, value in vars(api).items() if not key.startswith("__")})
            sys.modules[name] = module
            parent, _, child = name.rpartition(".")
            if parent:
                setattr(sys.modules[parent], child, module)
        yield
    finally:
        for name, module in kept.items():
            sys.modules.pop(name, None)
            if module is not None:
                sys.modules[name] = module
