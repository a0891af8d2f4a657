// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include "base/cycles.h"
#include "telemetry/counter.h"

namespace packetwarp {

// A thread's loop iterations that took longer than a threshold.
struct big_loops {
  std::uint64_t count{};
  cycles longest{};
  cycles longest_began{};
  std::optional<std::size_t> longest_job{};  // by its place among the worker's; nothing: jobs were not timed then
};

// Records big loops, as DPVS's CONFIG_RECORD_BIG_LOOP does, but always built in. A single thread records; any thread
// may read, and may see the numbers of two moments.
class big_loop_recorder {
 public:
  // With 0 nothing is recorded.
  void set_threshold(cycles threshold) { threshold_ = threshold == 0 ? never : threshold; }
  [[nodiscard]] bool is_big(cycles took) const { return took >= threshold_; }
  void record(cycles began, cycles took, std::optional<std::size_t> job) {
    count_.add(1);
    if (took <= longest_.read()) return;
    longest_.set(took);
    longest_began_.set(began);
    longest_job_.set(job ? *job + 1 : 0);
  }
  void reset() {
    for (auto* one : {&count_, &longest_, &longest_began_, &longest_job_}) one->set(0);
  }
  [[nodiscard]] big_loops read() const {
    auto const job = longest_job_.read();
    return {.count = count_.read(),
            .longest = longest_.read(),
            .longest_began = longest_began_.read(),
            .longest_job = job == 0 ? std::nullopt : std::optional{static_cast<std::size_t>(job - 1)}};
  }

 private:
  static constexpr cycles never = std::numeric_limits<cycles>::max();
  cycles threshold_{never};
  telemetry::counter count_;
  telemetry::counter longest_;
  telemetry::counter longest_began_;
  telemetry::counter longest_job_;  // one more than its place; 0: not known
};

}  // namespace packetwarp
