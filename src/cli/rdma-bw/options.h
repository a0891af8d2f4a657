// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "cli/rdma-bw/network_options.h"
#include "rdma/bandwidth/write_test.h"

namespace packetwarp {

struct rdma_bw_options {
  rdma_transport transport{rdma_transport::host};
  rdma::write_test_settings test{};
  std::vector<std::uint32_t> sizes{};
  std::uint32_t iterations{2048};
  network_options network{};
  bool both_ways{};    // the peer writes, too
  bool validate{};     // an end that is written to compares its memory with the peer's pattern
  std::string json{};  // empty: none
};

// Without a port, for which the EAL is started, options may stand before "--" or after it. Throws usage_error.
[[nodiscard]] rdma_bw_options parse_rdma_bw_options(invocation const& call);

}  // namespace packetwarp
