// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "executor/gpu/cuda_executor.h"
#include "executor/gpu/cuda_graph.h"
#include "executor/gpu/joint/own_work.h"

namespace packetwarp {

// Launches a kernel for the bursts that are ready, and another while the first runs if they are many. More launches
// would wait in the stream, and small ones cost the CPU more than they gain: bursts wait in the ring instead, where the
// next launch takes all of them.
class kernel_executor final : public cuda_executor {
 public:
  kernel_executor(burst_ring& ring, gpu_program program, gpu_settings const& settings,
                  std::unique_ptr<executor> fallback);
  void start() override;

 private:
  static constexpr std::uint32_t most_launches = 16;
  [[nodiscard]] bool offer() override;
  [[nodiscard]] std::string what() const override;
  void stall() override;
  void resume() override;
  void forget() override;
  void ask_to_end() override;
  [[nodiscard]] bool launch(std::uint64_t first, std::uint32_t count);

  // The same for a function with kernels of its own. These are a graph, as each launch by itself costs the CPU as much.
  [[nodiscard]] bool launch_own(std::uint64_t first, std::uint32_t count);
  [[nodiscard]] cuda_graph capture_own();

  own_work own_;
  std::size_t shared_bytes_;                         // per block
  cuda_graph own_graph_;                             // of a batch
  std::uint32_t launches_in_flight_;                 // allowed
  std::uint32_t bursts_a_launch_;                    // allowed
  std::uint32_t bursts_beside_;                      // needed for a launch while another runs
  std::array<std::uint64_t, most_launches> ends_{};  // position after each launch in flight
  std::uint64_t launched_{0};
  std::uint64_t ended_{0};
};

}  // namespace packetwarp
