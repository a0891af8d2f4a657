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

// Packets whose bytes and verdict were compared with what the CPU makes of them, and those that differed.
struct check_counts {
  std::uint64_t packets{};
  std::uint64_t wrong{};
};

// What became of an executor's work when it was told to stop.
enum class end_state : std::uint8_t {
  ended,
  // A GPU does not come back: memory it can reach must stay as it is until the process ends, and no executor on it may
  // be unmade, for the driver's calls that do so would wait for the GPU.
  runs_on
};

// Runs one function on the published bursts of one ring, in place, and writes verdicts. One thread polls it, or two, a
// half each.
class executor {
 public:
  executor() = default;
  executor(executor const&) = delete;
  executor& operator=(executor const&) = delete;
  virtual ~executor() = default;

  // Master: once, when everything of the process is made and before the first poll. Throws failure.
  virtual void start() {}
  // Master: after the last poll, before anything is unmade. Says whether what it ran has ended; see end_state.
  [[nodiscard]] virtual end_state stop() { return end_state::ended; }

  // Looks after what it runs on, where that may take as long as a driver likes. From a thread of its own, now and then,
  // while others poll.
  virtual void watch() {}

  // Does a little work without blocking; says how many packets it finished.
  [[nodiscard]] virtual std::uint32_t poll() = 0;
  // The same in two halves, each of which may have a thread of its own: give() hands published bursts to what works
  // beside the CPU, collect() takes back what is finished. What works on the CPU does it all in collect().
  virtual void give() {}
  [[nodiscard]] virtual std::uint32_t collect() { return poll(); }
  // What the function calls a drop reason of its own or the data path's.
  [[nodiscard]] virtual std::string_view name_of(drop_reason reason) const = 0;
  // What it ran on has failed, and something else does its work. Any thread.
  [[nodiscard]] virtual bool has_failed() const { return false; }
  // What happens from here on, when it takes over from one that has failed: the end of the line that tells of it.
  [[nodiscard]] virtual std::string_view taking_over() const { return "the CPU goes on from the next"; }
  // What was looked at of its work. Any thread.
  [[nodiscard]] virtual check_counts checked() const { return {}; }
};

}  // namespace packetwarp
