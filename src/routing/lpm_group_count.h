// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "routing/lpm_table.h"

namespace packetwarp {

// Counts the groups that prefixes take in an lpm_table, without such a table. Prefixes come in the order of their bits;
// those of IPv4 and of IPv6 need separate counts.
class lpm_group_count {
 public:
  // Returns the number of groups that the prefix takes beside those of the prefixes before it.
  std::size_t add(lpm_prefix const& prefix);
  [[nodiscard]] std::size_t groups() const { return groups_; }

 private:
  std::array<std::optional<wire::ipv6_address>, lpm_table::max_levels> last_;  // the newest group of each level
  std::size_t groups_{};
};

}  // namespace packetwarp
