// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "function/nat44/nat44_tables.h"
#include "module/nat44/nat_report.h"

namespace packetwarp {

// Counts NAT44's sessions while packets make and end them, one slice per call: some tens of microseconds. For the
// master.
class session_tally {
 public:
  // of outlives it.
  explicit session_tally(nat44_tables const& of) : table_{&of} {}
  // Nothing until all have been counted.
  [[nodiscard]] std::optional<nat_report> step();

 private:
  nat44_tables const* table_;
  std::uint32_t at_{1};
  nat_report seen_;
};

}  // namespace packetwarp
