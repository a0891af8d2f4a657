#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Prints testpmd's flow commands that route between two networks and change UDP source ports: one rule for each flow,
# 5,001 a direction unless told otherwise. examples/cnf-nat/create_flows.sh [FIRST_PORT LAST_PORT]
set -euo pipefail
first=${1:-1002} last=${2:-6002}

# Port 0 is 1.1.1.1/24's, port 1 is 2.2.2.1/24's. Behind each is one host.
host=(1.1.1.2 2.2.2.2)
host_mac=(ec:0d:9a:8a:27:ba ec:0d:9a:8a:28:3a)
own_mac=(4A:AC:4F:29:87:80 86:19:A0:B8:10:BD)
address_towards=(2.2.2.1 1.1.1.1)  # what a packet that leaves by the port has as its source
hairpin_queue=(2 1)

for port in 0 1; do
  echo "flow create $port group 0 ingress pattern eth / ipv4 / udp / end actions jump group 1 / end"
done
for port in 0 1; do
  echo "flow create $port group 0 egress pattern eth / ipv4 / udp / end actions" \
    "set_mac_dst mac_addr ${host_mac[port]} / set_mac_src mac_addr ${own_mac[port]} /" \
    "set_ipv4_src ipv4_addr ${address_towards[port]} / dec_ttl / end"
done
for ((i = first; i <= last; i++)); do
  for port in 1 0; do
    echo "flow create $port group 1 ingress pattern eth / ipv4 src is ${host[port]} / udp src is $i / end actions" \
      "set_tp_src port $((i + 1)) / queue index ${hairpin_queue[port]} / end"
  done
done
