// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string_view>

#include "burst/burst_ring.h"

namespace packetwarp {

// Who runs the function. Numbers are l2fwd-nv's -w.
enum class executor_kind : std::uint8_t { none = 0, cpu = 1, kernel = 2, persistent = 3, graph = 4 };
[[nodiscard]] std::string_view to_string(executor_kind kind);
[[nodiscard]] constexpr bool needs_gpu(executor_kind kind) { return kind >= executor_kind::kernel; }

// Runs one function on the published bursts of one ring, in place, and writes verdicts. One thread polls it.
class executor {
 public:
  executor() = default;
  executor(executor const&) = delete;
  executor& operator=(executor const&) = delete;
  virtual ~executor() = default;

  // Does a little work without blocking; says how many packets it finished.
  [[nodiscard]] virtual std::uint32_t poll() = 0;
  // What the function calls a drop reason of its own or the data path's.
  [[nodiscard]] virtual std::string_view name_of(drop_reason reason) const = 0;
};

}  // namespace packetwarp
