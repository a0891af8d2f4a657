// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/command.h"
#include "rdma/bandwidth/write_test.h"

namespace packetwarp {

struct rdma_bw_options {
  rdma::write_test_settings test{};
  std::vector<std::uint32_t> sizes{};
  std::uint32_t iterations{2048};
  std::string json{};  // empty: none
};

// No EAL is started: options may stand before "--" or after it. Throws usage_error.
[[nodiscard]] rdma_bw_options parse_rdma_bw_options(invocation const& call);

}  // namespace packetwarp
