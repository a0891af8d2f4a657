#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ci/demo.sh [BINARY]: packetwarp on any machine, in half a minute. Any mismatch is an exit status of 1.
#   1  forwards a capture of real traffic; scapy and tshark, which share no code with it, check every byte
#   2  runs at full rate over a wire inside the process, with a generator that verifies every packet
#   3  judges a recording of real attacks by a model, and compares with its labels
#   4  sends this recording, as fast as it was recorded, to a packetwarp that answers whether a packet is anomalous
set -euo pipefail
cd "$(dirname "$0")/.."
binary=${1:-build/packetwarp}
python=.venv/bin/python3
# The first two CPUs that this shell may use; one is enough.
lcores=$("$python" -c 'import os; print(",".join(map(str, sorted(os.sched_getaffinity(0))[:2])))')
capture=tests/captures/mixed.pcap
work=$(mktemp -d)
trap '[ -z "${asked:-}" ] || { kill "$asked" && wait "$asked"; } 2>/dev/null; rm -rf "$work"' EXIT

# Shows a command, runs it, and shows its standard error only if it failed.
show() {
  printf '$'
  local word
  for word; do case $word in *' '*) printf ' "%s"' "$word" ;; *) printf ' %s' "$word" ;; esac; done
  printf '\n'
  "$@" 2>"$work/stderr" && return
  cat "$work/stderr" >&2
  printf 'demo: failed\n' >&2
  exit 1
}

printf '== 1. A capture in, a capture out\n\n'
show "$binary" l2fwd -l "$lcores" --no-pci "--vdev=net_pcap0,rx_pcap=$capture,tx_pcap=$work/out.pcap" -- -w cpu --until-idle 100ms
printf '\n'
show "$python" python/check_l2fwd.py -w cpu "$capture" "$work/out.pcap"

printf '\n== 2. Full rate, through the same data plane\n\n'
show "$binary" generate -l "$lcores" --no-pci -- --through "-w cpu" --duration 3s

printf '\n== 3. Attacks in real traffic, found by a model\n\n'
show "$python" python/record_traffic/judge_labels.py "$binary" models/detect.onnx tests/data/detect/demo.pcap tests/data/detect/demo.labels

printf '\n== 4. Live: is this packet anomalous?\n\n'
wire="socket=$work/wire,socket-abstract=no"
"$binary" run --in-memory --no-pci -l "$lcores" "--vdev=net_memif0,role=server,$wire" -- -c examples/detect/answer.yaml --control "$work/control" >"$work/asked" 2>"$work/asked_stderr" &
asked=$!
until [ -S "$work/wire" ] && [ -S "$work/control" ]; do
  kill -0 "$asked" 2>/dev/null || { cat "$work/asked_stderr" >&2; exit 1; }
  sleep 0.1
done
show "$binary" generate --in-memory --no-pci -l "$lcores" "--vdev=net_memif0,role=client,$wire" -- --labelled tests/data/detect/demo.pcap --linger 1s --json "$work/answers.json"
printf '\n'
show "$python" python/record_traffic/judge_answers.py "$work/answers.json"

printf '\ndemo: every packet came out as it has to\n'
