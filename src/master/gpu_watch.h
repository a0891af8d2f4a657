// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "base/thread/call_thread.h"
#include "executor/gpu/gpu_work.h"

namespace packetwarp {

// Asks every executor's GPU, once per millisecond, whether it is in trouble, on a thread of its own beside the master:
// the master's loop iterations must not wait for a driver. For the master.
class gpu_watch {
 public:
  // The executors outlive the watch, or are never destroyed if stop() returned runs_on.
  explicit gpu_watch(std::vector<gpu_work*> executors);

  // Ends the watch. Waits as long as a driver in trouble may take to answer. runs_on: the driver does not answer, and
  // the thread that asks it is left to the process.
  [[nodiscard]] end_state stop();

 private:
  struct shared {
    std::vector<gpu_work*> executors;
    std::atomic<bool> is_over{false};
  };
  std::shared_ptr<shared> shared_;
  call_thread thread_{"gpu-watch"};
};

}  // namespace packetwarp
