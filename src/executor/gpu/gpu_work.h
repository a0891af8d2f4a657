// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace packetwarp {

// The number of packets whose bytes and verdict were compared with the CPU's result, and of packets that differed.
struct check_counts {
  std::uint64_t packets{};
  std::uint64_t wrong{};
};

// The state of an executor's work after it was told to stop.
enum class end_state : std::uint8_t {
  ended,
  // A GPU that does not come back: memory that it can reach must stay as it is until the process ends, and no executor
  // on it may be destroyed, because the driver's calls for that would wait for the GPU.
  runs_on
};

// An executor's part on a GPU, for the master: packets come and go by the executor's own calls.
class gpu_work {
 public:
  gpu_work() = default;
  gpu_work(gpu_work const&) = delete;
  gpu_work& operator=(gpu_work const&) = delete;
  virtual ~gpu_work() = default;

  // For the master: once, when all objects of the process exist and before the first poll. Throws failure.
  virtual void start() {}
  // For the master: after the last poll, before any object is destroyed. Returns whether the GPU's work has ended; see
  // end_state.
  [[nodiscard]] virtual end_state stop() = 0;
  // Watches the GPU, which may take as long as the driver likes. A thread of its own calls it from time to time, while
  // other threads poll.
  virtual void watch() = 0;
  // The GPU has failed, and another processor does its work. Any thread may ask.
  [[nodiscard]] virtual bool has_failed() const = 0;
  // The samples of its work that were checked. Any thread may ask.
  [[nodiscard]] virtual check_counts checked() const = 0;
};

}  // namespace packetwarp
