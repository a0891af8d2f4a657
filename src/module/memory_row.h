// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace packetwarp {

// The use of a resource that a run sets aside, and its room. Nothing: not known, or without a bound of its own.
struct memory_row {
  using amount = std::optional<std::uint64_t>;
  std::string_view what;
  std::string of{};
  std::string_view unit{};
  amount used{};
  amount room{};
  amount bytes{};      // set aside for the room
  amount gpu_bytes{};  // the same in a GPU's memory
};

// Adds rows, counting one slice per call; true when all rows are there.
using memory_work = std::function<bool(std::vector<memory_row>& to)>;

}  // namespace packetwarp
