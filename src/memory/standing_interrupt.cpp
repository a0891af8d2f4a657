// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "memory/standing_interrupt.h"

#include <rte_interrupts.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <memory>

#include "base/error.h"
#include "base/sleep.h"

namespace packetwarp {
namespace {

using namespace std::chrono_literals;

// The longest that a callback of a driver keeps the thread from retiring.
constexpr auto longest_callback = 1s;

[[noreturn]] void never_return(void* arrived) {
  static_cast<std::atomic<bool>*>(arrived)->store(true, std::memory_order_release);
  for (;;) ::pause();
}

}  // namespace

// The eventfd stays due, because the EAL reads no descriptor of an external handle.
standing_interrupt::standing_interrupt(callback run, void* with)
    : run_{run},
      with_{with},
      event_{::eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK)},
      handle_{rte_intr_instance_alloc(RTE_INTR_INSTANCE_F_PRIVATE)} {
  if (event_ >= 0 && handle_ != nullptr && rte_intr_fd_set(handle_, event_) == 0 &&
      rte_intr_type_set(handle_, RTE_INTR_HANDLE_EXT) == 0 && rte_intr_callback_register(handle_, run_, with_) == 0)
    return;
  rte_intr_instance_free(handle_);
  if (event_ >= 0) ::close(event_);
  throw failure("a callback of the EAL's interrupt thread cannot be registered");
}

standing_interrupt::~standing_interrupt() {
  while (rte_intr_callback_unregister(handle_, run_, with_) == -EAGAIN) ::sched_yield();
  rte_intr_instance_free(handle_);
  ::close(event_);
}

void retire_interrupt_thread() {
  // Neither is ever freed: the thread stays in the callback.
  static std::atomic<bool> arrived{false};
  static standing_interrupt const* last = nullptr;
  if (last != nullptr) return;
  try {
    last = std::make_unique<standing_interrupt>(never_return, &arrived).release();
  } catch (failure const&) {
    return;  // the process ends anyway
  }
  for (auto const until = std::chrono::steady_clock::now() + longest_callback;
       !arrived.load(std::memory_order_acquire) && std::chrono::steady_clock::now() < until;)
    sleep_for(50us);
}

}  // namespace packetwarp
