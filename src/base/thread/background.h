// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <future>
#include <utility>

namespace packetwarp {

// The calling thread gets a tenth of a CPU that it shares with threads of usual priority. A forwarding thread never
// sleeps: with a single CPU, threads beside it take their time from it.
void yield_to_forwarding() noexcept;

// As std::async does it, on a thread of its own that yields to forwarding.
template <class Work>
[[nodiscard]] auto in_background(Work work) {
  return std::async(std::launch::async, [work = std::move(work)]() mutable {
    yield_to_forwarding();
    return work();
  });
}

}  // namespace packetwarp
