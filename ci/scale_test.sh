#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ci/scale_test.sh [PACKETWARP]: replicas of examples/scale-out with FRR beside them, in network namespaces.
# Without root or FRR a line gives the reason, and nothing is tested.
#   PYTEST_ADDOPTS   more options for pytest, such as "--figures benchmarks/results/cluster/scale.txt"
set -euo pipefail
cd "$(dirname "$0")/.."
program=$(realpath "${1:-build/packetwarp}")
[ -x "$program" ] || { printf 'scale-test: error: %s does not exist: build it first (make build)\n' "$program" >&2; exit 1; }
mkdir -p build/reports
status=0
.venv/bin/python3 -m pytest tests/scale -q -rs -s -p no:cacheprovider --junit-xml build/reports/scale.xml --packetwarp "$program" || status=$?
# 43: all tests were skipped.
[ $status -ne 43 ] || { printf 'scale-test: skipped, nothing was tested: pytest says why above\n'; exit 0; }
[ $status -eq 0 ] || { printf 'scale-test: failed after %d s\n' $SECONDS; exit 1; }
printf 'scale-test: passed in %d s\n' $SECONDS
