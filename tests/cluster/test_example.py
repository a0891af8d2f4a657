# SPDX-License-Identifier: Apache-2.0
"""examples/kubernetes: the API server takes what the chart makes of its values, and its kubelet is the tested node's."""
from __future__ import annotations

from typing import Any

import pytest
import yaml
from node.files import KUBELET
from rendering import ROOT, of_kind

EXAMPLE = ROOT / "examples/kubernetes"
POLICIES = ("apiVersion", "kind", "cpuManagerPolicy", "topologyManagerPolicy", "memoryManagerPolicy")


def read(name: str) -> dict[str, Any]:
    return yaml.safe_load((EXAMPLE / name).read_text())


@pytest.mark.parametrize("maker", ("intel", "nvidia"))
def test_the_server_takes_the_pods_policies_and_networks(cluster, chart, maker):
    values = read(f"{maker}.yaml")
    text = chart.manifests(values)
    done = cluster.judge(text)
    assert done.status == 0, done
    policies = {one["spec"]["resourceName"]: one["spec"] for one in of_kind(text, "SriovNetworkNodePolicy")}
    assert set(policies) == {one["resource"].partition("/")[2] for one in values["interfaces"]}
    assert {(one["deviceType"], one["isRdma"]) for one in policies.values()} == {("vfio-pci", False) if maker == "intel" else ("netdevice", True)}


def test_the_kubelet_has_the_policies_of_the_tested_node():
    settings = read("kubelet.yaml")
    assert {key: settings[key] for key in POLICIES} == {key: KUBELET[key] for key in POLICIES}
    assert set(settings) <= set(KUBELET) | {"apiVersion", "kind"}
    # A kubelet does not start otherwise.
    mib = [int(text.removesuffix("Mi")) for text in (settings["systemReserved"]["memory"], settings["evictionHard"]["memory.available"])]
    assert f"{sum(mib)}Mi" == settings["reservedMemory"][0]["limits"]["memory"]
