// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/rdma-bw/options.h"
#include "rdma/latency/pair_latency.h"

namespace packetwarp {

struct rdma_lat_options {
  rdma_transport transport{rdma_transport::roce};
  std::vector<std::uint32_t> sizes{};
  std::uint32_t iterations{1000};
  network_options network{};
  rdma::pair_latency_settings pair{};  // of gpu and store
  std::string json{};
};

// Throws usage_error.
[[nodiscard]] rdma_lat_options parse_rdma_lat_options(invocation const& call);

}  // namespace packetwarp
