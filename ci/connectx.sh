#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ci/connectx.sh [OPTION...] [STAGE...]: the tests that need a ConnectX NIC (driver mlx5), on a machine that has one; as
# root. All commands and their results go to a file to commit: benchmarks/results/MACHINE/connectx.txt.
#   STAGE                   capabilities, rules, hairpin, transfer, gpudirect, writes, rates (default: all)
#   --port PCI              the port under test, such as 0000:b5:00.0 (default: the first ConnectX with a link)
#   --peer PCI              the sending port, at the cable's other end (default: the second one; none: nothing is sent)
#   --lcores LIST           CPUs for packetwarp and testpmd (default: half of the NIC's node)
#   --generator-lcores LIST CPUs for the generator (default: the other half)
#   --seconds N             of each rate (default 10)
#   --output FILE           instead of that file
#   --binary PROGRAM        instead of build/packetwarp
#   --dry-run               print the commands and the files, run nothing; needs no NIC
# Exit status: 0 done, whatever the NIC refused; 1 no such NIC, or a program did not start; 2 wrong usage.
set -euo pipefail
cd "$(dirname "$0")/.."
usage() { printf 'connectx: error: %s; see the head of ci/connectx.sh\n' "$1" >&2; exit 2; }
port='' peer='' lcores='' generator_lcores='' seconds=10 output='' binary=build/packetwarp dry=no stages=()
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) sed -n '3,16s/^# \{0,1\}//p' "$0"; exit 0 ;;
    --dry-run) dry=yes; shift; continue ;;
    --port | --peer | --lcores | --generator-lcores | --seconds | --output | --binary) [ $# -ge 2 ] || usage "$1 needs a value" ;;
    -*) usage "$1: no such option" ;;
    capabilities | rules | hairpin | transfer | gpudirect | writes | rates) stages+=("$1"); shift; continue ;;
    *) usage "$1: no such stage; there are capabilities, rules, hairpin, transfer, gpudirect, writes, rates" ;;
  esac
  case $1 in
    --port) port=$2 ;; --peer) peer=$2 ;; --lcores) lcores=$2 ;; --generator-lcores) generator_lcores=$2 ;;
    --seconds) seconds=$2 ;; --output) output=$2 ;; --binary) binary=$2 ;;
  esac
  shift 2
done
[[ $seconds =~ ^[1-9][0-9]*$ ]] || usage "--seconds $seconds: a whole number from 1 on"
for list in "$lcores" "$generator_lcores"; do [[ $list =~ ^([0-9]+(-[0-9]+)?(,[0-9]+(-[0-9]+)?)*)?$ ]] || usage "'$list' is no list of CPUs, such as 2-5,8"; done
for address in "$port" "$peer"; do
  [[ $address =~ ^([0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]|none|)$ ]] || usage "'$address' is no PCI address, such as 0000:b5:00.0"
done
[ "$port" != none ] || usage "--port none: a port is needed"

