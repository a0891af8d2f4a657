#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ci/fuzz.sh SECONDS: runs every libFuzzer target for so long, from the inputs in tests/fuzz/corpus/<target>, two for a
# processor, as the asan build has them. New inputs go to build/fuzz/corpus; one that crashes stays in
# build/fuzz/crashes and fails the run.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:?usage: ci/fuzz.sh SECONDS}
at_a_time=$((2 * $(nproc)))
ci/build.sh asan fuzz_targets

run_one() {
  local target=$1 name
  name=$(basename "$target")
  mkdir -p "build/fuzz/corpus/$name" build/fuzz/crashes
  local seeds=()
  [ ! -d "tests/fuzz/corpus/$name" ] || seeds=("tests/fuzz/corpus/$name")
  if ASAN_OPTIONS=detect_leaks=1 "$target" -max_total_time="$2" -timeout=60 -rss_limit_mb=2048 -print_final_stats=1 \
      -artifact_prefix="build/fuzz/crashes/$name-" "build/fuzz/corpus/$name" "${seeds[@]}" \
      >"build/fuzz/$name.log" 2>&1; then
    printf 'fuzz: %-20s %s runs, no failure\n' "$name" \
      "$(sed -n 's/^stat::number_of_executed_units: *//p' "build/fuzz/$name.log")"
  else
    tail -40 "build/fuzz/$name.log"
    printf 'fuzz: %s FAILED\n' "$name" >&2
    return 1
  fi
}
export -f run_one
find build/asan/tests/fuzz -maxdepth 1 -name '*_fuzz' -type f -perm -u+x -print0 | sort -z |
  xargs -0 -P "$at_a_time" -I{} bash -c 'run_one "$1" "$2"' run {} "$seconds"
