#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Writes the requirements*.txt of python/ and python/train/ anew from the requirements*.in beside them: every package
# that these need, at one version, with the hashes of all its files, so that `pip install --require-hashes` takes
# nothing else. Versions in the .txt files stay; `ci/lock_python.sh --upgrade` takes newer versions of packages that no
# .in file pins.
set -euo pipefail
cd "$(dirname "$0")/.."
tools=$(mktemp -d)
trap 'rm -rf "$tools"' EXIT
python3 -m venv "$tools/venv"
"$tools/venv/bin/pip" install --quiet --disable-pip-version-check 'pip-tools==7.6.2'
for wanted in python/requirements*.in python/train/requirements.in; do
  locked=${wanted%.in}.txt
  (cd "$(dirname "$wanted")" && CUSTOM_COMPILE_COMMAND=ci/lock_python.sh "$tools/venv/bin/pip-compile" --quiet --generate-hashes \
    --no-emit-index-url --no-emit-trusted-host --no-emit-find-links --no-annotate --strip-extras --allow-unsafe \
    "$@" -o "$(basename "$locked")" "$(basename "$wanted")")
  printf 'lock_python: %s, %s packages\n' "$locked" "$(grep -c '^[a-z].*==' "$locked")"
done
