// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "master/gpu_watch.h"

#include <chrono>
#include <utility>

#include "base/sleep.h"

namespace packetwarp {

gpu_watch::gpu_watch(std::vector<gpu_work*> executors) : shared_{std::make_shared<shared>()} {
  shared_->executors = std::move(executors);
  (void)thread_.begin([same = shared_] {
    while (!same->is_over.load(std::memory_order_relaxed)) {
      for (auto* const one : same->executors) one->watch();
      sleep_for(std::chrono::milliseconds{1});
    }
  });
}

// After a kernel's trap, a driver answered within 3.4 s (an H200's, 580.159).
end_state gpu_watch::stop() {
  constexpr std::chrono::seconds patience{10};
  shared_->is_over = true;
  auto const until = std::chrono::steady_clock::now() + patience;
  while (thread_.is_busy()) {
    if (std::chrono::steady_clock::now() >= until) {
      thread_.abandon();
      return end_state::runs_on;
    }
    sleep_for(std::chrono::milliseconds{1});
  }
  return end_state::ended;
}

}  // namespace packetwarp
