# SPDX-License-Identifier: Apache-2.0
"""QEMU's monitor, as the QEMU Machine Protocol has it (docs/interop/qmp-spec): one JSON object a line."""
from __future__ import annotations

import json
import pathlib
import socket
from typing import Any


class Monitor:
    def __init__(self, path: pathlib.Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(30)
        self._socket.connect(str(path))
        self._lines = self._socket.makefile("r")
        self._next()
        self.do("qmp_capabilities")

    def close(self) -> None:
        self._lines.close()
        self._socket.close()

    def _next(self) -> dict[str, Any]:
        return json.loads(self._lines.readline())

    def do(self, command: str, **arguments: Any) -> Any:
        """Its return value; events before that are skipped."""
        self._socket.sendall(json.dumps({"execute": command, "arguments": arguments}).encode() + b"\n")
        while True:
            answer = self._next()
            if "error" in answer:
                raise RuntimeError(f"QEMU's {command}: {answer['error']['desc']}")
            if "return" in answer:
                return answer["return"]
