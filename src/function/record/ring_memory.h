// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "function/record/record_ring.h"
#include "gpu/gpu.h"
#include "memory/table_memory.h"

namespace packetwarp {

// The memory of rings by which the executors of a place send to the master, one per pipeline. The rings lie in the
// host's memory, which a GPU reaches, and their cursors where executors count fast. For a single thread.
class ring_memory {
 public:
  // ring_bytes: per pipeline. Throws failure if the memory is not available.
  ring_memory(std::size_t pipelines, std::size_t ring_bytes, table_place place);

  [[nodiscard]] std::byte* ring(std::size_t pipeline) const { return rings_.data() + pipeline * ring_bytes_; }
  // The pointer is for executors.
  [[nodiscard]] ring_cursors* cursors(std::size_t pipeline) const {
    return reinterpret_cast<ring_cursors*>(state_.data()) + pipeline;
  }
  // Tells the executors that all before this one are free again. For a GPU it is a copy.
  void free_before(std::size_t pipeline, std::uint64_t read);
  // The records of all pipelines that found no room. For a lost GPU, as last read.
  [[nodiscard]] std::uint64_t lost() const;

  [[nodiscard]] std::size_t bytes() const { return rings_.size() + state_.size(); }
  // Leaves the memory to the process: a kernel that nothing can end may still use it.
  void abandon();

 private:
  std::size_t ring_bytes_;
  table_memory rings_;
  memory_registration pin_;                        // of the rings
  table_memory state_;                             // cursors of each pipeline
  mutable std::vector<std::uint64_t> known_lost_;  // by pipeline, as last read
};

}  // namespace packetwarp
