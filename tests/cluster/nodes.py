# SPDX-License-Identifier: Apache-2.0
"""Nodes that have no kubelet, and the devices that drivers of Dynamic Resource Allocation would report for them."""
from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator

from control_plane import Cluster

GPU, VF = "gpu.nvidia.com", "sriovnetwork.k8snetworkplumbingwg.io"
ROOT = "resource.kubernetes.io/pcieRoot"
CAPACITY = {"cpu": "16", "memory": "64Gi", "pods": "20", "hugepages-1Gi": "16Gi", "hugepages-2Mi": "16Gi"}


def device_class(name: str) -> dict:
    return {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": name},
            "spec": {"selectors": [{"cel": {"expression": f"device.driver == '{name}'"}}]}}


def slice_of(node: str, driver: str, devices: list[dict]) -> dict:
    return {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": f"{node}-{driver.partition('.')[0]}"},
            "spec": {"driver": driver, "nodeName": node, "pool": {"name": node, "generation": 1, "resourceSliceCount": 1}, "devices": devices}}


def gpus(node: str, roots: list[str]) -> dict:
    return slice_of(node, GPU, [{"name": f"gpu-{n}", "attributes": {ROOT: {"string": root}}} for n, root in enumerate(roots)])


def virtual_functions(node: str, functions: list[tuple[str, str]]) -> dict:
    """functions: the root of each, and its physical function."""
    attributes = [{ROOT: {"string": root}, f"{VF}/PFName": {"string": pf}} for root, pf in functions]
    return slice_of(node, VF, [{"name": f"vf-{n}", "attributes": one} for n, one in enumerate(attributes)])


@contextlib.contextmanager
def node(cluster: Cluster, name: str, gpu_roots: list[str], functions: list[tuple[str, str]]) -> Iterator[None]:
    cluster.apply({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name}}})
    # The server taints a new node until its kubelet reports; this one has none.
    cluster.kubectl("patch", "node", name, "--type=merge", "-p", json.dumps({"spec": {"taints": []}}))
    ready = {"status": {"capacity": CAPACITY, "allocatable": CAPACITY, "conditions": [{"type": "Ready", "status": "True", "reason": "Test", "message": "-"}]}}
    cluster.kubectl("patch", "node", name, "--subresource=status", "--type=merge", "-p", json.dumps(ready))
    cluster.apply(gpus(name, gpu_roots), virtual_functions(name, functions))
    try:
        yield
    finally:
        for slice_ in (gpus(name, []), virtual_functions(name, [])):
            cluster.kubectl("delete", "resourceslice", slice_["metadata"]["name"])
        cluster.kubectl("delete", "node", name)
