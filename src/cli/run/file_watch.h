// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>

#include "cli/control/control_thread.h"

namespace packetwarp {

// Checks every second whether a file was replaced or written, on a thread beside the workers: a check may wait for a
// disk. Kubernetes replaces a ConfigMap's files by a link to a new folder, which a check follows.
class file_watch {
 public:
  explicit file_watch(std::string const& path, std::chrono::milliseconds period = std::chrono::seconds{1});

  // Whether the file has changed since the last call, and was the same in two checks after that: it is not half
  // written. For one thread.
  [[nodiscard]] bool take_change() { return changed_->exchange(false, std::memory_order_relaxed); }

 private:
  std::unique_ptr<std::atomic<bool>> changed_{std::make_unique<std::atomic<bool>>(false)};
  control_thread thread_;
};

}  // namespace packetwarp
