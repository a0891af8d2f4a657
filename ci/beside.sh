#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# setsid ci/beside.sh COMMAND...: runs it with the time that all others leave of the processors. (Where the kernel groups
# processes by session, the session has a priority of its own.)
set -euo pipefail
{ echo 19 >/proc/self/autogroup; } 2>/dev/null || true
exec nice -n 19 "$@"
