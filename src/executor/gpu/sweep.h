// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace packetwarp {

// Visits the records of a function's tables in a GPU's memory, beside the kernels that run there. One thread.
//
// Sweep has: ref; HOST_DEVICE static void visit(ref const&, std::uint32_t record). Its instance is made by the build
// for each function that has a <name>/<name>_sweep.h (sweep.cu.in).
class gpu_sweeper {
 public:
  // Throws failure.
  explicit gpu_sweeper(int gpu);
  gpu_sweeper(gpu_sweeper const&) = delete;
  gpu_sweeper& operator=(gpu_sweeper const&) = delete;
  ~gpu_sweeper();

  // Visits records 0 to count - 1, without waiting for it. False: the last sweep is still under way, or the GPU has
  // failed; nothing was begun.
  template <class Sweep>
  [[nodiscard]] bool start(typename Sweep::ref const& tables, std::uint32_t count);
  // Why the GPU sweeps no more, or nothing.
  [[nodiscard]] std::string trouble() const;
  // Whether no sweep is under way.
  [[nodiscard]] bool is_idle() const;

 private:
  struct stream;
  std::unique_ptr<stream> stream_;
};

}  // namespace packetwarp
