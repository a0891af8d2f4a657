// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "burst/burst.h"
#include "burst/outcome.h"
#include "executor/gpu/gpu_work.h"

namespace packetwarp {

// Observes every burst that a GPU gets and gives back, in the thread that polls the executor. position: in the ring's
// life, from 0.
class burst_observer {
 public:
  burst_observer() = default;
  burst_observer(burst_observer const&) = delete;
  burst_observer& operator=(burst_observer const&) = delete;
  virtual ~burst_observer() = default;

  // Called before the GPU may touch the burst.
  virtual void given(burst const& work, std::uint64_t position) = 0;
  // The burst is finished, with its verdicts in place; or lost with the GPU, its bytes in any state.
  virtual void taken_back(burst const& work, std::uint64_t position, burst_outcome outcome) = 0;
  virtual void lost(std::uint64_t position) = 0;

  [[nodiscard]] virtual check_counts checked() const { return {}; }
};

}  // namespace packetwarp
