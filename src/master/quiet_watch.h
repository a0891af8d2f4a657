// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "base/cycles.h"
#include "worker/workforce.h"

namespace packetwarp {

// Tells a silent wire from a machine that is busy elsewhere: the wire is quiet when a count has stood still for a time
// in which, besides, every worker has polled its jobs many times. For the master worker.
class quiet_watch {
 public:
  explicit quiet_watch(std::chrono::nanoseconds time) : time_{to_cycles(time)} {}

  // Reads the count that moves while packets come.
  [[nodiscard]] bool is_quiet(std::uint64_t count, workforce const& workers, cycles now);

 private:
  static constexpr std::uint64_t turns_to_look = 64;

  cycles time_;
  cycles since_{0};
  std::uint64_t count_{0};
  std::vector<std::uint64_t> turns_;
};

}  // namespace packetwarp