# Ethernet ports of vendor 15b3 that mlx5_core has.
devices=/sys/bus/pci/devices
is_connectx() {
  [ "$(cat "$devices/$1/vendor" 2>/dev/null)" = 0x15b3 ] && [[ $(cat "$devices/$1/class" 2>/dev/null) == 0x0200* ]] &&
    [ "$(basename "$(readlink -f "$devices/$1/driver")")" = mlx5_core ]
}
found=()
for device in "$devices"/*; do
  if is_connectx "${device##*/}"; then found+=("${device##*/}"); fi
done
if [ $dry = yes ] && [ ${#found[@]} -eq 0 ]; then found=(0000:b5:00.0 0000:b5:00.1); fi
for address in ${port:+"$port"} ${peer:+"$peer"}; do
  if [ "$address" != none ] && [ $dry = no ] && ! is_connectx "$address"; then
    printf 'connectx: error: %s is no Ethernet port of a ConnectX on mlx5_core (vendor 15b3, class 0200); there are: %s\n' "$address" "${found[*]:-none}" >&2
    exit 1
  fi
done
if [ ${#found[@]} -eq 0 ]; then
  printf 'connectx: error: no ConnectX here: no device of vendor 15b3 and class 0200 with the driver mlx5_core below %s\n' "$devices" >&2
  exit 1
fi
port=${port:-${found[0]}}
for device in "${found[@]}"; do if [ "$device" != "$port" ]; then peer=${peer:-$device}; fi; done
[ "$peer" != none ] || peer=''

python=.venv/bin/python3
[ -x $python ] || python=python3
# half N: CPUs of the NIC's node that this shell may use, the first or the second half.
half() {
  "$python" - "$1" "$devices/$port/local_cpulist" <<'PYTHON'
import os, sys
usable = sorted(os.sched_getaffinity(0))
try:
    parts = [part.split("-") for part in open(sys.argv[2]).read().strip().split(",")]
    near = [cpu for ends in parts for cpu in range(int(ends[0]), int(ends[-1]) + 1) if cpu in usable]
except (OSError, ValueError):
    near = []
near = near if len(near) >= 2 else usable
middle = max(len(near) // 2, 1)
print(",".join(map(str, near[:middle] if sys.argv[1] == "1" else near[middle:] or near)))
PYTHON
}
lcores=${lcores:-$(half 1)}
generator_lcores=${generator_lcores:-$(half 2)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
arguments=(--packetwarp "$binary" --port "$port" ${peer:+--peer "$peer"} --lcores "$lcores" --generator-lcores "$generator_lcores" --seconds "$seconds"
  --folder "$work")
if [ $dry = yes ]; then
  "$python" python/connectx/connectx.py "${arguments[@]}" --dry-run "${stages[@]}"
  exit
fi
[ -x "$binary" ] || { printf 'connectx: error: %s does not exist: build it first (make build)\n' "$binary" >&2; exit 1; }

# The head of the result: command, commit, machine, NIC.
machine() {
  printf 'command   ci/connectx.sh --port %s%s --lcores %s --generator-lcores %s --seconds %s %s\n' "$port" "${peer:+ --peer $peer}" "$lcores" \
    "$generator_lcores" "$seconds" "${stages[*]}"
  printf 'commit    %s%s\n' "$(git rev-parse HEAD 2>/dev/null || echo unknown)" "$(git diff --quiet HEAD 2>/dev/null || echo ' and changes')"
  printf 'date      %s\n' "$(date -u +%FT%TZ)"
  printf 'machine   %s, %s CPUs, %s, kernel %s\n' "$(sed -n 's/^model name[^:]*: //p;T;q' /proc/cpuinfo)" "$(nproc)" \
    "$(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' /etc/os-release)" "$(uname -r)"
  printf 'program   %s\n' "$("$binary" --version | tr '\n' ' ')"
  local address interface
  for address in "$port" ${peer:+"$peer"}; do
    interface=$(find "$devices/$address/net/" -mindepth 1 -maxdepth 1 -printf '%f' -quit 2>/dev/null || true)
    printf 'nic       %s, node %s, firmware and driver:%s\n' "$(lspci -s "$address" 2>/dev/null || echo "$address")" \
      "$(cat "$devices/$address/numa_node")" "$(ethtool -i "${interface:-none}" 2>/dev/null | sed -n 's/^\(driver\|version\|firmware-version\): / /p' | tr -d '\n')"
  done
  printf 'gpu       %s\n' "$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null || echo none)"
}
output=${output:-$("$python" python/bench_l2fwd.py --print-folder)/connectx.txt}
mkdir -p "$(dirname "$output")"
status=0
{ machine && "$python" python/connectx/connectx.py "${arguments[@]}" "${stages[@]}"; } 2>&1 | tee "$output" || status=1
printf 'connectx: %s\n' "$output"
exit "$status"
