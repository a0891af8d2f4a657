// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace packetwarp {

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

// What an executor has running on a GPU, for the master: packets come and go by the executor's own calls.
class gpu_work {
 public:
  gpu_work() = default;
  gpu_work(gpu_work const&) = delete;
  gpu_work& operator=(gpu_work const&) = delete;
  virtual ~gpu_work() = default;

  // Master: once, when everything of the process is made and before the first poll. Throws failure.
  virtual void start() {}
  // Master: after the last poll, before anything is unmade. Says whether what it ran has ended; see end_state.
  [[nodiscard]] virtual end_state stop() = 0;
  // Looks after the GPU, where that may take as long as a driver likes. From a thread of its own, now and then, while
  // others poll.
  virtual void watch() = 0;
  // The GPU has failed, and something else does its work. Any thread.
  [[nodiscard]] virtual bool has_failed() const = 0;
  // What was looked at of its work. Any thread.
  [[nodiscard]] virtual check_counts checked() const = 0;
};

}  // namespace packetwarp
