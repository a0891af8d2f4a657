// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "port/queue_counts.h"

#include <fmt/format.h>
#include <rte_ethdev.h>

namespace packetwarp {
namespace {

[[nodiscard]] std::optional<std::uint64_t> count_of(port_id port, std::string const& name) {
  std::uint64_t id = 0, value = 0;
  if (rte_eth_xstats_get_id_by_name(port.value(), name.c_str(), &id) != 0) return std::nullopt;
  if (rte_eth_xstats_get_by_id(port.value(), &id, &value, 1) != 1) return std::nullopt;
  return value;
}

}  // namespace

std::vector<std::optional<rx_queue_counts>> count_rx_queues(port_id port, std::uint16_t queues) {
  std::vector<std::optional<rx_queue_counts>> all(queues);
  for (std::uint16_t n = 0; n < queues; ++n) {
    auto const packets = count_of(port, fmt::format("rx_q{}_packets", n));
    auto const missed = count_of(port, fmt::format("rx_q{}_errors", n));
    if (packets || missed) all[n] = {.packets = packets.value_or(0), .missed = missed.value_or(0)};
  }
  return all;
}

}  // namespace packetwarp
