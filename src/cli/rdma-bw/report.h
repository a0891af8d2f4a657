// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/rdma-bw/options.h"

namespace packetwarp {

// The lines of the first table, as ib_write_bw prints them, and those below it.
[[nodiscard]] std::string head_of(rdma_bw_options const& options);
[[nodiscard]] std::string line_of(rdma::write_test_result const& result);
[[nodiscard]] std::string times_of(rdma_bw_options const& options, std::vector<rdma::write_test_result> const& results,
                                   rdma::engine_counters const& engine);
[[nodiscard]] std::string to_json(rdma_bw_options const& options, std::vector<rdma::write_test_result> const& results,
                                  rdma::engine_counters const& engine);

// The result of a test across a network: a client's own, what a server was told, or both of these.
struct network_report {
  std::string peer{};
  std::string peer_version{};
  std::uint32_t mtu{};  // 0: no packets
  std::vector<std::pair<std::string, std::string>> properties{};
  std::vector<rdma::write_test_result> results{};
  std::optional<rdma::told_result> told{};
  std::optional<std::uint64_t> checked_bytes{};
  std::vector<std::pair<std::string, std::uint64_t>> counters{};
  std::string error{};  // of a test that has failed
};
[[nodiscard]] std::string line_of_waiting(rdma_bw_options const& options);
[[nodiscard]] std::string head_of(rdma_bw_options const& options, network_report const& report);
[[nodiscard]] std::string line_of(rdma::told_result const& told);
// The sums of both ends' rates, as ib_write_bw -b prints them, with this end's writes.
[[nodiscard]] std::string line_of_both(rdma::two_way_result const& both);
// The times of a client, and the counters in which losses show.
[[nodiscard]] std::string end_of(network_report const& report);
[[nodiscard]] std::string to_json(rdma_bw_options const& options, network_report const& report);

}  // namespace packetwarp
