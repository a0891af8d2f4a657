// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "function/inspection/inspection_table.h"
#include "module/inspection/loaded_rules.h"

namespace packetwarp {

// The section `inspect` of a network's file.
struct inspection_config {
  int line{};
  std::vector<std::string> files;
  std::shared_ptr<loaded_rules const> rules;
  inspection_verdicts verdicts{inspection_verdicts::as_rules_say};
  inspection_sizes sizes{};
  std::string events{};                            // file of the alerts; empty: none
  std::size_t events_room{std::size_t{16} << 20};  // bytes of lines that may wait for the file
};

[[nodiscard]] std::string_view to_string(inspection_verdicts verdicts);

}  // namespace packetwarp
