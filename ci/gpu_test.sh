#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ci/gpu_test.sh [--output FILE] [BUILD_FOLDER]: the tests that need a GPU, each plainly and under compute-sanitizer
# (memcheck, racecheck) if that is installed; one line each, and the whole output of failures; then the whole program
# (python/gpu/checks.py), and every function when its GPU is lost (python/gpu/faults.py). Without a GPU it says so and
# passes. Without a folder it builds the "gpu" preset first. --output keeps the printed text.
#
# Under compute-sanitizer, which slows kernels down a hundredfold, the parity suite is a part of itself:
#   PARITY_PACKETS=500     this many packets of its corpus, spread over all of it
#   PARITY_FILTER=...      these of its tests (GoogleTest's filter)
# Tests in which two kernels work side by side are left out: compute-sanitizer starts the second one when the first has
# ended. one_kernel_device_test.cu has RDMA's engine and its posters in one kernel.
# racecheck leaves persistent kernels out, and that of RDMA's requesters: it does not know the acquire and release by
# which they hand on words of shared memory, and reports each such store and load as a race.
set -euo pipefail
cd "$(dirname "$0")/.."
packets=${PARITY_PACKETS:-500}
filter=${PARITY_FILTER:-*_burst1_0ns:*_burst33_0ns:*_burst64_200ns:*_burst1000_0ns}
two_kernels='*posting_by_gpu*/gpu:write_test_on_gpu.*:*engine_writing_to*:*writing_to.every_byte*:*writing_to.large_writes*'
two_kernels+=':*writing_to.a_write_and_a_signal*:*signals_over_roce*:gpu_posts.and_a_kernel*:gpu_posts.and_kernels*:gpu_posts.and_frames*'
two_kernels+=':gpu_posts.and_a_queue*:gpu_posts.and_a_wrong_rkey*:gpu_posts.and_waits*'
limit=600  # seconds per run

machine() {
  nvidia-smi --query-gpu=index,name,driver_version,memory.total,pcie.link.gen.current,pcie.link.width.current \
    --format=csv,noheader
  nvidia-smi | sed -n 's/.*\(CUDA Version: [0-9.]*\).*/\1/p'
  sed -n 's/^model name[^:]*: //p;T;q' /proc/cpuinfo
  printf 'packetwarp %s (%s), %s\n' "$(cat VERSION)" "$(git rev-parse --short HEAD 2>/dev/null || echo 'of an unknown commit')" \
    "$(compute-sanitizer --version 2>/dev/null | sed -n 's/^Version /compute-sanitizer /p' | grep . || echo no compute-sanitizer)"
}

# run WHAT PROGRAM [RUNNER...]: runs a test, prints a line with its result, and the whole output of a failure.
run() {
  local what=$1 program=$2 said status=0 seconds=$SECONDS
  shift 2
  said=$(PACKETWARP_SOURCE_DIR=$PWD timeout "$limit" "$@" "$program" --gtest_brief=1 2>&1) || status=$?
  local tests skipped verdict=passed
  tests=$(sed -n 's/^\[  PASSED  \] \([0-9]*\) test.*/\1/p' <<<"$said")
  skipped=$(sed -n 's/^\[  SKIPPED \] \([0-9]*\) test.*/, \1 skipped/p' <<<"$said" | head -1)
  case $status in
    0) [ "${tests:-0}" -gt 0 ] || verdict="FAILED: it ran no test" ;;
    43) verdict=SKIPPED ;;
    124) verdict="FAILED: not done after $limit s" ;;
    *) verdict="FAILED: exit status $status" ;;
  esac
  printf '%-10s %-22s %s: %s tests passed%s, %d s%s\n' "$what" "$(basename "$program")" "$verdict" "${tests:-no}" \
    "$skipped" $((SECONDS - seconds)) "$(sed -n 's/^========= \(ERROR\|RACECHECK\) SUMMARY: /; /p' <<<"$said")"
  [ "$verdict" = passed ] || { printf '%s\n' "$said" | tail -n 60; failed=1; }
}

run_all() {
  local failed=0 program tool options
  machine
  for program in "${programs[@]}"; do run plain "$program"; done
  if command -v compute-sanitizer >/dev/null; then
    export PACKETWARP_PARITY_PACKETS=$packets
    for tool in memcheck racecheck; do
      case $tool in
        # Callers check refused calls themselves; some tests make such calls on purpose.
        memcheck) options=(--report-api-errors no) ;;
        racecheck)
          options=(--kernel-name-exclude kernel_substring=run_persistent
                   --kernel-name-exclude kernel_substring=serve_requesters) ;;
      esac
      for program in "${programs[@]}"; do
        case $program in
          */parity_test) continue ;;  # no part of it runs on the GPU
          */joint_faults_device_test) continue ;;  # it provokes errors
          */parity_device_test | */joint_device_test) export GTEST_FILTER=$filter ;;
          */rdma_device_test) export GTEST_FILTER="-$two_kernels" ;;
          *) unset GTEST_FILTER ;;
        esac
        run "$tool" "$program" compute-sanitizer --tool "$tool" --error-exitcode 9 "${options[@]}"
      done
    done
  fi
  if [ -x "$folder/packetwarp" ]; then
    python3 python/gpu/checks.py "$folder/packetwarp" || failed=1
    local beside=$(($(nproc) / 5))  # five CPUs per run
    if [ "$beside" -ge 1 ]; then
      python3 python/gpu/faults.py "$folder/packetwarp" --beside $((beside < 3 ? beside : 3)) || failed=1
    else
      printf 'gpu-faults: SKIPPED: five CPUs are needed, and there are %s\n' "$(nproc)"
    fi
  fi
  printf 'gpu-test: %s in %d s\n' "$([ $failed -eq 0 ] && echo passed || echo FAILED)" $SECONDS
  return $failed
}

output=/dev/null
if [ "${1:-}" = --output ]; then
  output=${2:?usage: ci/gpu_test.sh [--output FILE] [BUILD_FOLDER]}
  shift 2
fi
if ! command -v nvidia-smi >/dev/null || ! nvidia-smi -L >/dev/null 2>&1; then
  printf 'gpu-test: SKIPPED: no NVIDIA GPU or driver here (nvidia-smi finds none)\n'
  exit 0
fi
folder=${1:-}
if [ -z "$folder" ]; then
  ci/build.sh gpu
  folder=build/gpu
fi
# parity_test: the part of the parity suite that needs no GPU, for comparison with the other.
mapfile -t programs < <(find "$folder" \( -name '*_device_test' -o -name parity_test \) -type f -perm -u+x | sort)
[ ${#programs[@]} -gt 0 ] || { printf 'gpu-test: no *_device_test below %s\n' "$folder" >&2; exit 1; }
run_all 2>&1 | tee "$output"
exit "${PIPESTATUS[0]}"
