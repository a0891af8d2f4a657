// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace packetwarp::regex {

// A deterministic automaton before it gets its layout. States are numbers; dead and accepted (dfa_state in automaton.h)
// have no row.
struct dfa_table {
  std::uint32_t start{};
  std::uint32_t width{};                 // entries of a row: one for the text's end, and one per class
  std::vector<std::uint32_t> entries{};  // states; the first row is that of the state dfa_state::first
  std::array<std::uint8_t, 256> class_of{};

  [[nodiscard]] std::size_t rows() const { return width == 0 ? 0 : entries.size() / width; }
};

// The same automaton with fewer states and classes. It is as it was if finding the states would take too many steps.
[[nodiscard]] dfa_table minimized(dfa_table of);

}  // namespace packetwarp::regex
