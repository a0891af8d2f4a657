#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes an OCI image of a packetwarp binary, as one archive: the binary, the libraries that it loads, and nothing else.

    python/oci/image.py BINARY -o ARCHIVE [--sbom FILE]

No network, no registry and no base image is needed. The same files give the same archive, byte for byte, on every day."""
from __future__ import annotations

import argparse
import dataclasses
import gzip
import hashlib
import io
import json
import pathlib
import re
import struct
import subprocess
import sys
import tarfile
from collections.abc import Iterable

ROOT = pathlib.Path(__file__).resolve().parents[2]
USER = 65532
CAPABILITIES = {"cap_net_admin": 12, "cap_net_raw": 13, "cap_ipc_lock": 14}
PROGRAM = "usr/bin/packetwarp"
LAYER = "application/vnd.oci.image.layer.v1.tar+gzip"
CONFIG = "application/vnd.oci.image.config.v1+json"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
LABEL = "org.opencontainers.image."


@dataclasses.dataclass(frozen=True)
class Entry:
    """A file of the image; a link, if it has a target; or else a folder, which has no bytes."""

    path: str
    mode: int
    content: bytes | None = None
    owner: int = 0
    capabilities: bytes = b""
    link: str = ""


def permitted(*numbers: int) -> bytes:
    """The attribute security.capability, version 2, of a file whose capabilities are permitted and not effective
    (linux/capability.h): the kernel starts it also where a container has none of them."""
    low = sum(1 << number for number in numbers)
    return struct.pack("<5I", 0x02000000, low, 0, 0, 0)


def libraries(binary: pathlib.Path) -> set[pathlib.Path]:
    """The libraries that the loader finds for it, by the paths at which it looks, and the loader itself."""
    said = subprocess.run(["ldd", str(binary)], capture_output=True, text=True, check=True).stdout
    return {pathlib.Path(path) for path in re.findall(r"(?:=> |^\s*)(/\S+) \(", said, re.M)}


def drivers(binary: pathlib.Path) -> set[pathlib.Path]:
    """DPDK's drivers, for a binary that loads DPDK: each of them is a library that the EAL opens."""
    eal = next((path for path in libraries(binary) if path.name.startswith("librte_eal.so.")), None)
    if eal is None:
        return set()
    release = eal.name.partition(".so.")[2]
    return {path for path in eal.parent.glob(f"dpdk/pmds-{release}.*/librte_*.so*")
            if re.match(r"librte_(net_(af_packet|null|pcap|ring|tap|memif|e1000|igc|ixgbe|i40e|iavf|ice|virtio|vmxnet3)|mempool_ring|bus_|mempool_stack)", path.name)}


def place(path: pathlib.Path) -> str:
    """The place of a library in the image: Debian's /lib is a link to /usr/lib, in which DPDK looks for its drivers."""
    return re.sub(r"^lib/", "usr/lib/", str(path).lstrip("/"))


def entries(binary: pathlib.Path, sbom: pathlib.Path | None) -> Iterable[Entry]:
    yield Entry(PROGRAM, 0o755, binary.read_bytes(), capabilities=permitted(*CAPABILITIES.values()))
    opened = drivers(binary)
    wanted = set().union(*map(libraries, [binary, *opened])) | opened
    # Links stay links: a library that is there as two files would be loaded twice.
    for path in wanted:
        if place(path) != place(path.resolve()):
            yield Entry(place(path), 0o777, link="/" + place(path.resolve()))
    for path in {path.resolve() for path in wanted}:
        yield Entry(place(path), 0o755, path.read_bytes())
    if sbom:
        yield Entry("usr/share/packetwarp/packetwarp.cdx.json", 0o644, sbom.read_bytes())
    yield Entry("etc/packetwarp", 0o755)
    yield Entry("run/packetwarp", 0o755, owner=USER)
    yield Entry("tmp", 0o1777)


def folders(of: Iterable[Entry]) -> list[Entry]:
    """These entries and the folders that they are in, each after its own folder."""
    found = {entry.path: entry for entry in of}
    for path in list(found):
        for parent in pathlib.PurePosixPath(path).parents:
            found.setdefault(str(parent), Entry(str(parent), 0o755))
    found.pop(".", None)
    return [found[path] for path in sorted(found)]


