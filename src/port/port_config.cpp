// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "port/port_config.h"

#include <fmt/format.h>
#include <rte_ethdev.h>

#include <string>
#include <string_view>

#include "base/error.h"

namespace packetwarp {
namespace {

void check_queues(port_facts const& facts, std::string_view kind, unsigned wanted, unsigned available) {
  if (wanted > available) {
    throw usage_error(
        fmt::format("{}: {} {} queues needed, the port has {}; use fewer pipelines (-p, or 'pipelines' of "
                    "data_plane), or {}",
                    label_of(facts), wanted, kind, available, way_to_more_queues(facts, wanted)));
  }
}

}  // namespace

std::string way_to_more_queues(port_facts const& facts, std::size_t wanted) {
  auto const argument = facts.traits().queues_argument;
  if (argument.empty()) return "give the port more queues";
  return fmt::format(
      "give every port more queues ({}={} in its --vdev), and {} pipelines per port, because the kernel "
      "puts packets into all of them",
      argument, wanted, wanted);
}

void require_possible(port_facts const& facts, port_config const& config) {
  check_queues(facts, "RX", config.rx_queues + 0U + config.hairpin.queues, facts.max_rx_queues);
  check_queues(facts, "TX", config.tx_queues + 0U + config.hairpin.queues, facts.max_tx_queues);
  if (config.mtu > facts.max_mtu) {
    throw usage_error(
        fmt::format("{}: MTU {} asked for; the port allows at most {}", label_of(facts), config.mtu, facts.max_mtu));
  }
}

port_offloads choose_offloads(port_facts const& facts, sent_pools sends_of) {
  // Checksum offloads are left to functions that touch checksums: asking for them takes some drivers off their
  // fastest path.
  auto const free = sends_of == sent_pools::one ? RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE : 0;
  return {.rx = facts.rx_offloads & RTE_ETH_RX_OFFLOAD_SCATTER,
          .tx = facts.tx_offloads & (RTE_ETH_TX_OFFLOAD_MULTI_SEGS | free)};
}

}  // namespace packetwarp
