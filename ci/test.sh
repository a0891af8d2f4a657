#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ci/test.sh: one build with ASan and UBSan, and what it can show in 15 minutes. Each stage prints the tests that it ran;
# the last lines name the skipped ones and the reasons.
#   end to end               each function packet by packet, and attacks, by the sanitized program (label "first")
#   unit tests               all that are not in a stage of their own
# A sanitizer's stage that passed is not run again while its programs and the tests' files are the same; AGAIN=1 runs
# it.
# ci/test.sh end_to_end: all end-to-end tests by the program as a user has it, the release build (label "end_to_end").
# ci/test.sh chains: the tests of every chain of functions under ASan and UBSan (label "chains").
# ci/test.sh tools: the tests of programs that measure, report, pack and deploy (label "tools"), and unit tests of commands'
# options, of bench and of the doctor under ASan and UBSan (label "off_path").
# ci/test.sh docs: what the documentation and the examples show (label "docs").
# ci/test.sh attacks: attacks beside a stranger's flow (label "attacks").
# ci/test.sh others: the three at once, which wait for processes and times most of the time; WITHOUT=attacks leaves these
# out.
# ci/test.sh release [units|gpu]: the unit tests compiled like the program, without those of code that is not optimized there
# either; and the tests that need a GPU, which say so without one, with all benchmarks.
# ci/test.sh threads: the tests whose threads share memory (label "threads") under TSan.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p build/reports
started=$SECONDS
at_a_time=5
around=()

# with_few_drivers COMMAND...: runs it where DPDK's folder of drivers has those of virtual ports only. The EAL loads every
# driver that is there, 190 of them, at each start: 50 of its 90 ms of CPU time. The others are there by the name that
# testpmd is linked with, under which the EAL does not look for drivers. Without root the command runs as it is.
with_few_drivers() {
  local all few driver
  all=$(dirname "$(find /usr/lib /usr/local/lib -path '*/dpdk/pmds-*/librte_net_null.so' -print -quit 2>/dev/null)")
  if [ "$all" = . ] || ! unshare --mount true 2>/dev/null; then
    "$@"
    return
  fi
  few=$PWD/build/few_drivers/$(basename "$all")
  mkdir -p "$few"
  for driver in bus_{vdev,pci,auxiliary} mempool_{ring,stack} net_{null,ring,pcap,tap,af_packet,af_xdp,memif,virtio,vhost,bond}; do
    cp -au "$all/librte_$driver".so* "$few"
  done
  find "$all" -regex '.*\.so\.[0-9]+' -exec cp -Lun {} "$few" \;
  # shellcheck disable=SC2016 # the inner shell's words
  unshare --mount bash -c 'mount --bind "$1" "$2" && shift 2 && exec "$@"' bash "$few" "$all" "$@"
}
stage() { printf '\n== %s\n' "$*"; }
# ctest_of STAGE PRESET CTEST_OPTION...: runs these tests of the preset; build/reports/STAGE.xml has the results.
ctest_of() {
  local stage=$1 preset=$2
  shift 2
  # On any machine: their lcores are CPUs 0 and 1, and each waits for processes and for other ends.
  "${around[@]}" .venv/bin/ctest --test-dir "build/$preset" --output-on-failure --no-tests=error -j "$at_a_time" \
    --test-output-truncation middle --output-junit "$PWD/build/reports/$stage.xml" "$@"
}
# inputs_of STAGE PRESET: the inputs of a stage's result: its programs (fuzz targets are no tests), all files that they
# and the tests in Python read, and whether perftest is there.
inputs_of() {
  local programs=build/$2
  [ "$1" != first ] || programs+=/src
  { find "$programs" \( -name CMakeFiles -o -path "build/$2/tests/fuzz" \) -prune -o -type f -perm -u+x -print0
    find tests python examples src -type f ! -name '*.pyc' -print0
    find build/rdma/debian -maxdepth 1 -name complete -print0 2>/dev/null || true; } | sort -z | xargs -0 sha256sum | sha256sum
}
# with_lines: builds the failed tests of build/asan with debug information and runs them again, for a report that names
# lines. All tests with it take the compiler a quarter longer. (build/tsan has it: a race may not come again.)
with_lines() {
  local names=() name
  while IFS=: read -r _ name; do
    # A test in Python is no program of the build.
    [ -z "$(find build/asan/tests -type f -name "$name" -perm -u+x)" ] || names+=("$name")
  done <build/asan/Testing/Temporary/LastTestsFailed.log
  [ ${#names[@]} -gt 0 ] || return 0
  stage "failed, and now again with lines: ${names[*]}"
  ci/build.sh asan_lines "${names[@]}"
  if .venv/bin/ctest --test-dir build/asan_lines --output-on-failure -R "^($(IFS='|'; printf '%s' "${names[*]}"))\$"; then
    printf 'with lines they pass: the programs that failed are in build/asan\n'
  fi
}
# sanitized STAGE PRESET CTEST_OPTION...: runs these tests of the preset, unless the same build has passed the stage.
sanitized() {
  local passed=build/reports/$1.passed preset=$2 inputs
  inputs=$(inputs_of "$1" "$preset")
  if [ -z "${AGAIN:-}" ] && [ "$(cat "$passed" 2>/dev/null)" = "$inputs" ]; then
    printf 'not run: it passed at %s, and nothing it is made of has changed (AGAIN=1 runs it again)\n' \
      "$(date -r "$passed" '+%F %T')"
    return
  fi
  rm -f "$passed"
  if ! ctest_of "$@"; then
    [ "$preset" != asan ] || with_lines
    return 1
  fi
  printf '%s\n' "$inputs" >"$passed"
}
summarize() { .venv/bin/python python/summarize_tests.py "$@"; }

if [ "${1:-}" = chains ]; then
  stage "chains under AddressSanitizer and UndefinedBehaviorSanitizer"
  ci/build.sh asan chain_tests
  sanitized chains asan -L chains
  summarize build/reports/chains.xml
  exit
fi

# others_of STAGE LABEL...: the tests that are not in make test, with any of these labels.
others_of() {
  local stage=$1 reports=("build/reports/$1.xml") labels
  shift
  labels=$(IFS='|'; printf '%s' "$*")
  stage "${*} (release)"
  ci/build.sh release packetwarp end_to_end_programs
  at_a_time=6 ctest_of "$stage" release -L "^($labels)\$"
  if [[ " $* " == *" tools "* ]]; then
    stage "unit tests off the path under AddressSanitizer and UndefinedBehaviorSanitizer"
    ci/build.sh asan off_path_tests
    sanitized off_path asan -L off_path
    reports+=(build/reports/off_path.xml)
  fi
  summarize "${reports[@]}"
}

case ${1:-} in
  tools | docs | attacks) others_of "$1" "$1"; exit ;;
  others)
    labels=(tools docs)
    [ "${WITHOUT:-}" = attacks ] || labels+=(attacks)
    others_of others "${labels[@]}"
    exit
    ;;
