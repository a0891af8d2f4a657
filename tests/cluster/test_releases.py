# SPDX-License-Identifier: Apache-2.0
"""helm installs, upgrades, rolls back and uninstalls the chart: what changes, what a pod is started anew for, and what is left."""
from __future__ import annotations

import json
from typing import Any

import pytest
import yaml
from control_plane import Cluster, wait_for
from rendering import CHART, MANIFESTS

RELEASE, NAMED = "nat", "nat-packetwarp"
KINDS = "configmaps,services,serviceaccounts,statefulsets,poddisruptionbudgets,networkpolicies,podmonitors,prometheusrules,network-attachment-definitions"


@pytest.fixture(scope="module")
def namespace(cluster):
    cluster.kubectl("create", "namespace", "edge")
    yield
    cluster.kubectl("delete", "namespace", "edge", "--wait=false")


@pytest.fixture
def release(cluster, namespace):
    yield lambda *words: helm(cluster, *words)
    cluster.run("helm", "-n", "edge", "uninstall", RELEASE)


def helm(cluster: Cluster, verb: str, *words: str) -> str:
    chart = (str(CHART), "--values", str(MANIFESTS / "af_packet/values.yaml")) if verb in ("install", "upgrade") else ()
    return cluster.helm("-n", "edge", verb, RELEASE, *chart, *words)


def of_release(cluster: Cluster) -> set[str]:
    return {item["kind"] for item in cluster.get("-n", "edge", KINDS, "-l", f"app.kubernetes.io/instance={RELEASE}")["items"]}


def now(cluster: Cluster) -> tuple[dict[str, Any], Any]:
    """packetwarp's file, and the pod's template."""
    data = cluster.get("-n", "edge", "configmap", NAMED)["data"]["network.yaml"]
    return yaml.safe_load(data), cluster.get("-n", "edge", "statefulset", NAMED)["spec"]["template"]


def test_a_release_goes_through_its_life(cluster, release):
    notes = release("install", "--set", "podMonitor.enabled=true,alerts.enabled=true,dashboard.enabled=true")
    assert f"exec {NAMED}-0 -- packetwarp doctor --only container" in notes
    assert of_release(cluster) == {"ConfigMap", "Service", "ServiceAccount", "StatefulSet", "PodDisruptionBudget", "NetworkPolicy", "PodMonitor",
                                   "PrometheusRule", "NetworkAttachmentDefinition"}
    names = wait_for(lambda: [pod["metadata"]["name"] for pod in cluster.get("-n", "edge", "pods")["items"]][1:] and
                     sorted(pod["metadata"]["name"] for pod in cluster.get("-n", "edge", "pods")["items"]), "the replicas")
    assert names == [f"{NAMED}-0", f"{NAMED}-1"]
    first_file, first_pod = now(cluster)

    # Routes are read again by --watch: the pods stay.
    release("upgrade", "--set-json", 'routes=[{"to":"192.0.2.0/24","via":"198.51.100.253"}]')
    file, pod = now(cluster)
    assert file["routes"] == [{"to": "192.0.2.0/24", "via": "198.51.100.253"}] != first_file["routes"] and pod == first_pod
    assert of_release(cluster) == {"ConfigMap", "Service", "ServiceAccount", "StatefulSet", "PodDisruptionBudget", "NetworkPolicy",
                                   "NetworkAttachmentDefinition"}

    # Interfaces are not: the pods are made anew.
    release("upgrade", "--set", "interfaces[0].mtu=9000")
    file, pod = now(cluster)
    assert file["interfaces"][0]["mtu"] == 9000 and pod != first_pod

    release("rollback", "1")
    assert now(cluster) == (first_file, first_pod)
    history = json.loads(release("history", "-o", "json"))
    assert [(one["revision"], one["status"]) for one in history] == [(1, "superseded"), (2, "superseded"), (3, "superseded"), (4, "deployed")]

    release("uninstall")
    assert of_release(cluster) == set()


def test_a_refused_upgrade_changes_nothing(cluster, release):
    release("install")
    before = now(cluster)
    done = cluster.run("helm", "-n", "edge", "upgrade", RELEASE, str(CHART), "--reuse-values", "--set", "cpus=1")
    assert done.status != 0 and "cpus" in done.error, done
    assert now(cluster) == before
    assert [one["status"] for one in json.loads(release("history", "-o", "json"))] == ["deployed"]


def test_two_releases_share_nothing(cluster, release):
    release("install")
    cluster.helm("-n", "edge", "install", "second", str(CHART), "--values", str(MANIFESTS / "af_packet/values.yaml"))
    selectors = {item["metadata"]["name"]: item["spec"]["selector"]["matchLabels"] for item in cluster.get("-n", "edge", "statefulsets")["items"]}
    assert selectors[NAMED] != selectors["second-packetwarp"] and len(selectors) == 2
    cluster.helm("-n", "edge", "uninstall", "second")
    assert "StatefulSet" in of_release(cluster)
