// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace packetwarp::telemetry {

// A number that one thread writes and any thread may read at any time. The single writer makes add() a plain load,
// addition and store, without a locked instruction; two writers would lose counts. A counter gives no order in which
// the writes of two counters are seen: a reader of a sum that is never negative reads the subtrahend first.
class counter {
 public:
  constexpr counter() = default;
  constexpr explicit counter(std::uint64_t initial) : value_{initial} {}

  // Inlined even beyond the compiler's budget: the budget is exceeded if many files are compiled together, and a call
  // costs more than the addition. Only the writer calls it.
  [[gnu::always_inline]] void add(std::uint64_t n) { set(read() + n); }
  [[gnu::always_inline]] void set(std::uint64_t n) { value_.store(n, std::memory_order_relaxed); }
  // Any thread may call it.
  [[nodiscard, gnu::always_inline]] std::uint64_t read() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
};

}  // namespace packetwarp::telemetry
