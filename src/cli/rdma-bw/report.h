// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/rdma-bw/options.h"

namespace packetwarp {

// The lines of the first table, as ib_write_bw prints them, and those below it.
[[nodiscard]] std::string head_of(rdma_bw_options const& options);
[[nodiscard]] std::string line_of(rdma::write_test_result const& result);
[[nodiscard]] std::string times_of(std::vector<rdma::write_test_result> const& results,
                                   rdma::engine_counters const& engine);
[[nodiscard]] std::string to_json(rdma_bw_options const& options, std::vector<rdma::write_test_result> const& results,
                                  rdma::engine_counters const& engine);

}  // namespace packetwarp
