#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Includes go one way: a folder of src/ may include itself and the folders before it in this list, and only the folders
# named below may include DPDK, CUDA's runtime, or ethdev. Prints each line that breaks the rule.
set -euo pipefail
cd "$(dirname "$0")/.."
FOLDERS=(base wire address telemetry request gpu memory port burst capture routing model feature regex inspect function file executor control flow egress punt worker twin plan pipeline master module network traffic rdma bench doctor cli)

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
forbid 'rte_' 'only these folders know DPDK: base (cycles), gpu, memory, port, burst, capture, executor, control, flow, egress, punt, worker, twin, plan, pipeline, master, module, network, traffic, rdma, cli' \
  base gpu memory port burst capture executor control flow egress punt worker twin plan pipeline master module network traffic rdma cli
forbid 'yaml-cpp' 'only file/ reads YAML' file
forbid 'CLI/' 'only cli/ has options' cli
forbid 'cuda_runtime|cuda\.h' 'only gpu/ and executor/ know the CUDA runtime' gpu executor rdma
while IFS= read -r hit; do complain "$hit: network/ reads no YAML: modules read their own keys"; done < <(
  grep -rnE '^\s*#\s*include\s*"file/' src/network || true)

# Functions are known by their names in their own folders (function/<name>, module/<name>), in the list of chains
# (function/chains.cmake) and in that of modules (module/modules.cpp). No other file names one, nor does a function name another.
mapfile -t functions < <(sed -n '/^set(PACKETWARP_CHAINS/,/^)/p' src/function/chains.cmake | grep -o '"[^"]*"' | tr '"|,?' '\n' | sort -u | grep .)
# Made of another function by its author.
declare -A MADE_OF=([swap_payload]=forward)
# A folder that has something else of this name.
declare -A NAMED_ALIKE=([inspection]='^src/(traffic|cli/generate)/')
# complain_of_name NAME FOLDERS: in files outside FOLDERS, a pattern.
complain_of_name() {
  while IFS= read -r hit; do
    complain "$hit: only function/$1, module/$1 and the lists of chains and modules name $1"
  done < <(grep -rnE "\"(function|module)/$1/|\b$1::|facts_of<$1>" src --include='*.h' --include='*.cpp' --include='*.cu' --include='*.cuh' |
    grep -vE "^src/module/modules\.cpp|$2" || true)
}
for name in "${functions[@]}"; do
  own="^src/(function|module)/$name/"
  for other in "${!MADE_OF[@]}"; do [ "${MADE_OF[$other]}" != "$name" ] || own+="|^src/(function|module)/$other/"; done
  complain_of_name "$name" "$own${NAMED_ALIKE[$name]:+|${NAMED_ALIKE[$name]}}"
done

# The words that users type and read for a module (nouns of show, commands, pages of top, and their requests) are the
# module's: no text elsewhere is one of them, and no file or folder of cli/ has one in its name.
declare -A MEANT_OTHERWISE=(
  [src/burst/punt_class.h]=neighbours    # a class of punts
  [src/request/request.cpp]='nat stats'  # an example, in an error line
  [src/inspect/language/keywords.cpp]=flow  # a keyword of Suricata's rules
  [src/inspect/packet/eve_line.cpp]=stats  # a type of EVE's events
  [src/cli/command.cpp]=inspect  # a command, which reads captures
  [src/module/inspection/inspection_kind.cpp]=rules  # of intrusion detection
  [src/module/inspection/inspection_reader.cpp]=rules
)
for module in src/module/*/client; do
  name=$(basename "$(dirname "$module")")
  mapfile -t words < <({ grep -rohE --include='*.cpp' '\.(name|page) = "[a-z0-9 ]+"' "$module" || true
                         grep -ohE 'module_command\{"[a-z0-9 ]+"' "src/module/$name"/*.cpp; } | grep -oE '"[^"]+"' | tr -d '"' | sort -u)
  words+=("$name")
  alternatives=$(IFS='|'; echo "${words[*]}")
  while IFS= read -r hit; do
    file=${hit%%:*}
    [[ -n "${MEANT_OTHERWISE[$file]:-}" && $hit == *"\"${MEANT_OTHERWISE[$file]}\""* ]] ||
      complain "$hit: a word of module/$name: its kind says it (module/module_kind.h)"
  done < <(grep -rnE "\"($alternatives)\"" src --include='*.h' --include='*.cpp' | grep -vE "^src/((function|module)/$name|flow)/|^[^:]+:[0-9]+:\s*//|//.*\"($alternatives)\"" || true)
  while IFS= read -r path; do complain "$path: has a word of module/$name in its name"; done < <(
    find src/cli | grep -E "[/_]($alternatives)([/_.]|$)" | grep -v '^src/cli/inspect\(/\|$\)' || true)
done
exit $broken
