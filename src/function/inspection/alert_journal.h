// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "function/inspection/alert.h"
#include "gpu/gpu.h"
#include "memory/table_memory.h"

namespace packetwarp {

// Owns the rings by which the executors of a place tell the master of alerts (function/inspection/alert.h), one per
// pipeline. For a single thread.
class alert_journal {
 public:
  static constexpr std::uint32_t records = 4096;

  // Throws failure if the memory is not available.
  alert_journal(std::size_t pipelines, table_place place);

  // For the n-th pipeline of this place.
  [[nodiscard]] inspection_parts::alert_ref ref(std::size_t pipeline) const;

  using visitor = std::function<void(inspection_parts::alert const&)>;
  // Visits the pipeline's next records, `most` at most; returns how many. Works for a lost GPU, too.
  std::uint32_t read(std::size_t pipeline, std::uint32_t most, visitor const& visit);

  // The ticket of the record that read() visits now.
  [[nodiscard]] std::uint64_t visited_ticket(std::size_t pipeline) const { return readers_[pipeline].read + 1; }

  // Records of all pipelines that found no room. For a lost GPU, as last read.
  [[nodiscard]] std::uint64_t lost() const;
  [[nodiscard]] std::size_t bytes() const { return rings_.size() + state_.size(); }
  // Leaves the memory to the process: a kernel that nothing can end may still use it.
  void abandon();

 private:
  struct reader {
    std::uint64_t read{};
    std::uint64_t told{};  // as the cursors say it
  };
  void free_records(std::size_t pipeline);

  std::vector<reader> readers_;                    // by pipeline
  table_memory rings_;                             // in the host's memory
  memory_registration pin_;                        // of the rings
  table_memory state_;                             // cursors of each pipeline
  mutable std::vector<std::uint64_t> known_lost_;  // by pipeline, as last read
};

}  // namespace packetwarp
