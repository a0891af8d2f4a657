// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <future>
#include <utility>

namespace packetwarp {

// Gives the calling thread a tenth of a CPU that it shares with threads of usual priority. A forwarding thread never
// sleeps: on a single CPU, other threads take their time from it.
void yield_to_forwarding() noexcept;

// Works like std::async, on a thread of its own that yields to forwarding.
template <class Work>
[[nodiscard]] auto in_background(Work work) {
  return std::async(std::launch::async, [work = std::move(work)]() mutable {
    yield_to_forwarding();
    return work();
  });
}

}  // namespace packetwarp
