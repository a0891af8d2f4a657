#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ci/image.sh [BINARY]: makes an OCI image of the binary of make package, or of BINARY with the libraries that it loads, as
# the archive build/packetwarp-VERSION.oci.tar. It needs no network and no registry.
set -euo pipefail
cd "$(dirname "$0")/.."
version=$(cat VERSION)
binary=${1:-build/packetwarp-$version-linux-x86_64}
[ $# -gt 0 ] || ci/package.sh
sbom=()
[ ! -f "$binary.cdx.json" ] || sbom=(--sbom "$binary.cdx.json")
out=build/packetwarp-$version.oci.tar
.venv/bin/python3 python/oci/image.py "$binary" "${sbom[@]}" -o "$out"
most=$((40 << 20))
if [ "$(stat -c %s "$out")" -gt $most ]; then
  printf 'image: %s has more than %s bytes\n' "$out" "$most" >&2
  exit 1
fi
