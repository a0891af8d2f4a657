# SPDX-License-Identifier: Apache-2.0
"""The pods of the release on the node: their states, and commands in them and beside them."""
from __future__ import annotations

import json
import subprocess
from typing import Any

from control_plane import wait_for

from node.machine import PATIENCE, Node, in_namespace

RELEASE, NAMED = "nat", "nat-packetwarp"
BUSYBOX = "localhost/busybox:1"
# A pod that sees the processes of its node.
HELPER = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "helper"}, "spec": {
    "hostPID": True, "automountServiceAccountToken": False, "terminationGracePeriodSeconds": 0,
    "containers": [{"name": "helper", "image": BUSYBOX, "imagePullPolicy": "Never", "command": ["sleep", "100000"]}]}}


def pod(node: Node, name: int | str) -> dict[str, Any]:
    """By its ordinal in the release, or by its name."""
    done = node.cluster.run("kubectl", "get", "pod", f"{NAMED}-{name}" if isinstance(name, int) else name, "-o", "json")
    return json.loads(done.out) if done.status == 0 else {"status": {}}


def is_ready(node: Node, name: int | str) -> bool:
    return any(one["type"] == "Ready" and one["status"] == "True" for one in pod(node, name)["status"].get("conditions", []))


def wait_until_ready(node: Node, *names: int | str) -> None:
    wait_for(lambda: all(is_ready(node, name) for name in names), f"pods {names} to be ready ({node.console})", PATIENCE)


def restarts(node: Node, ordinal: int) -> int:
    return pod(node, ordinal)["status"]["containerStatuses"][0]["restartCount"]


def said(node: Node, ordinal: int) -> str:
    return node.cluster.run("kubectl", "logs", f"{NAMED}-{ordinal}").out[-2000:]


def within(node: Node, ordinal: int, *words: str) -> str:
    return node.cluster.kubectl("exec", f"{NAMED}-{ordinal}", "--", "packetwarp", *words)


def run(namespace: str, *words: str, seconds: float = 120) -> subprocess.CompletedProcess[str]:
    return subprocess.run(in_namespace(namespace, *words), capture_output=True, text=True, timeout=seconds, check=False)


def metrics(node: Node) -> str:
    """By the pod's own address, as Prometheus asks."""
    address = pod(node, 0)["status"]["podIP"]
    fetch = f"import urllib.request; print(urllib.request.urlopen('http://{address}:9464/metrics', timeout=60).read().decode())"
    done = subprocess.run([*node.cluster.place.command, "python3", "-c", fetch], capture_output=True, text=True, timeout=90, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout
