#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A folder of src/, tests/ and python/ has 30 files at most, inputs of fuzzers aside; a larger one gets folders within,
# by noun. A file of code has 400 lines at most, or a reason in REASONS. Prints each folder and file that has more.
set -euo pipefail
cd "$(dirname "$0")/.."
MOST_FILES=30
MOST_LINES=400
declare -A REASONS=(
  [tests/end_to_end/telemetry/test_show.py]="one running network, asked for each of its tables"
  [tests/fuzz/pipeline_fuzz.cpp]="one machine, whose steps the fuzzer orders"
  [tests/pipeline/transmit_job_test.cpp]="one fixture: a pipeline's egresses, full and stuck"
  [tests/plan/plan_test.cpp]="one fixture: what a plan says of each kind of run"
)

broken=0
complain() { printf 'sizes: %s\n' "$*" >&2; broken=1; }
mapfile -t files < <(git ls-files --cached --others --exclude-standard src tests python |
  grep -v '^tests/fuzz/corpus/' | while IFS= read -r file; do [ ! -f "$file" ] || printf '%s\n' "$file"; done)

while read -r count folder; do
  [ "$count" -le $MOST_FILES ] || complain "$folder has $count files: $MOST_FILES at most, give it folders within"
done < <(printf '%s\n' "${files[@]%/*}" | sort | uniq -c)

declare -A long
while read -r lines file; do
  [ "$file" != total ] && [ "$lines" -gt $MOST_LINES ] || continue
  long[$file]=$lines
  [ -n "${REASONS[$file]:-}" ] || complain "$file has $lines lines: $MOST_LINES at most, or a reason in ci/sizes.sh"
done < <(printf '%s\n' "${files[@]}" | grep -E '\.(h|cpp|cuh?|py|sh)$' | xargs wc -l)
for file in "${!REASONS[@]}"; do
  [ -n "${long[$file]:-}" ] || complain "$file needs no reason in ci/sizes.sh: it has no more than $MOST_LINES lines"
done
exit $broken
