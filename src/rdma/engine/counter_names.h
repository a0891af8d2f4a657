// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "rdma/engine/engine_counters.h"

namespace packetwarp::rdma {

// The counters with the names that results have in JSON.
[[nodiscard]] std::vector<std::pair<std::string, std::uint64_t>> with_names(engine_counters const& engine);

}  // namespace packetwarp::rdma
