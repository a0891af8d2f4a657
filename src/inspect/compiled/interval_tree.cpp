// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "inspect/compiled/interval_tree.h"

namespace packetwarp::inspect {

std::uint32_t levels_of_intervals(std::size_t count) {
  std::uint32_t made = 1;
  for (std::size_t room = node_numbers; room < count; room *= node_numbers) ++made;
  return made;
}

std::vector<std::uint32_t> tree_of_intervals(std::vector<std::uint32_t> const& begins) {
  constexpr auto room_after_last = ~std::uint32_t{0};
  std::size_t step = 1;  // between the numbers of a level
  for (auto levels = levels_of_intervals(begins.size()); levels > 1; --levels) step *= node_numbers;
  std::vector<std::uint32_t> made;
  for (std::size_t room = node_numbers;; room *= node_numbers, step /= node_numbers) {
    auto const level = made.size();
    for (std::size_t i = 0; i < begins.size(); i += step) made.push_back(begins[i]);
    auto const numbers = made.size() - level;
    auto const end = level + (step > 1 ? room : (numbers + node_numbers - 1) / node_numbers * node_numbers);
    made.resize(end, room_after_last);
    if (step == 1) return made;
  }
}

}  // namespace packetwarp::inspect
