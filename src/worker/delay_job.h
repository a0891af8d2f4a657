// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

#include "base/sleep.h"
#include "worker/job.h"

namespace packetwarp {

// Simulates a worker that is overloaded, for tests: each of its loop iterations takes this much longer. It sleeps, so
// that other workers can be tested on the same CPU; the effect on the worker's ports and rings is the same.
class delay_job final : public job {
 public:
  explicit delay_job(std::chrono::nanoseconds time) : time_{time} {}
  std::uint32_t poll(tick const& t) override {
    if (t.phase == run_phase::running) sleep_for(time_);
    return 0;
  }
  [[nodiscard]] std::string name() const override { return "delay"; }

 private:
  std::chrono::nanoseconds time_;
};

}  // namespace packetwarp
