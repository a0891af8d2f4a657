#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the list of parts of a build of packetwarp, as CycloneDX JSON: each package with its version and licence.

    python/sbom.py BUILD_FOLDER BINARY [-o FILE]

Nothing is listed by hand. The linker's command names the libraries in the binary, the compilers' notes the headers; dpkg and the
Python environment tell their packages, versions and licences."""
from __future__ import annotations

import argparse
import collections
import dataclasses
import hashlib
import importlib.metadata
import json
import pathlib
import re
import shlex
import subprocess
import sys
from collections.abc import Iterable

ROOT = pathlib.Path(__file__).resolve().parent.parent
NINJA = ROOT / ".venv" / "bin" / "ninja"

# Debian's short names for licences, where SPDX has others.
SPDX = {"expat": "MIT", "mit": "MIT", "bsd-2-clause": "BSD-2-Clause", "bsd-3-clause": "BSD-3-Clause", "apache-2": "Apache-2.0",
        "apache-2.0": "Apache-2.0", "zlib": "Zlib", "openssl": "OpenSSL", "isc": "ISC", "lgpl-2.1": "LGPL-2.1-only",
        "lgpl-2.1+": "LGPL-2.1-or-later", "gpl-2": "GPL-2.0-only", "gpl-2+": "GPL-2.0-or-later", "bsl-1.0": "BSL-1.0"}
# By source package: the prose of its copyright file, for the parts that become parts of a program.
IN_PROSE = {r"gcc-\d+": "GPL-3.0-or-later WITH GCC-exception-3.1", "glibc": "LGPL-2.1-or-later", "libpcap": "BSD-3-Clause",
            "linux": "GPL-2.0-only WITH Linux-syscall-note", "numactl": "LGPL-2.1-only", "zlib": "Zlib",
            "elfutils": "GPL-2.0-or-later OR LGPL-3.0-or-later", "openssl": "Apache-2.0", "jansson": "MIT",
            "fmtlib": "MIT", "libbpf": "LGPL-2.1-only OR BSD-2-Clause", "yaml-cpp": "MIT", "pcre2": "BSD-3-Clause",
            "rdma-core": "GPL-2.0-only OR Linux-OpenIB", "libnl3": "LGPL-2.1-only"}
# The way in which a package is in the binary, the strongest first.
WAYS = ("static", "shared", "headers")


@dataclasses.dataclass(frozen=True)
class Package:
    name: str
    version: str
    licence: str
    kind: str  # of a package URL: deb or pypi


def output_of(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def libraries(build: pathlib.Path) -> Iterable[pathlib.Path]:
    """The libraries of the command that links packetwarp, except the ones that this build makes."""
    link = [line for line in output_of(str(NINJA), "-C", str(build), "-t", "commands", "packetwarp").splitlines()
            if " -o src/cli/packetwarp " in line][-1]
    for word in re.split(r"[,\s]+", link):
        if re.search(r"\.(a|so)(\.\d+)*$", word) and word.startswith("/") and not word.startswith(str(build)):
            yield pathlib.Path(word)
    words = shlex.split(link.removeprefix(": && ").removesuffix(" && :"))
    for name in ("stdc++", "gcc"):  # the compiler adds them itself
        linkage = "a" if f"-static-lib{name}" in words else "so"
        yield pathlib.Path(output_of(words[0], f"-print-file-name=lib{name}.{linkage}").strip())


def loaded(binary: pathlib.Path) -> set[pathlib.Path]:
    """The shared libraries that it names. A linker is given more than it needs."""
    named = set(re.findall(r"\(NEEDED\).*\[(.+)\]", output_of("readelf", "-dW", str(binary))))
    found = re.findall(r"^\s*(\S+) => (\S+) ", output_of("ldd", str(binary)), re.M)
    return {pathlib.Path(path) for name, path in found if name in named}


def headers(build: pathlib.Path) -> set[pathlib.Path]:
    notes = output_of(str(NINJA), "-C", str(build), "-t", "deps")
    found: set[pathlib.Path] = set()
    wanted = False
    for line in notes.splitlines():
        if not line.startswith(" "):
            wanted = line.startswith("src/")  # not the tests' objects
        elif wanted and line.strip():
            found.add(build / line.strip())
    return {path for path in found if ".venv" in path.parts or path.is_relative_to("/usr")}


def licence_of(package: str, source: str) -> str:
    """The licence that its copyright file gives for all files, if a program can read it."""
    for name, licence in IN_PROSE.items():
        if re.fullmatch(name, source):
            return licence
    path = pathlib.Path("/usr/share/doc") / package.partition(":")[0] / "copyright"
    try:
        text = path.read_text(errors="replace")
    except OSError:
        return "NOASSERTION"
    for stanza in text.split("\n\n"):
        if re.search(r"^Files:\s*\*\s*$", stanza, re.M) and (found := re.search(r"^License:\s*(.+)$", stanza, re.M)):
            return SPDX.get(found[1].strip().lower(), found[1].strip())
    return "NOASSERTION"


def debian_owners(paths: Iterable[pathlib.Path]) -> dict[pathlib.Path, str]:
    """The Debian package of each file that has one. Some files are known by the place of an earlier link."""
    spelled = {str(path): path for path in paths}
    spelled |= {str(path).removeprefix("/usr"): path for path in paths if path.is_relative_to("/usr/lib")}
    said = subprocess.run(["dpkg-query", "-S", *spelled], capture_output=True, text=True, check=False).stdout
    lines = (line.rpartition(": ") for line in said.splitlines() if not line.startswith("diversion"))
    return {spelled[path]: names.split(",")[0].strip() for names, _, path in lines if path in spelled}


def debian(name: str) -> Package:
    source, version = output_of("dpkg-query", "-W", "-f=${source:Package} ${source:Version}", name).split()
    return Package(source, version, licence_of(name, source), "deb")


def python_owners(paths: Iterable[pathlib.Path]) -> dict[pathlib.Path, Package]:
    """The same for distributions in the environment."""
    wanted, found = set(paths), {}
    for distribution in importlib.metadata.distributions(
            path=[str(path) for path in ROOT.glob(".venv/lib/python3*/site-packages")]):
        meta = distribution.metadata
        licence = meta.get("License-Expression") or meta.get("License") or "NOASSERTION"
        package = Package(meta["Name"], distribution.version, licence.splitlines()[0], "pypi")
        root = pathlib.Path(distribution.locate_file("")).resolve()
        found |= {root / file: package for file in distribution.files or () if root / file in wanted}
    return found


def packages(build: pathlib.Path, binary: pathlib.Path) -> dict[Package, str]:
    used: dict[pathlib.Path, str] = {path.resolve(): "headers" for path in headers(build)}
    used |= {path.resolve(): "static" for path in libraries(build) if path.suffix == ".a"}
    used |= {path.resolve(): "shared" for path in loaded(binary)}
    owners: dict[pathlib.Path, Package] = dict(python_owners(used))
    names = debian_owners([path for path in used if path not in owners])
    known = {name: debian(name) for name in set(names.values())}
    owners |= {path: known[name] for path, name in names.items()}
    ways: dict[Package, set[str]] = collections.defaultdict(set)
    for path, package in owners.items():
        ways[package].add(used[path])
    return {package: next(way for way in WAYS if way in found) for package, found in ways.items()}


def component(package: Package, way: str) -> dict[str, object]:
    is_known = package.licence in SPDX.values()
    is_expression = " OR " in package.licence or " WITH " in package.licence
    place = "deb/debian" if package.kind == "deb" else "pypi"
    return {"type": "library", "name": package.name, "version": package.version,
            "bom-ref": f"{package.kind}:{package.name}",
            "purl": f"pkg:{place}/{package.name}@{package.version}".replace("+", "%2B"),
            "licenses": [{"expression": package.licence} if is_expression else
                         {"license": {"id" if is_known else "name": package.licence}}],
            "properties": [{"name": "packetwarp:linkage", "value": way}]}


def bill(build: pathlib.Path, binary: pathlib.Path) -> dict[str, object]:
    """The same for the same build: no date and no number of its own."""
    version = (ROOT / "VERSION").read_text().strip()
    found = sorted(packages(build, binary).items(), key=lambda item: (item[0].name, item[0].version))
    return {"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
            "metadata": {"component": {
                "type": "application", "name": "packetwarp", "version": version, "bom-ref": "packetwarp",
                "licenses": [{"license": {"id": "Apache-2.0"}}],
                "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(binary.read_bytes()).hexdigest()}]}},
            "components": [component(package, way) for package, way in found],
            "dependencies": [{"ref": "packetwarp", "dependsOn": [f"{package.kind}:{package.name}" for package, _ in found]}]}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("binary", type=pathlib.Path)
    parser.add_argument("-o", "--output", type=pathlib.Path, help="default: standard output")
    given = parser.parse_args()
    text = json.dumps(bill(given.build.resolve(), given.binary), indent=1) + "\n"
    if given.output:
        given.output.write_text(text)
    else:
        sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
