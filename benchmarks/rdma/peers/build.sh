#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# benchmarks/rdma/peers/build.sh: fetches the peers of docs/rdma.md#peers under build/rdma/peers, with the hashes below,
# and builds gpunetio_posts (build/gpu/benchmarks/rdma) and nvshmem_puts (build/rdma/peers). NVSHMEM=3.4.5 takes that version.
set -euo pipefail
cd "$(dirname "$0")/../../.."
into=build/rdma/peers
nvshmem=${NVSHMEM:-3.8.0}
declare -A hashes=(
  [nvidia-nccl-cu13==2.32.3]=1459723080ac889d73a26edfa3e04383a7928ab31ac8f0ec43b3ea9548b04ff3
  [nvidia-nvshmem-cu13==3.8.0]=81a4d1f666543e6d34df6d2ff940c7da1435e34e186aab6f3c2b48861b64ef38
  [nvidia-nvshmem-cu13==3.4.5]=290f0a2ee94c9f3687a02502f3b9299a9f9fe826e6d0287ee18482e78d495b80
)
# fetch PACKAGE==VERSION FOLDER: unpacks a wheel.
fetch() {
  local package=$1 folder=$into/$2 hash=${hashes[$1]:-}
  [ -n "$hash" ] || { printf 'peers: %s: this script knows no hash of it\n' "$package" >&2; exit 1; }
  [ ! -d "$folder" ] || return 0
  local wheels
  wheels=$(mktemp -d)
  printf '%s --hash=sha256:%s\n' "$package" "$hash" >"$wheels/list"
  .venv/bin/python3 -m pip download -q --no-deps --only-binary=:all: --require-hashes -d "$wheels" -r "$wheels/list"
  mkdir -p "$folder.partial"
  .venv/bin/python3 -m zipfile -e "$wheels"/*.whl "$folder.partial"
  mv "$folder.partial" "$folder"
  rm -r "$wheels"
}
mkdir -p "$into"
fetch nvidia-nccl-cu13==2.32.3 nccl
fetch "nvidia-nvshmem-cu13==$nvshmem" "nvshmem-$nvshmem"
ci/build.sh gpu gpunetio_posts
library=$into/nvshmem-$nvshmem/nvidia/nvshmem
printf 'build: nvshmem_puts\n'
.venv/cuda/bin/nvcc -rdc=true -arch=sm_90 -O3 -std=c++20 --expt-relaxed-constexpr -w -Isrc -I.venv/cuda/include/cccl \
  -I"$library/include" benchmarks/rdma/peers/nvshmem_puts.cu "$library/lib/libnvshmem_device.a" \
  -Xlinker "$library/lib/libnvshmem_host.so.3" -L.venv/cuda/lib -o "$into/nvshmem_puts"
