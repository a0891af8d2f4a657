// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "request/request.h"
#include "telemetry/text_table.h"

namespace packetwarp {

// Values of an answer's row as a person reads them; "-" if none exists.
[[nodiscard]] inline std::string word_of(json const& row, char const* key) {
  auto const found = row.find(key);
  return found != row.end() && found->is_string() ? found->get<std::string>() : "-";
}
[[nodiscard]] inline std::string count_of(json const& row, char const* key) {
  auto const found = row.find(key);
  return found != row.end() && found->is_number() ? telemetry::with_separators(found->get<std::uint64_t>()) : "-";
}
// Without separators: for numbers that are names.
[[nodiscard]] inline std::string number_of(json const& row, char const* key) {
  auto const found = row.find(key);
  return found != row.end() && found->is_number() ? std::to_string(found->get<std::uint64_t>()) : "-";
}

}  // namespace packetwarp
