#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ci/gpu_end_to_end.sh [--output FILE] [PACKETWARP [EXECUTOR...]]: the end-to-end tests of `packetwarp run` with its
# work done by the GPU (default: by persistent, graph and kernel, one after the other), one line per file, and the whole
# output of failures. The oracles are the CPU's: Linux in network namespaces, nftables, scapy, real clients.
#   TESTS="run/test_run_router.py nat44"   these files or folders of tests/end_to_end only
# Without a GPU it says so and passes.
set -euo pipefail
cd "$(dirname "$0")/.."
output=/dev/null
if [ "${1:-}" = --output ]; then
  output=${2:?usage: ci/gpu_end_to_end.sh [--output FILE] [PACKETWARP [EXECUTOR...]]}
  shift 2
fi
if ! command -v nvidia-smi >/dev/null || ! nvidia-smi -L >/dev/null 2>&1; then
  printf 'gpu-end-to-end: SKIPPED: no NVIDIA GPU or driver here (nvidia-smi finds none)\n'
  exit 0
fi
program=${1:-build/packetwarp}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- persistent graph kernel
[ -x "$program" ] || { printf 'gpu-end-to-end: error: %s does not exist: build it first (make build)\n' "$program" >&2; exit 1; }
program=$(realpath "$program")
python=.venv/bin/python3
[ -x $python ] || python=python3
export program python

# These start `run` with a file that the tests write; the longest first.
default="nat44 kernel/test_run_kernel.py run/test_run_reload.py run/test_run_router.py telemetry/test_capture.py
  telemetry/test_run_control.py run/test_run_nat44.py run/test_nat44_beside_nftables.py run/test_run_nat44_state.py
  kernel/test_run_kni.py rules/test_run_rules_and_routes.py rules/test_run_rules_and_nat44.py
  telemetry/test_live_report.py run/test_run_router_traffic.py run/test_run_router_sizes.py telemetry/test_top.py
  telemetry/test_metrics.py run/test_router_beside_the_kernel.py telemetry/test_event_log.py
  run/test_nat44_errors_beside_nftables.py telemetry/test_dpdk_telemetry.py
  inspect/test_run_inspect_by_any_executor.py"

# one EXECUTOR FILE: runs a file and prints a line with its result.
one() {
  local said status=0 begin=$SECONDS
  said=$(timeout 500 "$python" -m pytest -q -rs -p no:cacheprovider "tests/end_to_end/$2" --packetwarp "$program" --executor "$1" 2>&1) || status=$?
  printf '%-10s %-44s %s, %d s\n' "$1" "$2" "$(tail -n 1 <<<"$said" | sed 's/ in [0-9.]*s.*//')" $((SECONDS - begin))
  case $status in
    0 | 43) sed -n 's/^SKIPPED/           skipped/p' <<<"$said" | cut -c 1-160 ;;
    *) printf '%s\n' "$said" | tail -n 150; exit 1 ;;
  esac
}
export -f one

run_all() {
  local failed=0
  nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
  printf 'packetwarp %s (%s)\n' "$(cat VERSION)" "${COMMIT:-$(git rev-parse --short HEAD 2>/dev/null || echo 'of an unknown commit')}"
  for executor in "$@"; do for file in ${TESTS:-$default}; do printf '%s %s\n' "$executor" "$file"; done; done |
    xargs -P 2 -L 1 bash -c 'one "$@"' one || failed=1
  printf 'gpu-end-to-end: %s in %d s\n' "$([ $failed -eq 0 ] && echo passed || echo FAILED)" $SECONDS
  return $failed
}
run_all "$@" 2>&1 | tee "$output"
exit "${PIPESTATUS[0]}"
