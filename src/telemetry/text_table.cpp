// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "telemetry/text_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"

namespace packetwarp::telemetry {

std::string with_unit(double value, std::string_view unit) {
  auto const number = format_si(value);
  bool const has_prefix = number.find(' ') != std::string::npos;
  return fmt::format("{}{}{}", number, has_prefix ? "" : " ", unit);
}

std::string with_separators(std::uint64_t count) {
  auto text = std::to_string(count);
  for (auto at = text.size(); at > 3;) text.insert(at -= 3, 1, ',');
  return text;
}

std::string with_commas(std::vector<std::string> const& parts) {
  std::string text;
  for (auto const& part : parts) {
    if (!text.empty()) text += ", ";
    text += part;
  }
  return text;
}

std::string text_table::text() const {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    widths.push_back(columns_[i].heading.size());
    for (auto const& row : rows_) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string out;
  auto const add_line = [&](auto const& cell_of) {
    std::string line;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (i != 0) line += "  ";
      line += columns_[i].side == align::left ? fmt::format("{:<{}}", cell_of(i), widths[i])
                                              : fmt::format("{:>{}}", cell_of(i), widths[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  };
  add_line([&](std::size_t i) -> auto const& { return columns_[i].heading; });
  for (auto const& row : rows_) add_line([&](std::size_t i) -> auto const& { return row[i]; });
  return out;
}

}  // namespace packetwarp::telemetry
