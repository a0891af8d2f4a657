// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "base/process/stop.h"

#include <atomic>
#include <csignal>

namespace packetwarp {
namespace {

std::atomic<int> requests{0};
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler may only touch lock-free atomics");

extern "C" void on_stop_signal(int /*signal*/) {
  if (requests.fetch_add(1, std::memory_order_relaxed) + 1 >= static_cast<int>(stop_request::abandon)) {
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
  }
}

}  // namespace

stop_request stop_requested() noexcept {
  int const count = requests.load(std::memory_order_relaxed);
  return count == 0 ? stop_request::none : count == 1 ? stop_request::drain : stop_request::abandon;
}

void request_stop() noexcept { requests.fetch_add(1, std::memory_order_relaxed); }

void install_stop_signals() {
  struct sigaction action {};
  action.sa_handler = on_stop_signal;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

void clear_stop_request() noexcept { requests.store(0, std::memory_order_relaxed); }

}  // namespace packetwarp
