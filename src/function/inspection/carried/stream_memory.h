// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "function/inspection/carried/stream_record.h"
#include "function/inspection/carried/stream_text.h"
#include "memory/table_memory.h"

namespace packetwarp {

// Owns the memory in which executors keep bytes of connections. For a single thread.
class stream_memory {
 public:
  static constexpr std::uint32_t most_texts = 1U << 16;  // packet_note::text

  // Powers of two.
  struct sizes {
    std::uint32_t records{};  // connections, 8 at least; 0: none
    std::uint32_t flows{};    // places of the table of flows
    std::uint32_t texts{};    // rooms for segments
  };
  [[nodiscard]] static std::size_t bytes_for(sizes wanted);

  // Throws failure if the memory is not available.
  stream_memory(table_place place, sizes wanted);

  // Without records: for executors that judge each segment alone.
  [[nodiscard]] inspection_parts::stream_table_ref table() const;
  [[nodiscard]] inspection_parts::text_rooms_ref texts() const;
  [[nodiscard]] std::size_t bytes() const { return bytes_for(sizes_); }
  // Leaves the memory to the process: a kernel that nothing can end may still use it.
  void abandon();

 private:
  sizes sizes_;
  table_memory words_;
  table_memory records_;
  table_memory starts_;
  table_memory texts_;
};

}  // namespace packetwarp
