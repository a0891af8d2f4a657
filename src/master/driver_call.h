// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/thread/call_thread.h"

namespace packetwarp {

// A call to a driver that may take seconds, on a thread beside the workers. For the master.
class driver_call {
 public:
  static constexpr std::chrono::seconds end_time{2};
  // Returns nothing if it succeeded, else the reason why not. Throws nothing.
  using call = std::function<std::optional<std::string>()>;

  // thread: the name for call_thread. device: for the line that reports a call that does not return. Throws failure.
  driver_call(char const* thread, std::string device, call what);
  driver_call(driver_call const&) = delete;
  driver_call& operator=(driver_call const&) = delete;
  // Waits for the call, for end_time at most. A driver that has not returned by then may still use any memory: the
  // process ends there, with one line and exit status 1.
  ~driver_call();

  [[nodiscard]] bool is_busy() const { return thread_.is_busy(); }
  // Valid once the call is not busy.
  [[nodiscard]] std::optional<std::string> const& refusal() const { return *refusal_; }

 private:
  std::string device_;
  std::shared_ptr<std::optional<std::string>> refusal_{std::make_shared<std::optional<std::string>>()};
  call_thread thread_;
};

}  // namespace packetwarp
