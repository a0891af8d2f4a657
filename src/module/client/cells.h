// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "request/request.h"
#include "telemetry/text_table.h"

namespace packetwarp {

// Parts of an answer. They throw failure or json::exception (understood() in request.h) if it is not packetwarp's.
[[nodiscard]] inline json const& rows_of(json const& said, char const* key) {
  auto const& rows = said.at(key);
  bool const are_rows = rows.is_array() && std::all_of(rows.begin(), rows.end(), std::mem_fn(&json::is_object));
  if (!are_rows) refuse_answer();
  return rows;
}
// Values of a row as a person reads them; "-" if none exists.
[[nodiscard]] inline std::string word_of(json const& row, char const* key) {
  auto const found = row.find(key);
  return found != row.end() && !found->is_null() ? found->get<std::string>() : "-";
}
[[nodiscard]] inline std::optional<std::uint64_t> unsigned_of(json const& row, char const* key) {
  auto const found = row.find(key);
  if (found == row.end() || found->is_null()) return std::nullopt;
  if (!found->is_number_unsigned()) refuse_answer();
  return found->get<std::uint64_t>();
}
[[nodiscard]] inline std::string count_of(json const& row, char const* key) {
  auto const count = unsigned_of(row, key);
  return count ? telemetry::with_separators(*count) : "-";
}
// Without separators: for numbers that are names.
[[nodiscard]] inline std::string number_of(json const& row, char const* key) {
  auto const number = unsigned_of(row, key);
  return number ? std::to_string(*number) : "-";
}

}  // namespace packetwarp
