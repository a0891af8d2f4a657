// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <deque>

#include "base/cycles.h"
#include "twin/host_twin.h"
#include "twin/twin_link.h"

namespace packetwarp {

// Detects, twice per second, kernel interfaces that are deleted, renamed or set down while a data plane runs. Logs each
// once, and tells the link; the packets of a deleted one are dropped by name, and one that is up again gets the
// addresses and routes back that the kernel has removed. For the master.
class twin_watch {
 public:
  static constexpr std::chrono::milliseconds between_looks{500};

  // The n-th link is the n-th interface's. Both outlive the watch.
  twin_watch(std::deque<host_twin>& twins, std::deque<twin_link>& links) : twins_{twins}, links_{links} {}

  // Called in the master's loop iterations.
  void look(cycles now);

 private:
  static void look_at(host_twin& twin, twin_link& link);
  static void follow(host_twin& twin, twin_link& link);
  std::deque<host_twin>& twins_;
  std::deque<twin_link>& links_;
  cycles next_look_{0};
};

}  // namespace packetwarp
