// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "master/data_plane.h"

namespace packetwarp {

// Detects when a data plane holds no packet any more that may have read a table before a change, on the CPU or on a
// GPU: the parts that the change has replaced may then be overwritten. The master asks between loop iterations, and
// never waits.
class grace_period {
 public:
  explicit grace_period(data_plane const& plane) : plane_{plane} {}

  // Begins the period: from now on packets find the new tables.
  void begin();
  // Also true if no period was begun.
  [[nodiscard]] bool is_over();

 private:
  enum class stage : std::uint8_t { over, looping, draining };
  [[nodiscard]] bool all_have_looped() const;
  [[nodiscard]] bool all_have_left() const;

  data_plane const& plane_;
  stage stage_{stage::over};
  std::vector<std::uint64_t> loops_;  // of each worker, at the beginning
  std::vector<std::uint64_t> come_;   // packets of each pipeline, when every worker had made two loop iterations since
                                      // the beginning
};

}  // namespace packetwarp
