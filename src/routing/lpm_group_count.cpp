// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "routing/lpm_group_count.h"

namespace packetwarp {

// A group of a level resolves addresses whose bits above that level are equal: in the order of bits they are
// neighbours.
std::size_t lpm_group_count::add(lpm_prefix const& prefix) {
  auto const before = groups_;
  auto const levels = lpm_table::levels_below_root(prefix.length);
  for (unsigned level = 0; level < levels; ++level) {
    auto const above = lpm_prefix{prefix.bits, lpm_ref::root_bits + level * lpm_ref::group_bits}.masked().bits;
    if (last_[level] == above) continue;
    last_[level] = above;
    ++groups_;
  }
  return groups_ - before;
}

}  // namespace packetwarp
