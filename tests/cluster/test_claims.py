# SPDX-License-Identifier: Apache-2.0
"""The scheduler places the claim of the profile dra on one PCIe root, and leaves a pod pending where no root has all that it claims."""
from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest
from control_plane import Cluster, wait_for
from nodes import GPU, VF, device_class, node
from rendering import CHART, MANIFESTS

RELEASE = "dra"
PODS = f"{RELEASE}-packetwarp"
# The root 97 has a GPU and a function of each port; 15 has a GPU alone; 3a and 6c have functions alone.
TWO_ROOTS = (["pci0000:15", "pci0000:97"], [("pci0000:3a", "ens2f0"), ("pci0000:97", "ens2f0"), ("pci0000:97", "ens2f1"), ("pci0000:6c", "ens2f1")])
NO_ROOT = (["pci0000:15"], [("pci0000:97", "ens2f0"), ("pci0000:97", "ens2f1")])


@contextlib.contextmanager
def installed(cluster: Cluster, *words: str) -> Iterator[None]:
    cluster.apply(device_class(GPU), device_class(VF))
    cluster.helm("install", RELEASE, str(CHART), "--values", str(MANIFESTS / "dra/values.yaml"), "--set", "replicas=1", *words)
    try:
        yield
    finally:
        cluster.helm("uninstall", RELEASE)
        # A pod that is bound to a node waits for the node's kubelet, which would confirm its end.
        cluster.kubectl("delete", "pods", "--all", "--force", "--grace-period=0")
        wait_for(lambda: not cluster.get("pods")["items"], "the pods to go")
        wait_for(lambda: not cluster.get("resourceclaims")["items"], "the claims to go")


def allocated(cluster: Cluster) -> dict[str, dict[str, str]]:
    """The devices by claim and request; only of claims that have all of theirs."""
    return {claim["metadata"]["name"]: {one["request"]: one["device"] for one in claim["status"]["allocation"]["devices"]["results"]}
            for claim in cluster.get("resourceclaims")["items"] if "allocation" in claim.get("status", {})}


def refusal(cluster: Cluster, pod: str) -> str:
    """Why the scheduler has not placed the pod; empty as long as it has not tried."""
    items = [item for item in cluster.get("pods")["items"] if item["metadata"]["name"] == pod]
    conditions = [one for item in items for one in item["status"].get("conditions", []) if one["type"] == "PodScheduled" and one["status"] == "False"]
    return conditions[0]["message"] if conditions else ""


def test_gpu_and_functions_come_from_one_root(cluster):
    with node(cluster, "aligned", *TWO_ROOTS), installed(cluster):
        (devices,) = wait_for(lambda: allocated(cluster), "the scheduler").values()
        assert devices == {"gpu": "gpu-1", "inside": "vf-1", "outside": "vf-2"}
        assert wait_for(lambda: cluster.get("pod", f"{PODS}-0")["spec"].get("nodeName"), "the binding") == "aligned"


def test_a_second_replica_finds_nothing_left(cluster):
    with node(cluster, "aligned", *TWO_ROOTS), installed(cluster, "--set", "replicas=2"):
        wait_for(lambda: allocated(cluster), "the first replica")
        why = wait_for(lambda: refusal(cluster, f"{PODS}-0") or refusal(cluster, f"{PODS}-1"), "the second replica's refusal")
        assert "cannot allocate all claims" in why and len(allocated(cluster)) == 1, why


def test_no_root_with_all_is_refused(cluster):
    with node(cluster, "apart", *NO_ROOT), installed(cluster):
        why = wait_for(lambda: refusal(cluster, f"{PODS}-0"), "the refusal")
        assert "cannot allocate all claims" in why and not allocated(cluster), why


def test_roots_apart_are_taken_where_they_are_allowed(cluster):
    with node(cluster, "apart", *NO_ROOT), installed(cluster, "--set", "dra.sameRoot=false"):
        (devices,) = wait_for(lambda: allocated(cluster), "the scheduler").values()
        assert devices == {"gpu": "gpu-0", "inside": "vf-0", "outside": "vf-1"}


@pytest.mark.parametrize("named", ["ens2f0", "ens9f9"])
def test_a_function_is_of_the_port_that_is_named(cluster, named):
    """Without a GPU; a port that no function belongs to is refused."""
    with node(cluster, "aligned", *TWO_ROOTS), installed(cluster, "--set", f"gpus=0,interfaces[0].pf={named}"):
        if named == "ens2f0":
            (devices,) = wait_for(lambda: allocated(cluster), "the scheduler").values()
            assert devices == {"inside": "vf-1", "outside": "vf-2"}
        else:
            assert "cannot allocate all claims" in wait_for(lambda: refusal(cluster, f"{PODS}-0"), "the refusal")
