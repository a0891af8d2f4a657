#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ci/tidy.sh [--changed [BASE] | FOLDER...]: whether headers compile alone (cmake/Headers.cmake), and clang-tidy. For
# all of src/, for these folders of it, or for the files changed since BASE, the most changed ones first and
# MOST_CHANGED=40 of them at most: by default since the main branch, or since the previous commit if nothing has
# changed. Files that passed are not checked again before they change.
set -euo pipefail
cd "$(dirname "$0")/.."
tidy=$(command -v clang-tidy-14 || command -v clang-tidy) || { printf 'tidy: no clang-tidy: make setup\n' >&2; exit 1; }

base_of() {
  local head main
  head=$(git rev-parse HEAD)
  main=$(git merge-base HEAD origin/main 2>/dev/null || git merge-base HEAD main 2>/dev/null || printf '%s' "$head")
  # On the main branch itself: its last commit.
  if [ "$main" = "$head" ] && git diff --quiet HEAD -- src; then main=$(git rev-parse --verify --quiet HEAD^ || printf '%s' "$head"); fi
  printf '%s' "$main"
}
# Files of src/ that differ from the commit, those with the most changed lines first.
changed_since() {
  { git diff --numstat --diff-filter=d --no-renames "$1" -- src | awk '{ print $1 + $2, $3 }'
    git ls-files --others --exclude-standard src | sed 's/^/1000 /'; } | sort -rn | cut -d ' ' -f 2-
}
# The file that clang-tidy checks in place of a file: itself, or for a header the .cpp beside it, else the first file
# that includes it.
looked_at_for() {
  case $1 in
    *.cpp) printf '%s\n' "$1" ;;
    *.h)
      if [ -f "${1%.h}.cpp" ]; then printf '%s\n' "${1%.h}.cpp"
      else grep -rlF "#include \"${1#src/}\"" src --include='*.cpp' | sort | head -n 1 || true; fi ;;
  esac
}

changed=no
files=()
if [ "${1:-}" = --changed ]; then
  changed=yes
  base=${2:-$(base_of)}
  git rev-parse --verify --quiet "$base^{commit}" >/dev/null || { printf 'tidy: %s is no commit\n' "$base" >&2; exit 2; }
  mapfile -t since < <(changed_since "$base")
  headers=()
  for file in "${since[@]}"; do
    [[ $file != *.h ]] || headers+=("$file")
    mapfile -t -O ${#files[@]} files < <(looked_at_for "$file")
  done
  mapfile -t files < <(printf '%s\n' "${files[@]}" | awk 'NF && !seen[$0]++')
  most=${MOST_CHANGED:-40}
  headers=("${headers[@]:0:$((2 * most))}")
  printf 'tidy: %d files of src/ have changed since %s\n' ${#since[@]} "$(git rev-parse --short "$base")"
  if [ ${#files[@]} -gt "$most" ]; then
    printf 'tidy: looks at the %d of %d that have changed most; make lint looks at all\n' "$most" ${#files[@]}
    files=("${files[@]:0:most}")
  fi
else
  mapfile -t files < <(git ls-files "${@:-src}" | grep '^src/.*\.cpp$')
fi

# Every file's own command, without the precompiled headers of a compiler that is not clang. "debug" compiles files one by one.
mkdir -p build/tidy
.venv/bin/cmake --preset debug -B build/tidy >build/tidy.log 2>&1 || { cat build/tidy.log; exit 1; }
mkdir -p build/tidy/commands build/tidy/passed
sed -E 's/ (-Winvalid-pch )?-include [^ ]*cmake_pch\.hxx//g' build/tidy/compile_commands.json >build/tidy/commands/compile_commands.json

failed=0
headers_alone() {
  local begin=$SECONDS targets=(headers_alone)
  if [ $changed = yes ]; then
    [ ${#headers[@]} -gt 0 ] || return 0
    # The changed files, and no header that only includes one.
    local header
    targets=()
    for header in "${headers[@]}"; do
      targets+=("$(sed -n "s|^build \(.*headers_alone/${header#src/}\.cpp\.o\): .*|\1|p" build/tidy/build.ninja)")
    done
  fi
  export CCACHE_SLOPPINESS=pch_defines,time_macros
  .venv/bin/cmake --build build/tidy --target "${targets[@]}" -- -k 0 >build/tidy.log 2>&1 ||
    { grep -vE '^(ninja|FAILED|/usr|\[)' build/tidy.log; return 1; }
  printf 'tidy: headers compile alone, in %d s\n' $((SECONDS - begin))
}
headers_alone || failed=1

tidy_files() {
  # Files that changed since they last passed: clang-tidy takes seconds per file. It does not know every warning that
  # gcc does.
  local file stamp settings wanted=() begin=$SECONDS
  settings=$({ cat .clang-tidy; git ls-files -z 'src/*.h' | xargs -0 cat; } | sha256sum | cut -c1-16)
  for file in "${files[@]}"; do
    stamp=build/tidy/passed/$(cat "$file" - <<<"$settings" | sha256sum | cut -c1-32)
    [ -f "$stamp" ] || wanted+=("$file" "$stamp")
  done
  [ ${#wanted[@]} -gt 0 ] || return 0
  printf '%s\0' "${wanted[@]}" | xargs -0 -n 2 -P "$(nproc)" bash -c \
    '"$0" --quiet --extra-arg=-Wno-unknown-warning-option -p build/tidy/commands "$1" 2>/dev/null && touch "$2"' "$tidy" || return 1
  printf 'tidy: %d files in %d s\n' $((${#wanted[@]} / 2)) $((SECONDS - begin))
}
tidy_files || failed=1
exit $failed
