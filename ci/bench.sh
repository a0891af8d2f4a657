#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ci/bench.sh [options of python/bench_l2fwd.py]: the micro-benchmarks, the GPU's benchmarks if the machine has one
# (bench_gpu.sh), and l2fwd beside testpmd, of the release build. Results are JSON files in
# benchmarks/results/<machine>. Takes about four minutes, with a GPU twelve; nothing else should run meanwhile.
#   BUILD=FOLDER    the folder above the measured programs (default: build/release); it may come from another machine
#   COMMIT=...      the commit that they were built from (default: git's answer here)
#   RESULTS=FOLDER  the folder for the results, the GPU's too
set -euo pipefail
cd "$(dirname "$0")/.."
build=${BUILD:-build/release}
python=.venv/bin/python
[ -x $python ] || python=python3
beside_testpmd=("$python" python/bench_l2fwd.py)
case " $* " in *' -h '* | *' --help '*) exec "${beside_testpmd[@]}" --help ;; esac
folder=${RESULTS:-$("${beside_testpmd[@]}" --print-folder)}
mkdir -p "$folder"
# built NAME: the program of that name.
built() {
  local found
  found=$(find "$build" -name "$1" -type f -perm -u+x -print -quit)
  [ -n "$found" ] || { printf 'bench: error: there is no %s below %s: build it first (make build)\n' "$1" "$build" >&2; exit 1; }
  printf '%s' "$found"
}
packetwarp=$(built packetwarp)
for name in wire telemetry burst executor; do
  program=$(built "${name}_bench")
  printf '\n== micro-benchmark: %s\n' "$name"
  "$program" --benchmark_min_time=0.2 --benchmark_out="$folder/${name}_bench.json" --benchmark_out_format=json
  # Results are for sharing: they name the kind of machine, not the owner's name for it or folder.
  sed -i '/"host_name":/d; s#"executable": ".*/#"executable": "#' "$folder/${name}_bench.json"
done
ci/bench_gpu.sh "$packetwarp" ${RESULTS:+"$RESULTS"}
printf '\n== l2fwd beside testpmd\n'
exec "${beside_testpmd[@]}" --packetwarp "$packetwarp" --output "$folder/l2fwd_vs_testpmd.json" ${COMMIT:+--commit "$COMMIT"} "$@"
