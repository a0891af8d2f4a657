#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes one stripped file that needs only glibc: static DPDK, drivers, C++ and CUDA runtime; kernels for Hopper, and as
# PTX that the driver compiles for every other GPU from Turing on. Beside it, its list of parts: CycloneDX, made by
# python/sbom.py. Code that ptxas gets wrong in a way that was seen is refused: python/gpu/stale_reads.py.
set -euo pipefail
cd "$(dirname "$0")/.."
ci/build.sh package packetwarp
out=build/packetwarp-$(cat VERSION)-linux-x86_64
strip -o "$out" build/package/src/cli/packetwarp
.venv/bin/python3 python/gpu/stale_reads.py "$out" --cuobjdump .venv/cuda/bin/cuobjdump
missing=$(ldd "$out" | awk '{ print $1 }' | grep -vE '^(linux-vdso|libc\.so|libm\.so|libdl\.so|libpthread\.so|librt\.so|/lib)' || true)
if [ -n "$missing" ]; then
  printf 'package: %s still needs %s\n' "$out" "$missing" >&2
  exit 1
fi
.venv/bin/python3 python/sbom.py build/package "$out" -o "$out.cdx.json"
needs=$(objdump -T "$out" | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -1)
printf 'package: %s, %s bytes, needs %s\n' "$out" "$(stat -c %s "$out")" "$needs"
