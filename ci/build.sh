#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ci/build.sh PRESET [TARGET...]: configures if needed and builds; prints one line for a success, the whole output for a
# failure. Ninja configures again where a file of CMake's has changed, except for the presets.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=${1:?usage: ci/build.sh PRESET [TARGET...]}
shift
log=build/$preset.log
mkdir -p build
targets=()
[ $# -eq 0 ] || targets=(--target "$@")
if [[ " asan asan_lines tsan " == *" $preset "* ]]; then
  # The fuzz targets are built with asan, and libFuzzer is clang's, which is also the quicker compiler here; distributions
  # call it by its number, or plainly.
  CC=$(command -v clang-14 || command -v clang) && CXX=$(command -v clang++-14 || command -v clang++) ||
    { printf 'build: no clang, which fuzzing needs: make setup\n' >&2; exit 1; }
  export CC CXX
  # A folder that was configured with another compiler keeps that one.
  [ ! -f "build/$preset/CMakeCache.txt" ] || grep -q "^CMAKE_CXX_COMPILER:.*clang" "build/$preset/CMakeCache.txt" ||
    rm -rf "build/$preset"
fi
export CCACHE_SLOPPINESS=pch_defines,time_macros  # otherwise it ignores files with a precompiled header
printf 'build: %s\n' "$preset${*:+ ($*)}"
# A folder has one build at a time: ninja itself has no lock.
exec 9>"build/$preset.lock"
flock 9
# The machine's memory bounds the number of compilers: about 2 GiB each.
gib=$(awk '/MemAvailable/ { print int($2 / 1048576) }' /proc/meminfo)
jobs=$(( gib / 2 < $(nproc) ? gib / 2 : $(nproc) ))
[ "$jobs" -ge 1 ] || jobs=1
is_configured() { [ "build/$preset/build.ninja" -nt CMakePresets.json ]; }
if ! { { is_configured || .venv/bin/cmake --preset "$preset"; } &&
       .venv/bin/cmake --build --preset "$preset" -j "$jobs" "${targets[@]}"; } >"$log" 2>&1 9>&-; then
  cat "$log"
  printf 'build: %s failed\n' "$preset" >&2
  exit 1
fi
