// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

namespace packetwarp {

// A thread beside the workers (start_beside_lcores()). The destructor tells it to stop, and joins it.
class control_thread {
 public:
  // name: up to 15 characters, as the system shows it. Throws failure.
  control_thread(std::string const& name, std::function<void(std::stop_token const&)> work);
  control_thread(control_thread const&) = delete;
  control_thread& operator=(control_thread const&) = delete;
  ~control_thread();

 private:
  struct task {
    std::function<void(std::stop_token const&)> work;
    std::stop_source stop{};
  };
  std::unique_ptr<task> task_;
  pthread_t thread_{};
};

}  // namespace packetwarp
