#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ci/lint.sh [--fix | --quick | --changed [BASE]]: include directions, sizes of folders and files, formatting, the
# scripts by ShellCheck, the names in docs and their words, headers that compile alone, clang-tidy. Each checks all
# files; --quick leaves out the last two, which take minutes, and --changed makes these check the files changed since
# BASE (default: the main branch); --fix formats.
set -euo pipefail
cd "$(dirname "$0")/.."
# A single version formats alike everywhere; the distribution's default serves if it is missing.
tool() { command -v "$1-14" || command -v "$1" || { printf 'lint: %s is not installed: make setup\n' "$1" >&2; exit 1; }; }
format=$(tool clang-format)
mapfile -t sources < <(git ls-files --cached --others --exclude-standard 'src/*.h' 'src/*.cpp' 'src/*.cu' 'src/*.cuh' \
  'tests/*.h' 'tests/*.cpp' 'tests/*.cu' 'benchmarks/*.cpp' 'benchmarks/*.h' 'benchmarks/*.cu')
if [ "${1:-}" = --fix ]; then
  "$format" -i "${sources[@]}"
  exit
fi
failed=0
check() {
  local name=$1 begin=$SECONDS
  shift
  printf 'lint: %s\n' "$name"
  "$@" || failed=1
  [ $((SECONDS - begin)) -lt 10 ] || printf 'lint: %s took %d s\n' "$name" $((SECONDS - begin))
}

check "include directions" ci/layers.sh
check "sizes of folders and files" ci/sizes.sh
check "formatting" "$format" --dry-run --Werror "${sources[@]}"
mapfile -t scripts < <(git ls-files --cached --others --exclude-standard '*.sh' .ci/run)
check "shell scripts" shellcheck --severity=warning "${scripts[@]}"
check "documentation" .venv/bin/python3 python/check_docs.py
check "words" .venv/bin/python3 python/check_words.py
case ${1:-} in
  --quick) ;;
  --changed) check "headers and clang-tidy, of what has changed" ci/tidy.sh --changed ${2:+"$2"} ;;
  *) check "headers and clang-tidy" ci/tidy.sh ;;
esac
[ $failed -eq 0 ] && printf 'lint: clean\n'
exit $failed
