# SPDX-License-Identifier: Apache-2.0
"""Wrong values that the chart refuses by its schema or its templates, and wrong manifests that the API server refuses, each by name."""
from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
import yaml
from rendering import objects, over, set_of, values_of

# The profile, the wrong values, and a word of the refusal.
WRONG_VALUES: dict[str, tuple[str, dict[str, Any], str]] = {
    "a profile that is none": ("vfio", {"profile": "sriov"}, "profile"),
    "no replica": ("vfio", {"replicas": 0}, "replicas"),
    "a part of a CPU": ("vfio", {"cpus": 1.5}, "cpus"),
    "one CPU for master and worker": ("vfio", {"cpus": 1}, "cpus"),
    "memory without a unit": ("vfio", {"memory": "2"}, "memory"),
    "a size of hugepages that no machine has": ("vfio", {"hugepages": {"size": "4Mi"}}, "hugepages"),
    "a key that is none": ("vfio", {"hugepage": {"size": "2Mi"}}, "hugepage"),
    "an interface without addresses": ("vfio", {"interfaces": [{"name": "inside", "resource": "intel.com/a", "pf": "e0"}]}, "addresses"),
    "an interface without a resource": ("vfio", {"interfaces": [{"name": "inside", "addresses": ["10.0.0.1/24"], "pf": "e0"}]}, "resource"),
    "a resource without a domain": ("mlx5", {"interfaces": [{"name": "inside", "addresses": ["10.0.0.1/24"], "pf": "e0", "resource": "mlnx2f0"}]}, "resource"),
    "a claim without a physical function": ("dra", {"interfaces": [{"name": "inside", "addresses": ["10.0.0.1/24"]}]}, "pf"),
    "a pool that is no prefix": ("vfio", {"nat44": {"pool": "203.0.113.0"}}, "pool"),
    "a pool with an octet that is none": ("vfio", {"nat44": {"pool": "999.1.1.0/24"}}, "pool"),
    "a pool with host bits": ("vfio", {"nat44": {"pool": "203.0.113.5/24"}}, "nat44.pool: 203.0.113.5/24 is no prefix"),
    "a block that is larger than the pool": ("vfio", {"nat44": {"block": 20}}, "nat44.block"),
    "more pods than the pool has blocks": ("vfio", {"replicas": 5}, "replicas: the pool 203.0.113.0/24 has 4 blocks of /26, and there are 5 pods"),
    "a capability beyond those that packetwarp raises": ("vfio", {"extraCapabilities": ["SYS_ADMIN"]}, "extraCapabilities"),
    "frames that no ring of af_packet holds": ("af_packet", {"interfaces": [{"name": "inside", "addresses": ["10.0.0.1/24"], "network": "inside", "mtu": 1969}]}, "mtu"),
    "a resource that the operator's webhook refuses": ("vfio", {"interfaces": [
        {"name": "inside", "addresses": ["10.0.0.1/24"], "pf": "e0", "resource": "openshift.io/igb-inside"}], "sriovOperator": {"enabled": True}}, "resource"),
    "metrics at a name": ("vfio", {"metrics": {"address": "localhost"}}, "address"),
    "a file that is packetwarp's own": ("vfio", {"extraFiles": {"network.yaml": "a"}}, "network.yaml"),
    "a file in a folder": ("vfio", {"extraFiles": {"a/b": "a"}}, "extraFiles"),
    "a file that is no text": ("vfio", {"extraFiles": {"a": {"b": 1}}}, "extraFiles"),
    "a volume without a place": ("vfio", {"extraVolumeMounts": [{"name": "a"}]}, "mountPath"),
    "no GPU for GPU memory": ("mlx5-gpu", {"gpus": 0}, "gpus"),
}


@pytest.mark.parametrize("name", WRONG_VALUES)
def test_wrong_values_are_refused_by_name(chart, name):
    profile, wrong, word = WRONG_VALUES[name]
    assert chart.template(values_of(profile)).returncode == 0
    done = chart.template(over(values_of(profile), wrong))
    assert done.returncode != 0 and word in done.stderr, done.stderr


Spec = dict[str, Any]


def container(found: Spec) -> Spec:
    return found["spec"]["template"]["spec"]["containers"][0]


def put(key: str, value: Any) -> Callable[[Spec], None]:
    return lambda found: found["spec"].__setitem__(key, value)


def limit(resource: str, value: str) -> Callable[[Spec], None]:
    return lambda found: container(found)["resources"]["limits"].__setitem__(resource, value)


# The profile, the kind, the change, and a word of the refusal.
WRONG_MANIFESTS: dict[str, tuple[str, str, Callable[[Spec], None], str]] = {
    "reference 4's old spelling of numVfs": ("mlx5", "SriovNetworkNodePolicy", put("numVFs", 2), "numVFs"),
    "a device type that is none": ("mlx5", "SriovNetworkNodePolicy", put("deviceType", "dpdk"), "deviceType"),
    "a policy without a selector of NICs": ("vfio", "SriovNetworkNodePolicy", lambda found: found["spec"].pop("nicSelector"), "nicSelector"),
    "a spoof check that is neither on nor off": ("mlx5", "SriovNetwork", put("spoofChk", "maybe"), "spoofChk"),
    "trust as a boolean": ("vfio", "SriovNetwork", put("trust", True), "trust"),
    "a network without a resource": ("vfio", "SriovNetwork", lambda found: found["spec"].pop("resourceName"), "resourceName"),
    "an operator's part that is none": ("mlx5", "NicClusterPolicy", put("multus", {"image": "multus-cni"}), "multus"),
    "a version of multus that is missing": ("mlx5", "NicClusterPolicy", lambda found: found["spec"]["secondaryNetwork"]["multus"].pop("version"), "version"),
    "a claim by a selector that is no CEL": ("dra", "ResourceClaimTemplate", lambda found: found["spec"]["spec"]["devices"]["requests"][1]["exactly"]
                                             ["selectors"][0]["cel"].__setitem__("expression", "device.pf =="), "expression"),
    "a claim's constraint on a request that is none": ("dra", "ResourceClaimTemplate", lambda found: found["spec"]["spec"]["devices"]["constraints"][0]
                                                       .__setitem__("requests", ["gpus"]), "requests"),
    "hugepages whose request is not their limit": ("vfio", "StatefulSet", limit("hugepages-2Mi", "2Gi"), "hugepages-2Mi"),
    "virtual functions whose request is not their limit": ("vfio", "StatefulSet", limit("openshift.io/inside", "2"), "openshift.io/inside"),
    "a probe of two kinds": ("vfio", "StatefulSet", lambda found: container(found)["readinessProbe"].__setitem__("exec", {"command": ["true"]}), "readinessProbe"),
    "a budget by both numbers": ("vfio", "PodDisruptionBudget", put("minAvailable", 1), "minAvailable"),
}


@pytest.mark.parametrize("name", WRONG_MANIFESTS)
def test_wrong_manifests_are_refused_by_name(cluster, chart, name):
    profile, kind, change, word = WRONG_MANIFESTS[name]
    right = next(found for found in objects(chart.manifests(set_of(profile, "as it is"))) if found["kind"] == kind)
    wrong = copy.deepcopy(right)
    change(wrong)
    assert cluster.judge(yaml.safe_dump(right)).status == 0
    done = cluster.judge(yaml.safe_dump(wrong))
    assert done.status != 0 and word in done.error, done
