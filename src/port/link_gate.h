// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

namespace packetwarp {

// Whether the TX queues of a port take packets. It is for drivers that take packets while their kernel interface has no
// link, lose them, and tell their caller that they were sent. The master writes it, and the threads of TX queues read
// it once per burst: no other data depends on it.
class link_gate {
 public:
  void shut() { is_shut_.store(true, std::memory_order_relaxed); }
  void open() { is_shut_.store(false, std::memory_order_relaxed); }
  [[nodiscard]] bool is_shut() const { return is_shut_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> is_shut_{false};
};

}  // namespace packetwarp
