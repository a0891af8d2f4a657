// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "burst/burst_ring.h"

namespace packetwarp {

class gpu_work;

// Who runs the function. Numbers are l2fwd-nv's -w.
enum class executor_kind : std::uint8_t { none = 0, cpu = 1, kernel = 2, persistent = 3, graph = 4 };
[[nodiscard]] std::string_view to_string(executor_kind kind);
[[nodiscard]] constexpr bool needs_gpu(executor_kind kind) { return kind >= executor_kind::kernel; }

// Runs one function on the published bursts of one ring, in place, and writes verdicts. One thread polls it, or two, a
// half each.
class executor {
 public:
  executor() = default;
  executor(executor const&) = delete;
  executor& operator=(executor const&) = delete;
  virtual ~executor() = default;

  // Does a little work without blocking; says how many packets it finished.
  [[nodiscard]] virtual std::uint32_t poll() = 0;
  // The same in two halves, each of which may have a thread of its own: give() hands published bursts to what works
  // beside the CPU, collect() takes back what is finished. What works on the CPU does it all in collect().
  virtual void give() {}
  [[nodiscard]] virtual std::uint32_t collect() { return poll(); }
  // What the function calls a drop reason of its own or the data path's.
  [[nodiscard]] virtual std::string_view name_of(drop_reason reason) const = 0;
  // What of it runs on a GPU, for the master to start, look after and stop; nullptr where nothing does. The executor's.
  [[nodiscard]] virtual gpu_work* on_gpu() { return nullptr; }
};

}  // namespace packetwarp
