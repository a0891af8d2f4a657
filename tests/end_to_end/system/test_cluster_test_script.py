# SPDX-License-Identifier: Apache-2.0
"""ci/cluster_test.sh where something cannot be had: a line says that nothing was tested, and why."""
from __future__ import annotations

import pathlib

import pytest
from few_programs import add, folder_of_programs, said_by

# The programs that the script calls before go.
NEEDED = ("bash", "dirname", "realpath", "uname", "mkdir", "cat", "sha256sum", "cut", "tail", "nice", "env")
SKIPPED = "cluster-test: skipped, nothing was tested: "


@pytest.fixture
def programs(tmp_path: pathlib.Path) -> pathlib.Path:
    return folder_of_programs(tmp_path / "bin", NEEDED)


def said(programs: pathlib.Path, binary: pathlib.Path, tmp_path: pathlib.Path) -> str:
    return said_by("cluster_test.sh", programs, binary, CLUSTER_FOLDER=str(tmp_path / "cluster"))


def test_no_go(programs, binary, tmp_path):
    assert said(programs, binary, tmp_path).startswith(f"{SKIPPED}go is missing: Kubernetes v1.")


def test_no_openssl(programs, binary, tmp_path):
    add(programs, "go", "exit 0")
    assert said(programs, binary, tmp_path) == f"{SKIPPED}openssl is missing\n"


def test_modules_that_cannot_be_had(programs, binary, tmp_path):
    add(programs, "openssl", "exit 0")
    add(programs, "go", "echo 'go: k8s.io/kubernetes@v1.34.4: dial tcp: no such host' >&2; exit 1")
    assert said(programs, binary, tmp_path).splitlines()[-1] == (
        f"{SKIPPED}Kubernetes cannot be built: go: k8s.io/kubernetes@v1.34.4: dial tcp: no such host")
