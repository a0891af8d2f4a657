// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "base/cycles.h"
#include "worker/workforce.h"

namespace packetwarp {

// Tells a silent wire from a busy machine: the wire is quiet if a count has not changed for a time in which every
// worker has also polled its jobs many times. For the master worker.
class quiet_watch {
 public:
  explicit quiet_watch(std::chrono::nanoseconds time) : time_{to_cycles(time)} {}

  // count: changes while packets arrive.
  [[nodiscard]] bool is_quiet(std::uint64_t count, workforce const& workers, cycles now);

 private:
  static constexpr std::uint64_t loops_to_look = 64;

  cycles time_;
  cycles since_{0};
  std::uint64_t count_{0};
  std::vector<std::uint64_t> loops_;
};

}  // namespace packetwarp
