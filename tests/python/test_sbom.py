# SPDX-License-Identifier: Apache-2.0
"""The list of sbom.py is the build's linked and included files, as dpkg and pip know them."""
from __future__ import annotations

import hashlib
import subprocess

import pytest
import sbom

BUILD = sbom.ROOT / "build" / "release"
BINARY = BUILD / "src" / "cli" / "packetwarp"
PACKAGES = {"dpdk": "libdpdk-dev", "fmtlib": "libfmt-dev", "spdlog": "libspdlog-dev", "cli11": "libcli11-dev",
            "yaml-cpp": "libyaml-cpp-dev", "nlohmann-json3": "nlohmann-json3-dev", "libpcap": "libpcap0.8-dev",
            "pcre2": "libpcre2-dev"}


@pytest.fixture(scope="module")
def made():
    if not BINARY.is_file() or not (BUILD / ".ninja_deps").is_file():
        pytest.skip("there is no release build")
    if subprocess.run(["sh", "-c", "command -v dpkg-query"], capture_output=True, check=False).returncode != 0:
        pytest.skip("there is no dpkg")
    return sbom.bill(BUILD, BINARY)


def test_every_library_has_the_version_that_is_installed(made):
    listed = {one["name"]: one for one in made["components"]}
    for source, package in PACKAGES.items():
        installed = sbom.output_of("dpkg-query", "-W", "-f=${source:Version}", package)
        assert listed[source]["version"] == installed and "NOASSERTION" not in str(listed[source]["licenses"]), listed[source]
    assert any("cuda" in name for name in listed), "libcu++ is in every build"


def test_what_the_loader_brings_is_shared_and_nothing_else(made):
    """A linker is told of more libraries than it takes: fmt's and spdlog's come as headers."""
    shared = {one["name"] for one in made["components"] if one["properties"][0]["value"] == "shared"}
    needed = sbom.output_of("readelf", "-dW", str(BINARY))
    assert "glibc" in shared and ("fmtlib" in shared) == ("libfmt" in needed) and ("dpdk" in shared) == ("librte_eal" in needed)


def test_it_names_the_binary_and_depends_on_all(made):
    application = made["metadata"]["component"]
    assert application["hashes"][0]["content"] == hashlib.sha256(BINARY.read_bytes()).hexdigest()
    assert made["dependencies"][0]["dependsOn"] == [one["bom-ref"] for one in made["components"]]
    assert made["bomFormat"] == "CycloneDX" and len({one["bom-ref"] for one in made["components"]}) == len(made["components"])


def test_licences_in_prose_are_known(tmp_path):
    assert sbom.licence_of("libstdc++6", "gcc-12") == "GPL-3.0-or-later WITH GCC-exception-3.1"
    assert sbom.licence_of("there-is-no-such-package", "there-is-none") == "NOASSERTION"
