// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "file/yaml_place.h"
#include "plan/worker_list.h"

namespace packetwarp {

// The `workers` of a network's file, if it is a list: each worker's lcore, role and queues. interfaces: their names, in
// the order of the ports. Throws usage_error with FILE:LINE, also for workers that contradict one another.
[[nodiscard]] std::vector<listed_worker> read_workers_section(yaml_place const& list,
                                                              std::span<std::string const> interfaces);

}  // namespace packetwarp