esac

if [ "${1:-}" = release ]; then
  reports=()
  if [ "${2:-}" != gpu ]; then
    stage "unit tests (release)"
    ci/build.sh release unit_tests chain_tests
    ctest_of release release -LE 'end_to_end|tools|docs|attacks|off_path|gpu'
    reports+=(build/reports/release.xml)
  fi
  if [ "${2:-}" != units ]; then
    stage "tests that need a GPU (release)"
    ci/build.sh release device_tests benchmarks
    ctest_of release_gpu release -L gpu
    .venv/bin/python3 python/gpu/stale_reads.py build/release/tests/inspection/inspection_device_test --cuobjdump .venv/cuda/bin/cuobjdump
    reports+=(build/reports/release_gpu.xml)
  fi
  summarize "${reports[@]}"
  exit
fi

if [ "${1:-}" = threads ]; then
  stage "threads under ThreadSanitizer"
  ci/build.sh tsan thread_tests
  TSAN_OPTIONS="suppressions=$PWD/tests/tsan.supp halt_on_error=1" sanitized tsan tsan -L threads
  summarize build/reports/tsan.xml
  exit
fi

around=(with_few_drivers)
if [ "${1:-}" = end_to_end ]; then
  stage "end to end (release)"
  ci/build.sh release packetwarp end_to_end_programs
  # Without the tests of another label, if the environment says so.
  at_a_time=6 ctest_of end_to_end release -L end_to_end ${WITHOUT:+-LE "$WITHOUT"}
  summarize build/reports/end_to_end.xml
  exit
fi

# The end-to-end tests wait for processes and times half of the time: meanwhile the unit tests compile.
ci/build.sh asan packetwarp
setsid ci/beside.sh ci/build.sh asan unit_tests >build/asan_beside.log 2>&1 &
beside=$!
trap 'kill -- "-$beside" 2>/dev/null || true' EXIT
stage "end to end, and attacks, under AddressSanitizer and UndefinedBehaviorSanitizer"
LSAN_OPTIONS="suppressions=$PWD/tests/lsan.supp:print_suppressions=0" at_a_time=6 sanitized first asan -L first
stage "unit tests under AddressSanitizer and UndefinedBehaviorSanitizer"
{ echo 0 >"/proc/$beside/autogroup"; } 2>/dev/null || true
wait "$beside" || { cat build/asan_beside.log; exit 1; }
trap - EXIT
cat build/asan_beside.log
sanitized asan asan -LE 'end_to_end|tools|docs|attacks|chains|off_path|races|first'

summarize build/reports/first.xml build/reports/asan.xml
printf 'make test: passed in %d s\n' $((SECONDS - started))
