#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ci/bench_gpu.sh [PACKETWARP [FOLDER]]: the rates of the executors on this machine's GPU, each beside none and cpu in
# the same run, then of routing, NAT44 and flow rules beside the ports alone, and testpmd and VPP if they are installed.
# It needs only the binary and Python, so that a static binary can be carried to another machine. Takes about fifteen
# minutes; nothing else should run meanwhile. Without a GPU it says so and passes.
#   COMMIT=...    the commit that the binary was built from (default: git's answer here)
#   LCORES=8      lcores that forward; the master has one more
set -euo pipefail
cd "$(dirname "$0")/.."
program=$(realpath "${1:-build/packetwarp}")
folder=${2:-}
lcores=${LCORES:-8}
commit=${COMMIT:-$(git rev-parse --short HEAD 2>/dev/null || echo unknown)}
if ! command -v nvidia-smi >/dev/null || ! nvidia-smi -L >/dev/null 2>&1; then
  printf 'bench_gpu: SKIPPED: no NVIDIA GPU or driver here (nvidia-smi finds none)\n'
  exit 0
fi
gpu=$(nvidia-smi --query-gpu=name --format=csv,noheader | head -1)
[ -n "$folder" ] || folder=benchmarks/results/$(sed 's/^NVIDIA //; s/[^A-Za-z0-9]\+/-/g' <<<"${gpu,,}" | sed 's/^nvidia-//')
mkdir -p "$folder"

# matrix NAME OPTIONS...: into NAME.json, the table into NAME.txt.
matrix() {
  local name=$1
  shift
  printf '\n== %s\n' "$name"
  "$program" bench -l "0-$lcores" -- --seconds 1 --repeats 2 --testpmd none --commit "$commit" --json "$folder/$name.json" "$@" \
    2>"$folder/$name.log" | tee "$folder/$name.txt" || { tail -5 "$folder/$name.log"; exit 1; }
  rm "$folder/$name.log"
}
# network NAME LCORES OPTIONS...
network() {
  local name=$1 lcores=$2
  shift 2
  printf '\n== %s\n' "$name"
  python3 python/bench_network.py "$program" --commit "$commit" --lcores "$lcores" --seconds 1 --json "$folder/$name.json" "$@"
}

matrix burst --executors kernel,persistent,graph --bursts 16,32,64,128 --pipelines "$lcores"
matrix size --executors kernel,persistent,graph --placements host,device,split --bursts 64 --sizes 64,1024 --pipelines "$lcores"
matrix work --executors kernel,persistent,graph --bursts 64 --pipelines "$lcores" --work 0,500ns
matrix pairs --executors kernel,persistent,graph --bursts 16,32,64,128 --pipelines $((lcores / 2)) --workers pair
# The winning executor for each burst and work: a winner needs five runs per case (make report).
matrix winners --executors kernel,persistent,graph --bursts 16,64 --pipelines "$lcores" --work 0,500ns,2us --repeats 5 --seconds 0.5
matrix rate --executors persistent --bursts 16 --pipelines 1 --rate 1mpps
network network "$lcores" --flows 10000 --bursts 64 --functions \
  l2fwd:none,l2fwd:persistent,router:cpu,nat44:cpu,rules:cpu,router:persistent,router:graph,nat44:persistent,nat44:graph,nat44:kernel,rules:persistent,rules:graph
# The chains of a file: rules before either function, on each executor.
network network_rules "$lcores" --flows 10000 --bursts 64 --functions \
  router:cpu,rules+router:cpu,nat44:cpu,rules+nat44:cpu,router:persistent,rules+router:persistent,nat44:persistent,rules+nat44:persistent,router:graph,rules+router:graph,nat44:graph,rules+nat44:graph,router:kernel,rules+router:kernel,rules:kernel,nat44:kernel,rules+nat44:kernel
# The same by the general chain, each beside the special chain.
network network_general "$lcores" --flows 10000 --bursts 64 --functions \
  router:cpu,general+router:cpu,nat44:cpu,general+nat44:cpu,rules+nat44:cpu,general+rules+nat44:cpu,router:persistent,general+router:persistent,nat44:persistent,general+nat44:persistent,rules+nat44:persistent,general+rules+nat44:persistent,router:graph,general+router:graph,nat44:graph,general+nat44:graph,nat44:kernel,general+nat44:kernel
# Detection with each action for packets that are all anomalous, and inspection without and with a rule that each packet
# matches.
for executor in cpu persistent graph kernel; do
  network "network_detect_$executor" "$lcores" --flows 10000 --bursts 64 --functions \
    "router:$executor,detect:50-64-32-1+router:$executor,alarm:50-64-32-1+router:$executor,mark:50-64-32-1+router:$executor,drop:50-64-32-1+router:$executor,punt:50-64-32-1+router:$executor,mirror:50-64-32-1+router:$executor,answer:50-64-32-1+router:$executor"
  network "network_inspect_$executor" "$lcores" --flows 10000 --bursts 64 --functions \
    "router:$executor,inspect:50+router:$executor,inspect:5000+router:$executor,alert:5000+router:$executor"
done
# A large model for flows at their milestones: of flows that have passed them, and of flows that come to them all the time.
for flows in 10000 1000000; do
  network "network_large_$flows" "$lcores" --flows "$flows" --bursts 64 --functions \
    "router:graph,detect:50-64-32-1+router:graph,large:50-64-32-1/50-512-512-512-1+router:graph,router:kernel,detect:50-64-32-1+router:kernel,large:50-64-32-1/50-512-512-512-1+router:kernel"
done
network network_one_lcore 1 --flows 5001 --bursts 64,128 --functions l2fwd:none,l2fwd:cpu,router:cpu,nat44:cpu,rules:cpu,nat44:persistent,nat44:graph
network network_one_lcore_pcap 1 --flows 5001 --ports pcap --bursts 64 --functions l2fwd:none,nat44:cpu,nat44:persistent,nat44:graph
network network_one_session 1 --flows 1 --functions l2fwd:none,nat44:cpu,nat44:persistent,nat44:graph
network network_one_way "$lcores" --flows 10000 --ways 1 --functions l2fwd:none,nat44:cpu,nat44:persistent,nat44:graph,nat44:kernel
network network_million "$lcores" --flows 1000000 --functions l2fwd:none,nat44:cpu,nat44:persistent,nat44:graph,nat44:kernel
network network_16_million "$lcores" --flows 1000000 --sessions 16000000 --functions nat44:cpu,nat44:persistent,nat44:graph,nat44:kernel
