// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "function/detect/anomaly.h"
#include "gpu/gpu.h"
#include "memory/table_memory.h"

namespace packetwarp {

// Records that executors did not write.
struct unrecorded_anomalies {
  std::uint64_t lost{};     // the ring was full
  std::uint64_t limited{};  // beyond the limit of their window
};

// Owns the rings by which the executors of a place tell the master of flows with anomalous packets
// (function/detect/anomaly.h), one per pipeline. For a single thread.
class anomaly_journal {
 public:
  static constexpr std::uint32_t records = 1024;
  static constexpr std::uint32_t marks = 16'384;

  // Throws failure if the memory is not available.
  anomaly_journal(std::size_t pipelines, table_place place);

  // For the n-th pipeline of this place.
  [[nodiscard]] detect_parts::anomaly_ref ref(std::size_t pipeline) const;

  using visitor = std::function<void(detect_parts::anomaly const&)>;
  // Visits the pipeline's next records, `most` at most; returns how many. Works for a lost GPU, too.
  std::uint32_t read(std::size_t pipeline, std::uint32_t most, visitor const& visit);

  // Counts of all pipelines. For a lost GPU, as last read.
  [[nodiscard]] unrecorded_anomalies unrecorded() const;
  [[nodiscard]] std::size_t bytes() const;
  // Leaves the memory to the process: a kernel that nothing can end may still use it.
  void abandon();

 private:
  struct reader {
    std::uint64_t read{};
    std::uint64_t told{};  // as the cursors say it
  };
  [[nodiscard]] std::size_t cursors_at(std::size_t pipeline) const;
  void free_records(std::size_t pipeline);

  std::vector<reader> readers_;                      // by pipeline
  table_memory rings_;                               // in the host's memory
  memory_registration pin_;                          // of the rings
  table_memory state_;                               // cursors and marks of each pipeline
  mutable std::vector<unrecorded_anomalies> known_;  // by pipeline, as last read
};

}  // namespace packetwarp
