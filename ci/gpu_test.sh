#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ci/gpu_test.sh [BUILD_FOLDER]: runs the tests that need a GPU (ctest label "gpu"); says so and passes where there is none.
# Without a folder it builds the "gpu" preset first.
set -euo pipefail
cd "$(dirname "$0")/.."
if ! command -v nvidia-smi >/dev/null || ! nvidia-smi -L >/dev/null 2>&1; then
  printf 'gpu-test: SKIPPED: no NVIDIA GPU or driver here (nvidia-smi finds none)\n'
  exit 0
fi
nvidia-smi --query-gpu=name,driver_version,memory.total,pcie.link.gen.current --format=csv,noheader
folder=${1:-}
if [ -z "$folder" ]; then
  ci/build.sh gpu
  folder=build/gpu
fi
mapfile -t programs < <(find "$folder" -name '*_device_test' -type f -perm -u+x | sort)
[ ${#programs[@]} -gt 0 ] || { printf 'gpu-test: no *_device_test below %s\n' "$folder" >&2; exit 1; }
failed=0
for program in "${programs[@]}"; do
  printf '== %s\n' "$(basename "$program")"
  status=0
  "$program" --gtest_brief=1 || status=$?
  [ $status -eq 0 ] || { printf 'gpu-test: %s: exit status %d\n' "$program" $status; failed=1; continue; }
  if command -v compute-sanitizer >/dev/null; then
    compute-sanitizer --tool memcheck --error-exitcode 9 "$program" --gtest_brief=1 | tail -2 || failed=1
  fi
done
exit $failed
