// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "burst/burst_ring.h"

namespace packetwarp {

class gpu_work;

// The processor that runs the function, and how. The numbers are l2fwd-nv's -w.
enum class executor_kind : std::uint8_t { none = 0, cpu = 1, kernel = 2, persistent = 3, graph = 4 };
[[nodiscard]] std::string_view to_string(executor_kind kind);
[[nodiscard]] constexpr bool needs_gpu(executor_kind kind) { return kind >= executor_kind::kernel; }

// Runs one function on the published bursts of one ring, in place, and writes verdicts. A single thread polls it, or
// two threads, one half each.
class executor {
 public:
  executor() = default;
  executor(executor const&) = delete;
  executor& operator=(executor const&) = delete;
  virtual ~executor() = default;

  // Does a little work without blocking; says how many packets it finished.
  [[nodiscard]] virtual std::uint32_t poll() = 0;
  // The same in two halves, each of which may have a thread of its own: give() hands published bursts to a processor
  // beside the CPU, collect() takes back the finished ones. An executor on the CPU does all its work in collect().
  virtual void give() {}
  [[nodiscard]] virtual std::uint32_t collect() { return poll(); }
  // The function's name for a drop reason of its own or the data path's.
  [[nodiscard]] virtual std::string_view name_of(drop_reason reason) const = 0;
  // The executor's part on a GPU, for the master to start, watch and stop; nullptr if it has none. The executor owns
  // it.
  [[nodiscard]] virtual gpu_work* on_gpu() { return nullptr; }
};

}  // namespace packetwarp
