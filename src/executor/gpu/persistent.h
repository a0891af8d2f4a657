// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/gpu/cuda_executor.h"

namespace packetwarp {

// A single kernel for the whole run, which polls for bursts itself: a burst costs the CPU a store.
class persistent_executor final : public cuda_executor {
 public:
  persistent_executor(burst_ring& ring, gpu_program program, gpu_settings const& settings,
                      std::unique_ptr<executor> fallback);
  void start() override;

 private:
  [[nodiscard]] bool offer() override;
  [[nodiscard]] std::string what() const override;
  [[nodiscard]] bool runs_always() const override { return true; }
  void ask_to_end() override;
  void stall() override;
  void resume() override;
  void forget() override;

  std::uint64_t stalled_{0};  // offload_control::stall once a stall was asked for
};

}  // namespace packetwarp
