// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace packetwarp::telemetry {

// "14.9 Mpps", "640 pps": format_si with the unit after it.
[[nodiscard]] std::string with_unit(double value, std::string_view unit);

// "12,345,678": every digit, for counts that people add up.
[[nodiscard]] std::string with_separators(std::uint64_t count);

// "a, b, c".
[[nodiscard]] std::string with_commas(std::vector<std::string> const& parts);

// Rows of cells under a heading, every column as wide as its widest cell.
class text_table {
 public:
  enum class align : std::uint8_t { left, right };
  struct column {
    std::string heading;
    align side{align::right};
  };
  explicit text_table(std::vector<column> columns) : columns_{std::move(columns)} {}

  // The row has a cell for each column.
  void add_row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  // Lines, each with its end and without trailing blanks.
  [[nodiscard]] std::string text() const;

 private:
  std::vector<column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace packetwarp::telemetry
