// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "telemetry/text_table.h"

namespace packetwarp::telemetry {

enum class row_order : std::uint8_t { by_number, by_rate };

// Rows of a table, which may be sorted by how much each has grown. If the table is wider than the screen, its last
// columns follow below, after the key columns again: a screen cannot be scrolled to a part that is cut off.
class ranked_table {
 public:
  // keys: the number of columns that identify a row.
  explicit ranked_table(std::vector<text_table::column> columns, std::size_t keys = 1)
      : columns_{std::move(columns)}, keys_{keys} {}
  void add(std::optional<double> rate, std::vector<std::string> cells) {
    rows_.emplace_back(rate.value_or(0), std::move(cells));
  }
  // The heading and the rows; empty without rows.
  [[nodiscard]] std::vector<std::string> lines(row_order order, std::size_t width);

 private:
  [[nodiscard]] std::size_t width_of(std::size_t column) const;
  [[nodiscard]] std::size_t end_of_part(std::size_t begin, std::size_t width) const;
  void add_part(std::vector<std::string>& to, std::size_t begin, std::size_t end) const;

  std::vector<text_table::column> columns_;
  std::size_t keys_;
  std::vector<std::pair<double, std::vector<std::string>>> rows_;
};

}  // namespace packetwarp::telemetry
