// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "executor/gpu/offload/offload_ring.h"

namespace packetwarp {

struct ring_shape {
  std::uint32_t slots;                   // a power of two
  std::uint32_t burst;                   // packets of the largest burst
  std::uint32_t unit{packets_per_unit};  // packets of a warp's share of a burst; packets_per_unit is a multiple of it
  std::uint32_t staged{0};               // bytes of the longest packet that is staged; 0: none is
};

// The memory that an offload ring needs, and the offsets of its parts.
class offload_layout {
 public:
  explicit offload_layout(ring_shape const& shape);

  [[nodiscard]] std::size_t host_bytes() const { return host_bytes_; }
  [[nodiscard]] std::size_t device_bytes() const {
    if (cell_bytes_ == 0) return cells_at_;
    return cells_at_ + std::size_t{slots_} * capacity_ * cell_bytes_;
  }
  // host: pinned, zeroed, of host_bytes(). device: memory of the GPU, zeroed, of device_bytes().
  [[nodiscard]] offload_ring_ref place(std::span<std::byte> host, std::byte* device) const;

 private:
  std::uint32_t slots_;
  std::uint32_t capacity_;
  std::uint32_t units_;
  std::uint32_t slot_stride_;
  std::size_t slots_at_;
  std::size_t verdicts_at_;
  std::size_t lengths_at_;
  std::size_t rests_at_;
  std::size_t done_at_;
  std::size_t host_bytes_;
  std::uint32_t cell_bytes_;
  std::size_t cells_at_;
};

}  // namespace packetwarp
