// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cli/rdma-lat/options.h"
#include "rdma/network/network_latency.h"

namespace packetwarp {

struct latency_report {
  std::string peer{};
  std::string peer_version{};
  std::uint32_t mtu{};  // 0: no packets
  std::vector<std::pair<std::string, std::string>> properties{};
  std::vector<rdma::latency_result> results{};
  std::vector<std::pair<std::string, std::uint64_t>> counters{};
  std::string error{};  // of a test that has failed
};

// The lines of the table, as ib_write_lat prints them.
[[nodiscard]] std::string head_of(rdma_lat_options const& options, latency_report const& report);
// The same for a test within this process.
[[nodiscard]] std::string head_of(rdma_lat_options const& options);
[[nodiscard]] std::string line_of(rdma::latency_result const& result);
[[nodiscard]] std::string to_json(rdma_lat_options const& options, latency_report const& report);
[[nodiscard]] std::string to_json(rdma_lat_options const& options, std::vector<rdma::latency_result> const& results,
                                  std::uint64_t checked_bytes);

}  // namespace packetwarp
