# SPDX-License-Identifier: Apache-2.0
"""A control plane for all tests, with the resource definitions of the projects that the chart's objects belong to."""
from __future__ import annotations

import os
import pathlib
import sys
from collections.abc import Iterator

import pytest
from control_plane import Cluster, running, wait_for
from rendering import Chart

sys.dont_write_bytecode = True
# In a module's folder; those of prometheus-operator and others that the chart does not use stay out.
DEFINITIONS = {
    "sriov-network-operator": ("config/crd/bases/sriovnetwork.openshift.io_sriovnetworks.yaml",
                               "config/crd/bases/sriovnetwork.openshift.io_sriovnetworknodepolicies.yaml"),
    "!mellanox/network-operator": ("config/crd/bases/mellanox.com_nicclusterpolicies.yaml",),
    "network-attachment-definition-client": ("artifacts/networks-crd.yaml",),
    "prometheus-operator": ("example/prometheus-operator-crd/monitoring.coreos.com_podmonitors.yaml",
                            "example/prometheus-operator-crd/monitoring.coreos.com_prometheusrules.yaml"),
}
NAMESPACES = ("nvidia-network-operator", "sriov-network-operator")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--packetwarp", type=pathlib.Path, required=True, help="the built program")
    parser.addoption("--cluster", type=pathlib.Path, required=True, help="the folder of ci/cluster_test.sh")


@pytest.fixture(scope="session")
def folder(request: pytest.FixtureRequest) -> pathlib.Path:
    return request.config.getoption("--cluster")


@pytest.fixture(scope="session")
def packetwarp(request: pytest.FixtureRequest) -> pathlib.Path:
    return request.config.getoption("--packetwarp")


def definition_files(folder: pathlib.Path) -> list[pathlib.Path]:
    modules = [pathlib.Path(line) for line in (folder / "definitions").read_text().splitlines()]
    return [module / path for module in modules for name, paths in DEFINITIONS.items()
            if str(module).partition("@")[0].endswith(f"/{name}") for path in paths]


@pytest.fixture(scope="session")
def definitions(folder: pathlib.Path) -> list[pathlib.Path]:
    found = definition_files(folder)
    assert len(found) == sum(map(len, DEFINITIONS.values())), found
    return found


@pytest.fixture(scope="session")
def cluster(folder: pathlib.Path, definitions: list[pathlib.Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A control plane without a node."""
    with running(folder / "bin", tmp_path_factory.mktemp("control_plane")) as made:
        for path in definitions:
            made.kubectl("apply", "--server-side", "-f", str(path))
        made.kubectl("wait", "--for=condition=Established", "--all", "crd", "--timeout=60s")
        for name in NAMESPACES:
            made.kubectl("create", "namespace", name)
        # The server's own discovery follows the definitions after a moment.
        wait_for(lambda: made.run("kubectl", "get", "nicclusterpolicies,podmonitors,network-attachment-definitions").status == 0, "the new kinds")
        yield made


@pytest.fixture(scope="session")
def chart(folder: pathlib.Path, tmp_path_factory: pytest.TempPathFactory) -> Chart:
    return Chart(folder / "bin/helm", tmp_path_factory.mktemp("helm"), {**os.environ})
