// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "executor/executor.h"
#include "file/yaml_place.h"
#include "function/detect/detect_table.h"
#include "module/config.h"
#include "module/detect/detect_config.h"
#include "plan/plan.h"

namespace packetwarp {

// Reads the section `detect` and its models. Throws usage_error with FILE:LINE, for a model that does not load, too.
// interfaces: of the same file.
[[nodiscard]] detect_config read_detect_section(yaml_place const& place, std::span<interface_config const> interfaces);

// Throws usage_error with FILE:LINE for a model that such an executor does not evaluate. file: the network's.
// shared_bytes: of a block on the GPU with the least, 0 if it is not known.
void require_evaluable(detect_config const& config, std::string const& file, executor_kind by,
                       std::size_t shared_bytes);

// Bytes of shared memory of a block on the plan's GPU with the least, 0 without GPUs.
[[nodiscard]] std::size_t least_shared_bytes(plan const& planned);

// The models for a table; valid as long as the config.
[[nodiscard]] detect_input input_of(detect_config const& config);

}  // namespace packetwarp
