// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/thread/call_thread.h"

namespace packetwarp {

// Visits the records of a function's tables in a GPU's memory, beside the kernels that run there. For a single thread,
// which waits for no call of the driver: another thread makes these calls.
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

  // Visits records 0 to count - 1, without waiting for the end. False: the last sweep is still under way, and no new
  // one was begun.
  template <class Sweep>
  [[nodiscard]] bool start(typename Sweep::ref const& tables, std::uint32_t count);
  // The reason why the last sweep that has ended failed, or nothing.
  [[nodiscard]] std::string trouble() const;
  // Leaves all of its memory to the process: the GPU does not come back.
  void abandon();

 private:
  struct stream;
  std::shared_ptr<stream> stream_;
  call_thread thread_{"gpu-sweep"};
};

}  // namespace packetwarp
