// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "base/process/hang_up.h"

#include <atomic>
#include <csignal>

namespace packetwarp {
namespace {

std::atomic<bool> hung_up{false};
std::atomic<unsigned> count{0};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<unsigned>::is_always_lock_free,
              "a signal handler may only touch lock-free atomics");

extern "C" void on_hang_up(int) {
  count.fetch_add(1, std::memory_order_relaxed);
  hung_up.store(true, std::memory_order_relaxed);
}

}  // namespace

void install_hang_up_signal() {
  struct sigaction action {};
  action.sa_handler = on_hang_up;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(SIGHUP, &action, nullptr);
}

bool take_hang_up() noexcept { return hung_up.exchange(false, std::memory_order_relaxed); }

unsigned count_of_hang_ups() noexcept { return count.load(std::memory_order_relaxed); }

}  // namespace packetwarp
