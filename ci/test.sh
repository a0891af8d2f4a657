#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Everything that holds without hardware. Each stage says what it ran; the last lines say what was skipped and why.
#   unit and end to end      the release build
#   address, undefined       the same unit tests under ASan and UBSan
#   thread                   the tests where threads share (label "threads") under TSan
#   fuzz                     ten seconds of every parser
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p build/reports
started=$SECONDS

stage() { printf '\n== %s\n' "$*"; }
ctest_of() {
  local preset=$1
  shift
  .venv/bin/ctest --test-dir "build/$preset" --output-on-failure --no-tests=error -j 2 \
    --output-junit "$PWD/build/reports/$preset.xml" "$@"
}

stage "unit and end to end (release)"
ctest_of release
stage "unit under AddressSanitizer and UndefinedBehaviorSanitizer"
ci/build.sh asan
ctest_of asan -LE end_to_end
stage "threads under ThreadSanitizer"
ci/build.sh tsan thread_tests
TSAN_OPTIONS="suppressions=$PWD/tests/tsan.supp halt_on_error=1" ctest_of tsan -L threads
stage "fuzzing, ten seconds a target"
ci/fuzz.sh 10

.venv/bin/python python/summarize_tests.py build/reports/release.xml build/reports/asan.xml build/reports/tsan.xml
printf 'make test: passed in %d s\n' $((SECONDS - started))
