// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

namespace packetwarp {

// A thread of its own for calls that may not return for seconds, or ever, such as those to a driver whose device is in
// trouble; the asking thread goes on. It makes one call at a time. A single thread uses the object.
class call_thread {
 public:
  // name: as for start_beside_lcores(), which chooses the thread's CPUs. Throws failure.
  explicit call_thread(char const* name);
  call_thread(call_thread const&) = delete;
  call_thread& operator=(call_thread const&) = delete;
  // Waits for the call in progress, unless it was abandoned.
  ~call_thread();

  // Begins the call, which must not throw. False: the last call has not returned, and nothing was begun.
  [[nodiscard]] bool begin(std::function<void()> call);
  // Whether a call is in progress. Data that a call wrote may be read when none is.
  [[nodiscard]] bool is_busy() const;
  // Leaves the thread to the process. Objects that its call uses must belong to the call (a shared_ptr), or live as
  // long as the process.
  void abandon();

 private:
  struct shared;
  std::shared_ptr<shared> shared_;
};

}  // namespace packetwarp
