// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

namespace packetwarp {

// A thread of its own for calls that may not come back for seconds, or ever, such as those of a driver whose device is
// in trouble: the asking thread goes on. It makes one call at a time. A single thread uses the object.
class call_thread {
 public:
  // name: as start_beside_lcores() has it, which says where the thread runs. Throws failure.
  explicit call_thread(char const* name);
  call_thread(call_thread const&) = delete;
  call_thread& operator=(call_thread const&) = delete;
  // Waits for the call under way, unless it was abandoned.
  ~call_thread();

  // Makes the call, which throws nothing. False: the last one has not come back, and nothing was begun.
  [[nodiscard]] bool begin(std::function<void()> call);
  // Whether a call is under way. Data that a call wrote may be read when none is.
  [[nodiscard]] bool is_busy() const;
  // Leaves the thread to the process. Objects of its call must be the call's own (a shared_ptr), or never unmade.
  void abandon();

 private:
  struct shared;
  std::shared_ptr<shared> shared_;
};

}  // namespace packetwarp
