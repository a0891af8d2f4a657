#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ci/soak.sh [--mixed-only] [PACKETWARP]: attacks for SOAK_SECONDS=3600 seconds, all at once, mixed at random, while
# strangers' flows must go on; before that each attack by itself in its long form, unless --mixed-only is given.
#   SOAK_SEED=N      the same mixtures again (the seed is printed)
#   EXECUTOR=NAME    of packetwarp run (default: cpu)
# The measurements go to build/reports/soak.txt.
set -euo pipefail
cd "$(dirname "$0")/.."
mixed_only=no
if [ "${1:-}" = --mixed-only ]; then
  mixed_only=yes
  shift
fi
program=$(realpath "${1:-build/packetwarp}")
[ -x "$program" ] || { printf 'soak: error: %s does not exist: build it first (make build)\n' "$program" >&2; exit 1; }
python=.venv/bin/python3
[ -x $python ] || python=python3
mkdir -p build/reports

# attack FILE OPTION...: the file first, by which pytest finds the options.
attack() {
  "$python" -m pytest "$@" -q -rs -p no:cacheprovider --packetwarp "$program" --executor "${EXECUTOR:-cpu}"
}
everything() {
  local failed=0 file
  printf 'packetwarp %s (%s), executor %s\n' "$(cat VERSION)" "${COMMIT:-$(git rev-parse --short HEAD 2>/dev/null || echo 'of an unknown commit')}" \
    "${EXECUTOR:-cpu}"
  if [ $mixed_only = no ]; then
    for file in tests/adversarial/test_*.py; do
      [ "$file" = tests/adversarial/test_soak.py ] || attack "$file" --long || [ $? -eq 43 ] || failed=1
    done
  fi
  attack tests/adversarial/test_soak.py -s --soak "${SOAK_SECONDS:-3600}" || failed=1
  printf 'soak: %s in %d s\n' "$([ $failed -eq 0 ] && echo passed || echo FAILED)" $SECONDS
  return $failed
}
everything 2>&1 | tee build/reports/soak.txt
exit "${PIPESTATUS[0]}"
