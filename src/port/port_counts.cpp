// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "port/port_counts.h"

#include <fmt/format.h>
#include <rte_ethdev.h>

#include <algorithm>
#include <string>

namespace packetwarp {
namespace {

[[nodiscard]] std::optional<std::uint64_t> count_of(port_id port, std::string const& name) {
  std::uint64_t id = 0, value = 0;
  if (rte_eth_xstats_get_id_by_name(port.value(), name.c_str(), &id) != 0) return std::nullopt;
  if (rte_eth_xstats_get_by_id(port.value(), &id, &value, 1) != 1) return std::nullopt;
  return value;
}

[[nodiscard]] std::vector<std::optional<rx_queue_counts>> count_rx_queues(port_id port, std::uint16_t queues) {
  std::vector<std::optional<rx_queue_counts>> all(queues);
  for (std::uint16_t n = 0; n < queues; ++n) {
    auto const packets = count_of(port, fmt::format("rx_q{}_packets", n));
    auto const missed = count_of(port, fmt::format("rx_q{}_errors", n));
    if (packets || missed) all[n] = {.packets = packets.value_or(0), .missed = missed.value_or(0)};
  }
  return all;
}

}  // namespace

std::optional<port_counts> read_counts(port_id port, std::uint16_t rx_queues) {
  rte_eth_stats stats{};
  if (rte_eth_stats_get(port.value(), &stats) != 0) return std::nullopt;
  return port_counts{.rx_packets = stats.ipackets,
                     .tx_packets = stats.opackets,
                     .rx_bytes = stats.ibytes,
                     .tx_bytes = stats.obytes,
                     .missed = stats.imissed,
                     .rx_errors = stats.ierrors,
                     .tx_errors = stats.oerrors,
                     .no_mbuf = stats.rx_nombuf,
                     .rx_queues = count_rx_queues(port, rx_queues)};
}

port_counts sum_of(port_counts const& before, port_counts now) {
  now.rx_packets += before.rx_packets;
  now.tx_packets += before.tx_packets;
  now.rx_bytes += before.rx_bytes;
  now.tx_bytes += before.tx_bytes;
  now.missed += before.missed;
  now.rx_errors += before.rx_errors;
  now.tx_errors += before.tx_errors;
  now.no_mbuf += before.no_mbuf;
  for (std::size_t n = 0; n < std::min(now.rx_queues.size(), before.rx_queues.size()); ++n) {
    auto& queue = now.rx_queues[n];
    if (!queue || !before.rx_queues[n]) continue;
    queue->packets += before.rx_queues[n]->packets;
    queue->missed += before.rx_queues[n]->missed;
  }
  return now;
}

}  // namespace packetwarp