def header(entry: Entry) -> tarfile.TarInfo:
    made = tarfile.TarInfo(entry.path)
    made.mode, made.uid, made.gid = entry.mode, entry.owner, entry.owner
    if entry.link:
        made.type, made.linkname = tarfile.SYMTYPE, entry.link
    elif entry.content is None:
        made.type = tarfile.DIRTYPE
    else:
        made.size = len(entry.content)
    if entry.capabilities:
        made.pax_headers["SCHILY.xattr.security.capability"] = entry.capabilities.decode("latin-1")
    return made


def tar_of(all_entries: Iterable[Entry]) -> bytes:
    """Without names of users and without times: these would differ from machine to machine."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for entry in all_entries:
            archive.addfile(header(entry), io.BytesIO(entry.content or b""))
    return made.getvalue()


def digest(content: bytes) -> str:
    return "sha256:" + hashlib.sha256(content).hexdigest()


def described(content: bytes, kind: str) -> dict[str, object]:
    return {"mediaType": kind, "digest": digest(content), "size": len(content)}


def labels(version: str) -> dict[str, str]:
    return {LABEL + "title": "packetwarp", LABEL + "version": version, LABEL + "licenses": "Apache-2.0",
            LABEL + "description": "A GPU packet-processing data plane on DPDK"}


SETTINGS = {"User": f"{USER}:{USER}", "Entrypoint": [f"/{PROGRAM}"], "Cmd": ["--help"], "WorkingDir": "/",
            "Env": ["PATH=/usr/bin", "RUNTIME_DIRECTORY=/run/packetwarp", "NVIDIA_DRIVER_CAPABILITIES=compute,utility"],
            "ExposedPorts": {"9464/tcp": {}}, "StopSignal": "SIGTERM"}


def config_of(layer: bytes, settings: dict[str, object]) -> bytes:
    return json.dumps({"created": "1970-01-01T00:00:00Z", "architecture": "amd64", "os": "linux", "config": settings,
                       "rootfs": {"type": "layers", "diff_ids": [digest(layer)]},
                       "history": [{"created": "1970-01-01T00:00:00Z", "created_by": "python/oci/image.py"}]}).encode()


def image_of(files: Iterable[Entry], settings: dict[str, object], name: str, version: str) -> bytes:
    """The archive of any files: OCI's image layout, in a tar file."""
    layer = tar_of(folders(files))
    packed = gzip.compress(layer, 9, mtime=0)
    config = config_of(layer, settings)
    manifest = json.dumps({"schemaVersion": 2, "mediaType": MANIFEST, "config": described(config, CONFIG),
                           "layers": [described(packed, LAYER)], "annotations": settings.get("Labels", {})}).encode()
    index = {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": [
        {**described(manifest, MANIFEST), "platform": {"architecture": "amd64", "os": "linux"},
         "annotations": {LABEL + "ref.name": version, "io.containerd.image.name": name}}]}
    blobs = [Entry("blobs/sha256/" + digest(blob)[7:], 0o644, blob) for blob in (packed, config, manifest)]
    return tar_of(folders([Entry("oci-layout", 0o644, b'{"imageLayoutVersion": "1.0.0"}'),
                           Entry("index.json", 0o644, json.dumps(index).encode()), *blobs]))


def image(binary: pathlib.Path, sbom: pathlib.Path | None, version: str) -> bytes:
    """The archive of packetwarp's image."""
    return image_of(entries(binary, sbom), {**SETTINGS, "Labels": labels(version)}, f"localhost/packetwarp:{version}", version)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("binary", type=pathlib.Path)
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True)
    parser.add_argument("--sbom", type=pathlib.Path)
    given = parser.parse_args()
    version = (ROOT / "VERSION").read_text().strip()
    made = image(given.binary, given.sbom, version)
    given.output.write_bytes(made)
    print(f"image: {given.output}, {len(made)} bytes, {digest(made)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
