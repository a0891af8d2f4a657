#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ci/lint.sh [--fix | --quick]: include directions, formatting, shellcheck on the scripts, what docs name and how they say it, clang-tidy on
# the C++. --quick leaves out clang-tidy, which takes minutes; --fix formats.
set -euo pipefail
cd "$(dirname "$0")/.."
# One version formats alike everywhere; the distribution's default serves where it is not there.
tool() { command -v "$1-14" || command -v "$1" || { printf 'lint: %s is not installed: make setup\n' "$1" >&2; exit 1; }; }
format=$(tool clang-format)
mapfile -t sources < <(git ls-files --cached --others --exclude-standard 'src/*.h' 'src/*.cpp' 'src/*.cu' 'src/*.cuh' \
  'tests/*.h' 'tests/*.cpp' 'tests/*.cu' 'benchmarks/*.cpp' 'benchmarks/*.h' 'benchmarks/*.cu')
if [ "${1:-}" = --fix ]; then
  "$format" -i "${sources[@]}"
  exit
fi
failed=0
check() { printf 'lint: %s\n' "$1"; shift; "$@" || failed=1; }

check "include directions" ci/layers.sh
check "formatting" "$format" --dry-run --Werror "${sources[@]}"
mapfile -t scripts < <(git ls-files --cached --others --exclude-standard '*.sh' .ci/run)
check "shell scripts" shellcheck --severity=warning "${scripts[@]}"
check "documentation" .venv/bin/python3 python/check_docs.py
check "words" .venv/bin/python3 python/check_words.py
tidy_all() {
  # What changed since it last passed: clang-tidy takes seconds a file. It does not know every warning that gcc does.
  mkdir -p build/tidy
  local file stamp wanted=()
  local headers
  headers=$({ cat .clang-tidy; git ls-files -z 'src/*.h' | xargs -0 cat; } | sha256sum | cut -c1-16)
  while IFS= read -r file; do
    stamp=build/tidy/$(cat "$file" - <<<"$headers" | sha256sum | cut -c1-32)
    [ -f "$stamp" ] || wanted+=("$file" "$stamp")
  done < <(git ls-files 'src/*.cpp')
  [ ${#wanted[@]} -gt 0 ] || return 0
  # Without gcc's precompiled headers, which clang cannot read: files include what they use.
  sed -E 's/ (-Winvalid-pch )?-include [^ ]*cmake_pch\.hxx//g' build/release/compile_commands.json >build/tidy/compile_commands.json
  printf '%s\0' "${wanted[@]}" | xargs -0 -n 2 -P "$(nproc)" bash -c \
    '"$0" --quiet --extra-arg=-Wno-unknown-warning-option -p build/tidy "$1" 2>/dev/null && touch "$2"' "$(tool clang-tidy)"
}
[ "${1:-}" = --quick ] || check "clang-tidy" tidy_all
[ $failed -eq 0 ] && printf 'lint: clean\n'
exit $failed
