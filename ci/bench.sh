#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ci/bench.sh [options of python/bench_l2fwd.py]: the micro-benchmarks, then l2fwd beside testpmd, of the release build.
# Results are JSON files in benchmarks/results/<machine>. Takes about four minutes; nothing else should run meanwhile.
set -euo pipefail
cd "$(dirname "$0")/.."
python=.venv/bin/python
folder=$($python python/bench_l2fwd.py "$@" --print-folder)
mkdir -p "$folder"
for name in wire telemetry burst executor; do
  program=build/release/benchmarks/$name/${name}_bench
  [ -x "$program" ] || { printf 'bench: error: %s does not exist: build it first (make build)\n' "$program" >&2; exit 1; }
  printf '\n== micro-benchmark: %s\n' "$name"
  "$program" --benchmark_min_time=0.2 --benchmark_out="$folder/$name.json" --benchmark_out_format=json
done
printf '\n== l2fwd beside testpmd\n'
exec $python python/bench_l2fwd.py "$@"
