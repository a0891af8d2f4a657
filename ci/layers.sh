#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Includes go one way: a folder of src/ may include itself and the folders before it in this list, and only the folders
# named below may include DPDK, CUDA's runtime, or ethdev. Prints each line that breaks the rule.
set -euo pipefail
cd "$(dirname "$0")/.."
FOLDERS=(base wire address telemetry request gpu memory port burst capture routing function file executor control flow egress punt worker twin plan pipeline master module network traffic rdma bench doctor cli)

broken=0
complain() { printf 'layers: %s\n' "$*" >&2; broken=1; }

declare -A rank
for i in "${!FOLDERS[@]}"; do rank[${FOLDERS[$i]}]=$i; done

for folder in src/*/; do
  name=$(basename "$folder")
  [ -n "${rank[$name]:-}" ] || { complain "src/$name is not in the list of folders"; continue; }
  while IFS=: read -r file line included; do
    from=${included%%/*}
    if [ -z "${rank[$from]:-}" ]; then
      complain "$file:$line includes \"$included\", which is in no folder"
    elif [ "${rank[$from]}" -gt "${rank[$name]}" ]; then
      complain "$file:$line includes \"$included\": $name comes before $from"
    fi
  done < <(grep -rnoP '^\s*#\s*include\s*"\K[^"]+' "$folder" --include='*.h' --include='*.cpp' --include='*.cu' --include='*.cuh' || true)
done

# forbid PATTERN WHY FOLDER...: only those folders may include headers that match.
forbid() {
  local pattern=$1 why=$2
  shift 2
  local allowed
  allowed=$(IFS='|'; echo "$*")
  while IFS= read -r hit; do complain "$hit: $why"; done < <(
    grep -rnE "^\s*#\s*include\s*<($pattern)" src | grep -vE "^src/($allowed)/" || true)
}
forbid 'rte_ethdev|rte_eth_' 'only port/ knows ethdev' port
forbid 'rte_' 'only these folders know DPDK: base (cycles), gpu, memory, port, burst, capture, executor, control, flow, egress, punt, worker, twin, plan, pipeline, master, module, network, traffic, cli' \
  base gpu memory port burst capture executor control flow egress punt worker twin plan pipeline master module network traffic cli
forbid 'yaml-cpp' 'only file/ reads YAML' file
forbid 'CLI/' 'only cli/ has options' cli
forbid 'cuda_runtime|cuda\.h' 'only gpu/ and executor/ know the CUDA runtime' gpu executor rdma
while IFS= read -r hit; do complain "$hit: network/ reads no YAML: modules read their own keys"; done < <(
  grep -rnE '^\s*#\s*include\s*"file/' src/network || true)

# Functions are known by their names in their own folders (function/<name>, module/<name>), in the list of chains
# (function/chains.cmake) and in that of modules (module/modules.cpp). Other files that name one are in this list, which
# only shrinks: each of its lines must still be needed.
NAMED_BESIDE=(
  # The functions of l2fwd and the generator.
  src/plan/config.h src/cli/l2fwd/options.cpp src/traffic/loop.cpp
)
mapfile -t functions < <(sed -n '/^set(PACKETWARP_CHAINS/,/^)/p' src/function/chains.cmake | grep -o '"[^"]*"' | tr '"|,' '\n' | sort -u | grep .)
names=$(IFS='|'; echo "${functions[*]}")
own_folders="^src/(function|module)/($names)/|^src/module/modules\.cpp"
naming="\"(function|module)/($names)/|\b($names)::|facts_of<($names)>"
mapfile -t naming_files < <(grep -rlE "$naming" src --include='*.h' --include='*.cpp' --include='*.cu' --include='*.cuh' | grep -vE "$own_folders" | sort)
excepted=" ${NAMED_BESIDE[*]} "
for file in "${naming_files[@]}"; do
  [[ $excepted == *" $file "* ]] || complain "$(grep -nE -m1 "$naming" "$file" | sed "s|^|$file:|"): only function/<name>, module/<name> and the lists of chains and modules name a function"
done
for file in "${NAMED_BESIDE[@]}"; do
  [[ " ${naming_files[*]} " == *" $file "* ]] || complain "$file names no function any more: take it out of NAMED_BESIDE"
done
exit $broken
