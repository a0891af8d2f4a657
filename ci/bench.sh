#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ci/bench.sh [options of python/bench_l2fwd.py]: the micro-benchmarks, what a GPU adds where there is one (bench_gpu.sh),
# and l2fwd beside testpmd, of the release build.
# Results are JSON files in benchmarks/results/<machine>. Takes about four minutes; nothing else should run meanwhile.
set -euo pipefail
cd "$(dirname "$0")/.."
beside_testpmd=(.venv/bin/python python/bench_l2fwd.py)
case " $* " in *' -h '* | *' --help '*) exec "${beside_testpmd[@]}" --help ;; esac
folder=$("${beside_testpmd[@]}" --print-folder)
mkdir -p "$folder"
for name in wire telemetry burst executor; do
  program=build/release/benchmarks/$name/${name}_bench
  [ -x "$program" ] || { printf 'bench: error: %s does not exist: build it first (make build)\n' "$program" >&2; exit 1; }
  printf '\n== micro-benchmark: %s\n' "$name"
  "$program" --benchmark_min_time=0.2 --benchmark_out="$folder/$name.json" --benchmark_out_format=json
  # Results are for sharing: what the machine is matters, not what its owner calls it.
  sed -i '/"host_name":/d' "$folder/$name.json"
done
ci/bench_gpu.sh build/release/src/cli/packetwarp
printf '\n== l2fwd beside testpmd\n'
exec "${beside_testpmd[@]}" "$@"
