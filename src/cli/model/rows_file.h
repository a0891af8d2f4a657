// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

namespace packetwarp {

// Rows of features as CSV: a line with the names of all features, in any order, then a line of integers from -128 to
// 127 per row. Only lines at its end may be empty. Throws usage_error with FILE:LINE, and failure if the
// file cannot be read to its end.
class rows_file {
 public:
  // Bounds the memory for a file without line ends.
  static constexpr std::size_t longest_line = 65536;

  // Reads the first line. features: the names, by their places in a row.
  rows_file(std::istream& from, std::string name, std::span<std::string const> features);

  // Appends up to `most` rows, of model::row_bytes each. False: no row is left.
  [[nodiscard]] bool read(std::size_t most, std::vector<std::int8_t>& rows);

 private:
  [[nodiscard]] bool next_line(std::vector<std::string>& cells);
  [[noreturn]] void refuse(std::string const& why) const;

  std::istream& from_;
  std::string name_;
  std::size_t line_{};
  std::size_t first_empty_{};        // the number of the first empty line; 0: none
  std::vector<std::size_t> places_;  // of the file's columns
};

}  // namespace packetwarp
