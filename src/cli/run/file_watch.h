// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "cli/control/control_thread.h"

namespace packetwarp {

// Values of a file that differ once it was written or replaced; zeros for a missing file.
using file_mark = std::array<std::uint64_t, 6>;
[[nodiscard]] file_mark mark_of(std::string const& path);

// Checks every second whether a file was replaced or written, on a thread beside the workers: a check may wait for a
// disk. Kubernetes replaces a ConfigMap's files by a link to a new folder, which a check follows.
class file_watch {
 public:
  // known: the file's mark from before it was read.
  file_watch(std::string const& path, file_mark const& known,
             std::chrono::milliseconds period = std::chrono::seconds{1});

  // Whether the file has changed since it was read, or since the last call, and was the same in two checks after that:
  // it is not half written. For one thread.
  [[nodiscard]] bool take_change() { return changed_->exchange(false, std::memory_order_relaxed); }

 private:
  std::unique_ptr<std::atomic<bool>> changed_{std::make_unique<std::atomic<bool>>(false)};
  control_thread thread_;
};

}  // namespace packetwarp
