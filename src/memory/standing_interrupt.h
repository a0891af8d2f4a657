// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

struct rte_intr_handle;

namespace packetwarp {

// A callback that the EAL's interrupt thread runs again and again while this object exists. The thread runs one
// callback at a time, so a callback that waits keeps the thread out of all drivers. For the master; the EAL has
// started.
class standing_interrupt {
 public:
  using callback = void (*)(void*);
  // Throws failure.
  standing_interrupt(callback run, void* with);
  standing_interrupt(standing_interrupt const&) = delete;
  standing_interrupt& operator=(standing_interrupt const&) = delete;
  // Waits until the callback returns.
  ~standing_interrupt();

 private:
  callback run_;
  void* with_;
  int event_;
  rte_intr_handle* handle_;
};

// Keeps the EAL's interrupt thread out of all drivers, and out of the EAL's own memory, until the process ends. The
// thread outlives rte_eal_cleanup(), which unmaps memory that the thread reads at its next event. For the end of the
// EAL.
void retire_interrupt_thread();

}  // namespace packetwarp
