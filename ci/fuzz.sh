#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ci/fuzz.sh SECONDS: runs every libFuzzer target for SECONDS, in one process each, from the inputs in
# tests/fuzz/corpus/<target>, two per processor, in the asan build. New inputs go to build/fuzz/corpus; an input that
# crashes stays in build/fuzz/crashes and fails the run. A target also fails if its kept inputs reach less of the code
# than tests/fuzz/coverage.txt demands.
# ci/fuzz.sh keep [TARGET...]: adds to the kept inputs the fewest found ones that reach all that was reached, and writes
# the floors anew: nine tenths of it.
set -euo pipefail
cd "$(dirname "$0")/.."
task=${1:?usage: ci/fuzz.sh SECONDS, or ci/fuzz.sh keep [TARGET...]}
shift
at_a_time=$((2 * $(nproc)))
floors=tests/fuzz/coverage.txt
# Options that cost more than they bring: a symbolizer's start for names of new functions, a schedule that counts every
# feature of every input, the origin of each piece of memory (a crash that is run again without these shows it), and so much
# freed memory kept that each input touches new pages.
options=(-print_funcs=0 -entropic=0 -timeout=60 -rss_limit_mb=2048)
export ASAN_OPTIONS=detect_leaks=1:malloc_context_size=0:quarantine_size_mb=4:thread_local_quarantine_size_kb=64
ci/build.sh asan fuzz_targets
mkdir -p build/fuzz/crashes

# Edges of the code that a folder's inputs reach.
reached() {
  "$1" "${options[@]}" -runs=0 "$2" 2>&1 | sed -n 's/.*INITED cov: \([0-9]*\) .*/\1/p' | tail -1
}

run_one() {
  local target=$1 name log kept floor
  name=$(basename "$target")
  log=build/fuzz/$name.log
  mkdir -p "build/fuzz/corpus/$name"
  kept=$(reached "$target" "tests/fuzz/corpus/$name")
  floor=$(awk -v name="$name" '$1 == name { print $2 }' "$floors")
  if [ "${kept:-0}" -lt "${floor:-1000000}" ]; then
    printf 'fuzz: %s: its kept inputs reach %s edges, %s has %s as the least\n' "$name" "${kept:-no}" "$floors" \
      "${floor:-none: ci/fuzz.sh keep}" >&2
    return 1
  fi
  if "$target" "${options[@]}" -max_total_time="$2" -print_final_stats=1 \
      -artifact_prefix="build/fuzz/crashes/$name-" "build/fuzz/corpus/$name" "tests/fuzz/corpus/$name" \
      >"$log" 2>&1; then
    printf 'fuzz: %-18s %8s runs, no failure; edges: %6s kept (least %s), %6s now\n' "$name" \
      "$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")" "$kept" "$floor" \
      "$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -1)"
  else
    tail -40 "$log"
    printf 'fuzz: %s FAILED; for a report with lines: ci/build.sh asan_lines %s and %s FILE-OF-build/fuzz/crashes\n' \
      "$name" "$name" "build/asan_lines/tests/fuzz/$name" >&2
    return 1
  fi
}

keep_one() {
  local target=$1 name kept edges
  name=$(basename "$target")
  kept=tests/fuzz/corpus/$name
  mkdir -p "build/fuzz/corpus/$name" "$kept"
  "$target" "${options[@]}" -use_counters=0 -set_cover_merge=1 "$kept" "build/fuzz/corpus/$name" >"build/fuzz/$name.log" 2>&1
  edges=$(reached "$target" "$kept")
  { grep -v "^$name " "$floors"; printf '%s %s\n' "$name" $((edges * 9 / 10)); } >"$floors.new"
  { grep '^#' "$floors.new"; grep -v '^#' "$floors.new" | sort; } >"$floors"
  rm "$floors.new"
  printf 'fuzz: %-18s %4s inputs kept, %s edges\n' "$name" "$(find "$kept" -type f | wc -l)" "$edges"
}

targets() { find build/asan/tests/fuzz -maxdepth 1 -name '*_fuzz' -type f -perm -u+x | sort; }

if [ "$task" = keep ]; then
  for target in $(targets); do
    [ $# -eq 0 ] || [[ " $* " == *" $(basename "$target") "* ]] || continue
    keep_one "$target"
  done
  exit
fi
export floors
export -f run_one reached
declare -p options >build/fuzz/options.sh
targets | tr '\n' '\0' |
  xargs -0 -P "$at_a_time" -I{} bash -c 'set -euo pipefail; . build/fuzz/options.sh; run_one "$1" "$2"' run {} "$task"
