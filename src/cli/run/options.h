// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "cli/drop_privileges.h"
#include "cli/misplaced.h"
#include "cli/observer_options.h"
#include "module/module_kind.h"
#include "plan/config.h"

namespace packetwarp {

// --watch chooses `reload`.
enum class on_file_change : std::uint8_t { nothing, reload };

struct run_options {
  std::string config;  // file
  std::string json;
  std::string control;         // path of the control socket; empty: the file's, or the default
  observer_options observers;  // empty ones are the file's
  std::vector<std::pair<module_option const*, std::string>> modules;  // words instead of the file's
  std::vector<replay_config> replays;
  gpu_config gpu;  // only its fault
  bool breaks_gpu{};
  run_limits limits;
  privileges rights{};
  on_file_change file_changes{};
};

// The first word of a file's `eal` that is not the EAL's. Pure.
[[nodiscard]] std::optional<misplaced_word> find_misplaced_in_file(std::span<std::string const> eal);

// Throws usage_error with one line.
[[nodiscard]] run_options parse_run_options(invocation const& call);

}  // namespace packetwarp
