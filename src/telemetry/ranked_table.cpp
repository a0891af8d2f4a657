// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "telemetry/ranked_table.h"

#include <algorithm>

namespace packetwarp::telemetry {

std::vector<std::string> ranked_table::lines(row_order order, std::size_t width) {
  std::vector<std::string> made;
  if (rows_.empty()) return made;
  if (order == row_order::by_rate) {
    std::stable_sort(rows_.begin(), rows_.end(), [](auto const& a, auto const& b) { return a.first > b.first; });
  }
  for (std::size_t begin = keys_; begin < columns_.size();) {
    auto const end = end_of_part(begin, width);
    add_part(made, begin, end);
    begin = end;
  }
  return made;
}

// A last column of words may be cut: its heading alone has to fit.
std::size_t ranked_table::width_of(std::size_t column) const {
  auto most = columns_[column].heading.size();
  if (column + 1 == columns_.size() && columns_[column].side == text_table::align::left) return most;
  for (auto const& [rate, cells] : rows_) most = std::max(most, cells[column].size());
  return most;
}

// The end of the columns that fit beside the keys, after one column at least.
std::size_t ranked_table::end_of_part(std::size_t begin, std::size_t width) const {
  constexpr std::size_t gap = 2;
  std::size_t taken = 0;
  for (std::size_t i = 0; i < keys_; ++i) taken += width_of(i) + gap;
  auto end = begin;
  do {
    taken += width_of(end++) + gap;
  } while (end < columns_.size() && taken + width_of(end) <= width);
  return end;
}

void ranked_table::add_part(std::vector<std::string>& to, std::size_t begin, std::size_t end) const {
  auto const chosen = [&](auto const& all) {
    auto some = std::vector(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(keys_));
    some.insert(some.end(), all.begin() + static_cast<std::ptrdiff_t>(begin),
                all.begin() + static_cast<std::ptrdiff_t>(end));
    return some;
  };
  text_table table{chosen(columns_)};
  for (auto const& [rate, cells] : rows_) table.add_row(chosen(cells));
  auto const all = table.text();
  for (std::size_t at = 0; at < all.size();) {
    auto const stop = all.find('\n', at);
    to.push_back(all.substr(at, stop - at));
    at = stop + 1;
  }
}

}  // namespace packetwarp::telemetry
