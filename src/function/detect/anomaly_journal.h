// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "function/detect/anomaly.h"
#include "function/record/record_journal.h"
#include "memory/table_memory.h"

namespace packetwarp {

// Records that executors did not write.
struct unrecorded_anomalies {
  std::uint64_t lost{};     // the ring was full, or a lost GPU had begun the record and ended a later one
  std::uint64_t limited{};  // beyond the limit of their window; or packets of flows that found no place among the marks
};

// Owns the rings by which the executors of a place tell the master of flows with anomalous packets
// (function/detect/anomaly.h), one per pipeline, and what limits them. For a single thread.
class anomaly_journal {
 public:
  static constexpr std::uint32_t records = 1024;
  static constexpr std::uint32_t marks = 1U << detect_parts::flow_marks::digits;  // with several flows each

  // Throws failure if the memory is not available.
  anomaly_journal(std::size_t pipelines, table_place place);

  // For the n-th pipeline of this place.
  [[nodiscard]] detect_parts::anomaly_ref ref(std::size_t pipeline) const;

  // Calls visit(anomaly const&) with the pipeline's next records, `most` at most; returns how many. Works for a lost
  // GPU, too.
  template <class Visit>
  std::uint32_t read(std::size_t pipeline, std::uint32_t most, Visit&& visit) {
    return rings_.read(pipeline, most, visit);
  }
  // As record_journal's.
  void pass_unfinished() { rings_.pass_unfinished(); }

  // Counts of all pipelines. For a lost GPU, as last read.
  [[nodiscard]] unrecorded_anomalies unrecorded() const;
  [[nodiscard]] std::size_t bytes() const { return rings_.bytes() + state_.size(); }
  // Leaves the memory to the process: a kernel that nothing can end may still use it.
  void abandon();

 private:
  record_journal<detect_parts::anomaly, records> rings_;
  table_memory state_;                                // windows and marks of each pipeline
  mutable std::vector<std::uint64_t> known_limited_;  // by pipeline, as last read
};

}  // namespace packetwarp
